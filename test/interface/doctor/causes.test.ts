// The causes of the checksum doctor and docs/checksum.md agree.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { causes } from '../../../src/interface/doctor/causes.ts'

test('docs/checksum.md has a section for each cause, in the same order, and no other', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/checksum.md'), 'utf8')
  assert.deepEqual(
    [...page.matchAll(/^### `([^`]+)`$/gm)].map(([, name]) => name),
    Object.keys(causes),
  )
})

test('what a cause asks for fits a header: one line of plain letters without quotes and semicolons', () => {
  for (const [name, say] of Object.entries(causes)) {
    assert.match(name, /^[a-z-]+$/)
    assert.match(say, /^[ !#-:<-~]{1,130}$/, name)
  }
})
