// `search-terms.due`: a sweep follows new orders a minute behind, and writes their search terms while no decision waits.

import { keepSearchTerms, placeText, type SearchPlace } from '../domain/order/keep-search-terms.ts'
import type { Sweep } from '../engine/tasks.ts'
import { searchAudit } from './search-audit.ts'
import {
  BEHIND_MS,
  keepTerms,
  type OrderSearched,
  ordersWithin,
  type SearchProgress,
  searchProgress,
  type TermParts,
} from './search-keys.ts'

const PORTION = 100 // docs/decisions/0029: orders of one decision
const REST_MS = 5_000 // Mohur's choice: once all terms are written
const SET_BACK_EVERY_MS = 60_000 // Mohur's choice: two processes whose clocks differ must not walk the same orders all the time

interface SearchParts extends TermParts {
  isBusy(): boolean
  failed(error: Error): void
}

/** `search-terms.due`: a run starts the work without waiting for it, so a million old orders delay nothing. */
export function searchTerms({ isBusy, failed, ...parts }: SearchParts): Sweep & { idle(): Promise<void> } {
  const { clock } = parts
  let isStopped = false
  let [restsUntil, setsBackFrom] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let work: Promise<void> | undefined
  const mayGoOn = () => !isStopped && !isBusy()
  const audit = searchAudit(parts, mayGoOn)

  async function follow() {
    for (let progress: SearchProgress | undefined; mayGoOn(); ) {
      const until = clock.now() - BEHIND_MS
      progress ??= await searchProgress(parts.query)
      if (clock.elapsed() >= setsBackFrom && isAhead(progress, until)) {
        if (await setBack(parts, progress, until)) setsBackFrom = clock.elapsed() + SET_BACK_EVERY_MS
        progress = undefined
        continue
      }
      const orders = await ordersWithin(parts.query, { from: 1, until, beyond: progress.place, limit: PORTION })
      if (orders.length > 0) progress = await keepTerms(parts, progress, orders, placeOf(orders.at(-1)!))
      if (orders.length < PORTION) {
        if (await audit(until)) rest()
        return
      }
    }
  }
  const rest = () => {
    restsUntil = clock.elapsed() + REST_MS
  }
  return {
    name: 'search-terms.due',
    nextDue: async () => undefined,
    async run() {
      if (work || clock.elapsed() < restsUntil) return 0
      work = follow()
        .catch((error: Error) => {
          rest()
          if (!isStopped) failed(error)
        })
        .finally(() => {
          work = undefined
        })
      return 0
    },
    /** Resolves when the work of a run is over. */
    async idle() {
      await work
    },
    async stop() {
      isStopped = true
      await work
    },
  }
}

const isAhead = ({ place }: SearchProgress, until: number): boolean => place !== undefined && place[0] > until

/**
 * Moves a place that is ahead back to `until`. The sweep then walks the orders from there, again or for the first time. False when another
 * process moved the place meanwhile.
 */
async function setBack({ engine }: TermParts, { stored, aheadUntil, decisions }: SearchProgress, until: number): Promise<boolean> {
  const to = placeText({ place: [until, '', ''], aheadUntil, decisions: decisions + 1 })
  const { result } = await engine.submit(keepSearchTerms, { inOrder: [], firstNumber: 0, outOfOrder: [], place: { from: stored, to } })
  return result.name === 'kept'
}

const placeOf = ({ txnTokenIssuedAt, mid, orderId }: OrderSearched): SearchPlace => [txnTokenIssuedAt, mid, orderId]
