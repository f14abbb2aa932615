// The sweep that keeps search terms, to its end: a look only begins it.

import assert from 'node:assert/strict'
import { searchTerms } from '../../../src/flows/search-terms-due.ts'
import type { Service } from '../run/service.ts'

export async function allTermsKept({ edge }: Pick<Service, 'edge'>): Promise<void> {
  const sweep = searchTerms({ ...edge, isBusy: () => false, failed: (error) => assert.fail(error) })
  await sweep.run(edge.clock.now())
  await sweep.idle()
}
