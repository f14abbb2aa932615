// Payments through Cashfree that succeed after their end, and cancels that meet an approval. Mohur or Cashfree gives a late payment back
// once. Both sides agree about the result of a race.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { cancelAttempt } from '../../../../../src/flows/cancel-payment.ts'
import { orderKey } from '../../../../../src/tables/keys.ts'
import type { Row } from '../../../../../src/tables/tables.ts'
import { accountAt, idOf, NET_BANKING, PAYER, UPI, WEBHOOK } from '../../../../support/cashfree/account.ts'
import { compareBooks, nothingCompared } from '../../../../support/cashfree/books.ts'
import { CashfreeSimulator, type PaymentStatus, type SimulatedOrder } from '../../../../support/cashfree/simulator.ts'
import { createOrder, inParallel, pay } from '../../../../support/paying/paying.ts'
import { transactionOf } from '../../../../support/paying/refunds.ts'
import { MID, onBothStores, type Service, startService } from '../../../../support/run/service.ts'
import { sized } from '../../../../support/run/sizes.ts'
import { assertHolds } from '../../../../support/store/verify.ts'
import { Random } from '../../../../support/text/random.ts'

const [MINUTE, HOUR] = [60_000, 3_600_000]
const PAYMENTS = sized(30, 200)
const AT_ONCE = 10
const SEED = 20_261_128
const DAYS_MS = [10 * MINUTE, 35 * MINUTE, HOUR, 73 * HOUR, 96 * HOUR, 96 * HOUR]

interface Payment {
  orderId: string
  txnId: string
  id: string
}

onBothStores('a payment through Cashfree that is paid late', (store) => {
  let bank: CashfreeSimulator
  let service: Service
  const opened = async () => {
    bank ??= await CashfreeSimulator.start({ now: () => service?.clock.realNow() ?? Date.now() })
    service ??= await startService(store, { env: accountAt(bank.url) })
  }
  after(async () => {
    await service?.close()
    await bank?.stop()
  })

  async function begun(orderId: string, means: object): Promise<Payment> {
    const order = await createOrder(service, orderId, PAYER)
    const { body } = await pay(service, order, means)
    assert.equal(body.resultInfo.resultCode, '0000')
    return { orderId, txnId: body.txnId, id: idOf(body.txnId) }
  }
  const begunAll = async (prefix: string) => {
    await opened()
    const begunThen: Payment[] = []
    await inParallel(AT_ONCE, PAYMENTS, async (at) => {
      begunThen[at] = await begun(`${prefix}${at}`, at % 2 === 0 ? UPI : NET_BANKING)
    })
    return begunThen
  }
  async function hear(id: string) {
    const { headers, body } = bank.webhook(id)
    assert.equal((await service.call('POST', WEBHOOK, headers, body)).status, 200)
  }
  const cancelled = ({ orderId }: Payment) => cancelAttempt(service.ports, { mid: MID, orderId, attempt: 1 })
  const pass = (ms: number) =>
    service.tasks.advance(service.clock.now() + ms, async (at) => {
      const step = Math.max(0, at - service.clock.now())
      service.clock.set(step)
      service.clock.pass(step)
    })
  async function daysPass(between: () => void = () => {}) {
    for (const ms of DAYS_MS) {
      await pass(ms)
      between()
    }
  }
  const standing = async ({ txnId, id }: Payment) => ({ ours: await transactionOf(service, { txnId }), there: bank.orders.get(id)! })

  /** Ends each payment in one of three ways that Mohur reads as failed. */
  async function failAll(payments: readonly Payment[]) {
    for (const [at, payment] of payments.entries()) {
      const status: PaymentStatus = (['FAILED', 'USER_DROPPED', 'CANCELLED'] as const)[at % 3]!
      bank.settle(payment.id, status)
      if (at % 2 === 0) assert.equal(await cancelled(payment), 'ended')
      else await hear(payment.id)
    }
    await service.tasks.runDue()
    for (const payment of payments) assert.equal((await standing(payment)).ours.status, 'FAILURE')
  }

  async function counted(payments: readonly Payment[], isSo: (ours: Row<'transactions'>, there: SimulatedOrder) => boolean) {
    const compared = nothingCompared()
    let count = 0
    for (const payment of payments) {
      const { ours, there } = await standing(payment)
      compareBooks(bank, ours, compared)
      if (isSo(ours, there)) count++
    }
    assert.deepEqual(compared.differ, [])
    await assertHolds(service)
    return count
  }

  test('money that Cashfree keeps is given back by Mohur exactly once, also where each answer to the refund is lost', async (t) => {
    const payments = await begunAll('LATE')
    await failAll(payments)
    for (const { id } of payments) bank.settle(id, 'SUCCESS')
    await inParallel(AT_ONCE, PAYMENTS, (at) => hear(payments[at]!.id))
    await service.tasks.runDue()
    let isLost = false
    bank.plants = (method, path) => {
      if (method !== 'POST' || !path.endsWith('/refunds')) return undefined
      isLost = !isLost
      return isLost ? { when: 'after', how: 'break' } : undefined
    }
    await daysPass()
    bank.plants = () => undefined
    const onceOnly = await counted(
      payments,
      ({ status, capturedPaise, returnedPaise }, { refunds }) =>
        status === 'FAILURE' &&
        capturedPaise === 10_000 &&
        returnedPaise === 10_000 &&
        refunds.length === 1 &&
        refunds[0]!.type === 'MERCHANT_INITIATED' &&
        refunds[0]!.amount === 100,
    )
    t.diagnostic(`late successes that Mohur gave back exactly once: ${onceOnly} of ${PAYMENTS}`)
    assert.equal(onceOnly, PAYMENTS)
  })

  test('money that Cashfree gives back by itself is never counted as paid, and never given back again', async (t) => {
    const payments = await begunAll('AUTO')
    await failAll(payments.filter((_, at) => at % 2 === 0))
    const open = payments.filter((_, at) => at % 2 === 1)
    for (const payment of open) await cancelled(payment) // still waits for the payer, so Mohur asks Cashfree to end it
    for (const [at, { id }] of payments.entries()) {
      bank.settle(id, 'SUCCESS')
      bank.giveBack(id, at % 3 === 0 ? 'PENDING' : 'SUCCESS')
    }
    await inParallel(AT_ONCE, PAYMENTS, (at) => hear(payments[at]!.id))
    let steps = 0
    await daysPass(() => {
      if (++steps < 3) return
      for (const { id } of payments) for (const refund of bank.orders.get(id)!.refunds) refund.status = 'SUCCESS'
    })
    const neverPaid = await counted(
      payments,
      ({ status, capturedPaise }, { refunds }) => status === 'FAILURE' && capturedPaise === 0 && refunds.length === 1,
    )
    t.diagnostic(`automatic refunds that were neither counted nor given back again: ${neverPaid} of ${PAYMENTS}`)
    assert.equal(neverPaid, PAYMENTS)
  })

  test('both sides believe the same when a cancel and an approval come at once', async (t) => {
    await opened()
    const random = new Random(SEED)
    const became: Record<string, number> = {}
    const payments: Payment[] = []
    for (let at = 0; at < PAYMENTS; at++) {
      const payment = await begun(`RACE${at}`, random.pick([UPI, NET_BANKING]))
      payments.push(payment)
      let callsLeft = random.below(5)
      const approve = () => bank.orders.get(payment.id)!.payments[0]!.status === 'PENDING' && bank.settle(payment.id, 'SUCCESS')
      bank.plants = () => {
        if (callsLeft-- === 0) approve()
        return undefined
      }
      const approvesBeside = random.below(3) === 0
      const hears = random.below(2) === 0
      const [word] = await Promise.all([cancelled(payment), approvesBeside && Promise.resolve().then(approve), hears && hear(payment.id)])
      became[word] = (became[word] ?? 0) + 1
      bank.plants = () => undefined
      approve()
      const { status } = bank.orders.get(payment.id)!
      if (status !== 'PAID' && random.below(2) === 0) bank.giveBack(payment.id)
      await service.tasks.runDue()
    }
    await daysPass()
    const agreed = await counted(payments, ({ status }, there) => (status === 'SUCCESS') === (there.status === 'PAID'))
    let orders = 0
    for (const payment of payments) {
      const order = await service.ports.query.row(orderKey(MID, payment.orderId))
      if ((order?.status === 'PAID') === (bank.orders.get(payment.id)!.status === 'PAID')) orders++
    }
    t.diagnostic(
      `seed ${SEED}: races with one truth ${agreed} of ${PAYMENTS}, orders ${orders}; what payers read: ${JSON.stringify(became)}`,
    )
    assert.deepEqual([agreed, orders], [PAYMENTS, PAYMENTS])
    assert.ok((became['paid'] ?? 0) > 0 && (became['stands'] ?? 0) > 0, JSON.stringify(became))
  })
})
