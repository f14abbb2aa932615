// The payer's page of a mandate: who may open it and for how long. Also decides what a sent code proves. docs/pages.md, "The mandate page".

import { isTooFarAhead, lastsUntil } from '../../../engine/clock.ts'
import type { Row } from '../../../tables/tables.ts'
import { EXTENSIONS_MAX, PAGE_VALIDITY_MS } from '../../payment-page/page.ts'
import { OTP_FORM, OTP_VALIDITY_MAX_MS } from '../../signin/signin.ts'
import { isOver, type Subscription } from '../subscription.ts'

export type MandatePage = Row<'mandatePages'>

const LINK_VALIDITY_AFTER_END_MS = 30 * 24 * 60 * 60_000 // docs/pages.md: the payer can still see what was debited

export const isLinkGood = (subscription: Subscription, now: number) =>
  !isOver(subscription) || now < subscription.updatedAt + LINK_VALIDITY_AFTER_END_MS

/** The purpose of a code. The code's hash contains it, so no code serves another purpose. */
export type CodeFor = 'open' | `debit:${string}` | `edit:${string}`

export const isOpen = ({ openedAt, until }: Pick<MandatePage, 'openedAt' | 'until'>, now: number) =>
  openedAt !== null && lastsUntil(until, PAGE_VALIDITY_MS, now)
/** True while the page waits for the code that opens it. */
export const isAwaited = ({ openedAt, askedAt, until }: Pick<MandatePage, 'openedAt' | 'askedAt' | 'until'>, now: number) =>
  openedAt === null && !isTooFarAhead(askedAt, now) && lastsUntil(until, OTP_VALIDITY_MAX_MS, now)
export const isCodeLive = ({ codeUntil }: Pick<MandatePage, 'codeUntil'>, now: number) => lastsUntil(codeUntil, OTP_VALIDITY_MAX_MS, now)
export const openUntil = (now: number) => now + PAGE_VALIDITY_MS

/** True when a request for more time would extend the page. */
export const mayExtend = (page: MandatePage, now: number) =>
  isOpen(page, now) && page.extensions < EXTENSIONS_MAX && openUntil(now) > page.until

export interface TypedCode {
  pageHash: string
  /** As typed. A text without the form of a code spends no try. */
  code: string
  codeHash: string
}

export type CodeVerdict = 'right' | 'wrong' | 'over' | 'used' | 'exceeded'

/** The verdict on the code, and the page after the try. A right code is used up. */
export function tried(
  page: MandatePage,
  { code, codeHash }: TypedCode,
  codeFor: CodeFor,
  now: number,
): { verdict: CodeVerdict; page: MandatePage } {
  if (page.codeFor !== codeFor || !isCodeLive(page, now)) return { verdict: 'over', page }
  if (page.usedAt !== null) return { verdict: 'used', page }
  if (page.tries >= page.triesMax) return { verdict: 'exceeded', page }
  if (!OTP_FORM.test(code)) return { verdict: 'wrong', page }
  if (page.codeHash !== codeHash) return { verdict: 'wrong', page: { ...page, tries: page.tries + 1 } }
  return { verdict: 'right', page: { ...page, usedAt: now } }
}
