// No process of the service stays when its starter is gone, and whatever ends the service ends it in order.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { spawned } from '../../support/run/checkout.ts'

const ENDS_WITHIN_MS = 15_000 // a look takes half a second, a stop less; a loaded machine has time
const LONGER_THAN_A_LOOK_MS = 1_500

const folder = mkdtempSync(join(tmpdir(), 'mohur-orphans-'))
const trees: Tree[] = []
after(() => {
  for (const tree of trees) tree.killAll()
  rmSync(folder, { recursive: true, force: true })
})

/** Every process of a tree prints its id. The launcher believes that it is an old Node, so it launches another. */
const oldNode = join(folder, 'old-node.mjs')
writeFileSync(
  oldNode,
  `if (process.argv[1]?.endsWith('mohur.mjs')) Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.17.0' } })
process._rawDebug('process ' + process.pid)`,
)
const launcher = join(spawned, 'bin/mohur.mjs')
const serve = `"${process.execPath}" "${launcher}" serve`
/** Starts the command that npm starts, as npm does, and hands no signal on. */
const npm = (how: [string, string[]]) => ['-e', `require('node:child_process').spawn(...${JSON.stringify(how)}, { stdio: 'inherit' })`]
const withShell = npm(['sh', ['-c', `${serve}; exit $?`]])
const withoutShell = npm([process.execPath, [launcher, 'serve']])

interface Tree {
  root: ChildProcess
  url: string
  pids: number[]
  data: string
  /** Whether all of its processes have ended: they share one standard output. */
  ended(): Promise<boolean>
  killAll(): void
}

async function started(args: readonly string[], { env = {}, launches = true } = {}): Promise<Tree> {
  const data = mkdtempSync(join(folder, 'data-'))
  const root = spawn(process.execPath, args, {
    env: {
      ...process.env,
      ...{ npm_lifecycle_event: undefined, DATABASE_URL: '', MOHUR_DATA: data, PORT: '0', MOHUR_LOG: 'silent' },
      ...{ NODE_OPTIONS: launches ? `--import=${pathToFileURL(oldNode).href}` : '' },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const pids: number[] = []
  let [out, err, isOver] = ['', '', false]
  root.stderr.on('data', (part) => {
    err += part
    for (const [, pid] of err.matchAll(/process (\d+)\n/g)) if (!pids.includes(Number(pid))) pids.push(Number(pid))
  })
  const over = once(root.stdout, 'end').then(() => {
    isOver = true
  })
  const url = await new Promise<string>((resolve, reject) => {
    root.stdout.on('data', (part) => {
      out += part
      const address = /Mohur listens on (http:\/\/\S+)/.exec(out)?.[1]
      if (address) resolve(address)
    })
    root.once('exit', (code) => reject(new Error(`ended with ${code}: ${out}${err}`)))
  })
  const tree: Tree = {
    root,
    url,
    pids,
    data,
    async ended() {
      await Promise.race([over, sleep(ENDS_WITHIN_MS, undefined, { ref: false })])
      return isOver
    },
    killAll() {
      if (isOver) return
      for (const pid of [root.pid!, ...pids]) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {} // it has ended
      }
    },
  }
  trees.push(tree)
  return tree
}

/** Ended, and in order: SQLite removes its log when its last connection closes. */
async function endedInOrder({ ended, url, data }: Tree) {
  assert.ok(await ended(), 'a process is left')
  await assert.rejects(fetch(`${url}/healthz`))
  assert.deepEqual([existsSync(join(data, 'mohur.sqlite')), existsSync(join(data, 'mohur.sqlite-wal'))], [true, false])
}

test('a launcher that is killed takes the service along, which stops in order', async () => {
  const tree = await started([launcher, 'serve'])
  assert.equal(tree.pids.length, 2, 'a launcher and a service')
  tree.root.kill('SIGKILL')
  await endedInOrder(tree)
})

const npmRuns = { npm_lifecycle_event: 'start' }
for (const [how, args, launches] of [
  ['with a shell between', withShell, true],
  ['without one', withoutShell, true],
  ['on a Node of the machine that needs no launcher', withShell, false],
] as const) {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    test(`an npm that ends by ${signal} takes the service along, ${how}`, async () => {
      const tree = await started(args, { env: npmRuns, launches })
      tree.root.kill(signal)
      await endedInOrder(tree)
    })
  }
}

test('a service that npm did not start outlives the shell that started it', async () => {
  const tree = await started(withoutShell)
  tree.root.kill('SIGKILL')
  await sleep(LONGER_THAN_A_LOOK_MS)
  assert.equal((await fetch(`${tree.url}/healthz`)).status, 200)
})

test('Ctrl-C, which reaches the service twice, stops it in order', async () => {
  const tree = await started([launcher, 'serve'])
  const exit = once(tree.root, 'exit')
  for (const pid of tree.pids) process.kill(pid, 'SIGINT')
  assert.deepEqual((await exit).slice(0, 1), [0])
  await endedInOrder(tree)
})
