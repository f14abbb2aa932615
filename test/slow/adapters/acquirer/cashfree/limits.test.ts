// More payers in a minute than Cashfree allows. Those beyond its limits are refused at once, and no payer waits long. Those within them
// wait for no other payer. The limits are those of docs/acquirer-cashfree.md.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountAt, idOf, NET_BANKING, PAYER, UPI, WEBHOOK } from '../../../../support/cashfree/account.ts'
import { compareBooks, nothingCompared } from '../../../../support/cashfree/books.ts'
import { CashfreeSimulator, LIMITS } from '../../../../support/cashfree/simulator.ts'
import { createOrder, inParallel, type Order, pay, statusOf } from '../../../../support/paying/paying.ts'
import { refund, transactionOf } from '../../../../support/paying/refunds.ts'
import { onBothStores, type Service, startService } from '../../../../support/run/service.ts'
import { assertHolds } from '../../../../support/store/verify.ts'

const MINUTE = 60_000
const MINUTES = 2
const PAYERS = 190 // a minute; Cashfree allows 200 orders, and 100 new payments
const PAYERS_EVERY_MS = 8
const WAITED_MAX_MS = 2 * MINUTE
const STEP_MS = 10_000
const BESIDE_MS_MAX = 900 // by which the slowest tenth may differ on a busy machine; a wait for Cashfree's limits takes a second or more
const REFUNDS = 300 // Cashfree takes 100 a minute, and 30 questions about refunds
const REFUNDS_WITHIN_MS = 60 * MINUTE
const REFUND_STEP_MS = 30_000
const AT_ONCE = 10
const CALLS_MAX = 6 // for a payment here: two begin it, and a webhook and the schedule ask twice each

interface Payer {
  order: Order
  txnId: string
  isTaken: boolean
  payMs: number
  waitedMs: number
}

const percentile = (values: readonly number[], of: number) =>
  [...values].sort((a, b) => a - b)[Math.max(0, Math.ceil(values.length * of) - 1)] ?? 0
const round = (ms: number) => Math.round(ms * 10) / 10

onBothStores('more payers than Cashfree takes', (store) => {
  let service: Service
  let bank: CashfreeSimulator
  after(async () => {
    await service?.close()
    await bank?.stop()
  })

  const pass = (ms: number) =>
    service.tasks.advance(service.clock.now() + ms, async (at) => {
      const step = Math.max(0, at - service.clock.now())
      service.clock.set(step)
      service.clock.pass(step)
    })

  async function hear(id: string) {
    const { headers, body } = bank.webhook(id)
    await service.call('POST', WEBHOOK, headers, body)
  }

  /** Payers come one after the other, and each approves at once. Beside each a shop creates an order. */
  async function minute(name: string): Promise<{ payers: Payer[]; besideMs: number[] }> {
    const payers: Promise<Payer>[] = []
    const beside: Promise<number>[] = []
    for (let at = 0; at < PAYERS; at++) {
      payers.push(one(`${name}_${at}`, at % 2 === 0 ? UPI : NET_BANKING))
      beside.push(timed(() => createOrder(service, `${name}_BESIDE_${at}`, PAYER)).then(({ ms }) => ms))
      await sleep(PAYERS_EVERY_MS)
    }
    const minuteOf = { payers: await Promise.all(payers), besideMs: await Promise.all(beside) }
    await service.tasks.runDue()
    return minuteOf
  }

  async function one(orderId: string, means: object): Promise<Payer> {
    const order = await createOrder(service, orderId, PAYER)
    const { ms: payMs, value: reply } = await timed(() => pay(service, order, means))
    const txnId = reply.body.txnId as string
    const isTaken = (bank.orders.get(idOf(txnId))?.payments.length ?? 0) > 0
    if (isTaken) {
      bank.settle(idOf(txnId), 'SUCCESS')
      await hear(idOf(txnId))
    }
    return { order, txnId, isTaken, payMs, waitedMs: 0 }
  }

  async function timed<T>(work: () => Promise<T>) {
    const began = performance.now()
    const value = await work()
    return { ms: performance.now() - began, value }
  }

  const isOver = async ({ order }: Payer) => (await statusOf(service, order)).body.resultInfo.resultStatus !== 'PENDING'

  /** How long each payer waits for the result, in steps of the clock. */
  async function untilOver(payers: readonly Payer[]) {
    let left = [...payers]
    for (let waitedMs = 0; waitedMs <= WAITED_MAX_MS * 2; waitedMs += STEP_MS) {
      const open: Payer[] = []
      for (const payer of left) {
        payer.waitedMs = payer.payMs + waitedMs
        if (!(await isOver(payer))) open.push(payer)
      }
      left = open
      if (left.length === 0) return
      await pass(STEP_MS)
    }
  }

  /** By the order's id. A pay call names the order by its session. */
  function callsOfEach(): number[] {
    const counts = new Map<string, number>()
    const bySession = new Map([...bank.orders.values()].map(({ session, id }) => [session, id]))
    for (const { path, body } of bank.recorded) {
      const id = /m[\w-]{43}/.exec(path)?.[0] ?? body?.['order_id'] ?? bySession.get(String(body?.['payment_session_id']))
      counts.set(String(id), (counts.get(String(id)) ?? 0) + 1)
    }
    return [...counts.values()]
  }

  test(`${MINUTES} minutes of ${PAYERS} payers each: refused at once or paid, and no payer waits two minutes`, async (t) => {
    bank = await CashfreeSimulator.start({ now: () => service?.clock.realNow() ?? Date.now() })
    service = await startService(store, { env: accountAt(bank.url) })
    const unlimited = await minute('WARM')
    await untilOver(unlimited.payers)
    bank.recorded.length = 0
    bank.limits = LIMITS
    const all: Payer[] = []
    const besideMs: number[] = []
    for (let number = 0; number < MINUTES; number++) {
      const { payers, besideMs: ofMinute } = await minute(`M${number}`)
      all.push(...payers)
      besideMs.push(...ofMinute)
      await untilOver(payers)
      await pass(MINUTE)
    }
    const taken = all.filter(({ isTaken }) => isTaken)
    const figures = {
      payers: all.length,
      taken: taken.length,
      refused: all.length - taken.length,
      answered429: bank.recorded.filter(({ status }) => status === 429).length,
      waitedMaxMs: round(Math.max(...all.map(({ waitedMs }) => waitedMs))),
      callsMax: Math.max(...callsOfEach()),
      takenP90Ms: round(
        percentile(
          taken.map(({ payMs }) => payMs),
          0.9,
        ),
      ),
      unlimitedP90Ms: round(
        percentile(
          unlimited.payers.map(({ payMs }) => payMs),
          0.9,
        ),
      ),
      besideP90Ms: round(percentile(besideMs, 0.9)),
      besideUnlimitedP90Ms: round(percentile(unlimited.besideMs, 0.9)),
    }
    t.diagnostic(`${store}: ${JSON.stringify(figures)}`)
    assert.ok(figures.refused > 0 && figures.taken > 0, 'there must have been too many')
    for (const { order, isTaken } of all) {
      const { body } = await statusOf(service, order)
      assert.equal(body.resultInfo.resultStatus, isTaken ? 'TXN_SUCCESS' : 'TXN_FAILURE', order.orderId)
    }
    assert.ok(figures.waitedMaxMs < WAITED_MAX_MS, 'a payer waited too long')
    assert.ok(figures.callsMax <= CALLS_MAX, 'too many calls for one payment')
    assert.ok(figures.takenP90Ms <= figures.unlimitedP90Ms + BESIDE_MS_MAX, 'payers within the limits were delayed')
    assert.ok(figures.besideP90Ms <= figures.besideUnlimitedP90Ms + BESIDE_MS_MAX, 'orders made beside them were delayed')
    const compared = nothingCompared()
    for (const { txnId } of all) compareBooks(bank, await transactionOf(service, { txnId }), compared)
    assert.deepEqual(compared.differ, [])
    await assertHolds(service)
  })

  test(`${REFUNDS} refunds at once are all sent within an hour, and payments beside them are decided at once`, async (t) => {
    bank ??= await CashfreeSimulator.start({ now: () => service?.clock.realNow() ?? Date.now() })
    service ??= await startService(store, { env: accountAt(bank.url) })
    bank.limits = {}
    const paid: Payer[] = []
    await inParallel(AT_ONCE, REFUNDS, async (at) => {
      paid[at] = await one(`REFUND_${at}`, UPI)
    })
    await service.tasks.runDue()
    bank.limits = LIMITS
    bank.refundBegins = 'PENDING'
    await inParallel(AT_ONCE, REFUNDS, async (at) => {
      const { order, txnId } = paid[at]!
      await refund(service, { ...order, txnId }, `REF_${at}`, '100.00')
    })
    await service.tasks.runDue()
    const sentIds = () => paid.filter(({ txnId }) => bank.orders.get(idOf(txnId))!.refunds.length > 0)
    let passedMs = 0
    for (; passedMs < REFUNDS_WITHIN_MS && sentIds().length < REFUNDS; passedMs += REFUND_STEP_MS) {
      await pass(REFUND_STEP_MS)
      const beside = await one(`BESIDE_${passedMs}`, UPI)
      await service.tasks.runDue()
      assert.ok(await isOver(beside), `a payment waits for refunds after ${passedMs} ms`)
    }
    t.diagnostic(`${store}: ${sentIds().length} of ${REFUNDS} refunds were sent within ${passedMs / MINUTE} minutes`)
    assert.equal(sentIds().length, REFUNDS)
    for (const { txnId } of paid) assert.equal(bank.orders.get(idOf(txnId))!.refunds.length, 1)
    await assertHolds(service)
  })
})
