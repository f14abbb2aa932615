// What callers read out (customer, mobile number, e-mail address) leads to orders: the search terms of a portion of orders are kept.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { searchTermKey, settingKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'

const codes = ownCodes('keepSearchTerms', 'kept', 'behind')

/** The row of `settings` that holds the sweep's place: time, mid and orderId of the last order, as JSON. */
export const SEARCH_PLACE = 'searchTerms'

export interface KeepSearchTerms {
  terms: readonly Row<'searchTerms'>[]
  /** Moves the sweep's place. `from` is the place as the sweep read it before the orders; undefined where there was none. */
  place?: { from: string | undefined; to: string }
}

export const keepSearchTerms = operation({
  name: 'keepSearchTerms',
  codes,
  reads: ({ place }: KeepSearchTerms) => ({ known: place && settingKey(SEARCH_PLACE) }),
  decide({ terms, place }, { known }) {
    // Another process moved the place first. The sweep reads again from there.
    if (place && known?.value !== place.from) return { ...NOTHING, reply: { result: codes.behind } }
    const row = place && { name: SEARCH_PLACE, value: place.to }
    return {
      reply: { result: codes.kept },
      changes: [
        ...(row ? [{ kind: known ? 'update' : 'insert', key: settingKey(SEARCH_PLACE), row } as const] : []),
        // A sweep that walks orders again finds most of their terms there.
        ...terms.map((term) => ({ kind: 'ensure', key: searchTermKey(term), row: term }) as const),
      ],
      events: [],
      tasks: [],
    }
  },
})
