// What staff find and see: lists, search, one order, files. Over HTTP on both stores.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parse } from 'parse5'
import { lineOf } from '../../src/console/screens/csv.ts'
import { merchantKey } from '../../src/tables/keys.ts'
import { find } from '../../src/tables/tables.ts'
import { ask, auditOf, type Person, personOf } from '../support/console/desk.ts'
import { CARD, createOrder, pay, script } from '../support/paying/paying.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'
import { anOrder, aTransaction } from '../support/store/listed-rows.ts'
import { allTermsKept } from '../support/store/terms-kept.ts'

const [MINUTE_MS, DAY_MS] = [60_000, 24 * 60 * 60_000]

onBothStores('screens of the console', (store) => {
  let service: Service
  let admin: Person
  const see = (path: string, person = admin) => ask(service, `/console${path}`, { cookie: person.cookie })
  const ordersIn = (text: string) => [...text.matchAll(/>(SCREEN_[A-Z]+)</g)].map(([, orderId]) => orderId)

  before(async () => {
    service = await startService(store)
    admin = await personOf(service, ['admin', 'operations'])
    const userInfo = { custId: 'CUST_1', mobile: '9876543210', email: 'payer@example.test' }
    const paid = await createOrder(service, 'SCREEN_PAID', { userInfo })
    await pay(service, paid, CARD)
    service.clock.advance(1_000)
    const failed = await createOrder(service, 'SCREEN_FAILED', { userInfo })
    await script(service, failed, 'declined')
    await pay(service, failed, CARD)
    service.clock.advance(1_000)
    await createOrder(service, 'SCREEN_OPEN', { userInfo })
    await service.tasks.runDue()
  })
  after(() => service.close())

  test('lists show the current state, newest first, and an empty list says what it has none of', async () => {
    assert.deepEqual(ordersIn((await see('/orders?state=any')).text), ['SCREEN_OPEN', 'SCREEN_FAILED', 'SCREEN_PAID'])
    assert.deepEqual(ordersIn((await see('/orders')).text), ['SCREEN_OPEN', 'SCREEN_FAILED'], 'those that are not paid')
    assert.deepEqual(ordersIn((await see(`/orders?state=paid&merchant=${MID}`)).text), ['SCREEN_PAID'])
    assert.deepEqual(ordersIn((await see('/payments')).text), ['SCREEN_FAILED', 'SCREEN_PAID'])
    for (const [query, shown] of Object.entries({
      'state=failed': ['SCREEN_FAILED'],
      'state=paid&mode=CREDIT_CARD': ['SCREEN_PAID'],
      'amount=100&state=paid': ['SCREEN_PAID'],
      'amount=100.01': [],
      'mode=UPI': [],
      'from=2026-06-15T09:59&to=2026-06-15T10:00': ['SCREEN_FAILED', 'SCREEN_PAID'],
      'from=2026-06-15T10:01': [],
    }))
      assert.deepEqual(ordersIn((await see(`/payments?${query}`)).text), shown, query)
    assert.match((await see('/payments?mode=UPI')).text, /No payments match\. Try a longer period\./)
    for (const chapter of ['refunds', 'subscriptions', 'notifications']) assert.equal((await see(`/${chapter}`)).status, 200, chapter)
  })

  test('an unreadable filter is reported beside its field, and no query runs', async () => {
    for (const [query, says] of Object.entries({
      'from=yesterday': 'a day and a time',
      'from=2026-06-15T10:00&to=2026-06-14T10:00': 'Choose an end after the beginning.',
      'state=gone': 'Choose one of the list.',
      'amount=much': 'Enter rupees, as 499.00.',
      'merchant=%3Cb%3E': 'a mid',
      'mode=%3Cb%3E': 'a payment mode',
      'code=%3Cb%3E': 'Enter a result, as declined.',
      'after=x': 'This portion cannot be read. Press Show to begin again.',
      'from=2026-02-31T00:00': 'a day and a time',
      'from=2026-06-15T24:00': 'a day and a time',
      'merchant=A&merchant=B': 'Enter it once, as plain text.',
      'merchant=A%00': 'Enter it once, as plain text.',
      'after=1~A~B&after=2~A~B': 'Enter it once, as plain text.',
    })) {
      const { status, text } = await see(`/payments?${query}`)
      assert.equal(status, 422, query)
      assert.match(text, new RegExp(says), query)
      assert.doesNotMatch(text, /SCREEN_|<b>/)
      assert.match(text, /Nothing was searched/)
      assert.equal((await see(`/payments.csv?${query}`)).status, 422)
    }
  })

  test('the box leads to the one thing that a number names, and has a link to the list of an amount', async () => {
    const [paid] = await service.ports.query.rows(find('transactions', { equals: { mid: MID, orderId: 'SCREEN_PAID' }, limit: 1 }))
    const { txnId, bankTxnId } = paid!
    assert.match((await see(`/payments/${MID}/${txnId}`)).text, /411111.*1111/)
    for (const typed of [txnId, bankTxnId!, ` ${txnId} `])
      assert.equal((await see(`/find?q=${encodeURIComponent(typed)}`)).location, `/console/payments/${MID}/${txnId}`)
    assert.equal((await see('/find?q=SCREEN_OPEN')).location, `/console/orders/${MID}/SCREEN_OPEN`)
    const ofAmount = await see(`/find?q=${encodeURIComponent('₹1,100.5')}`)
    assert.deepEqual([ofAmount.status, /href="\/console\/payments\?amount=1100\.50"/.test(ofAmount.text)], [200, true])
    assert.match((await see('/find?q=nothing-of-ours')).text, /Nothing matches/)
    assert.equal((await see('/find?q=')).location, '/console')
    assert.equal((await see(`/find?q=${'x'.repeat(5_000)}`)).status, 200)
  })

  test('an order shows what happened and hides its payer until a person answers for it', async () => {
    const at = `/orders/${MID}/SCREEN_PAID`
    const { text } = await see(at)
    for (const says of [/order created/, /transaction succeeded/, /ledger: capture/, /XXXXXX3210/]) assert.match(text, says)
    assert.doesNotMatch(text, /9876543210|payer@example/)
    const shown = await ask(service, `/console${at}/show`, { cookie: admin.cookie, form: { token: admin.token } })
    assert.match(shown.text, /9876543210[\s\S]*payer@example\.test/)
    const raw = await see(`${at}/raw`)
    const rows = JSON.parse(raw.text)
    assert.deepEqual([rows.order.orderId, rows.transactions[0].status], ['SCREEN_PAID', 'SUCCESS'])
    assert.doesNotMatch(raw.text, /9876543210|payer@example|Hash|4111/)
    const written = await auditOf(service, admin.operatorId)
    assert.deepEqual(
      written.filter(({ subject }) => subject === 'order:SCREEN_PAID').map(({ action, mid }) => [action, mid]),
      [
        ['console.show', MID],
        ['console.raw', MID],
      ],
    )
  })

  test('a mobile number or an address that a merchant takes for a customer’s name is hidden too', async () => {
    for (const custId of ['9876500011', 'someone@example.test']) {
      const orderId = `SCREEN_NAMED_${custId.length}`
      await createOrder(service, orderId, { userInfo: { custId } })
      const at = `/orders/${MID}/${orderId}`
      for (const { status, text } of [await see(at), await see(`${at}/raw`)]) {
        assert.equal(status, 200)
        assert.ok(!text.includes(custId), custId)
      }
      const shown = await ask(service, `/console${at}/show`, { cookie: admin.cookie, form: { token: admin.token } })
      assert.ok(shown.text.includes(custId), custId)
    }
  })

  test('a file has the rows of its list, amounts are numbers, and the person who took it is recorded', async () => {
    const file = await see('/payments.csv?state=any')
    assert.match(file.headers.get('content-disposition')!, /attachment; filename="payments.csv"/)
    const [head, ...rows] = file.text
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','))
    assert.deepEqual(head, ['Time (IST)', 'Merchant', 'Order', 'Mode', 'Amount', 'Before discount', 'State', 'Result'])
    assert.deepEqual(
      rows.map((row) => [row[2], row[4]]),
      [
        ['SCREEN_FAILED', '100'],
        ['SCREEN_PAID', '100'],
      ],
    )
    assert.ok(
      (await auditOf(service, admin.operatorId)).some(({ action, subject }) => action === 'console.csv' && subject === 'list:payments'),
    )
  })

  test('a discounted payment is listed, filed and found by what its payer paid', async () => {
    const amounts = { amountPaise: 49_900, discountPaise: 5_000, walletPaise: 4_900, bankPaise: 40_000 }
    const [at, orderId] = [service.clock.now(), 'SCREEN_OFFER']
    const discounted = aTransaction({ mid: MID, txnId: 'T_OFFER', orderId, initiatedAt: at, ...amounts })
    const order = anOrder({
      mid: MID,
      orderId,
      txnTokenIssuedAt: at,
      amountPaise: 49_900,
      status: 'PAID',
      txnId: 'T_OFFER',
      transactionCount: 1,
    })
    await service.store.transaction(({ write }) => write({ changes: [order, discounted], events: [], tasks: [] }))
    const listed = await see('/payments?amount=449')
    assert.deepEqual(ordersIn(listed.text), ['SCREEN_OFFER'])
    assert.match(listed.text, /₹449\.00 <span class="quiet">of ₹499\.00/)
    assert.deepEqual(ordersIn((await see('/payments?amount=499')).text), [])
    assert.deepEqual(ordersIn((await see(`/payments?amount=449.00&merchant=${MID}`)).text), ['SCREEN_OFFER'])
    assert.match((await see(`/payments/${MID}/T_OFFER`)).text, /<h1>₹449\.00 <span class="quiet">of ₹499\.00/)
    assert.match((await see(`/orders/${MID}/SCREEN_OFFER`)).text, /<h1>₹499\.00 <span class="quiet">paid ₹449\.00/)
    const [, row] = (await see('/payments.csv?amount=449')).text.split('\r\n')
    assert.deepEqual(row!.split(',').slice(4, 6), ['449', '499'])
  })

  test('an order that a clock ahead has made stands in the list, is no news, and hides nothing that comes later', async () => {
    const { clock } = service
    const searched = async () => (await see('/find?q=CUST_AHEAD')).text
    clock.advance(2 * MINUTE_MS)
    await allTermsKept(service)
    clock.set(DAY_MS)
    await createOrder(service, 'SCREEN_AHEAD', { userInfo: { custId: 'CUST_AHEAD' } })
    clock.advance(2 * MINUTE_MS)
    await allTermsKept(service)
    const since = clock.now()
    clock.set(-DAY_MS)
    assert.match((await see('/find?q=CUST_NOBODY')).text, /A clock of the service was wrong/)
    assert.equal((await see('/find?q=CUST_AHEAD')).location, `/console/orders/${MID}/SCREEN_AHEAD`)
    const news = async () => JSON.parse((await see(`/orders/new?state=any&since=${since}`)).text)
    for (const list of ['/orders?state=any', `/orders?state=any&merchant=${MID}`])
      assert.equal(ordersIn((await see(list)).text)[0], 'SCREEN_AHEAD', list)
    assert.deepEqual(await news(), { rows: 0, isMore: false })
    clock.advance(1_000)
    await createOrder(service, 'SCREEN_RIGHT', { userInfo: { custId: 'CUST_AHEAD' } })
    clock.advance(2 * MINUTE_MS)
    await allTermsKept(service)
    assert.equal((await news()).rows, 0, 'of a page that was made under the clock ahead')
    assert.equal(JSON.parse((await see(`/orders/new?state=any&since=${clock.now() - 3 * MINUTE_MS}`)).text).rows, 1)
    for (const list of ['/orders?state=any', `/orders?state=any&merchant=${MID}`])
      assert.deepEqual(ordersIn((await see(list)).text).slice(0, 2), ['SCREEN_AHEAD', 'SCREEN_RIGHT'], list)
    const found = await searched()
    assert.deepEqual(
      [...found.matchAll(/orders\/[^/]*\/(SCREEN_[A-Z]+)"/g)].map(([, orderId]) => orderId),
      ['SCREEN_AHEAD', 'SCREEN_RIGHT'],
    )
    assert.doesNotMatch(found, /A clock of the service was wrong/)
  })

  test('hostile text in what merchants and payers say stays text', async () => {
    const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e'
    await createOrder(service, 'SCREEN_HOSTILE', { userInfo: { custId: 'CUST_1', firstName: hostile }, extendInfo: { comments: hostile } })
    for (const path of [
      '/orders?state=any',
      `/orders/${MID}/SCREEN_HOSTILE`,
      `/find?q=${encodeURIComponent(hostile)}`,
      `/payments?mode=${encodeURIComponent(hostile)}`,
    ]) {
      const { text } = await see(path)
      const names: string[] = []
      const walk = (node: { nodeName?: string; childNodes?: unknown[] }) => {
        names.push(node.nodeName ?? '')
        for (const child of node.childNodes ?? []) walk(child as never)
      }
      walk(parse(text) as never)
      assert.deepEqual(
        [names.filter((name) => name === 'script').length, names.includes('img')],
        [1, false],
        `${path}: our own script alone`,
      )
    }
  })

  test('an order id of 101 merchants: the page shows a hundred, and says that there are more', async () => {
    const merchant = (await service.ports.query.row(merchantKey(MID)))!
    const shop = (nth: number) => `SHOP${String(nth).padStart(3, '0')}`
    const at = service.clock.now()
    const write = (from: number, to: number) => {
      const changes = Array.from({ length: to - from }, (_, nth) => {
        const mid = shop(from + nth)
        const row = { ...merchant, mid, notification: null }
        return [{ kind: 'insert', key: merchantKey(mid), row } as const, anOrder({ mid, orderId: '1001', txnTokenIssuedAt: at })]
      })
      return service.store.transaction((transaction) => transaction.write({ changes: changes.flat(), events: [], tasks: [] }))
    }
    const seen = async () => {
      const { text } = await see('/find?q=1001')
      return { hits: text.match(/>order <bdi>1001</g)?.length, isCut: /more hits than this page shows/.test(text), bytes: text.length }
    }
    await write(0, 100)
    const whole = await seen()
    await write(100, 101)
    const cut = await seen()
    assert.deepEqual([whole.hits, whole.isCut, cut.hits, cut.isCut], [100, false, 100, true])
    assert.ok(cut.bytes < 200_000)
  })
})

test('a text that a spreadsheet would take for a formula is text in a file', () => {
  assert.equal(
    lineOf(['=1+1', '+1', '-1', '@x', '\tx', '\rx', 'a"b,c', 12.5, -3]),
    '\'=1+1,\'+1,\'-1,\'@x,\'\tx,"\'\rx","a""b,c",12.5,-3\r\n',
  )
})
