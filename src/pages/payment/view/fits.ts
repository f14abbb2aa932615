// Contradicting rows are never drawn: no page is better than a wrong amount.

import type { FoundPage } from '../found/found.ts'
import { misfitOf } from '../found/page-state.ts'

/** Throws when the rows contradict each other. The payer then reads that the page cannot be shown. */
export function assertFits(found: FoundPage): void {
  const misfit = misfitOf(found) ?? (found.options?.cards.some(({ scheme }) => !scheme) ? 'a kept card has no scheme' : undefined)
  if (misfit !== undefined) throw new Error(`the rows of a payment page do not fit each other: ${misfit}`)
}
