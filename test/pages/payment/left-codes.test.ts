// A payer who leaves a QR code or an app's link has made no mistake, and keeps the attempts of the order: docs/decisions/0026.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { orderKey, transactionsOfOrder } from '../../../src/tables/keys.ts'
import { booksEqualJournal, chainsAreWhole } from '../../support/bank/books.ts'
import { CARD_FIELDS, formOf, formsOf, newPage, openPage, Visitor, wordsOf } from '../../support/pages/pages.ts'
import { bankJournal, CARD, createOrder, type Order, pay, statusOf } from '../../support/paying/paying.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { assertHolds } from '../../support/store/verify.ts'

const CODE = { paymentMode: 'UPI_INTENT' }
const COLLECT = { paymentMode: 'UPI', payerAccount: 'pending@upi' }
const [PAID, PAYMENT_RETRY_COUNT_EXCEEDED] = ['01', '372']
const HOUR_MS = 3_600_000

const orderOf = async ({ ports }: Service, orderId: string) => (await ports.query.row(orderKey(MID, orderId)))!
const attemptsOf = ({ ports }: Service, orderId: string) => ports.query.rows(transactionsOfOrder(MID, orderId))
const payer = (service: Service, orderId: string, action: string) =>
  service.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId, action }))

onBothStores('a code that is left unpaid', (store) => {
  const running = sharedService(store)
  const visit = async (orderId: string, more: object = {}) => {
    const service = await running()
    const { order, page } = await newPage(service, orderId, more)
    return { service, order, visitor: new Visitor(service, page) }
  }
  /** Begins so through the API, and leaves it on the page. */
  const leaves = async (service: Service, order: Order, visitor: Visitor, means: object) => {
    assert.equal(codeOf(await pay(service, order, means)), '0000')
    await visitor.look()
    return visitor.send('/cancel')
  }

  afterEach(async () => {
    const service = await running()
    await booksEqualJournal(service)
    await chainsAreWhole(service)
    await assertHolds(service)
  })

  test('costs none of the five attempts: after five QR codes a card pays', async () => {
    const { service, visitor } = await visit('LEFT_FIVE')
    for (let code = 0; code < 5; code++) {
      await visitor.send({ panel: 'upi' })
      const { text } = await visitor.send('/cancel')
      assert.match(wordsOf(text), /The payment was not made\. Nothing was taken: pay another way, or the same way again\./)
      assert.doesNotMatch(text, /role="alert"|You can try|<title>The payment did not go through/)
    }
    const declined = await visitor.send({ panel: 'card' }, { ...CARD_FIELDS, cardNumber: '4000000000000002' })
    assert.match(wordsOf(declined.text), /The bank declined the payment\. .* You can try 4 more times\./)
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    const { status, transactionCount, leftCount } = await orderOf(service, 'LEFT_FIVE')
    assert.deepEqual([status, transactionCount, leftCount], ['PAID', 7, 5])
    const attempts = await attemptsOf(service, 'LEFT_FIVE')
    assert.deepEqual(
      attempts.map(({ attempt, result, isLeft }) => `${attempt} ${result}${isLeft ? ' left' : ''}`),
      [1, 2, 3, 4, 5].map((attempt) => `${attempt} cancelled left`).concat('6 declined', '7 success'),
    )
  })

  test('is one of ten at most: the eleventh is refused with 372 and not offered, and every other way stays open', async () => {
    const { service, order, visitor } = await visit('LEFT_TEN')
    for (let code = 0; code < 10; code++) await leaves(service, order, visitor, CODE)
    assert.equal((await orderOf(service, 'LEFT_TEN')).leftCount, 10)
    for (const means of [CODE, { paymentMode: 'UPI', channelCode: 'UPIPUSH' }])
      assert.equal(codeOf(await pay(service, order, means)), PAYMENT_RETRY_COUNT_EXCEEDED)
    const { text } = await visitor.look()
    const ofUpi = formsOf(text).filter(({ fields }) => fields['panel'] === 'upi')
    assert.deepEqual(
      ofUpi.map(({ fields }) => fields['by']),
      ['upiId'],
    )
    const form = formOf(text, { panel: 'card' })
    await fetch(service.url + form.action, { method: 'POST', body: new URLSearchParams({ ...form.fields, panel: 'upi', mode: 'UPI' }) })
    assert.equal((await attemptsOf(service, 'LEFT_TEN')).length, 10, 'a form of before begins none either')
    assert.equal(codeOf(await pay(service, order, COLLECT)), '0000', 'a request to a UPI id is none of them')
    await visitor.look()
    await visitor.send('/cancel')
    assert.equal(codeOf(await pay(service, order, CARD)), '0000')
    assert.equal(codeOf(await statusOf(service, order)), PAID)
  })

  test('closes UPI on the page where an order has no UPI but codes, and says why', async () => {
    const more = { enablePaymentMode: [{ mode: 'UPI', channels: ['UPIPUSH'] }, { mode: 'CREDIT_CARD' }] }
    const { service, order, visitor } = await visit('LEFT_ONLY', more)
    for (let code = 0; code < 10; code++) await leaves(service, order, visitor, CODE)
    const { text } = await visitor.look()
    assert.match(wordsOf(text), /UPI Too many codes of this order were left unpaid\./)
    assert.ok(!formsOf(text).some(({ fields }) => fields['panel'] === 'upi'))
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    assert.equal((await orderOf(service, 'LEFT_ONLY')).status, 'PAID')
  })

  test('is not a request that was left: the fifth of those closes the order, however many codes were left between them', async () => {
    const { service, order, visitor } = await visit('LEFT_REQUESTS')
    for (let attempt = 1; attempt <= 5; attempt++) {
      await leaves(service, order, visitor, CODE)
      assert.equal((await orderOf(service, 'LEFT_REQUESTS')).status, 'CREATED')
      await leaves(service, order, visitor, COLLECT)
    }
    const { status, transactionCount, leftCount } = await orderOf(service, 'LEFT_REQUESTS')
    assert.deepEqual([status, transactionCount, leftCount], ['CLOSED', 10, 5])
    assert.equal(codeOf(await pay(service, order, CARD)), PAYMENT_RETRY_COUNT_EXCEEDED)
    assert.match(wordsOf((await visitor.look()).text), /The payment failed five times/)
  })

  test('that its payer approves at the same moment is paid once, or not at all and another way pays', async () => {
    const service = await running()
    const ends = new Set<string>()
    for (let at = 0; at < 12; at++) {
      const orderId = `LEFT_RACE_${at}`
      const { order, page } = await newPage(service, orderId)
      const visitor = new Visitor(service, page)
      await visitor.send({ panel: 'upi' })
      const both = [() => visitor.send('/cancel'), () => payer(service, orderId, 'approve')]
      await Promise.all((at % 2 === 0 ? both : both.toReversed()).map((act) => act()))
      await service.tasks.runDue()
      const { status, leftCount } = await orderOf(service, orderId)
      ends.add(`${status} ${leftCount}`)
      if (status === 'CREATED') assert.equal(codeOf(await pay(service, order, CARD)), '0000')
      assert.equal(codeOf(await statusOf(service, order)), PAID)
      const keys = new Set((await attemptsOf(service, orderId)).map(({ txnId }) => `${MID}:${txnId}`))
      const taken = (await bankJournal(service)).filter(({ key, outcome }) => keys.has(key) && outcome === 'success')
      assert.equal(taken.length, 1)
    }
    for (const end of ends) assert.ok(end === 'PAID 0' || end === 'CREATED 1', end)
  })

  test('and is paid days later all the same is given back, and still counts as left', async () => {
    const service = await running()
    const order = await createOrder(service, 'LEFT_LATE')
    const reply = await pay(service, order, CODE)
    const script = JSON.stringify({ mid: MID, orderId: 'LEFT_LATE', call: 'cancel', outcomes: ['late'] })
    assert.equal((await service.post('/sandbox/bank/script', script)).status, 200)
    const visitor = new Visitor(service, await openPage(service, order))
    await visitor.look()
    await visitor.send('/cancel')
    assert.equal(codeOf(await pay(service, order, CARD)), '0000')
    await service.tasks.advance(service.clock.now() + 200 * HOUR_MS, async (at) =>
      service.clock.advance(Math.max(0, at - service.clock.now())),
    )
    const left = (await attemptsOf(service, 'LEFT_LATE')).find(({ txnId }) => txnId === reply.body.txnId)!
    assert.deepEqual(
      [left.status, left.result, left.capturedPaise, left.bankRefundedPaise, left.isLeft],
      ['FAILURE', 'returned', 100_00, 100_00, true],
    )
    const { status, leftCount } = await orderOf(service, 'LEFT_LATE')
    assert.deepEqual([status, leftCount, codeOf(await statusOf(service, order))], ['PAID', 1, PAID])
  })
})
