/**
 * Commands beside orders: `node test/load/control.ts [--commands 1000 --perSecond 300]`. One service on the embedded store takes orders at fixed times
 * while commands that write arrive at its control socket, two at once. Prints how many of either failed; exits with 1 when any did, or when
 * `mohur verify` finds something.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sendToService } from '../../src/cli/control.ts'
import { readSettings } from '../../src/settings.ts'
import { createOrder } from '../support/paying/paying.ts'
import { mohurCommand, serveProcess } from '../support/run/process.ts'
import { MID } from '../support/run/service.ts'
import { spokenTo } from '../support/run/spoken-to.ts'

const AT_ONCE = 2
const SHOPS = 20

export interface ControlFigures {
  commands: number
  commandsFailed: number
  orders: number
  ordersFailed: number
  commandP99Ms: number
  verified: boolean
}

type Line = [command: string, given: Record<string, string | string[] | boolean>, rest?: readonly string[]]
/** Each kind in its turn; shops are added before they are changed. */
function lineOf(nth: number): Line {
  const mid = `SHOP_${nth % SHOPS}`
  if (nth < SHOPS) return ['merchant add', { mid }]
  const kinds: readonly Line[] = [
    ['merchant set', { mid }, [`fee=${nth % 90}.5`, `name=Shop ${nth}`]],
    ['merchant disable', { mid }],
    ['merchant enable', { mid }],
    ['merchant rotate-key', { mid, 'client-id': `C${nth % 90}` }],
    ['notification resend', { mid, dead: true }],
    ['notification start', { mid }],
    ['operator setup', { email: `person${nth}@staff.test`, role: ['support'] }],
    ['operator reset', { email: `person${nth - (nth % 8)}@staff.test` }],
    ['order ask', {}, [`LOAD_${nth}`]],
    ['mandate close', {}, [MID, `NONE_${nth}`]],
    ['migrate', {}],
  ]
  return kinds[nth % kinds.length]!
}
/** A refusal in a sentence is an answer: a key that is not there is not rotated. */
const ANSWERS = new Set([0, 2])

export async function controlLoad({ commands, perSecond }: { commands: number; perSecond: number }): Promise<ControlFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-control-'))
  const environment = { MOHUR_DATA: folder, DATABASE_URL: '' }
  const service = await serveProcess(environment)
  const settings = readSettings(environment)
  let [next, commandsFailed, isOver] = [0, 0, false]
  const took: number[] = []
  const sender = async () => {
    for (let nth = next++; nth < commands; nth = next++) {
      const [command, given, rest = []] = lineOf(nth)
      const began = performance.now()
      const answered = await sendToService(settings, { command, given, argument: undefined, rest }).catch(() => undefined)
      took.push(performance.now() - began)
      if (!answered || !ANSWERS.has(answered.exit)) commandsFailed++
    }
  }
  let [orders, ordersFailed] = [0, 0]
  const made: Promise<unknown>[] = []
  const customers = (async () => {
    const began = performance.now()
    for (; !isOver; orders++) {
      await sleep(Math.max(0, began + (orders * 1_000) / perSecond - performance.now()))
      made.push(createOrder(spokenTo(service.url) as never, `LOAD_${orders}`).catch(() => ordersFailed++))
    }
  })()
  await Promise.all(Array.from({ length: AT_ONCE }, sender))
  isOver = true
  await customers
  await Promise.all(made)
  await service.kill('SIGTERM')
  const verified = (await mohurCommand(['verify'], environment)).code === 0
  rmSync(folder, { recursive: true, force: true })
  took.sort((a, b) => a - b)
  return { commands, commandsFailed, orders, ordersFailed, commandP99Ms: took[Math.floor(took.length * 0.99)]!, verified }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { commands: { type: 'string', default: '1000' }, perSecond: { type: 'string', default: '300' } },
  })
  const figures = await controlLoad({ commands: Number(values.commands), perSecond: Number(values.perSecond) })
  console.log(figures, `merchant ${MID} took the orders`)
  process.exitCode = figures.commandsFailed + figures.ordersFailed > 0 || !figures.verified ? 1 : 0
}
