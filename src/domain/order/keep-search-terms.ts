// Writes the search terms of a portion of orders. A term leads from a value that callers read out to the orders that have it. The values
// are customers, mobile numbers and e-mail addresses.

import { type Change, NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { lateTermKey, merchantOrderKey, searchOrderKey, searchTermKey, settingKey } from '../../tables/keys.ts'
import { segmentOf } from '../../tables/search.ts'
import type { Row } from '../../tables/tables.ts'

const codes = ownCodes('keepSearchTerms', 'kept', 'behind')

/** The row of `settings` that has the sweep's place. */
export const SEARCH_PLACE = 'searchTerms'

/** `at` is when the order's txnToken was issued. */
export type SearchPlace = readonly [at: number, mid: string, orderId: string]

export interface SweepPlace {
  /** The sweep goes on behind this order. */
  place: SearchPlace
  /** The latest order that an audit wrote ahead of the place. Up to that order the sweep meets orders that have their terms already. */
  aheadUntil: number
  /** Counts the decisions, so that no text repeats. An unchanged text means that nothing was written since. */
  decisions: number
}
export const placeText = ({ place, aheadUntil, decisions }: SweepPlace) => JSON.stringify([...place, aheadUntil, decisions])
/** Undefined for a text that no sweep wrote. */
export function placeIn(text: string): SweepPlace | undefined {
  try {
    const [at, mid, orderId, aheadUntil, decisions] = JSON.parse(text)
    const isPlace = [at, aheadUntil, decisions].every(Number.isSafeInteger) && typeof mid === 'string' && typeof orderId === 'string'
    return isPlace ? { place: [at, mid, orderId], aheadUntil, decisions } : undefined
  } catch {
    return undefined
  }
}

export interface OrderTerms {
  mid: string
  orderId: string
  at: number
  terms: readonly number[]
}

export interface KeepSearchTerms {
  /** Orders later than all numbered orders, oldest first. Their numbers begin at `firstNumber`. */
  inOrder: readonly OrderTerms[]
  firstNumber: number
  /** Orders that a wrong clock dated, or whose commit came late. */
  outOfOrder: readonly OrderTerms[]
  /** `from` is the place as it was before the flow asked which orders have their terms. Undefined when there was no place. */
  place: { from: string | undefined; to: string }
}

export const keepSearchTerms = operation({
  name: 'keepSearchTerms',
  codes,
  reads: (_: KeepSearchTerms) => ({ known: settingKey(SEARCH_PLACE) }),
  decide({ inOrder, firstNumber, outOfOrder, place }, { known }) {
    // Another process moved the place first. The sweep reads again from there.
    if (known?.value !== place.from) return { ...NOTHING, reply: { result: codes.behind } }
    return {
      reply: { result: codes.kept },
      changes: [
        { kind: known ? 'update' : 'insert', key: settingKey(SEARCH_PLACE), row: { name: SEARCH_PLACE, value: place.to } },
        ...inOrder.flatMap((order, nth) => numberedOrder(order, firstNumber + nth)),
        ...outOfOrder.flatMap(unnumberedOrder),
      ],
      events: [],
      tasks: [],
    }
  },
})

export function numberedOrder({ mid, orderId, at, terms }: OrderTerms, number: number): Change[] {
  const segment = segmentOf(number)
  return [
    { kind: 'insert', key: searchOrderKey(number), row: { number, at, mid, orderId } },
    ofMerchant({ mid, at, orderId }),
    ...terms.map((term): Change => {
      const row = { segment, term, number }
      return { kind: 'insert', key: searchTermKey(row), row }
    }),
  ]
}

/** Written by `ensure`, because two simultaneous audits write the same rows. */
const unnumberedOrder = ({ mid, orderId, at, terms }: OrderTerms): Change[] => [
  ofMerchant({ mid, at, orderId }),
  ...terms.map((term) => lateTerm({ term, at, mid, orderId })),
]

const ofMerchant = (row: Row<'merchantOrders'>): Change => ({ kind: 'ensure', key: merchantOrderKey(row), row })
/** An audit or the payer's sign-in writes this row, whichever comes first. */
export const lateTerm = (row: Row<'lateTerms'>): Change => ({ kind: 'ensure', key: lateTermKey(row), row })
