// How a contributor runs one test of a file: CONTRIBUTING.md.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkout } from '../../support/run/checkout.ts'

const PATTERN = '--test-name-pattern=whatever else looks like an amount'

test('a pattern takes the same test whether it stands before the file or after it', () => {
  const file = join(checkout, 'test/interface/money.test.ts')
  // With the runner's own variable Node would not run tests within a test.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const passed = (...args: string[]) => {
    const command = [join(checkout, 'test/support/run/run.ts'), '--quick', '--test-reporter=tap', ...args]
    const { stdout, stderr, status } = spawnSync(process.execPath, command, { cwd: checkout, env, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    return /^# pass (\d+)$/m.exec(stdout)?.[1]
  }
  assert.deepEqual([passed(PATTERN, file), passed(file, PATTERN)], ['1', '1'])
})
