// "Pay another way" on the payment page. The bank refuses to cancel the attempt, or its answer is lost or comes too late. Tests what every
// page of the order then shows, until the bank has decided.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { cancelAttempt } from '../../../src/flows/cancel-payment.ts'
import { transactionsOfOrder } from '../../../src/tables/keys.ts'
import { ADAPTER_SECRET, startAdapter } from '../../support/bank/adapter.ts'
import { booksEqualJournal, chainsAreWhole, historyOf } from '../../support/bank/books.ts'
import { initiate, subscription } from '../../support/mandates/subscription.ts'
import { ask, CARD_FIELDS, formOf, formsOf, newPage, openPage, Visitor, wordsOf } from '../../support/pages/pages.ts'
import { CARD, type Order, pay, script, statusOf } from '../../support/paying/paying.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService, startService } from '../../support/run/service.ts'
import { assertHolds } from '../../support/store/verify.ts'

const HOUR_MS = 3_600_000
const REFUSED = /Your bank can no longer cancel this payment\. A second payment now could take your money twice\./
const WAIT = /You can wait here, check now, or leave: the shop is notified of the result\./
const COMPLETE = /You can complete it here, check now, or leave: the shop is notified of the result\./
const IS_SAFE = /“Pay another way” is safe/
const LOST = /Your bank has not said whether it cancelled this payment\. It is being asked again: wait a moment, then check now\./

const attemptsOf = ({ ports }: Service, orderId: string) => ports.query.rows(transactionsOfOrder(MID, orderId))
const has = (html: string, act: 'cancel' | 'check') => formsOf(html).some(({ action }) => action.endsWith(`/${act}`))
const payer = (service: Service, orderId: string, action: string) =>
  service.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId, action }))
const scriptCancel = (service: Service, orderId: string, ...outcomes: string[]) =>
  service.post('/sandbox/bank/script', JSON.stringify({ mid: MID, orderId, call: 'cancel', outcomes }))

interface Waiting {
  form: Record<string, string>
  typed?: Record<string, string>
  /** The bank's outcome, where the instrument does not decide it. */
  bank?: string
  says: RegExp
}
/** Each step of an attempt whose cancelling the bank can refuse. */
const steps: Readonly<Record<string, Waiting>> = {
  waiting: { form: { panel: 'card' }, typed: CARD_FIELDS, bank: 'slow', says: WAIT },
  otp: { form: { panel: 'card' }, typed: { ...CARD_FIELDS, cardNumber: '4000000000003220' }, says: COMPLETE },
  bank: { form: { panel: 'bank' }, typed: { bank: 'HDFC' }, says: COMPLETE },
  upi: { form: { panel: 'upi' }, says: COMPLETE },
  collect: { form: { panel: 'upi', by: 'upiId' }, typed: { upiId: 'pending@upi' }, says: COMPLETE },
}

/**
 * No page of the order offers another way, and each says why and what to do. Tries the tab itself, a reloaded one, another tab, and another
 * language.
 */
async function assertRefused(visitor: Visitor, order: Order, says: RegExp) {
  const { service, page } = visitor
  const pages = [
    visitor.last,
    await visitor.look(),
    await visitor.look('?message=checked'),
    await ask(service, await openPage(service, order)),
  ]
  for (const { text } of pages) {
    assert.match(wordsOf(text), REFUSED)
    assert.match(wordsOf(text), says)
    assert.doesNotMatch(wordsOf(text), /Pay another way/)
    assert.deepEqual([has(text, 'cancel'), has(text, 'check'), / data-goes/.test(text)], [false, true, false])
    formOf(text, { MID }) // back to the shop
  }
  const hindi = await ask(service, page, undefined, { 'accept-language': 'hi' })
  assert.match(wordsOf(hindi.text), /आपका बैंक यह भुगतान अब रद्द नहीं कर सकता।/)
  assert.deepEqual([has(hindi.text, 'cancel'), /दूसरे तरीके से भुगतान करें/.test(wordsOf(hindi.text))], [false, false])
}

onBothStores('a bank that refuses to cancel an attempt', (store) => {
  const running = sharedService(store)
  const waitingIn = async (step: string, orderId: string) => {
    const service = await running()
    const { form, typed, bank } = steps[step]!
    const { order, page } = await newPage(service, orderId)
    if (bank !== undefined) await script(service, order, bank)
    const visitor = new Visitor(service, page)
    const { text } = await visitor.send(form, typed)
    assert.match(text, new RegExp(`data-stage="${step}"`))
    return { service, order, visitor }
  }
  afterEach(async () => {
    const service = await running()
    await booksEqualJournal(service)
    await chainsAreWhole(service)
    await assertHolds(service)
  })

  for (const [step, { says }] of Object.entries(steps))
    test(`${step}: the button is gone on every page of the order until the bank has decided, and the page says why and what to do`, async () => {
      const orderId = `REFUSED_${step.toUpperCase()}`
      const { service, order, visitor } = await waitingIn(step, orderId)
      const other = await openPage(service, order)
      const versionOf = async () => JSON.parse((await ask(service, `${other}/state`)).text).version as string
      const before = await versionOf()
      if (step !== 'waiting') await scriptCancel(service, orderId, 'declined')
      await visitor.send('/cancel')
      await assertRefused(visitor, order, says)
      assert.notEqual(await versionOf(), before, 'a second tab is drawn anew')
      // The bank still does not know, so the refusal stays.
      await visitor.send('/check')
      await assertRefused(visitor, order, says)
      const types = await historyOf(service, 'transaction', (await attemptsOf(service, orderId))[0]!.txnId)
      assert.deepEqual(types.slice(-1), ['transaction.cancel-refused'])

      if (step === 'waiting') {
        service.clock.advance(3 * 60_000)
        await visitor.send('/check')
        assert.match(wordsOf(visitor.last.text), /₹100\.00 paid/)
        return
      }
      // The payer declines, so the next attempt may be cancelled again.
      await payer(service, orderId, 'decline')
      await service.tasks.runDue()
      const { text } = await visitor.look()
      assert.match(text, /data-stage="choices"/)
      assert.doesNotMatch(wordsOf(text), REFUSED)
      const { form, typed } = steps[step]!
      assert.equal(has((await visitor.send(form, typed)).text, 'cancel'), true)
      await visitor.send('/cancel')
      await visitor.send({ panel: 'card' }, CARD_FIELDS)
      assert.equal(codeOf(await statusOf(service, order)), '01')
    })

  test('stays refused when the bank does not answer any more: no sentence calls another way safe', async (t) => {
    const orderId = 'REFUSED_UNKNOWN'
    const { service, order, visitor } = await waitingIn('waiting', orderId)
    await visitor.send('/cancel')
    const silent = t.mock.method(service.ports.acquirer(), 'status', async () => ({ outcome: 'unknown' }) as const)
    await service.tasks.advance(service.clock.now() + 95_000, async (at) => service.clock.advance(Math.max(0, at - service.clock.now())))
    const { text } = await visitor.look()
    assert.equal((await attemptsOf(service, orderId))[0]!.status, 'UNKNOWN')
    assert.match(wordsOf(text), /Your bank has not answered yet\. Do not pay again elsewhere/)
    assert.doesNotMatch(wordsOf(text), IS_SAFE)
    await assertRefused(visitor, order, WAIT)
    silent.mock.restore()
    service.clock.advance(HOUR_MS)
    await service.tasks.runDue()
    assert.equal(codeOf(await statusOf(service, order)), '01')
  })

  test('pressed ten times at once, and by a form of before, is one refusal, and no attempt begins beside it', async () => {
    const orderId = 'REFUSED_OFTEN'
    const { service, order, visitor } = await waitingIn('waiting', orderId)
    const { action, fields } = formOf(visitor.last.text, '/cancel')
    await Promise.all(Array.from({ length: 9 }, () => ask(service, action, fields)))
    await ask(service, action, fields)
    const [attempt] = await attemptsOf(service, orderId)
    const types = await historyOf(service, 'transaction', attempt!.txnId)
    assert.equal(types.filter((type) => type === 'transaction.cancel-refused').length, 1)
    assert.equal(codeOf(await pay(service, order, CARD)), '1005')
    await visitor.look()
    await assertRefused(visitor, order, WAIT)
    service.clock.advance(HOUR_MS)
    await service.tasks.runDue()
    assert.equal(codeOf(await statusOf(service, order)), '01')
  })

  test('whose refusal comes when the payment has ended changes nothing', async (t) => {
    for (const [action, became] of [
      ['approve', 'paid'],
      ['decline', 'ended'],
    ] as const) {
      const orderId = `REFUSED_LATE_${action.toUpperCase()}`
      const { service } = await waitingIn('collect', orderId)
      const late = t.mock.method(service.ports.acquirer(), 'cancel', async () => {
        await payer(service, orderId, action)
        await service.tasks.runDue()
        return { outcome: 'pending' } as const
      })
      assert.equal(await cancelAttempt(service.ports, { mid: MID, orderId, attempt: 1 }), became)
      late.mock.restore()
      assert.equal((await attemptsOf(service, orderId))[0]!.isCancelRefused, false)
    }
  })

  test('of a mandate without a payment says so of the mandate', async () => {
    const service = await running()
    const orderId = 'REFUSED_MANDATE'
    const nothing = { txnAmount: { value: '0.00', currency: 'INR' } }
    const { txnToken } = (await initiate(service, subscription(orderId, { ...nothing, callbackUrl: 'https://shop.example/' }))).body
    const visitor = new Visitor(service, await openPage(service, { orderId, txnToken }))
    await visitor.send({ panel: 'upi' })
    assert.match(wordsOf(visitor.last.text), /Approve the mandate in your UPI app .* the terms, and approve\./)
    await scriptCancel(service, orderId, 'declined')
    const { text } = await visitor.send('/cancel')
    assert.match(
      wordsOf(text),
      /Your bank can no longer cancel this mandate\. If you agreed again elsewhere, there could be two\. You can complete it here/,
    )
    assert.equal(has(text, 'cancel'), false)
    await payer(service, orderId, 'approve')
    await service.tasks.runDue()
    assert.match(wordsOf((await visitor.look()).text), /Your mandate is set up/)
  })
})

onBothStores('a bank whose answer to a cancel is lost', (store) => {
  const running = sharedService(store)
  const collects = async (orderId: string, ...outcomes: string[]) => {
    const service = await running()
    const { order, page } = await newPage(service, orderId)
    const visitor = new Visitor(service, page)
    await visitor.send({ panel: 'upi', by: 'upiId' }, { upiId: 'pending@upi' })
    await scriptCancel(service, orderId, ...outcomes)
    return { service, order, visitor }
  }

  test('is queried at once about the payment; the button stays, also after a reload and in a second tab', async (t) => {
    const { service, order, visitor } = await collects('LOST_AND_WAITS', 'timeout')
    const asked = t.mock.method(service.ports.acquirer(), 'status')
    const { text } = await visitor.send('/cancel')
    assert.match(wordsOf(text), LOST)
    await service.tasks.runDue()
    assert.equal(asked.mock.callCount(), 1)
    for (const page of [text, (await visitor.look()).text, (await ask(service, await openPage(service, order))).text]) {
      assert.doesNotMatch(wordsOf(page), REFUSED)
      assert.deepEqual([has(page, 'cancel'), has(page, 'check')], [true, true])
    }
    assert.equal((await attemptsOf(service, 'LOST_AND_WAITS'))[0]!.isCancelRefused, false)
    assert.match(wordsOf((await visitor.send('/cancel')).text), /The payment was cancelled\. Nothing was taken/)
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    assert.equal(codeOf(await statusOf(service, order)), '01')
  })

  test('and that has cancelled it frees the order as soon as it says so', async () => {
    const { service, order, visitor } = await collects('LOST_AND_CANCELLED', 'lost')
    await visitor.send('/cancel') // the bank may be queried before the page is drawn
    await service.tasks.runDue()
    assert.match(wordsOf((await visitor.look('?message=lost')).text), /The payment was cancelled\. Nothing was taken/)
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    assert.equal(codeOf(await statusOf(service, order)), '01')
  })

  test('and that takes the money days after it had cancelled: it is given back, and the second payment stays', async () => {
    const { service, order, visitor } = await collects('LATE', 'late')
    await visitor.send('/cancel')
    assert.match(wordsOf(visitor.last.text), /The payment was cancelled\. Nothing was taken/)
    const other = new Visitor(service, await openPage(service, order))
    assert.match((await other.look()).text, /data-stage="choices"/)
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    await service.tasks.advance(service.clock.now() + 200 * HOUR_MS, async (at) =>
      service.clock.advance(Math.max(0, at - service.clock.now())),
    )
    const [first, second] = await attemptsOf(service, 'LATE')
    assert.deepEqual([first!.result, first!.bankRefundedPaise, second!.status], ['returned', 100_00, 'SUCCESS'])
    await booksEqualJournal(service)
    await assertHolds(service)
  })

  test('and an adapter that has no such call: its payers read that they must wait, and do not get the offer again', async () => {
    let clock: { now(): number } = { now: () => 0 }
    const adapter = await startAdapter({ now: () => clock.now() }, [], { cancels: false })
    const service = await startService(store, { env: { MOHUR_ACQUIRER_URL: adapter.url, MOHUR_ACQUIRER_SECRET: ADAPTER_SECRET } })
    clock = service.clock
    try {
      const { order, page } = await newPage(service, 'CANNOT')
      const visitor = new Visitor(service, page)
      await visitor.send({ panel: 'upi', by: 'upiId' }, { upiId: 'pending@upi' })
      await visitor.send('/cancel')
      await assertRefused(visitor, order, COMPLETE)
    } finally {
      await service.close()
    }
  })
})
