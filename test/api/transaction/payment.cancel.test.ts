// "Pay in another way" cancels an attempt in flight at the bank. Only the bank's answer that nothing can be taken any more frees the order.
// After any other answer, or none, there is no second attempt beside one that may still take money.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { cancelTransaction } from '../../../src/domain/transaction/cancel-transaction.ts'
import { type Cancelling, cancelAttempt } from '../../../src/flows/cancel-payment.ts'
import { customerKey, orderKey, redemptionKey, transactionsOfOrder } from '../../../src/tables/keys.ts'
import { type Able, ADAPTER_SECRET, type Adapter, LIES, type Lie, startAdapter } from '../../support/bank/adapter.ts'
import { booksEqualBank, booksEqualJournal, chainsAreWhole, historyOf } from '../../support/bank/books.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { bankJournal, CARD, createOrder, type Order, pay, statusOf } from '../../support/paying/paying.ts'
import { promotionWorld } from '../../support/paying/promotions.ts'
import { transactionOf } from '../../support/paying/refunds.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Service, type StoreName, sharedService, startService } from '../../support/run/service.ts'
import { assertHolds } from '../../support/store/verify.ts'

const HOUR_MS = 3_600_000
const PAYER = '9000000001'
const PAGE_CARD = { paymentMode: 'CREDIT_CARD', cardInfo: '|4000000000003220|123|122032' }
const vpa = (name: string) => ({ paymentMode: 'UPI', payerAccount: `${name}@upi` })
const PAID = '01'
const NOT_COMPLETED = '141'
const ALREADY_UNDER_WAY = '1005'
/** A failure has no amount to lie about, and needs no reference. */
const OF_SUCCESS: readonly Lie[] = ['more given back than taken', 'an amount in a text', 'a broken amount', 'no amount', 'no reference']

const cancel = (running: Service, { orderId }: Order, attempt = 1): Promise<Cancelling> =>
  cancelAttempt(running.ports, { mid: MID, orderId, attempt })
const stateOf = async ({ ports }: Service, { orderId }: Order) => (await ports.query.row(orderKey(MID, orderId)))!.status
const attemptsOf = ({ ports }: Service, { orderId }: Order) => ports.query.rows(transactionsOfOrder(MID, orderId))
/** Moves time through every instant with due work. */
const pass = ({ tasks, clock }: Service, ms: number) =>
  tasks.advance(clock.now() + ms, async (instant) => clock.advance(Math.max(0, instant - clock.now())))

onBothStores('paying in another way', (store) => {
  const service = sharedService(store, {
    world: {
      ...promotionWorld([{ promocode: 'TENTH', percent: '10', budget: '50.00' }]),
      customers: [{ mobile: PAYER, walletBalance: '60.00' }],
    },
  })
  let orders = 0
  const order = async (more: object = {}) => createOrder(await service(), `A${++orders}`, more)
  const begun = async (means: object, more: object = {}) => {
    const made = await order(more)
    const reply = await pay(await service(), made, means)
    assert.equal(codeOf(reply), '0000', reply.text)
    return { ...made, txnId: reply.body.txnId as string }
  }
  const scripted = async (orderId: string, ...outcomes: string[]) => {
    const text = JSON.stringify({ mid: MID, orderId, call: 'cancel', outcomes })
    assert.equal((await (await service()).post('/sandbox/bank/script', text)).status, 200)
  }
  const linesOf = async ({ txnId }: { txnId: string }) =>
    (await bankJournal(await service())).filter(({ key }) => key === `${MID}:${txnId}`).map(({ kind, outcome }) => `${kind} ${outcome}`)

  afterEach(async () => {
    const running = await service()
    await booksEqualJournal(running)
    await chainsAreWhole(running)
    await assertHolds(running, { except: ['I54'] }) // one test makes its sign-in without an OTP
  })

  for (const [what, means] of [
    ["a bank's page", { paymentMode: 'NET_BANKING', channelCode: 'HDFC' }],
    ["a card's page", PAGE_CARD],
    ["a card's one-time password", { ...PAGE_CARD, authMode: 'otp' }],
    ['a UPI link', { paymentMode: 'UPI_INTENT' }],
    ['a UPI push', { paymentMode: 'UPI', channelCode: 'UPIPUSHEXPRESS' }],
    ['a UPI collect', vpa('pending')],
  ] as const)
    test(`${what} that waits for its payer is cancelled, and the order is paid by a card`, async () => {
      const running = await service()
      const waiting = await begun(means)
      assert.equal(await cancel(running, waiting), 'ended')
      assert.deepEqual([await stateOf(running, waiting), codeOf(await statusOf(running, waiting))], ['CREATED', NOT_COMPLETED])
      assert.deepEqual(await linesOf(waiting), ['authorize cancelled'])
      const acts = JSON.stringify({ mid: MID, orderId: waiting.orderId, action: 'approve' })
      assert.equal((await running.post('/sandbox/payer', acts)).status, 404, 'nothing waits for the payer any more')
      assert.equal(codeOf(await pay(running, waiting, CARD)), '0000')
      assert.equal(codeOf(await statusOf(running, waiting)), PAID)
      assert.deepEqual(await historyOf(running, 'transaction', waiting.txnId), [
        'transaction.initiated',
        'transaction.pending',
        'transaction.failed',
      ])
      assert.equal(await cancel(running, waiting), 'gone', 'the page of the first attempt calls back no second')
      assert.equal(await cancel(running, waiting, 2), 'paid')
    })

  test('the attempt’s part of the payer’s wallet and of an offer is free again', async () => {
    const running = await service()
    const paytmSsoToken = await issueSsoToken(running, `another ${store}`, { userId: `user-${PAYER}`, mobile: PAYER })
    const waiting = await begun({ ...vpa('pending'), paymentFlow: 'HYBRID', promoCode: 'TENTH' }, { paytmSsoToken })
    const wallet = async () => (await running.ports.query.row(customerKey(PAYER)))!.walletBalancePaise
    const [held] = await attemptsOf(running, waiting)
    assert.deepEqual([held!.walletPaise, held!.promocode, await wallet()], [60_00, 'TENTH', 0])
    assert.equal(await cancel(running, waiting), 'ended')
    const redemption = await running.ports.query.row(redemptionKey(MID, waiting.txnId))
    assert.deepEqual([redemption!.status, await wallet()], ['RELEASED', 60_00])
  })

  test('a payment that the bank only needs time for stands, and is paid in its time', async () => {
    const running = await service()
    const slow = await begun(vpa('slow'))
    assert.equal(await cancel(running, slow), 'stands')
    assert.equal(codeOf(await pay(running, slow, CARD)), ALREADY_UNDER_WAY)
    await pass(running, HOUR_MS)
    assert.equal(codeOf(await statusOf(running, slow)), PAID)
  })

  test('a bank that refuses to cancel, that does not answer, or where the payer was quicker: nothing begins beside the attempt', async () => {
    const running = await service()
    for (const [word, said] of [
      ['declined', 'stands'],
      ['timeout', 'unknown'],
      ['success', 'paid'],
    ] as const) {
      const waiting = await begun(vpa('pending'))
      await scripted(waiting.orderId, word)
      assert.equal(await cancel(running, waiting), said, word)
      assert.equal(codeOf(await pay(running, waiting, CARD)), word === 'success' ? '201' : ALREADY_UNDER_WAY, word)
      await running.tasks.runDue()
      assert.deepEqual(
        [await stateOf(running, waiting), (await attemptsOf(running, waiting)).length],
        [word === 'success' ? 'PAID' : 'IN_PROCESS', 1],
      )
    }
  })

  test('an answer that was lost frees the order once the bank, asked now, says what it did', async () => {
    const running = await service()
    const waiting = await begun(vpa('pending'))
    await scripted(waiting.orderId, 'lost')
    assert.equal(await cancel(running, waiting), 'unknown')
    await running.tasks.runDue()
    assert.equal(await stateOf(running, waiting), 'CREATED')
    assert.equal(codeOf(await pay(running, waiting, CARD)), '0000')
  })

  test('a process that ends between the bank and the books finds it out on the schedule', async () => {
    const running = await service()
    const waiting = await begun(vpa('pending'))
    assert.equal((await running.ports.acquirer().cancel(`${MID}:${waiting.txnId}`)).outcome, 'failure')
    assert.equal(await stateOf(running, waiting), 'IN_PROCESS')
    await pass(running, 2 * 60_000)
    assert.deepEqual([await stateOf(running, waiting), codeOf(await statusOf(running, waiting))], ['CREATED', NOT_COMPLETED])
  })

  test('a bank that takes the money days after its cancel: the money is given back, and the second attempt is kept', async () => {
    const running = await service()
    const waiting = await begun(vpa('pending'))
    await scripted(waiting.orderId, 'late')
    assert.equal(await cancel(running, waiting), 'ended')
    assert.equal(codeOf(await pay(running, waiting, CARD)), '0000')
    await pass(running, 200 * HOUR_MS)
    assert.deepEqual(await linesOf(waiting), ['authorize success'])
    const { status, result, capturedPaise, bankRefundedPaise } = await transactionOf(running, waiting)
    assert.deepEqual([status, result, capturedPaise, bankRefundedPaise], ['FAILURE', 'returned', 100_00, 100_00])
    assert.equal(codeOf(await statusOf(running, waiting)), PAID)
  })

  test('the fifth cancelled attempt was the last: the order is closed', async () => {
    const running = await service()
    const made = await order()
    for (const attempt of [1, 2, 3, 4, 5]) {
      assert.equal(codeOf(await pay(running, made, vpa('pending'))), '0000')
      assert.equal(await cancel(running, made, attempt), 'ended')
    }
    assert.equal(await stateOf(running, made), 'CLOSED')
    assert.equal(await cancel(running, made, 5), 'gone')
  })

  test('a payer cannot cancel an attempt once the merchant has closed the order: what the attempt takes is given back', async () => {
    const running = await service()
    const waiting = await begun(vpa('pending'))
    await running.signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId: waiting.orderId })
    assert.deepEqual([await stateOf(running, waiting), await cancel(running, waiting)], ['CLOSED', 'gone'])
    await running.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId: waiting.orderId, action: 'approve' }))
    await running.tasks.runDue()
    assert.equal((await transactionOf(running, waiting)).bankRefundedPaise, 100_00)
  })

  test('ten pages that cancel one attempt at once end it once', async () => {
    const running = await service()
    const waiting = await begun({ paymentMode: 'UPI_INTENT' })
    const said = await Promise.all(Array.from({ length: 10 }, () => cancel(running, waiting)))
    for (const each of said) assert.ok(each === 'ended' || each === 'gone', each)
    assert.ok(said.includes('ended'))
    const failed = (await historyOf(running, 'transaction', waiting.txnId)).filter((type) => type === 'transaction.failed')
    assert.deepEqual([failed.length, await linesOf(waiting)], [1, ['authorize cancelled']])
  })

  test('a payer who approves while their page cancels is charged once, or not at all and pays anew', async () => {
    const running = await service()
    const ends: Record<string, number> = {}
    for (let at = 0; at < 12; at++) {
      const waiting = await begun(vpa('pending'))
      const acts = JSON.stringify({ mid: MID, orderId: waiting.orderId, action: 'approve' })
      const approves = () => running.post('/sandbox/payer', acts)
      const both = at % 2 === 0 ? [cancel(running, waiting), approves()] : [approves(), cancel(running, waiting)]
      await Promise.all(both)
      await running.tasks.runDue()
      const state = await stateOf(running, waiting)
      ends[state] = (ends[state] ?? 0) + 1
      assert.ok(state === 'PAID' || state === 'CREATED', state)
      if (state === 'CREATED') assert.equal(codeOf(await pay(running, waiting, CARD)), '0000')
      assert.equal(codeOf(await statusOf(running, waiting)), PAID)
      const keys = new Set((await attemptsOf(running, waiting)).map(({ txnId }) => `${MID}:${txnId}`))
      const taken = (await bankJournal(running)).filter(({ key, outcome }) => keys.has(key) && outcome === 'success')
      assert.equal(taken.length, 1)
    }
  })

  test('only an answer that it is over ends an attempt; a refusal is stored with it once, and the order is not freed', async () => {
    const running = await service()
    const waiting = await begun(vpa('pending'))
    const before = await transactionOf(running, waiting)
    for (const outcome of ['unknown', 'absent', 'pending', 'pending', 'unknown', 'absent'] as const) {
      const { result } = await running.ports.engine.submit(cancelTransaction, {
        ...{ mid: MID, txnId: waiting.txnId, orderId: waiting.orderId },
        ...{ answer: { outcome }, reference: running.ports.reference, now: running.clock.now() + 3 * HOUR_MS },
      })
      assert.equal(result.name, 'stands')
    }
    const after = await transactionOf(running, waiting)
    assert.deepEqual(after, { ...before, version: before.version + 1, isCancelRefused: true, updatedAt: after.updatedAt })
    assert.equal(await stateOf(running, waiting), 'IN_PROCESS')
    const answer = { outcome: 'failure', failure: 'cancelled' } as const
    const nobody = { mid: MID, txnId: 'NOBODY', answer, reference: running.ports.reference, now: running.clock.now() }
    assert.equal((await running.ports.engine.submit(cancelTransaction, nobody)).result.name, 'gone')
  })
})

onBothStores('paying in another way through an adapter', (store) => {
  async function within(work: (service: Service, adapter: Adapter) => Promise<void>, able: Able = {}, of: StoreName = store) {
    let clock: { now(): number } = { now: () => 0 }
    const adapter = await startAdapter({ now: () => clock.now() }, [], able)
    const env = { MOHUR_ACQUIRER_URL: adapter.url, MOHUR_ACQUIRER_SECRET: ADAPTER_SECRET }
    const service = await startService(of, { env })
    clock = service.clock
    try {
      await work(service, adapter)
      await booksEqualBank(service, await adapter.bank.journal(0, service.clock.now()))
      await assertHolds(service)
    } finally {
      await service.close()
    }
  }

  test('after any lie to the call, the order is not free before the bank’s answer to a query frees it', () =>
    within(async (service, adapter) => {
      const lies = (Object.keys(LIES) as Lie[]).filter((lie) => !OF_SUCCESS.includes(lie))
      for (const [at, lie] of lies.entries()) {
        const order = await createOrder(service, `LIE${at}`)
        const { body } = await pay(service, order, { paymentMode: 'UPI', payerAccount: 'pending@bank' })
        adapter.lie('cancel', lie)
        assert.equal(await cancel(service, order), 'unknown', lie)
        await service.tasks.runDue()
        const said = adapter.calls.filter(({ key }) => key === `${MID}:${body.txnId}`).map(({ call }) => call)
        assert.deepEqual([await stateOf(service, order), said], ['CREATED', ['authorize', 'cancel', 'status']], lie)
        assert.equal(codeOf(await pay(service, order, CARD)), '0000', lie)
      }
    }))

  test('an adapter that has no such call cannot: the attempt goes on, and is paid', () =>
    within(
      async (service, adapter) => {
        const order = await createOrder(service, 'OLDER')
        const reply = await pay(service, order, { paymentMode: 'UPI', payerAccount: 'pending@bank' })
        assert.equal(await cancel(service, order), 'cannot')
        assert.equal(codeOf(await pay(service, order, CARD)), ALREADY_UNDER_WAY)
        await adapter.acquirer.payerActs({ key: `${MID}:${reply.body.txnId}` }, 'approve')
        await adapter.tell(service.url, `${MID}:${reply.body.txnId}`)
        await service.tasks.runDue()
        assert.equal(codeOf(await statusOf(service, order)), PAID)
      },
      { cancels: false },
    ))
})
