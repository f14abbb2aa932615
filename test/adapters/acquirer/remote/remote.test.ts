// The acquirer behind docs/acquirer.md, with an adapter that keeps the contract and with one that lies.
// test/slow/adapters/acquirer/remote/remote.test.ts has adapters that break it, and a line that breaks.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import type { Authorize } from '../../../../src/adapters/acquirer/acquirer.ts'
import { RemoteAcquirer } from '../../../../src/adapters/acquirer/remote/remote.ts'
import type { RemoteParts } from '../../../../src/adapters/acquirer/remote/remote-call.ts'
import { SystemClock } from '../../../../src/engine/clock.ts'
import { SystemRandom } from '../../../../src/engine/random.ts'
import { refundDue } from '../../../../src/flows/refund-due.ts'
import { demoWorld } from '../../../../src/sandbox/world.ts'
import { readSettings } from '../../../../src/settings.ts'
import { find, look } from '../../../../src/tables/tables.ts'
import { ADAPTER_SECRET, type Adapter, BREAKS, LIES, type Lie, OTHER_SECRET, startAdapter } from '../../../support/bank/adapter.ts'
import { booksEqualBank } from '../../../support/bank/books.ts'
import { issueSsoToken } from '../../../support/mandates/subscription.ts'
import { createOrder, type Order, pay, statusOf } from '../../../support/paying/paying.ts'
import { paidOrder, refund, refundStatusOf, transactionOf } from '../../../support/paying/refunds.ts'
import { codeOf } from '../../../support/run/replies.ts'
import { MID, onBothStores, type Service, type StoreName, startService } from '../../../support/run/service.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const PAID = '01'
const PENDING = '402'
/** Unknown: the acquirer did not answer, or not in an intelligible way. */
const UNCONFIRMED = '400'

interface Shop {
  service: Service
  adapter: Adapter
}

async function openShop(store: StoreName, env: Record<string, string> = {}): Promise<Shop> {
  let clock: { now(): number } = { now: () => 0 }
  const adapter = await startAdapter({ now: () => clock.now() })
  const service = await startService(store, {
    env: { MOHUR_ACQUIRER_URL: `${adapter.url}/`, MOHUR_ACQUIRER_SECRET: ADAPTER_SECRET, ...env },
  })
  clock = service.clock
  return { service, adapter }
}

async function within(store: StoreName, work: (shop: Shop) => Promise<void>, env: Record<string, string> = {}) {
  const shop = await openShop(store, env)
  try {
    await work(shop)
  } finally {
    await shop.service.close()
  }
}

/** Moves time through every instant with due work. */
const pass = ({ service: { tasks, clock } }: Shop, ms: number) =>
  tasks.advance(clock.now() + ms, async (instant) => clock.advance(Math.max(0, instant - clock.now())))

const upi = (name: string) => ({ paymentMode: 'UPI', payerAccount: `${name}@bank` })
const card = (number: string, more: object = {}) => ({ paymentMode: 'CREDIT_CARD', cardInfo: `|${number}|123|122030`, ...more })
const PAGE_CARD = '4000000000003220'

const codeOfOrder = async ({ service }: Shop, order: Pick<Order, 'orderId'>) => codeOf(await statusOf(service, order))
const keyOf = ({ body }: { body: { txnId: string } }) => `${MID}:${body.txnId}`
const heard = ({ adapter }: Shop, call: string, key: string) =>
  adapter.calls.filter((each) => each.call === call && each.key === key).length

const assertBooksEqual = async ({ service, adapter }: Shop) => booksEqualBank(service, await adapter.bank.journal(0, service.clock.now()))

onBothStores('paying through an adapter', (store) => {
  test('an order is created, paid, queried and refunded', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const paid = await paidOrder(service, 'WHOLE', { means: upi('success') })
      assert.equal(await codeOfOrder(shop, paid), PAID)
      assert.equal(codeOf(await refund(service, paid, 'R1', '40.00')), '601')
      await service.tasks.runDue()
      assert.equal(codeOf(await refundStatusOf(service, paid, 'R1')), '10')
      assert.deepEqual(
        adapter.calls.map(({ call }) => call),
        ['authorize', 'refund'],
      )
      await assertBooksEqual(shop)
    }))

  test('a card goes out in authorize alone, and a card that is kept pays again by its token', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const signedIn = { order: { paytmSsoToken: await issueSsoToken(service, `keeps ${store}`) } }
      await paidOrder(service, 'KEEP', { ...signedIn, means: card('4111111111111111', { storeInstrument: '1' }) })
      const [saved] = await service.ports.query.rows({ find: 'savedCards', limit: 2 })
      const again = await paidOrder(service, 'TOKEN', {
        ...signedIn,
        means: { paymentMode: 'CREDIT_CARD', cardInfo: `${saved!.savedCardId}||123|` },
      })
      assert.equal(await codeOfOrder(shop, again), PAID)
      const emi = { paymentMode: 'EMI', cardInfo: '|4111111111111111|123|122030', planId: 'HDFC|3' }
      await paidOrder(service, 'EMI', { order: { txnAmount: { value: '9000.00', currency: 'INR' } }, means: emi })
      assert.deepEqual((adapter.calls.pop()!.body as unknown as Authorize).emi, { tenure: 3, planId: 'HDFC|3' })
      await paidOrder(service, 'STRANGER', { means: card('4111111111111111', { storeInstrument: '1' }) })
      assert.equal((adapter.calls.pop()!.body as unknown as Authorize).keepCard, false, 'nobody is signed in who could find it again')
      await refund(service, again, 'R1', '1.00')
      await service.tasks.runDue()
      const [first, second, ...others] = adapter.calls
      assert.equal((first!.body as unknown as Authorize).keepCard, true)
      assert.deepEqual((first!.body as unknown as Authorize).means, {
        kind: 'card',
        number: '4111111111111111',
        cvv: '123',
        expiryMonth: 12,
        expiryYear: 2030,
      })
      assert.deepEqual((second!.body as unknown as Authorize).means, { kind: 'savedCard', token: saved!.card.token, cvv: '123' })
      assert.doesNotMatch(JSON.stringify(others), /4111|"cvv"|means/)
    }))

  test('a bank page, a UPI app and a one-time password lead where the payer wants', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const page = await pay(service, await createOrder(service, 'PAGE'), card(PAGE_CARD))
      assert.match(page.body.bankForm.redirectForm.actionUrl, /\/sandbox\/bank\/page$/)
      const app = await pay(service, await createOrder(service, 'APP'), { paymentMode: 'UPI_INTENT' })
      assert.match(app.body.deepLinkInfo.deepLink, /^upi:\/\/pay\?pa=mohur@sandbox&pn=Demo%20Stores&mc=5411&/)
      const asked = adapter.calls.filter(({ call }) => call === 'authorize').map(({ body }) => body as unknown as Authorize)
      assert.deepEqual(
        asked.map(({ mcc }) => mcc),
        ['5411', '5411'],
        'the category of the merchant',
      )
      assert.equal(await codeOfOrder(shop, { orderId: 'PAGE' }), PENDING)
      for (const reply of [page, app]) {
        await adapter.acquirer.payerActs({ key: keyOf(reply) }, reply === page ? 'approve' : 'decline')
        assert.equal((await adapter.tell(service.url, keyOf(reply))).status, 202)
      }
      await service.tasks.runDue()
      assert.equal(await codeOfOrder(shop, { orderId: 'PAGE' }), PAID)
      assert.notEqual(await codeOfOrder(shop, { orderId: 'APP' }), PAID)

      const order = await createOrder(service, 'OTP')
      assert.equal((await pay(service, order, card(PAGE_CARD, { authMode: 'otp' }))).body.bankForm.pageType, 'direct')
      const submit = (otp: string) =>
        service.post(
          `/theia/api/v1/directBankRequest?mid=${MID}&orderId=OTP`,
          JSON.stringify({ head: { txnToken: order.txnToken }, body: { mid: MID, orderId: 'OTP', requestType: 'submit', otp } }),
        )
      assert.notEqual(codeOf(await submit('111111')), '0000')
      assert.equal(codeOf(await submit('123123')), '0000')
      assert.equal(await codeOfOrder(shop, order), PAID)
      await assertBooksEqual(shop)
    }))

  test('a payment that was made and answered by any lie is pending, queried, never sent again, and paid', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const lies = Object.keys(LIES) as Lie[]
      const keys = new Map<string, string>()
      for (const [at, lie] of lies.entries()) {
        adapter.lie('authorize', lie)
        const order = await createOrder(service, `LIE${at}`)
        const reply = await pay(service, order, upi('success'))
        keys.set(order.orderId, keyOf(reply))
        assert.deepEqual(
          [codeOf(reply), await codeOfOrder(shop, order), (await transactionOf(service, reply.body)).status],
          ['0000', UNCONFIRMED, 'UNKNOWN'],
          lie,
        )
      }
      await pass(shop, 2 * MINUTE_MS)
      for (const [at, lie] of lies.entries()) {
        assert.equal(await codeOfOrder(shop, { orderId: `LIE${at}` }), PAID, lie)
        assert.deepEqual([heard(shop, 'authorize', keys.get(`LIE${at}`)!), heard(shop, 'status', keys.get(`LIE${at}`)!)], [1, 1], lie)
      }
      assert.equal(adapter.strays, 0)
      await assertBooksEqual(shop)
    }))

  test('while lies answer the query the payment stays pending, until an answer is true', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const lies = Object.keys(LIES) as Lie[]
      const order = await createOrder(service, 'ASKED')
      adapter.lie('authorize', 'HTTP 500')
      const key = keyOf(await pay(service, order, upi('success')))
      for (const lie of lies) {
        adapter.lie('status', lie)
        assert.equal((await adapter.tell(service.url, key)).status, 202)
        await service.tasks.runDue()
        assert.equal(await codeOfOrder(shop, order), UNCONFIRMED, lie)
      }
      assert.equal(heard(shop, 'status', key), lies.length)
      await pass(shop, 72 * HOUR_MS)
      assert.equal(await codeOfOrder(shop, order), PAID)
      await assertBooksEqual(shop)
    }))

  test('a call whose connection breaks off is queried at once, and never sent again', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      adapter.lie('authorize', 'breaks off when the work is done')
      const order = await createOrder(service, 'BROKEN')
      const reply = await pay(service, order, upi('success'))
      assert.deepEqual([codeOf(reply), await codeOfOrder(shop, order)], ['0000', PAID])
      assert.deepEqual([heard(shop, 'authorize', keyOf(reply)), heard(shop, 'status', keyOf(reply))], [1, 1])
      adapter.lie('refund', 'breaks off when the work is done')
      await refund(service, { ...order, txnId: reply.body.txnId }, 'R1', '1.00')
      await service.tasks.runDue()
      assert.equal(codeOf(await refundStatusOf(service, order, 'R1')), '10')
      assert.deepEqual(
        adapter.calls.slice(-2).map(({ call }) => call),
        ['refund', 'status'],
      )
      assert.equal(adapter.calls.at(-1)!.body['authorizeKey'], keyOf(reply), 'the adapter reads that it is a refund’s key')

      adapter.lie('authorize', 'breaks off')
      const unheard = await createOrder(service, 'UNHEARD')
      const lost = await pay(service, unheard, upi('success'))
      assert.equal(await codeOfOrder(shop, unheard), UNCONFIRMED, 'absent is not believed at once')
      assert.deepEqual([heard(shop, 'authorize', keyOf(lost)), heard(shop, 'status', keyOf(lost))], [0, 1])

      adapter.lie('authorize', 'breaks off when the work is done')
      adapter.lie('status', 'breaks off', 'breaks off')
      const twice = await createOrder(service, 'TWICE')
      await pay(service, twice, upi('success'))
      assert.equal(await codeOfOrder(shop, twice), UNCONFIRMED)
      await pass(shop, 5 * MINUTE_MS)
      assert.equal(await codeOfOrder(shop, twice), PAID)
      assert.equal((await transactionOf(service, lost.body)).status, 'FAILURE')
      await assertBooksEqual(shop)
    }))

  test('a payment that never arrived fails once the adapter has called it absent, and stays unsent', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      for (const lie of BREAKS.slice(0, 2)) {
        adapter.lie('authorize', lie)
        const order = await createOrder(service, lie.replaceAll(' ', '-'))
        const reply = await pay(service, order, upi('success'))
        assert.equal(await codeOfOrder(shop, order), UNCONFIRMED, lie)
        await pass(shop, 5 * MINUTE_MS)
        assert.notEqual(await codeOfOrder(shop, order), UNCONFIRMED, lie)
        assert.equal((await transactionOf(service, reply.body)).status, 'FAILURE', lie)
        assert.equal(heard(shop, 'authorize', keyOf(reply)), 0)
        assert.equal(codeOf(await pay(service, order, upi('success'))), '0000')
        assert.equal(await codeOfOrder(shop, order), PAID, 'the order may be paid anew')
      }
      await assertBooksEqual(shop)
    }))

  test('an amount other than the requested one is no success and is given back', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      await adapter.bank.script(':MORE', ['wrongAmount'])
      const order = await createOrder(service, 'MORE')
      const reply = await pay(service, order, upi('success'))
      assert.notEqual(await codeOfOrder(shop, order), PAID)
      await service.tasks.runDue()
      assert.equal((await transactionOf(service, reply.body)).status, 'FAILURE')
      await assertBooksEqual(shop)
      const journal = await adapter.bank.journal(0, service.clock.now())
      assert.deepEqual(
        journal.map(({ kind, amount_paise }) => [kind, amount_paise]),
        [
          ['authorize', 10_100],
          ['refund', 10_100],
        ],
      )
    }))

  test('a refund that any lie answers is queried, and given back once', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const paid = await paidOrder(service, 'BACK', { means: upi('success') })
      const lies = [...(Object.keys(LIES) as Lie[]), 'is refused' as const]
      for (const [at, lie] of lies.entries()) {
        adapter.lie('refund', lie)
        await refund(service, paid, `R${at}`, '1.00')
        await service.tasks.runDue()
        assert.equal(codeOf(await refundStatusOf(service, paid, `R${at}`)), '604', lie)
      }
      await pass(shop, 6 * HOUR_MS)
      for (const [at, lie] of lies.entries()) assert.equal(codeOf(await refundStatusOf(service, paid, `R${at}`)), '10', lie)
      await assertBooksEqual(shop)
    }))

  test('a notification of the adapter is only a reason to query: forged, old, misdirected or unreadable it changes nothing', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const order = await createOrder(service, 'TOLD')
      const key = keyOf(await pay(service, order, upi('pending')))
      await adapter.acquirer.payerActs({ key }, 'approve')
      const reported: [string, number, Parameters<Adapter['tell']>[2]][] = [
        ['unsigned', 401, { secret: '' }],
        ['signed with another secret', 401, { secret: OTHER_SECRET }],
        ['changed after it was signed', 401, { sent: JSON.stringify({ key, outcome: 'success' }) }],
        ['recorded ten minutes ago', 401, { at: Date.now() - 10 * MINUTE_MS }],
        ['signed ten minutes ahead', 401, { at: Date.now() + 10 * MINUTE_MS }],
        ['an answer that was recorded', 401, { id: 'answer_authorize_0123456789abcdef' }],
        ['a call that was recorded', 401, { id: 'authorize_0123456789abcdef' }],
      ]
      for (const [what, status, as] of reported) assert.equal((await adapter.tell(service.url, key, as)).status, status, what)
      for (const unreadable of ['', 'a key', `${MID}:${'1'.repeat(200)}`])
        assert.equal((await adapter.tell(service.url, unreadable)).status, 400)
      for (const unknown of ['x', ':', 'a:b', `${MID}:1`, `${key}1`, `${MID}:refund:1`])
        assert.equal((await adapter.tell(service.url, unknown)).status, 202)
      await service.tasks.runDue()
      assert.equal(heard(shop, 'status', key), 0)
      assert.equal(await codeOfOrder(shop, order), PENDING)

      const id = 'report_0123456789abcdef'
      assert.equal((await adapter.tell(service.url, key, { id })).status, 202)
      await service.tasks.runDue()
      assert.deepEqual([heard(shop, 'status', key), await codeOfOrder(shop, order)], [1, PAID])
      await Promise.all([1, 2, 3, 4, 5].map(() => adapter.tell(service.url, key, { id })))
      await service.tasks.runDue()
      assert.equal(heard(shop, 'status', key), 1, 'what is settled is not asked about again')
      await assertBooksEqual(shop)
    }))

  test('a success after a reported failure is given back', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      adapter.lie('authorize', 'a failure')
      const order = await createOrder(service, 'FLIP')
      const reply = await pay(service, order, upi('success'))
      assert.equal((await transactionOf(service, reply.body)).status, 'FAILURE')
      assert.equal((await adapter.tell(service.url, keyOf(reply))).status, 202)
      await service.tasks.runDue()
      const { status, capturedPaise, bankRefundedPaise } = await transactionOf(service, reply.body)
      assert.deepEqual([status, capturedPaise, bankRefundedPaise], ['FAILURE', 10_000, 10_000])
      await assertBooksEqual(shop)
    }))

  /** The merchant refunds a payment at the bank itself, where Mohur does not see it. */
  const refundByHand = ({ adapter }: Shop, { orderId }: Order, key: string) =>
    adapter.acquirer.refund({ key: `by hand:${key}`, logged: '', authorizeKey: key, mid: MID, orderId, amountPaise: 10_000 })
  const refundsSent = ({ adapter }: Shop) => adapter.calls.filter(({ call }) => call === 'refund').length

  test('money that came too late and that the merchant has refunded by hand is not sent back again', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      adapter.lie('authorize', 'a failure')
      const before = await createOrder(service, 'BY-HAND')
      const reply = await pay(service, before, upi('success'))
      await refundByHand(shop, before, keyOf(reply))
      assert.equal((await adapter.tell(service.url, keyOf(reply))).status, 202)
      await service.tasks.runDue()
      assert.equal((await transactionOf(service, reply.body)).returnedPaise, 0, 'the merchant’s refund may still fail')
      await pass(shop, 8 * 24 * HOUR_MS)
      const { status, capturedPaise, returnedPaise } = await transactionOf(service, reply.body)
      assert.deepEqual([status, capturedPaise, returnedPaise, refundsSent(shop)], ['FAILURE', 10_000, 10_000, 0])

      // Here the merchant is slower than Mohur, whose first refund the bank has refused without a reason.
      adapter.lie('authorize', 'a failure')
      adapter.lie('refund', 'a failure without the work')
      const after = await createOrder(service, 'BY-HAND-LATER')
      const later = await pay(service, after, upi('success'))
      assert.equal((await adapter.tell(service.url, keyOf(later))).status, 202)
      await service.tasks.runDue()
      assert.equal((await transactionOf(service, later.body)).returnedPaise, 0)
      await refundByHand(shop, after, keyOf(later))
      await pass(shop, 2 * 24 * HOUR_MS)
      assert.equal((await transactionOf(service, later.body)).returnedPaise, 0)
      await pass(shop, 6 * 24 * HOUR_MS)
      assert.equal((await transactionOf(service, later.body)).returnedPaise, 10_000)
      await assertBooksEqual(shop)
    }))

  test('a payment that the merchant has refunded by hand stands, whoever asks for its result', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      adapter.lie('authorize', 'breaks off when the work is done')
      adapter.lie('status', 'breaks off', 'breaks off')
      const order = await createOrder(service, 'STANDS')
      const reply = await pay(service, order, upi('success'))
      await refundByHand(shop, order, keyOf(reply))
      await fetch(`${service.url}/transaction/return?mid=${MID}&txnId=${reply.body.txnId}`)
      assert.equal(await codeOfOrder(shop, order), PAID)
    }))

  for (const tells of [1, 2])
    test(`a failure that the adapter notifies ${tells} × while it stands is still queried a day later, and the amount taken is given back`, () =>
      within(store, async (shop) => {
        const { service, adapter } = shop
        adapter.lie('authorize', 'a failure')
        const reply = await pay(service, await createOrder(service, `FLIPS-LATER-${tells}`), upi('success'))
        for (let tell = 0; tell < tells; tell++) {
          adapter.lie('status', 'a failure')
          assert.equal((await adapter.tell(service.url, keyOf(reply))).status, 202)
          await service.tasks.runDue()
        }
        assert.equal(heard(shop, 'status', keyOf(reply)), tells)
        await pass(shop, 26 * HOUR_MS)
        const { status, capturedPaise, bankRefundedPaise } = await transactionOf(service, reply.body)
        assert.deepEqual([status, capturedPaise, bankRefundedPaise], ['FAILURE', 10_000, 10_000])
        await assertBooksEqual(shop)
      }))

  test('the second refund of a late success waits a day, and is not sent twice in one instant', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      adapter.lie('authorize', 'a failure')
      adapter.lie('refund', 'a failure without the work', 'is refused')
      const { txnId } = (await pay(service, await createOrder(service, 'BACK-LATER'), upi('success'))).body
      const calls = () => adapter.calls.filter(({ key }) => key.endsWith(`A${txnId}N2`)).map(({ call }) => call)
      await pass(shop, 48.5 * HOUR_MS + MINUTE_MS) // a day until the payment is queried, half an hour of it by its schedule, and a day more
      assert.deepEqual(calls(), [], 'one that is refused is not heard')
      await pass(shop, 10 * MINUTE_MS)
      assert.deepEqual(calls(), ['status', 'status', 'refund'], 'absence is believed after two minutes')
      const { capturedPaise, bankRefundedPaise } = await transactionOf(service, { txnId })
      assert.deepEqual([capturedPaise, bankRefundedPaise], [10_000, 10_000])
    }))

  test('a refund that was not understood is logged by Mohur’s number for it, whatever its refId contains', () =>
    within(store, async ({ service, adapter }) => {
      const TYPED = 'asha-4111111111111111@shop.example'
      const paid = await paidOrder(service, 'TYPED', { means: upi('success') })
      adapter.lie('refund', 'is refused')
      await refund(service, paid, TYPED, '1.00')
      await service.tasks.runDue()
      const { acquirer, doubts } = remote({ url: adapter.url })
      const handler = refundDue({ ...service.ports, acquirer: () => acquirer }, () => {})
      const due = async (minutes: number, call: string, lie: Lie) => {
        service.clock.advance(minutes * MINUTE_MS)
        adapter.lie(call, lie)
        const [task] = await service.ports.query.rows(
          find('tasks', { equals: { task: 'refund.due', subject: `${MID}:${TYPED}` }, limit: 1 }),
        )
        await handler({ ...task!, leaseUntil: service.clock.realNow() + MINUTE_MS }, task!)
      }
      await due(1.6, 'status', 'HTTP 500')
      await due(1, 'refund', 'breaks off')
      const { refundId } = (await service.ports.query.row(look('refunds', MID, TYPED)))!
      assert.deepEqual(
        [...new Set(doubts.map((line) => line.split(' ').slice(0, 2).join(' ')))],
        [`status ${MID}:refund:${refundId}`, `refund ${MID}:refund:${refundId}`],
      )
      assert.doesNotMatch(doubts.join('\n'), /asha|4111111111111111|shop\.example/)
      await acquirer.close()
    }))

  test('unsigned notifications are accepted sixty times a minute from one network, and signed ones meanwhile as before', () =>
    within(store, async ({ service, adapter }) => {
      const statuses = await Promise.all(Array.from({ length: 70 }, () => adapter.tell(service.url, 'a:b', { secret: '' })))
      assert.equal(statuses.filter(({ status }) => status === 401).length, 60)
      assert.equal(statuses.filter(({ status }) => status === 429).length, 10)
      assert.equal((await adapter.tell(service.url, 'a:b')).status, 202)
      assert.equal((await adapter.tell(service.url, 'x'.repeat(5_000))).status, 413)
    }))

  test('a browser that returns again and again causes ten queries a minute, and gets the known state', () =>
    within(store, async (shop) => {
      const { service } = shop
      const order = await createOrder(service, 'BACK')
      const begun = await pay(service, order, card(PAGE_CARD))
      const visit = () => fetch(`${service.url}/transaction/return?mid=${MID}&txnId=${begun.body.txnId}`)
      const pages = await Promise.all(Array.from({ length: 30 }, async () => (await visit()).text()))
      for (const page of pages) assert.match(page, /name="STATUS" value="PENDING"/)
      assert.equal(heard(shop, 'status', keyOf(begun)), 10)
    }))

  test('with an adapter the sandbox has no bank of its own; without one it takes no notifications of an adapter', () =>
    within(store, async ({ service }) => {
      for (const path of ['/sandbox/bank/journal', '/sandbox/bank/page']) assert.equal((await service.call('GET', path)).status, 404)
      const plain = await startService(store)
      try {
        assert.equal((await plain.post('/acquirer/webhook', '{}')).status, 404)
        assert.equal((await plain.call('GET', '/sandbox/bank/journal')).status, 200)
      } finally {
        await plain.close()
      }
    }))

  test('production pays through an adapter, and without one not at all', async () => {
    const env = {
      MOHUR_MODE: 'production',
      MOHUR_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
      MOHUR_PUBLIC_URL: 'https://pay.example',
    }
    await within(
      store,
      async (shop) => assert.equal(await codeOfOrder(shop, await paidOrder(shop.service, 'REAL', { means: upi('success') })), PAID),
      env,
    )
    const alone = await startService(store, { env, world: demoWorld })
    try {
      const order = await createOrder(alone, 'NONE')
      assert.equal(codeOf(await pay(alone, order, upi('success'))), '501')
      assert.equal((await alone.ports.query.rows({ find: 'transactions', limit: 1 })).length, 0)
    } finally {
      await alone.close()
    }
  })
})

// --------------------------------------------------------------------------------------------------- one call by itself

const call: Authorize = {
  key: 'SHOP:1',
  mid: 'SHOP',
  merchantName: 'Shop',
  mcc: '5999',
  orderId: 'O1',
  amountPaise: 49_900,
  means: { kind: 'card', number: '4111111111111111', cvv: '987', expiryMonth: 12, expiryYear: 2030 },
  keepCard: false,
  directOtp: false,
  returnUrl: 'https://shop.example/return',
}

function remote(parts: Partial<RemoteParts> & { url: string }) {
  const doubts: string[] = []
  const doubted = (...reported: string[]) => void doubts.push(reported.join(' '))
  return {
    doubts,
    acquirer: new RemoteAcquirer({ secret: ADAPTER_SECRET, clock: new SystemClock(), fresh: new SystemRandom(), doubted, ...parts }),
  }
}

test('every lie is unknown, and the report of it has no card, no password, no secret and no value', async () => {
  const adapter = await startAdapter(new SystemClock())
  const { acquirer, doubts } = remote({ url: adapter.url, totalMs: 200 })
  const lies = [...(Object.keys(LIES) as Lie[]), ...BREAKS]
  for (const lie of lies) {
    const key = `SHOP:${lie}`
    const calls = {
      authorize: () => acquirer.authorize({ ...call, key }),
      status: () => acquirer.status(key),
      refund: () =>
        acquirer.refund({ key: `${key}R`, logged: 'SHOP:refund:1', authorizeKey: key, mid: 'SHOP', orderId: 'O1', amountPaise: 1 }),
      otp: () => acquirer.otp(key, { type: 'submit', otp: '445566' }),
      cancel: () => acquirer.cancel(key),
    }
    for (const [name, ask] of Object.entries(calls)) {
      if (lie === 'is silent when the work is done' && name !== 'authorize') continue
      adapter.lie(name, lie)
      // After a broken call the service queries at once. On a kept connection it repeats a broken query once: a query changes nothing.
      if (lie.startsWith('breaks off')) adapter.lie(name === 'cancel' ? name : 'status', ...(name === 'status' ? [] : [lie]), lie)
      assert.deepEqual(await ask(), { outcome: 'unknown' }, `${name}: ${lie}`)
      adapter.forgive()
    }
  }
  assert.ok(doubts.length >= 5 * lies.length - 4)
  assert.doesNotMatch(doubts.join('\n'), /4111|987|445566|whsec|49900|1\|2|evil|alert/)
  assert.equal(adapter.strays, 0)
})

test('the service waits for a silent adapter until the limit, and not at all once the process stops', async () => {
  const silent = createServer(() => {}) // accepts the connection and stays silent
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(silent.address() as { port: number }).port}`
  try {
    const short = remote({ url, totalMs: 100 })
    const began = performance.now()
    assert.deepEqual(await short.acquirer.status('SHOP:1'), { outcome: 'unknown' })
    assert.ok(performance.now() - began < 2_000)
    assert.deepEqual(short.doubts, ['status SHOP:1 there was no answer in time'])
    const stopped = remote({ url })
    const answer = stopped.acquirer.authorize(call)
    await stopped.acquirer.close()
    assert.deepEqual(await answer, { outcome: 'unknown' })
    assert.deepEqual(await stopped.acquirer.authorize(call), { outcome: 'unknown' })
    assert.deepEqual(stopped.doubts, ['authorize SHOP:1 the process stops', 'authorize SHOP:1 the process stops'])
  } finally {
    silent.close()
  }
  const nobody = remote({ url })
  assert.deepEqual(await nobody.acquirer.authorize(call), { outcome: 'unknown' })
  assert.deepEqual(nobody.doubts, ['authorize SHOP:1 the connection failed (ECONNREFUSED)'])
})

test('an answer that trickles in is cut off at the same time', async () => {
  const slow = createServer((socket) => {
    socket.on('error', () => {})
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 10)
    socket.on('close', () => clearInterval(timer))
  })
  await once(slow.listen(0, '127.0.0.1'), 'listening')
  const { acquirer, doubts } = remote({ url: `http://127.0.0.1:${(slow.address() as { port: number }).port}`, totalMs: 150 })
  assert.deepEqual(await acquirer.status('SHOP:1'), { outcome: 'unknown' })
  assert.deepEqual(doubts, ['status SHOP:1 there was no answer in time'])
  slow.close()
})

test('the settings of an adapter go together, and no error shows either of them', () => {
  const given = (MOHUR_ACQUIRER_URL: string, MOHUR_ACQUIRER_SECRET = ADAPTER_SECRET) =>
    readSettings({ MOHUR_ACQUIRER_URL, MOHUR_ACQUIRER_SECRET }).acquirer
  assert.deepEqual(given('https://psp.example/mohur/'), { url: 'https://psp.example/mohur', secret: ADAPTER_SECRET })
  for (const url of ['http://127.0.0.1:1', 'http://[::1]:1/a', 'http://localhost']) assert.equal(given(url)?.url, url)
  const wrong: [string, string?][] = [
    ['http://psp.example'],
    ['https://user:hunter2@psp.example'],
    ['https://psp.example/?a=1'],
    ['https://psp.example/#a'],
    ['ftp://psp.example'],
    ['psp.example'],
    ['http://127.0.0.1.evil.example'],
    ['https://psp.example', ''],
    [''],
    ['https://psp.example', 'hunter2'],
    ['https://psp.example', `whsec_${'A'.repeat(16)}`],
  ]
  for (const [url, secret] of wrong) {
    assert.throws(
      () => given(url, secret),
      (error: Error) => error.name === 'SettingError' && !/hunter2|AAAA|psp\.example/.test(error.message),
    )
  }
})
