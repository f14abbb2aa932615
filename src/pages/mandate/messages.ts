// The page's message about an act that was just done: docs/pages.md, "The mandate page". The message belongs to the state after the act,
// and disappears when that state changes. So no message about a debit stands above a later question about terms.

import { isCodeLive } from '../../domain/subscription/payer-page/mandate-page.ts'
import { isEditOpen } from '../../domain/subscription/subscription-view.ts'
import { dayBegins } from '../../engine/clock.ts'
import { dayOf, formatRupees } from '../kit/amounts.ts'
import { textIn } from '../kit/page-parts.ts'
import { type MandatePageState, mandateStageOf } from './page-state.ts'

export const SAIDS = ['approved', 'declined', 'paused', 'resumed', 'skipped', 'stopped', 'sent', 'changed', 'stale'] as const
export type Said = (typeof SAIDS)[number]

export interface MandateMessage {
  said: Said
  /** The approved or declined request, as its form names it. */
  of?: string | undefined
}

/**
 * The mandate's state, each request that waits for its payer, and the code that was sent. A later confirmation by the bank changes nothing
 * here. While a page waits for its code, its address says nothing of the mandate.
 */
function matterOf(seen: MandatePageState, said: Said): string {
  const { subscription, open, page, now } = seen
  if (mandateStageOf(seen) === 'code') return String(page.codeUntil)
  const asked = open.filter(({ cycle, notice }) => notice && (cycle.authentication === 'ASKED' || cycle.authentication === 'DECLINED'))
  const isCodeAwaited = said === 'sent' && page.usedAt === null && isCodeLive(page, now)
  return [
    ...[subscription.status, subscription.subStatus, isEditOpen(subscription.edit, now) ? subscription.edit?.editId : '-'],
    ...asked.map(({ cycle, notice }) => `${notice?.noticeId}-${cycle.authentication}`),
    isCodeAwaited ? page.codeUntil : '-',
  ].join('.')
}

/** The query of the page that shows a message. `seen` is the state after the act. */
export const queryOf = (seen: MandatePageState, { said, of }: MandateMessage): string =>
  `?${new URLSearchParams({ said, ...(of !== undefined && { of }), at: matterOf(seen, said) })}`

/** The message that a query asks for. Undefined when the state has changed since. */
export function messageIn(query: unknown, seen: MandatePageState): MandateMessage | undefined {
  const said = SAIDS.find((each) => each === textIn(query, 'said'))
  return said && textIn(query, 'at') === matterOf(seen, said) ? { said, of: textIn(query, 'of') } : undefined
}

/** Undefined when the message is about a debit that is no longer open. */
export function textOf({ texts: { payer }, open, language }: MandatePageState, { said, of }: MandateMessage): string | undefined {
  if (said !== 'approved' && said !== 'declined') return payer.said[said]
  if (of?.startsWith('edit:')) return payer.said[said].terms
  const notice = open.find((each) => of === `debit:${each.notice?.noticeId}`)?.notice
  return notice && payer.said[said].debit(formatRupees(notice.amountPaise), dayOf(dayBegins(notice.debitDate), language))
}
