// What callers read out (customer, mobile, e-mail address) leads to orders: a portion of orders is written down, and the place up to which all are.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { searchTermKey, settingKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'

const codes = ownCodes('keepSearchTerms', 'kept', 'behind')

/** The row of `settings` that holds the place: time, mid and orderId of the last order, as JSON. */
export const SEARCH_PLACE = 'searchTerms'

export interface KeepSearchTerms {
  /** As it was read before the orders were; undefined where none was kept. */
  from: string | undefined
  to: string
  terms: readonly Row<'searchTerms'>[]
}

export const keepSearchTerms = operation({
  name: 'keepSearchTerms',
  codes,
  reads: () => ({ place: settingKey(SEARCH_PLACE) }),
  decide({ from, to, terms }: KeepSearchTerms, { place }) {
    // Another process was there first: what it wrote down is read again from its place.
    if (place?.value !== from) return { ...NOTHING, reply: { result: codes.behind } }
    const row = { name: SEARCH_PLACE, value: to }
    return {
      reply: { result: codes.kept },
      changes: [
        { kind: place ? 'update' : 'insert', key: settingKey(SEARCH_PLACE), row },
        ...terms.map((term) => ({ kind: 'insert', key: searchTermKey(term), row: term }) as const),
      ],
      events: [],
      tasks: [],
    }
  },
})
