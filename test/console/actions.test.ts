// Actions on payments, orders and refunds: each runs the operation of the interface or a command, with one audit row. Over HTTP.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { changeMerchant } from '../../src/domain/merchant/change-merchant.ts'
import { find, lock, look, type Row } from '../../src/tables/tables.ts'
import { ask, auditOf, type Person, personOf } from '../support/console/desk.ts'
import { PAGE_BYTES_MAX } from '../support/console/walks.ts'
import { bankJournal, CARD, createOrder, pay, script } from '../support/paying/paying.ts'
import { paidOrder, refund } from '../support/paying/refunds.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'
import { assertHolds } from '../support/store/verify.ts'

const [MINUTE_MS, HOUR_MS] = [60_000, 60 * 60_000]
const REASON = 'the payer called'

onBothStores('actions of the console', (store) => {
  let service: Service
  let staff: Person
  let foreign: Person
  before(async () => {
    service = await startService(store)
    staff = await personOf(service, ['operations'])
    foreign = await personOf(service, ['operations'], ['OTHER'])
  })
  after(async () => {
    await assertHolds(service)
    await service.close()
  })

  const post = (path: string, form: Record<string, string> = {}, person = staff) =>
    ask(service, `/console${path}`, { cookie: person.cookie, form: { reason: REASON, ...form, token: person.token } })
  const see = (path: string) => ask(service, `/console${path}`, { cookie: staff.cookie })
  /** The hidden fields of the form that posts there, as its page has them. */
  async function formOn(page: string, action: string): Promise<Record<string, string>> {
    const { text } = await see(page)
    const form = new RegExp(`<form[^>]* action="/console${action}">(.*?)</form>`, 's').exec(text)?.[1]
    assert.ok(form !== undefined, `${page} has a form for ${action}`)
    return Object.fromEntries([...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]))
  }
  const rowsOf = async (subject: string) => {
    const rows = await service.ports.query.rows(find('auditLog', { equals: { subject, mid: MID }, orderBy: ['auditId'], limit: 100 }))
    return rows.map(({ operatorId, action, outcome, reason }) => [operatorId === staff.operatorId, action, outcome, reason])
  }
  const orderOf = async (orderId: string) => (await service.ports.query.row(look('orders', MID, orderId)))!
  const refundOf = async (refId: string) => (await service.ports.query.row(look('refunds', MID, refId)))!
  const setStatus = (status: Row<'merchants'>['status']) =>
    service.ports.engine.submit(changeMerchant, { mid: MID, settings: { status }, by: 'command', now: service.clock.now() })

  // ---------------------------------------------------------------------------------------------------------- asking a bank

  test('the bank is asked about a payment, whose answer stands on the page', async () => {
    const order = await createOrder(service, 'ACT_ASKED')
    const { txnId } = (await pay(service, order, { paymentMode: 'UPI', payerAccount: 'slow@upi' })).body
    service.clock.advance(2 * MINUTE_MS + 10_000)
    const at = `/payments/${MID}/${txnId}`
    assert.match((await see(at)).text, /Ask the bank now/)
    const asked = await post(`${at}/ask`)
    assert.deepEqual([asked.status, asked.location], [303, `/console${at}?did=asked`])
    const page = await see(`${at}?did=asked`)
    assert.match(page.text, /role="status">The bank was asked\./)
    assert.match(page.text, /<span class="state good">paid/)
    assert.doesNotMatch(page.text, /Ask the bank now/)
    const again = await post(`${at}/ask`)
    assert.equal(again.status, 409)
    assert.match(again.text, /The payment is now: <span class="state good">paid/)
    assert.deepEqual(await rowsOf(`transaction:${txnId}`), [
      [true, 'payment.ask', 'asking', REASON],
      [true, 'payment.ask', 'applied', REASON],
    ])
    const calls = (await bankJournal(service)).filter(({ key }) => key === `${MID}:${txnId}`)
    assert.deepEqual(
      calls.map(({ kind }) => kind),
      ['authorize'],
    )
  })

  test('a payment that another process asks about is busy', async () => {
    const order = await createOrder(service, 'ACT_BUSY')
    const { txnId } = (await pay(service, order, { paymentMode: 'UPI', payerAccount: 'slow@upi' })).body
    await service.store.transaction(async (transaction) => {
      const key = look('tasks', 'transaction.due', `${MID}:${txnId}`)
      const row = (await service.ports.query.row(key))!
      const { task, subject, dueAt, payload } = row
      const lease = { fence: 7, until: service.clock.realNow() + MINUTE_MS }
      await transaction.write({ changes: [], events: [], tasks: [{ kind: 'add', task, subject, dueAt, payload, lease }] })
    })
    const { status, text } = await post(`/payments/${MID}/${txnId}/ask`)
    assert.equal(status, 409)
    assert.match(text, /Another process is asking the bank now\./)
    assert.deepEqual(await rowsOf(`transaction:${txnId}`), [[true, 'payment.ask', 'busy', REASON]])
  })

  test('the bank is asked about a refund beside its schedule, and nothing is sent', async () => {
    const paid = await paidOrder(service, 'ACT_REFUND')
    await script(service, paid, 'timeout')
    await refund(service, paid, 'ACT_REF', '30.00')
    await service.tasks.runDue()
    const before = await refundOf('ACT_REF')
    assert.deepEqual([before.status, before.checks], ['PENDING', 1])
    const dueAt = async () => (await service.ports.query.row(look('tasks', 'refund.due', `${MID}:ACT_REF`)))?.dueAt
    const scheduled = await dueAt()
    service.clock.advance(30_000)
    const at = `/refunds/${MID}/ACT_REF/ask`
    assert.match((await see('/refunds')).text, new RegExp(`formaction="/console${at}"`))
    assert.match((await see(`/payments/${MID}/${paid.txnId}`)).text, new RegExp(`formaction="/console${at}"`))
    for (let time = 0; time < 5; time++) {
      const asked = await post(at)
      assert.deepEqual([asked.status, asked.location], [303, `/console/payments/${MID}/${paid.txnId}?did=refundAsked`])
      await service.tasks.runDue()
    }
    // The bank knows nothing of the refund. Five questions within the two minutes do not make the service believe that.
    const refunds = async () => (await bankJournal(service)).filter(({ key }) => key.endsWith(':refund:ref:ACT_REF'))
    assert.deepEqual([(await refundOf('ACT_REF')).checks, await dueAt(), await refunds()], [1, scheduled, []])
    const rows = await rowsOf(`transaction:${paid.txnId}`)
    assert.deepEqual(rows, Array(5).fill([true, 'refund.ask', 'asking', REASON]))
    service.clock.advance(HOUR_MS)
    await post(at)
    await service.tasks.runDue()
    await service.tasks.runDue()
    assert.equal((await refunds()).length, 1, 'by the schedule alone')
    assert.equal((await refundOf('ACT_REF')).status, 'SUCCESS')
    const ended = await post(at)
    assert.equal(ended.status, 409)
    assert.match(ended.text, /The refund is now: <span class="state good">done/)
  })

  test('a refund that is sent tomorrow is not brought forward', async () => {
    const order = await createOrder(service, 'ACT_LATE')
    await script(service, order, 'wrongAmount', 'declined')
    const { txnId } = (await pay(service, order, CARD)).body
    await service.tasks.runDue()
    const refId = `auto:${txnId}:2`
    assert.deepEqual([(await refundOf(refId)).status, (await refundOf(refId)).checks], ['PENDING', 0])
    const { status, text } = await post(`/refunds/${MID}/${encodeURIComponent(refId)}/ask`)
    assert.equal(status, 409)
    assert.match(text, /No call about this refund has had an answer yet\./)
    await service.tasks.runDue()
    assert.equal((await refundOf(refId)).checks, 0)
    assert.deepEqual(await rowsOf(`transaction:${txnId}`), [[true, 'refund.ask', 'sending', REASON]])
  })

  // ------------------------------------------------------------------------------------------------------ closing an order

  test('an order closes once, however often its form is sent', async () => {
    await createOrder(service, 'ACT_CLOSED')
    const at = `/orders/${MID}/ACT_CLOSED`
    const form = await formOn(at, `${at}/close`)
    const answers = await Promise.all(Array.from({ length: 4 }, () => post(`${at}/close`, form)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 409, 409, 409])
    for (const { status, location, text } of answers)
      if (status === 303) assert.equal(location, `/console${at}?did=orderClosed`)
      else assert.match(text, /The order is now: <span class="state ">closed/)
    const events = await service.ports.query.rows(
      find('events', { equals: { owner: MID, aggregate: 'order', id: 'ACT_CLOSED' }, limit: 9 }),
    )
    assert.deepEqual(
      events.map(({ type }) => type),
      ['order.created', 'order.closed'],
    )
    const rows = await rowsOf('order:ACT_CLOSED')
    assert.deepEqual(rows.map(([, action, outcome]) => [action, outcome]).sort(), [
      ...Array(3).fill(['order.close', 'orderClosed']),
      ['order.close', 'success'],
    ])
    assert.doesNotMatch((await see(at)).text, /Close the order/)
  })

  test('an order that was paid, or changed otherwise, since its page was shown is left as it is', async () => {
    const order = await createOrder(service, 'ACT_PAID')
    const at = `/orders/${MID}/ACT_PAID`
    const form = await formOn(at, `${at}/close`)
    await pay(service, order, CARD)
    const paid = await post(`${at}/close`, form)
    assert.equal(paid.status, 409)
    assert.match(paid.text, /The order is now: <span class="state good">paid/)
    const begun = await createOrder(service, 'ACT_BEGUN')
    const before = await formOn(`/orders/${MID}/ACT_BEGUN`, `/orders/${MID}/ACT_BEGUN/close`)
    await pay(service, begun, { paymentMode: 'UPI', payerAccount: 'slow@upi' })
    const changed = await post(`/orders/${MID}/ACT_BEGUN/close`, before)
    assert.equal(changed.status, 409)
    assert.match(changed.text, /The order is now: <span class="state wait">being paid/)
    assert.deepEqual([(await orderOf('ACT_PAID')).status, (await orderOf('ACT_BEGUN')).status], ['PAID', 'IN_PROCESS'])
    assert.deepEqual(await rowsOf('order:ACT_BEGUN'), [[true, 'order.close', 'changed', REASON]])
  })

  test('a merchant that was disabled since the page was shown is named, and the next page closes the order', async () => {
    await createOrder(service, 'ACT_DISABLED')
    const at = `/orders/${MID}/ACT_DISABLED`
    const form = await formOn(at, `${at}/close`)
    await setStatus('DISABLED')
    const refused = await post(`${at}/close`, form)
    assert.equal(refused.status, 409)
    assert.match(refused.text, /The merchant is disabled\./)
    assert.equal((await orderOf('ACT_DISABLED')).status, 'CREATED')
    assert.deepEqual(await rowsOf('order:ACT_DISABLED'), [[true, 'order.close', 'disabled', REASON]])
    assert.equal((await post(`${at}/close`, await formOn(at, `${at}/close`))).status, 303)
    await setStatus('ACTIVE')
  })

  test('a page with a hundred pending refunds of the longest ids stays within its bound', async () => {
    const paid = await paidOrder(service, 'ACT_LARGE')
    await refund(service, paid, 'ACT_LARGE_1', '1.00')
    await service.tasks.runDue()
    const like = await refundOf('ACT_LARGE_1')
    const rows = Array.from({ length: 110 }, (_, nth) => {
      const refId = `L${nth}`.padEnd(50, '@')
      const at = like.requestedAt + 48 * HOUR_MS // the newest of the list
      const pending = { status: 'PENDING', result: 'pending', bankTxnId: null, requestedAt: at, updatedAt: at, checks: 1 } as const
      return { ...like, refId, refundId: `L${nth}`, ...pending }
    })
    const changes = rows.map((row) => ({ kind: 'insert', key: lock('refunds', MID, row.refId), row }) as const)
    await service.store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
    for (const [path, buttons] of Object.entries({
      '/refunds': 50,
      [`/payments/${MID}/${paid.txnId}`]: 20,
      [`/orders/${MID}/ACT_LARGE`]: 20,
    })) {
      const { text } = await see(path)
      assert.equal([...text.matchAll(/aria-label="Ask the bank about L/g)].length, buttons, path)
      assert.ok(Buffer.byteLength(text) <= PAGE_BYTES_MAX, `${path}: ${Buffer.byteLength(text)} bytes`)
    }
    const gone = rows.map((row) => ({ kind: 'delete', key: lock('refunds', MID, row.refId) }) as const)
    await service.store.transaction((transaction) => transaction.write({ changes: gone, events: [], tasks: [] }))
  })

  // ---------------------------------------------------------------------------------------------------------- all actions

  test('an action without a reason, of another merchant or of nothing changes nothing', async () => {
    const order = await createOrder(service, 'ACT_KEPT')
    const { txnId } = (await pay(service, order, { paymentMode: 'UPI', payerAccount: 'slow@upi' })).body
    const paid = await paidOrder(service, 'ACT_KEPT_PAID')
    await script(service, paid, 'slow')
    await refund(service, paid, 'ACT_KEPT_REF', '1.00')
    const { version } = await orderOf('ACT_KEPT')
    const close = { version: String(version), merchant: 'ACTIVE' }
    const forms: [string, Record<string, string>][] = [
      [`/orders/${MID}/ACT_KEPT/close`, close],
      [`/payments/${MID}/${txnId}/ask`, {}],
      [`/refunds/${MID}/ACT_KEPT_REF/ask`, {}],
    ]
    for (const [path, form] of forms) {
      assert.equal((await post(path, { ...form, reason: ' \t' })).status, 422, path)
      assert.equal((await post(path, { ...form, reason: 'x'.repeat(501) })).status, 422, path)
      assert.equal((await post(path, form, foreign)).status, 404, path)
      assert.equal((await post(path.replace(/[^/]*(?=\/\w+$)/, 'NOTHING'), form)).status, 404, path)
    }
    for (const wrong of ['', 'x', '-1', '1e3', '99999999999'])
      assert.equal((await post(`/orders/${MID}/ACT_KEPT/close`, { ...close, version: wrong })).status, 400, wrong)
    assert.equal((await orderOf('ACT_KEPT')).version, version)
    for (const subject of ['order:ACT_KEPT', `transaction:${txnId}`, `transaction:${paid.txnId}`])
      assert.deepEqual(await rowsOf(subject), [], subject)
    assert.deepEqual(await auditOf(service, foreign.operatorId).then((rows) => rows.map(({ action }) => action)), ['operator.password'])
  })

  test('hostile text in a reason is one line of text', async () => {
    await createOrder(service, 'ACT_HOSTILE')
    const at = `/orders/${MID}/ACT_HOSTILE`
    const hostile = '"><script>alert(1)</script>\u202e\r\n=HYPERLINK("x")\u0007'
    assert.equal((await post(`${at}/close`, { ...(await formOn(at, `${at}/close`)), reason: hostile })).status, 303)
    const [row] = await rowsOf('order:ACT_HOSTILE')
    assert.equal(row![3], '"><script>alert(1)</script>\ufffd =HYPERLINK("x")\ufffd')
    assert.doesNotMatch((await see(at)).text, /<script>alert/)
  })

  test('a link makes a page say none but its own sentences', async () => {
    await createOrder(service, 'ACT_SAYS')
    for (const did of ['constructor', '__proto__', 'x', '<b>', '']) {
      const { status, text } = await see(`/orders/${MID}/ACT_SAYS?did=${encodeURIComponent(did)}`)
      assert.equal(status, 200)
      assert.doesNotMatch(text, /class="notice good"/, did)
    }
  })
})
