// The payer of a wallet's mandate, whom no bank can ask: what he says to the debit that he was told of last (docs/sandbox.md).

import type { PayerAction } from '../acquirer/sandbox-mandates.ts'
import type { Edge } from '../http/edge.ts'
import { type SettleNotice, settleNotice } from '../subscription/settle-notice.ts'
import { find, openCollectionsOf } from '../tables.ts'

type Said = Pick<SettleNotice, 'outcome' | 'authentication'>
const SAID: Partial<Record<PayerAction, Said>> = {
  approve: { outcome: 'success', authentication: 'approved' },
  decline: { outcome: 'success', authentication: 'declined' },
  skip: { outcome: 'optedOut' },
}

/** False when he was not asked, or is asked by his bank. */
export const walletPayer =
  ({ engine, query, clock }: Pick<Edge, 'engine' | 'query' | 'clock'>, settle: () => Promise<unknown>) =>
  async ({ mid, subscriptionId }: { mid: string; subscriptionId: string }, action: PayerAction): Promise<boolean> => {
    const said = SAID[action]
    const cycles = await query.rows(openCollectionsOf(mid, subscriptionId))
    const cycle = cycles.find((each) => each.rail === 'WALLET' && each.noticedAt !== null)
    if (!said || !cycle) return false
    const { collectionId } = cycle
    const isAsked = cycle.authentication === 'ASKED' || cycle.authentication === 'DECLINED'
    const [notice] = await query.rows(find('notices', { equals: { mid, collectionId, status: 'SUCCESS' }, limit: 1 }))
    if (!notice || (said.authentication && !isAsked)) return false
    await engine.submit(settleNotice, { mid, collectionId, noticeId: notice.noticeId, ...said, category: undefined, now: clock.now() })
    await settle()
    return true
  }
