// Runs the example of docs/checksum.md unchanged.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { bash, blocksOf } from '../../support/text/shell-blocks.ts'

test('the doctor says of the example what docs/checksum.md shows, and ends with 1', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-checksum-'))
  try {
    const [commands, ...more] = blocksOf('docs/checksum.md')
    assert.deepEqual(more, [])
    assert.deepEqual(await bash(commands!, folder), { code: 1, out: blocksOf('docs/checksum.md', 'text').join(''), err: '' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
