// The load of paid orders, in a process of its own: merchants create orders, payers pay them, and an endpoint is notified. The clock
// stops when the last notification has come. Ten orders a connection warm up uncounted. The bank declines their first attempts, so the
// endpoint receives two notifications of each, in order.

import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from './connection.ts'
import { nameEndpoint, startEndpoint } from './endpoint.ts'
import { type Latency, latency } from './numbers.ts'
import { processorTimes } from './processes.ts'
import { shop } from './shop.ts'

const WARM_UP = 10 // orders of each connection, unless `warmUp` says otherwise
const PAYER_THINKS_MS = 1_000
const LATE_MS = 300 // for a repeated notification

export interface PayLoad {
  port: number
  /** The service whose processor time is read. */
  pid: number
  /** The data folder of its PostgreSQL, whose processor time is read too. */
  postgres?: string | undefined
  connections: number
  orders: number
  /** Keeps the ids of runs apart. */
  run: string
  /**
   * `both`: one connection creates and pays each order. In the open loop orders are created at fixed times and paid a second later,
   * on as many connections as that takes.
   */
  order: 'both' | 'create, then pay' | 'open loop'
  /** In the open loop. */
  beginPerSecond?: number
  /** Uncounted orders of each connection. */
  warmUp?: number
  /** The merchant has no endpoint. */
  unreported?: true
}

export interface PayMeasured {
  /** Orders paid and notified, until the last notification; with `create, then pay` from the first payment. */
  perSecond: number
  /** Processor time, user and system, for one order: the service's process, and PostgreSQL. */
  cpuMicros: number
  postgresMicros: number
  create: Latency & { perSecond: number }
  pay: Latency & { perSecond: number }
  /** From a payment's answer to its notification. */
  behind: Latency
}

async function measure(load: PayLoad): Promise<PayMeasured> {
  const { port, pid, postgres, connections, orders, run, order, beginPerSecond = 0, warmUp = WARM_UP, unreported } = load
  const endpoint = await startEndpoint()
  if (!unreported) await nameEndpoint(port, endpoint.url)
  const lines = Array.from({ length: connections }, () => new Connection(port))
  const expected = new Map<string, readonly string[]>()
  const expect = (orderId: string, ...states: string[]) => void (unreported || expected.set(orderId, states))
  const allTold = () => endpoint.received([...expected.values()].flat().length)

  const warmUps = shop(`${run}W`, connections * warmUp)
  await atOnce(lines, warmUps.count, async (line, at) => {
    await warmUps.create(line, at)
    await warmUps.pay(line, at, { payerAccount: 'declined@upi', state: 'TXN_FAILURE' })
    await warmUps.pay(line, at)
    expect(warmUps.orderId(at), 'TXN_FAILURE', 'TXN_SUCCESS')
  })
  await allTold()

  const counted = shop(run, orders)
  const pay = async (line: Connection, at: number, since?: number) => {
    await counted.pay(line, at, { since })
    expect(counted.orderId(at), 'TXN_SUCCESS')
  }
  const times = processorTimes(pid, postgres)
  const started = performance.now()
  if (order === 'create, then pay') await atOnce(lines, orders, counted.create)
  const payStarted = performance.now()
  if (order === 'open loop') await openLoop(lines, () => new Connection(port), orders, beginPerSecond, counted.create, pay)
  else if (order === 'create, then pay') await atOnce(lines, orders, pay)
  else
    await atOnce(lines, orders, async (line, at) => {
      await counted.create(line, at)
      await pay(line, at)
    })
  const paid = performance.now()
  await allTold()
  const reported = performance.now()
  const micros = times.forOneOf(orders)

  for (const line of lines) line.close()
  await sleep(LATE_MS)
  endpoint.close()
  const toldAt = endpoint.check(expected)
  const rate = (from: number, to: number) => orders / ((to - from) / 1_000)
  return {
    perSecond: rate(payStarted, reported),
    ...micros,
    create: { perSecond: rate(started, order === 'both' ? paid : payStarted), ...latency(counted.createMs) },
    pay: { perSecond: rate(payStarted, paid), ...latency(counted.payMs) },
    behind: latency(counted.paidAt.map((at, order) => Math.max(0, (toldAt.get(counted.orderId(order)) ?? at) - at))),
  }
}

/** Each connection takes the next piece of work when it has finished one. */
async function atOnce(lines: readonly Connection[], count: number, work: (line: Connection, at: number) => Promise<void>) {
  let next = 0
  const all = async (line: Connection) => {
    for (let at = next++; at < count; at = next++) await work(line, at)
  }
  await Promise.all(lines.map(all))
}

type Step = (line: Connection, at: number, since: number) => Promise<void>

/** Begins due work every millisecond. `lines` are idle connections; `more` opens another when none is idle. */
async function openLoop(lines: Connection[], more: () => Connection, count: number, perSecond: number, create: Step, pay: Step) {
  const idle = [...lines]
  const begun: Promise<void>[] = []
  const created: Promise<void>[] = []
  const onALine = async (step: Step, at: number, since: number) => {
    const line = idle.pop() ?? more()
    if (!lines.includes(line)) lines.push(line)
    await step(line, at, since)
    idle.push(line)
  }
  const started = performance.now()
  const dueAt = (at: number) => started + (at * 1_000) / perSecond
  for (let [toCreate, toPay] = [0, 0]; toPay < count; await sleep(1)) {
    for (; toCreate < count && dueAt(toCreate) <= performance.now(); toCreate++) created.push(onALine(create, toCreate, dueAt(toCreate)))
    for (; toPay < count && dueAt(toPay) + PAYER_THINKS_MS <= performance.now(); toPay++) {
      const at = toPay
      begun.push(created[at]!.then(() => onALine(pay, at, dueAt(at) + PAYER_THINKS_MS)))
    }
  }
  await Promise.all(begun)
}

process.on('message', async (given: PayLoad) => {
  process.send!(await measure(given))
  process.exit(0)
})
