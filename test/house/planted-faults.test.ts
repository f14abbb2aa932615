// Every planted fault still has its place in the source. The slow tests that find the faults would say so only after most of an hour.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLANTED as OF_CASHFREE } from '../support/cashfree/planted-faults.ts'
import { PLANTED as OF_MANDATES } from '../support/mandates/planted-faults.ts'
import { plantedIn } from '../support/run/planted-source.ts'

for (const { fault, source } of [...OF_CASHFREE, ...OF_MANDATES]) {
  test(`can be planted: ${fault}`, () => {
    assert.notEqual(source.length, 0)
    for (const planted of source) assert.ok(plantedIn(planted).includes(planted.to))
  })
}
