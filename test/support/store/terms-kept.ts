// The sweep that keeps search terms, to its end: a look only begins it.

import assert from 'node:assert/strict'
import { searchTerms } from '../../../src/flows/search-terms-due.ts'
import type { Service } from '../run/service.ts'

export async function allTermsKept({ ports }: Pick<Service, 'ports'>): Promise<void> {
  const sweep = searchTerms({ ...ports, isBusy: () => false, failed: (error) => assert.fail(error) })
  await sweep.run(ports.clock.now())
  await sweep.idle()
}
