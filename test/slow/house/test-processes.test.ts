// The runner's report of files that fail in unusual ways: test/support/run/processes.ts.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { filesOf, root, whyAlone } from '../../support/run/files.ts'
import { type Ended, TestProcesses } from '../../support/run/processes.ts'

const folder = mkdtempSync(join(tmpdir(), 'mohur-runner-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Mohur's choice: a file of one test takes milliseconds, once its process has loaded the service. */
const LIMIT_MS = 10_000
const run = join(root, 'test/support/run')
const execArgv = [
  `--import=${join(run, 'follow-tests.ts')}`,
  `--test-reporter=${join(run, 'report.ts')}`,
  '--test-reporter-destination=stdout',
]

async function endOf(files: Readonly<Record<string, string>>, limitMs?: number): Promise<Ended[]> {
  const names = Object.entries(files).map(([name, source]) => {
    const path = join(folder, `${name}.test.ts`)
    writeFileSync(path, `import { test } from 'node:test'\n${source}\n`)
    return path
  })
  const ended: Ended[] = []
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const started = { execArgv, env, cwd: root, isDebugged: false, limitMs }
  await new TestProcesses(filesOf('quick', names), started, (file) => ended.push(file)).run(1)
  return ended
}
const failuresOf = ({ result }: Ended) => result.failures.map(({ test: name, text }) => `${name}: ${text}`)

test('a file that does not end is ended at its limit, with the test that was running, and the next runs in another process', async () => {
  const spins = "test('ends', () => {})\ntest('spins', () => { for (;;); })"
  const waits = "test('waits', () => new Promise(() => {}))"
  const [spinning, waiting, next] = await endOf({ spins, waits, next: "test('runs', () => {})" }, LIMIT_MS)
  assert.deepEqual(failuresOf(spinning!), [`spins: the file took longer than ${LIMIT_MS / 1_000} seconds, and was ended`])
  assert.deepEqual(failuresOf(waiting!), [`waits: the file took longer than ${LIMIT_MS / 1_000} seconds, and was ended`])
  assert.deepEqual([next!.result.passed, next!.result.failures, next!.after], [1, [], []])
})

test('a process that ends in the middle of a test, and a file that cannot be loaded, are failures', async () => {
  const [exits, missing] = await endOf({ exits: "test('exits', () => process.exit(0))", missing: "await import('./nothing.ts')" })
  assert.deepEqual(failuresOf(exits!), ['exits: the process ended with 0'])
  assert.match(failuresOf(missing!).join(), /^the file itself.*Cannot find module/s)
})

test('an error that comes after its test has ended is a failure', async () => {
  const late = "test('leaves work', () => { setTimeout(() => { throw new Error('too late') }) })"
  const ended = await endOf({ late })
  assert.match(ended.flatMap(failuresOf).join(), /leaves work.*too late/s)
})

test('files share a process in their order, and one that says why it runs alone has its own', async () => {
  const runs = "test('runs', () => {})"
  const ended = await endOf({ one: runs, alone: `// Runs alone: it counts what its process has open.\n${runs}`, two: runs })
  const name = (path: string) => /([a-z]+)\.test\.ts$/.exec(path)![1]
  assert.deepEqual(
    ended.map(({ file, after: before }) => [name(file.name), ...before.map(name)]),
    [['alone'], ['one'], ['two', 'one']],
  )
  assert.equal(whyAlone('// Runs alone: it counts.\n'), 'it counts.')
})

test('a difference between two pages is shown by its lines, and neither page whole', async () => {
  const page = "const page = (at) => Array.from({ length: 200 }, (_, line) => '<p>' + (line === 90 ? at : line) + '</p>').join('')"
  const [failed] = await endOf({
    pages: `import assert from 'node:assert/strict'\n${page}\ntest('is', () => assert.equal(page('a'), page('b')))`,
  })
  const [{ text, at } = { text: '', at: '' }] = failed!.result.failures
  assert.match(text, /\n {2}<p>89<\/p>\n[-+] <p>[ab]<\/p>\n[-+] <p>[ab]<\/p>\n {2}<p>91<\/p>\n/)
  assert.ok(!text.includes('<p>80</p>') && text.length < 1_000, text)
  assert.match(at, /pages\.test\.ts:4:1$/)
})
