/**
 * Commands beside orders: `node bin/run.mjs test/load/control.ts [--commands 1000 --perSecond 300]`. One service on the embedded store
 * takes orders at fixed times, while writing commands arrive at its control socket, two at once. Prints the failures. Exits with 1 when
 * there are any, or when `mohur verify` finds something.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readArguments } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { sendToService } from '../../src/cli/control.ts'
import { dateInIndia } from '../../src/engine/clock.ts'
import { readSettings } from '../../src/settings.ts'
import { initiate, subscription } from '../support/mandates/subscription.ts'
import { createOrder, inParallel, pay } from '../support/paying/paying.ts'
import { mohurCommand, serveProcess } from '../support/run/process.ts'
import { MID, type Service } from '../support/run/service.ts'
import { spokenTo } from '../support/run/spoken-to.ts'

const AT_ONCE = 2
const SHOPS = 20
const STAFF = 'staff@staff.test'
const YEAR_MS = 365 * 24 * 60 * 60_000

export interface ControlFigures {
  commands: number
  /** The command line, and its result. */
  failures: readonly string[]
  orders: number
  /** Why. */
  ordersFailed: readonly string[]
  commandP99Ms: number
  verified: boolean
}

const KINDS = 11 // of commands that write: all but `merchant add`, which comes first, and `sandbox reset`, which deletes the orders
/** The command line of the nth call. Shops are added first, then each kind has its turn. */
function lineOf(nth: number, { waiting, mandates }: Prepared): string[] {
  const mid = `SHOP_${nth % SHOPS}`
  if (nth < SHOPS) return ['merchant', 'add', '--mid', mid, '--client-id', 'app']
  const turn = Math.floor(nth / KINDS)
  const lines: readonly string[][] = [
    ['merchant', 'set', mid, `fee=${nth % 90}.5`, `name=Shop ${nth}`],
    ['merchant', 'disable', mid],
    ['merchant', 'enable', mid],
    ['merchant', 'rotate-key', mid, '--client-id', 'app'],
    ['notification', 'resend', '--mid', mid, '--dead'],
    ['notification', 'start', '--mid', mid],
    ['operator', 'setup', '--email', `person${turn}@staff.test`, '--role', 'support'],
    ['operator', 'reset', '--email', STAFF],
    ['order', 'ask', waiting[turn]!],
    ['mandate', 'close', MID, mandates[turn]!],
    ['migrate'],
  ]
  return lines[nth % KINDS]!
}

interface Prepared {
  /** Orders whose payment has no result of the bank yet, and subscriptions that are collected. */
  waiting: readonly string[]
  mandates: readonly string[]
}

async function prepared(service: Service, count: number): Promise<Prepared> {
  const [waiting, mandates]: [string[], string[]] = [[], []]
  const [today, later] = [dateInIndia(Date.now()), dateInIndia(Date.now() + YEAR_MS)]
  await inParallel(8, count, async (at) => {
    await pay(service, await createOrder(service, `WAITS_${at}`), { paymentMode: 'UPI', payerAccount: 'slow@upi' })
    waiting.push(`WAITS_${at}`)
    const terms = { subscriptionStartDate: today, subscriptionExpiryDate: later }
    const { txnToken, subscriptionId } = (await initiate(service, subscription(`MANDATE_${at}`, terms))).body
    await pay(service, { orderId: `MANDATE_${at}`, txnToken }, { paymentMode: 'UPI', payerAccount: 'asha@upi' })
    mandates.push(subscriptionId)
  })
  return { waiting, mandates }
}

/** Reads a command line by the command's own table, as a shell's comes to the socket. */
function sentBy(line: string[]) {
  const name = Object.hasOwn(commands, line[0]!) ? line[0]! : line.slice(0, 2).join(' ')
  return { command: name, ...readArguments(name, commands[name]!, line.slice(name.split(' ').length)) }
}

export async function controlLoad({ commands, perSecond }: { commands: number; perSecond: number }): Promise<ControlFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-control-'))
  const environment = { MOHUR_DATA: folder, DATABASE_URL: '' }
  const service = await serveProcess(environment)
  const settings = readSettings(environment)
  await mohurCommand(['operator', 'setup', '--email', STAFF], environment)
  const given = await prepared(spokenTo(service.url), Math.ceil(commands / KINDS) + 1)
  let [next, isOver] = [0, false]
  const [took, failures]: [number[], string[]] = [[], []]
  const sender = async () => {
    for (let nth = next++; nth < commands; nth = next++) {
      const line = lineOf(nth, given)
      const began = performance.now()
      const answered = await sendToService(settings, sentBy(line)).catch((error: Error) => ({ exit: -1, sentence: error.message }))
      took.push(performance.now() - began)
      if (answered?.exit !== 0) failures.push(`${line.join(' ')}: ${answered ? `${answered.exit} ${answered.sentence}` : 'nobody listens'}`)
    }
  }
  let orders = 0
  const ordersFailed: string[] = []
  const made: Promise<unknown>[] = []
  const customers = (async () => {
    const began = performance.now()
    for (; !isOver; orders++) {
      await sleep(Math.max(0, began + (orders * 1_000) / perSecond - performance.now()))
      made.push(
        createOrder(spokenTo(service.url), `LOAD_${orders}`).catch((error: Error) =>
          ordersFailed.push(`${error.message} ${String(error.cause ?? '')}`),
        ),
      )
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
  return { commands, failures, orders, ordersFailed, commandP99Ms: took[Math.floor(took.length * 0.99)]!, verified }
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: { commands: { type: 'string', default: '1000' }, perSecond: { type: 'string', default: '300' } },
  })
  const figures = await controlLoad({ commands: Number(values.commands), perSecond: Number(values.perSecond) })
  console.log(figures, `merchant ${MID} took the orders`)
  process.exitCode = figures.failures.length + figures.ordersFailed.length > 0 || !figures.verified ? 1 : 0
}
