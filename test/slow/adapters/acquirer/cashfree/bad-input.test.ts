// Every wrong answer, call and form around a payment through Cashfree, over HTTP. The shop reads what docs/acquirer-cashfree.md says, and
// the input pays nothing. One log line names it, without a secret.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountAt, idOf, NET_BANKING, PAYER, UPI, WEBHOOK } from '../../../../support/cashfree/account.ts'
import * as rows from '../../../../support/cashfree/bad-input.ts'
import { callName } from '../../../../support/cashfree/calls.ts'
import { CashfreeSimulator, CLIENT_ID, CLIENT_SECRET, type Fault } from '../../../../support/cashfree/simulator.ts'
import { createOrder, type Order, pay, statusOf } from '../../../../support/paying/paying.ts'
import { refund, refundStatusOf } from '../../../../support/paying/refunds.ts'
import { mohurCommand, type ServedProcess, serveProcess } from '../../../../support/run/process.ts'
import { MID, onBothStores, type Reply, type Service } from '../../../../support/run/service.ts'
import { spokenTo } from '../../../../support/run/spoken-to.ts'
import { place } from '../../../../support/store/at-rest.ts'

const SECRETS = [CLIENT_SECRET, 'x-client-secret', 'session_', '9876543210', 'payer@example.com']
const QUIET_MS = 60 // in which a second line would come
const POLLS_MAX = 6_000 // another process does the work, on a busy machine too
const POLL_MS = 20

onBothStores('wrong input around a payment through Cashfree', (store) => {
  let bank: CashfreeSimulator
  let served: ServedProcess
  let service: Service
  let at: Record<string, string>
  let number = 0
  const opened = async () => {
    bank ??= await CashfreeSimulator.start()
    at ??= await place(store)
    served ??= await serveProcess({ ...at, ...accountAt(bank.url), MOHUR_LOG: 'warn' })
    service = spokenTo(served.url)
  }
  after(async () => {
    await served?.kill('SIGKILL')
    await bank?.stop()
  })

  const nextOrder = (more: object = {}) => createOrder(service, `BAD${++number}`, { ...PAYER, ...more })
  const plant = (call: string, fault: (body: Record<string, unknown>) => Fault, id?: string) => {
    bank.plants = (method, path, body) =>
      callName(method, path) === call && (id === undefined || path.includes(id)) ? fault(body ?? {}) : undefined
  }
  const unplant = () => {
    bank.plants = () => undefined
  }
  const hear = ({ headers, body }: { headers: Record<string, string>; body: string }) =>
    fetch(served.url + WEBHOOK, { method: 'POST', headers, body })
  const resultOf = async (order: Pick<Order, 'orderId'>) => {
    const reply = await statusOf(service, order)
    assert.equal(reply.status, 200)
    return reply.body.resultInfo.resultStatus as string
  }
  async function until(isSo: () => boolean | Promise<boolean>) {
    for (let polls = 0; polls < POLLS_MAX; polls++) {
      if (await isSo()) return
      await sleep(POLL_MS)
    }
    assert.fail('it did not come to pass')
  }
  const linesOf = (named: string) =>
    served
      .log()
      .toString()
      .split('\n')
      .filter((line) => line.includes(named))
  /** The expected number of lines names it, and the log has no secret. */
  async function logged(named: string, lines: number) {
    await until(() => linesOf(named).length >= lines)
    await sleep(QUIET_MS)
    assert.equal(linesOf(named).length, lines, linesOf(named).join('\n'))
    for (const secret of SECRETS) assert.ok(!served.log().toString().includes(secret), secret)
  }
  async function truth(path: string): Promise<unknown> {
    const headers = { 'x-api-version': '2025-01-01', 'x-client-id': CLIENT_ID, 'x-client-secret': CLIENT_SECRET }
    return (await fetch(`${bank.url}/${path}`, { headers })).json()
  }
  const began = (reply: Reply) => {
    assert.equal(reply.status, 200)
    return reply.body.txnId as string
  }

  // ------------------------------------------------------------------------------------------------ answers of Cashfree

  const asked = [
    ['the order', 'GET /orders/{order}', '', rows.ORDER_ANSWERS],
    ['the list of payments', 'GET /orders/{order}/payments', '/payments', rows.PAYMENT_ANSWERS],
  ] as const
  for (const [what, call, part, answers] of asked)
    for (const [name, wrong] of answers)
      test(`${what}, ${name}: the payment waits, and is paid when the answer is right`, async () => {
        await opened()
        const order = await nextOrder()
        const txnId = began(await pay(service, order, UPI))
        const id = idOf(txnId)
        bank.settle(id, 'SUCCESS')
        const fault = rows.faultOf(wrong, await truth(`orders/${id}${part}`))
        plant(call, () => fault, id)
        await hear(bank.webhook(id))
        await logged(txnId, 1)
        assert.equal(await resultOf(order), 'PENDING')
        unplant()
        await hear(bank.webhook(id))
        await until(async () => (await resultOf(order)) === 'TXN_SUCCESS')
      })

  test('two successes of one order: the payment waits, and a person has to look', async () => {
    await opened()
    const order = await nextOrder()
    const txnId = began(await pay(service, order, UPI))
    const { payments } = bank.orders.get(idOf(txnId))!
    bank.settle(idOf(txnId), 'SUCCESS')
    payments.push({ ...payments[0]!, cf_payment_id: '1' })
    await hear(bank.webhook(idOf(txnId)))
    await logged(txnId, 1)
    assert.match(linesOf(txnId)[0]!, /"level":50.*one order was paid twice/)
    assert.equal(await resultOf(order), 'PENDING')
  })

  test('a second success of an order that Mohur has as paid: a person has to look, and the payment stays', async () => {
    await opened()
    const order = await nextOrder()
    const txnId = began(await pay(service, order, UPI))
    const { payments } = bank.orders.get(idOf(txnId))!
    bank.settle(idOf(txnId), 'SUCCESS')
    await hear(bank.webhook(idOf(txnId)))
    await until(async () => (await resultOf(order)) === 'TXN_SUCCESS')
    const asked = bank.recorded.length
    await hear(bank.webhook(idOf(txnId)))
    payments.push({ ...payments[0]!, cf_payment_id: '1' })
    bank.settle(idOf(txnId), 'SUCCESS')
    await hear(bank.webhook(idOf(txnId)))
    await logged(txnId, 1)
    assert.match(linesOf(txnId)[0]!, /"level":50.*one order was paid twice/)
    assert.equal(bank.recorded.length, asked + 2, 'one read: the first success, reported again, causes none')
    assert.equal(await resultOf(order), 'TXN_SUCCESS')
  })

  const begins = [
    ['a new order', 'POST /orders', rows.CREATE_ANSWERS],
    ['a payment', 'POST /orders/sessions', rows.PAY_ANSWERS],
  ] as const
  for (const [what, call, answers] of begins)
    for (const [name, wrong, { result, lines }] of answers)
      test(`the answer to ${what}, ${name}: ${result}`, async () => {
        await opened()
        const order = await nextOrder()
        const entity = (body: Record<string, unknown>) => ({
          ...body,
          ...{ order_status: 'ACTIVE', created_at: '2026-06-15T10:00:00+05:30', payment_session_id: 'session_x' },
        })
        plant(call, (body) => rows.faultOf(wrong, entity(body)))
        const txnId = began(await pay(service, order, UPI))
        unplant()
        await logged(txnId, lines)
        assert.equal(await resultOf(order), result)
        assert.ok(!bank.recorded.some(({ body }) => body?.['payment_session_id'] === 'session_x'), 'nothing goes on to pay')
      })

  test('409 with another amount: the payment waits, a person has to look, and nothing is paid', async () => {
    await opened()
    const order = await nextOrder()
    bank.plants = (method, path, body) => {
      if (method !== 'POST' || path !== '/orders') return undefined
      unplant()
      const earlier = { ...(body as { order_id: string }), order_amount: 1 }
      void fetch(`${bank.url}/orders`, {
        method: 'POST',
        headers: { 'x-api-version': '2025-01-01', 'x-client-id': CLIENT_ID, 'x-client-secret': CLIENT_SECRET },
        body: JSON.stringify(earlier),
      })
      return { when: 'before', status: 409 }
    }
    const txnId = began(await pay(service, order, UPI))
    await logged(txnId, 1)
    assert.match(linesOf(txnId)[0]!, /"level":50.*another amount/)
    assert.deepEqual([await resultOf(order), bank.orders.get(idOf(txnId))!.payments], ['PENDING', []])
  })

  for (const [name, wrong] of rows.REFUND_ANSWERS)
    test(`the answer to a refund, ${name}: the refund waits`, async () => {
      await opened()
      const order = await nextOrder()
      const txnId = began(await pay(service, order, NET_BANKING))
      const id = idOf(txnId)
      bank.settle(id, 'SUCCESS')
      await hear(bank.webhook(id))
      await until(async () => (await resultOf(order)) === 'TXN_SUCCESS')
      const made = { order_id: id, cf_refund_id: '77', refund_status: 'SUCCESS', refund_currency: 'INR', refund_type: 'MERCHANT_INITIATED' }
      plant('POST /orders/{order}/refunds', (body) => rows.faultOf(wrong, { ...made, ...body }), id)
      const refId = `REF-${order.orderId}`
      const reply = await refund(service, { ...order, txnId }, refId, '40.00')
      assert.equal(reply.status, 200)
      await logged(reply.body.refundId, 1)
      unplant()
      const { status, body } = await refundStatusOf(service, order, refId)
      assert.deepEqual([status, body.resultInfo.resultStatus], [200, 'PENDING'])
    })

  // ------------------------------------------------------------------------------------------------ what shops may send

  const requests = [
    ['₹0.99: Cashfree takes ₹1 at least', { txnAmount: { value: '0.99', currency: 'INR' } }, UPI, '1001'],
    ['no mobile', { userInfo: { custId: 'CUST_1' } }, UPI, '1007'],
    ['a bank without a number', {}, { ...NET_BANKING, channelCode: 'SBI' }, '1001'],
    ['a bank that nobody knows', {}, { ...NET_BANKING, channelCode: 'NOBANK' }, '1001'],
  ] as const
  for (const [name, more, means, code] of requests)
    test(`${name}: code ${code}, and nothing is paid`, async () => {
      await opened()
      const order = await nextOrder(more)
      const before = bank.recorded.length
      const { status, body } = await pay(service, order, means)
      assert.deepEqual([status, body.resultInfo.resultCode], [200, code], JSON.stringify(body))
      assert.equal(bank.recorded.length, before, 'Cashfree is not called')
    })

  // ---------------------------------------------------------------------------------------------------------- webhooks

  test('webhooks that are wrong move nothing, and a right one that comes again counts once', async (t) => {
    await opened()
    for (const [name, status, webhook] of rows.WEBHOOKS)
      await t.test(name, async () => {
        const order = await nextOrder()
        const txnId = began(await pay(service, order, UPI))
        const id = idOf(txnId)
        bank.settle(id, 'SUCCESS')
        const before = bank.recorded.length
        assert.equal((await hear(webhook(bank, id))).status, status)
        await sleep(QUIET_MS)
        assert.deepEqual([bank.recorded.length, await resultOf(order)], [before, 'PENDING'])
        await logged(txnId, 0)
      })
    await t.test('repeated', async () => {
      const order = await nextOrder()
      const txnId = began(await pay(service, order, UPI))
      bank.settle(idOf(txnId), 'SUCCESS')
      const webhook = bank.webhook(idOf(txnId))
      for (let times = 0; times < 5; times++) assert.equal((await hear(webhook)).status, 200)
      await until(async () => (await resultOf(order)) === 'TXN_SUCCESS')
      await logged(txnId, 0)
    })
    assert.notEqual(linesOf('a report of the acquirer was refused').length, 0)
  })

  // ------------------------------------------------------------------------------------------- the form on to the bank

  test('the form on to the bank believes no payment of another merchant and no address', async (t) => {
    await opened()
    const reply = await pay(service, await nextOrder(), NET_BANKING)
    const { actionUrl } = reply.body.bankForm.redirectForm as { actionUrl: string }
    const page = `${bank.url}/view/gateway/`
    const address = { actionUrl: 'https://evil.example/', url: 'https://evil.example/', redirect: '//evil.example' }
    const other = actionUrl.replace(MID, 'OTHER000000000000001')
    const ways: [string, string, RequestInit, number][] = [
      ['an address in the form', actionUrl, { method: 'POST', body: new URLSearchParams(address) }, 303],
      ['an address in the query', `${actionUrl}&${new URLSearchParams(address)}`, { method: 'POST' }, 303],
      ['by GET', actionUrl, {}, 303],
      ['another merchant', other, { method: 'POST', body: new URLSearchParams(address) }, 404],
      ['another merchant in the form alone', actionUrl, { method: 'POST', body: new URLSearchParams({ mid: 'OTHER', txnId: '1' }) }, 303],
      ['no merchant', actionUrl.replace(MID, ''), { method: 'POST' }, 404],
      ['a payment that is not there', actionUrl.replace(reply.body.txnId, '1'), { method: 'POST' }, 404],
      ['two payments', `${actionUrl}&txnId=1`, { method: 'POST' }, 404],
    ]
    for (const [name, url, init, status] of ways)
      await t.test(name, async () => {
        const onward = await fetch(url, { ...init, redirect: 'manual' })
        assert.equal(onward.status, status)
        const location = onward.headers.get('location')
        if (status === 303) assert.ok(location?.startsWith(page), `${location}`)
        else assert.equal(location, null)
        assert.doesNotMatch(await onward.text(), /evil/)
      })
    await logged(reply.body.txnId, 0)
  })

  test('afterwards everything holds', async () => {
    await opened()
    assert.equal((await mohurCommand(['verify'], at)).code, 0)
  })
})
