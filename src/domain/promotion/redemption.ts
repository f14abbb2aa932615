// Uses a promotion: reserved when a payment begins, committed when it succeeds. Released when the payment fails, or its last rupee is
// refunded (docs/interface.md sections 3 and 4.10). Rows of their own count budget and customer limit. CHECKs of those rows enforce both limits too.

import { type Change, type Event, eventOf } from '../../engine/decision.ts'
import { counterKey, redemptionKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { limitReached, type Offer } from './evaluate.ts'

type Redemption = Row<'redemptions'>
export const EVERYBODY = ''

export interface Counters {
  everybody: Row<'promotionCounters'> | undefined
  ofCustomer: Row<'promotionCounters'> | undefined
}
export const counterReads = (mid: string, promocode: string, custId: string) => ({
  everybody: counterKey(mid, promocode, EVERYBODY),
  ofCustomer: counterKey(mid, promocode, custId),
})

/** The limit that bars the offer, in words for the customer. Undefined when the offer may be used once more. */
export const limitOf = (offer: Offer, { everybody, ofCustomer }: Counters) =>
  limitReached(offer, { paise: everybody?.amountPaise ?? 0, usesOfCustomer: ofCustomer?.uses ?? 0 })

/** Only for an offer that no limit bars: the caller checks it by `limitOf`. */
export function reserve(
  { promotion, paise }: Offer,
  given: Pick<Redemption, 'mid' | 'txnId' | 'orderId' | 'custId' | 'fundedBy'>,
  counters: Counters,
  now: number,
): { redemption: Redemption; changes: Change[]; events: Event[] } {
  const redemption: Redemption = {
    ...given,
    version: 1,
    promocode: promotion.promocode,
    kind: promotion.kind,
    amountPaise: paise,
    status: 'RESERVED',
    updatedAt: now,
  }
  const { kind } = promotion
  const limits = { budgetPaise: promotion.budgetPaise, usesMax: promotion.maxPerCustomer }
  return {
    redemption,
    changes: [{ kind: 'insert', key: redemptionKey(given.mid, given.txnId), row: redemption }, ...count(redemption, counters, 1, limits)],
    events: [redemptionEvent('redemption.reserved', undefined, redemption, now, { kind, fundedBy: given.fundedBy, ...limits })],
  }
}

export function commit(before: Redemption, now: number): { changes: Change[]; events: Event[] } {
  const row: Redemption = { ...before, version: before.version + 1, status: 'COMMITTED', updatedAt: now }
  return {
    changes: [{ kind: 'update', key: redemptionKey(row.mid, row.txnId), row }],
    events: [redemptionEvent('redemption.committed', before, row, now)],
  }
}

export function release(before: Redemption, counters: Counters, now: number): { changes: Change[]; events: Event[] } {
  const row: Redemption = { ...before, version: before.version + 1, status: 'RELEASED', updatedAt: now }
  return {
    changes: [{ kind: 'update', key: redemptionKey(row.mid, row.txnId), row }, ...count(before, counters, -1)],
    events: [redemptionEvent('redemption.released', before, row, now)],
  }
}

/** A use copies the promotion's limits into the counters, so that a CHECK can enforce them. A release leaves the limits unchanged. */
function count(
  { mid, promocode, custId, amountPaise }: Redemption,
  { everybody, ofCustomer }: Counters,
  uses: 1 | -1,
  limits?: { budgetPaise: number | null; usesMax: number | null },
): Change[] {
  const counted = (whose: string, before: Row<'promotionCounters'> | undefined): Change => ({
    kind: before ? 'update' : 'insert',
    key: counterKey(mid, promocode, whose),
    row: {
      mid,
      promocode,
      custId: whose,
      uses: (before?.uses ?? 0) + uses,
      amountPaise: (before?.amountPaise ?? 0) + uses * amountPaise,
      budgetPaise: limits && whose === EVERYBODY ? limits.budgetPaise : (before?.budgetPaise ?? null),
      usesMax: limits && whose !== EVERYBODY ? limits.usesMax : (before?.usesMax ?? null),
    },
  })
  return [counted(EVERYBODY, everybody), counted(custId, ofCustomer)]
}

const redemptionEvent = (
  type: `redemption.${string}`,
  before: Redemption | undefined,
  after: Redemption,
  at: number,
  more: Event['data'] = {},
): Event =>
  eventOf({
    type,
    owner: after.mid,
    id: after.txnId,
    before,
    after,
    at,
    data: { orderId: after.orderId, promocode: after.promocode, amountPaise: after.amountPaise, ...more },
  })
