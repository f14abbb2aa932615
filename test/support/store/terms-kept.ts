// The sweep that writes search terms, to its end: a look only begins it (src/flows/search-terms.ts).

import assert from 'node:assert/strict'
import { searchableUntil, searchTerms } from '../../../src/flows/search-terms.ts'
import type { Service } from '../run/service.ts'

const LOOKS_MAX = 1_000

export async function allTermsKept({ edge }: Pick<Service, 'edge'>): Promise<void> {
  for (let look = 0, before = -1; look < LOOKS_MAX; look++) {
    const sweep = searchTerms({ ...edge, isBusy: () => false, failed: (error) => assert.fail(error) })
    await sweep.run(edge.clock.now())
    await sweep.stop?.()
    const until = await searchableUntil(edge.query)
    if (until === before) return
    before = until
  }
  assert.fail('there are always more terms to write')
}
