/**
 * Kills processes that started a sandbox by `startSandbox`, half of them while it starts and half of them afterwards, and counts what is left:
 *
 *     node bin/run.mjs test/crash/killed-parents.ts [--times 50] [--seed 1]
 *
 * Half of them get SIGKILL, the others SIGTERM; half of them run under npm. Exits with 1 when a process is left after two seconds. On a busy
 * machine a process that starts may take longer to notice.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { spawned } from '../support/run/checkout.ts'
import { Random } from '../support/text/random.ts'

const LEFT_AFTER_MS = 2_000
const MOMENT_MAX_MS = 500 // most of a start on an idle machine
const LOOK_MS = 50
const AT_ONCE = 5

export interface Left {
  kills: number
  /** Kills that came before the sandbox had answered its parent. */
  early: number
  processes: readonly string[]
  folders: readonly string[]
}

const TESTS = `import { startSandbox } from '${pathToFileURL(join(spawned, 'testing/testing.mjs')).href}'
console.log('tests ' + process.pid)
await startSandbox()
console.log('started')
setInterval(() => {}, 1_000)
`

export async function killedParents({ times, seed, withinMs }: { times: number; seed: number; withinMs: number }): Promise<Left> {
  const random = new Random(seed)
  const folder = mkdtempSync(join(tmpdir(), 'mohur-parents-'))
  writeFileSync(join(folder, 'tests.mjs'), TESTS)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, scripts: { test: `"${process.execPath}" tests.mjs` } }))
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  let early = 0
  try {
    for (let begun = 0; begun < times; begun += AT_ONCE) {
      const round = Array.from({ length: Math.min(AT_ONCE, times - begun) }, (_, at) => begun + at)
      const kills = round.map((at) => ({ at, momentMs: random.below(MOMENT_MAX_MS) }))
      const states = await Promise.all(kills.map(({ at, momentMs }) => kill(folder, temporary, at, momentMs)))
      early += states.filter((hasStarted) => !hasStarted).length
    }
    for (let ms = 0; ms < withinMs && processesIn(temporary).length > 0; ms += LOOK_MS) await sleep(LOOK_MS)
    return { kills: times, early, processes: processesIn(temporary), folders: readdirSync(temporary) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns whether the sandbox had started. */
async function kill(folder: string, temporary: string, at: number, momentMs: number): Promise<boolean> {
  const [file, args] = at % 2 === 0 ? [process.execPath, ['tests.mjs']] : ['npm', ['test', '--silent']]
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...process.env, TMPDIR: temporary, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const said = await untilTests(child)
  if (at % 8 < 4) while (!said.text().includes('started')) await sleep(LOOK_MS)
  else await sleep(momentMs)
  process.kill(said.pid, at % 4 < 2 ? 'SIGKILL' : 'SIGTERM')
  await ended
  return said.text().includes('started')
}

async function untilTests(child: ChildProcess) {
  let text = ''
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the tests ended: ${text}`)))
    child.stdout!.setEncoding('utf8').on('data', (part) => {
      text += part
      const found = /tests (\d+)/.exec(text)?.[1]
      if (found) resolve(Number(found))
    })
  })
  return { pid, text: () => text }
}

/** The command lines of the processes that have this temporary folder. */
function processesIn(temporary: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(temporary)
        return isOurs ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`] : []
      } catch {
        return [] // it has ended, or is another user's
      }
    })
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { times: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } } })
  const { kills, early, processes, folders } = await killedParents({
    times: Number(values.times),
    seed: Number(values.seed),
    withinMs: LEFT_AFTER_MS,
  })
  console.log(`${kills} parents killed, ${early} of them before the sandbox had started`)
  console.log(`processes left after ${LEFT_AFTER_MS / 1_000} s: ${processes.length} ${processes.join(', ')}`)
  console.log(`folders left: ${folders.length} ${folders.join(', ')}`)
  process.exit(processes.length > 0 ? 1 : 0)
}
