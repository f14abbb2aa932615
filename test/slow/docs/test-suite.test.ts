// docs/sandbox.md, "In a test suite": its examples run as a reader runs them, against the package.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { before, test } from 'node:test'
import { promisify, stripVTControlCharacters } from 'node:util'
import { root } from '../../support/run/files.ts'
import { areClientsRequired, installedClient } from '../../support/run/installed-client.ts'
import { packed } from '../../support/run/packed.ts'

const RUN_MS = 180_000
const page = readFileSync(join(root, 'docs/sandbox.md'), 'utf8')
const files = [...page.matchAll(/^```js (\S+)\n(.*?)^```$/gms)].map(([, name, text]) => ({ name: name!, text: text! }))

let project: string
const run = (file: string, args: readonly string[]) => promisify(execFile)(file, args, { cwd: project, timeout: RUN_MS })
before(() => {
  project = packed().project
  for (const { name, text } of files) writeFileSync(join(project, name), text)
  // Their checksum library, as this checkout has it.
  cpSync(join(root, 'node_modules/paytmchecksum'), join(project, 'node_modules/paytmchecksum'), { recursive: true })
})

test('node:test', async () => {
  const { stdout } = await run(process.execPath, ['--test', 'shop.test.mjs'])
  assert.match(stdout, /^. pass 3$/m)
  assert.match(stdout, /^. fail 0$/m)
})

for (const [runner, command] of [
  ['Vitest', ['vitest/vitest.mjs', 'run', 'shop.vitest.test.js']],
  ['Jest', ['jest/bin/jest.js', 'shop.jest.test.cjs']],
] as const)
  test(runner, async () => {
    const failure = await installed()
    if (failure !== undefined) return leaveOut(runner, failure)
    const [file, ...args] = command
    const { stdout, stderr } = await run(process.execPath, [join(packed().folder, 'node_modules', file), ...args])
    assert.match(stripVTControlCharacters(stdout + stderr), /Tests:? +1 passed/)
  })

let installing: Promise<string | undefined> | undefined
/** Puts both above the project, once. Returns why it cannot. */
const installed = () => (installing ??= install())
async function install(): Promise<string | undefined> {
  const client = await installedClient('test-runners')
  if ('failure' in client) return client.failure
  symlinkSync(dirname(dirname(client.require.resolve('vitest/package.json'))), join(packed().folder, 'node_modules'))
  return undefined
}

function leaveOut(runner: string, failure: string) {
  assert.ok(!areClientsRequired, failure)
  console.log(`LEFT OUT: the example for ${runner}, which cannot be installed: ${failure.split('\n')[0]}`)
}
