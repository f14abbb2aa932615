// Send Checkout OTP and Validate Checkout OTP over HTTP: one row per row of docs/interface.md section 7, in order of precedence.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderKey } from '../../../src/tables/keys.ts'
import type { OrderStatus } from '../../../src/tables/order.ts'
import { find, type Row } from '../../../src/tables/tables.ts'
import { MID, onBothStores, type Service, sharedService, startService } from '../../support/run/service.ts'
import { changeWorld, inbox, otherThan, signInWorld } from '../../support/signin/signin.ts'
import {
  LOGIN_SEND,
  LOGIN_VALIDATE,
  type OrderToPay,
  orderToPay,
  receiveAt,
  resultOf,
  sendAt,
  validateAt,
} from '../../support/signin/tokens.ts'
import { commitUnknown, type Faults, withFaults } from '../../support/store/faults.ts'

const MINUTE = 60_000
const customer = (mobile: string, pendingVerification: boolean) => ({ customers: [{ mobile, pendingVerification }] })

/** The tables that a refusal may not change, as comparable text. */
async function written({ store }: Service): Promise<string> {
  const tables = ['orders', 'checkoutOtps', 'checkoutOtpSends', 'events', 'customers'] as const
  return JSON.stringify(await Promise.all(tables.map((table) => store.query.rows(find(table, { limit: 10_000 })))))
}

/** Sets the status that paying would leave; no other column matters here. */
async function setStatus({ store }: Service, { orderId }: OrderToPay, status: OrderStatus) {
  await store.transaction(async (transaction) => {
    const key = orderKey(MID, orderId)
    const row = (await transaction.read([key])).get(key.name) as Row<'orders'>
    await transaction.write({ changes: [{ kind: 'update', key, row: { ...row, status } }], events: [], tasks: [] })
  })
}

onBothStores('the codes of Send Checkout OTP', (store) => {
  const service = sharedService(store, { world: signInWorld })
  const post = async (running: Service, order: { mid?: string; orderId?: string }, head: object, body: object, path = LOGIN_SEND) => {
    const query = Object.entries(order).map(([name, value]) => `${name}=${value}`)
    return resultOf(running.post(`${path}?${query.join('&')}`, JSON.stringify({ head, body })))
  }

  test('each is answered before all that stand below it in the order of refusals', async () => {
    const running = await service()
    const order = await orderToPay(running, 'SEND-1')
    const mobile = '9876550001'
    for (let at = 0; at < 5; at++) assert.equal(await resultOf(sendAt(running, order, mobile)), '200 01')
    const before = await written(running)
    assert.equal(await resultOf(sendAt(running, order, mobile)), '200 531')
    await changeWorld(running, customer(mobile, true))
    assert.equal(await resultOf(sendAt(running, order, mobile)), '200 517')
    running.clock.advance(15 * MINUTE)
    assert.equal(await resultOf(sendAt(running, order, mobile)), '200 1006')
    for (const [status, code] of [
      ['IN_PROCESS', '1111'],
      ['CLOSED', '410'],
      ['PAID', '201'],
    ] as const) {
      await setStatus(running, order, status)
      assert.equal(await resultOf(sendAt(running, order, mobile)), `200 ${code}`)
    }
    assert.equal(await resultOf(sendAt(running, { ...order, orderId: 'OTHER' }, mobile)), '200 2014')
    assert.equal(await resultOf(sendAt(running, { ...order, mid: 'OTHER', orderId: 'OTHER' }, mobile)), '200 2013')
    const wrongToken = { ...order, mid: 'OTHER', txnToken: `${'0'.repeat(32)}1781500000000` }
    assert.equal(await resultOf(sendAt(running, wrongToken, mobile)), '200 1006')
    assert.equal(await resultOf(sendAt(running, wrongToken, '123')), '200 431')
    assert.equal(await post(running, order, { tokenType: 'SSO', token: 'x' }, { mobileNo: '123' }), '200 434')
    assert.equal(await post(running, wrongToken, { txnToken: 'x' }, {}), '200 434')
    assert.equal(await post(running, { mid: MID }, { txnToken: 'x' }, { mobileNo: '123' }), '200 434')
    assert.equal(await resultOf(running.post(LOGIN_SEND, '{')), '200 434')
    await changeWorld(running, customer(mobile, false))
    await setStatus(running, order, 'CREATED')
    assert.equal(JSON.stringify(JSON.parse(await written(running)).slice(0, 4)), JSON.stringify(JSON.parse(before).slice(0, 4)))
    assert.equal((await inbox(running, mobile)).length, 5)
  })

  test('every form of a number but a mobile number of India is 431, and no token is 434', async () => {
    const running = await service()
    const order = await orderToPay(running, 'SEND-2')
    const before = await written(running)
    for (const wrong of [9876550002, '987655000', '98765500022', '5876550002', '+919876550002', '९८७६५५०००२', [], ['9876550002']])
      assert.match(await resultOf(sendAt(running, order, wrong as never)), /^200 43[14]$/, String(wrong))
    const { mid, orderId, txnToken } = order
    const body = { mobileNo: '9876550002' }
    for (const head of [{}, { txnToken: '' }, { txnToken: 7 }, { tokenType: 'SSO', token: txnToken }, { token: txnToken }])
      assert.equal(await post(running, { mid, orderId }, head, body), '200 434', JSON.stringify(head))
    assert.equal(await written(running), before)
  })

  test('the router and the payment host spell it differently, and both are taken on every path', async () => {
    const running = await service()
    const { mid, orderId, txnToken } = await orderToPay(running, 'SEND-3')
    const router = '/aoa-pay-option-service/v2/otp/generate'
    const head = { tokenType: 'TXN_TOKEN', token: txnToken, version: 'v2' }
    assert.equal(await post(running, { mid, orderId }, head, { mobileNumber: '9876550003', autoReadHash: 'x' }, router), '200 01')
    assert.equal(await post(running, { mid, orderId }, { txnToken }, { mobileNo: '9876550003' }, router), '200 01')
    const reply = await running.post(
      `${LOGIN_SEND}?mid=${mid}&orderId=${orderId}`,
      JSON.stringify({ head, body: { mobileNumber: '9876550003' } }),
    )
    const { resultInfo } = reply.body
    assert.deepEqual(reply.body, { resultInfo })
    assert.deepEqual(resultInfo, { resultStatus: 'S', resultCode: '01', resultMsg: 'Success' })
    assert.deepEqual(reply.head, { responseTimestamp: String(running.clock.now()), version: 'v2' })
  })

  test('sends are counted for a number, and for an order whatever its numbers', async () => {
    const running = await service()
    const [first, second] = [await orderToPay(running, 'SEND-4'), await orderToPay(running, 'SEND-5')]
    for (let at = 0; at < 3; at++) assert.equal(await resultOf(sendAt(running, first, '9876550004')), '200 01')
    for (let at = 0; at < 2; at++) assert.equal(await resultOf(sendAt(running, second, '9876550004')), '200 01')
    assert.equal(await resultOf(sendAt(running, second, '9876550004')), '200 531')
    // The holder of a txnToken cannot send messages to any number.
    for (const mobile of ['9876550005', '9876550006']) assert.equal(await resultOf(sendAt(running, first, mobile)), '200 01')
    assert.equal(await resultOf(sendAt(running, first, '9876550007')), '200 531')
    assert.deepEqual(await inbox(running, '9876550007'), [])
  })
})

onBothStores('the codes of Validate Checkout OTP', (store) => {
  const service = sharedService(store, { world: signInWorld })

  test('each is answered before all that stand below it in the order of refusals', async () => {
    const running = await service()
    const order = await orderToPay(running, 'VALIDATE-1')
    const mobile = '9876550101'
    assert.equal(await resultOf(validateAt(running, order, '123456')), '200 513')
    let otp = await receiveAt(running, order, mobile)
    for (const wrong of ['12345', '1234567', ' 12345', 'abcdef', '１２３４５６', '-12345'])
      assert.equal(await resultOf(validateAt(running, order, wrong)), '200 403')
    for (let tries = 0; tries < 3; tries++) assert.equal(await resultOf(validateAt(running, order, otherThan(otp))), '200 403')
    assert.equal(await resultOf(validateAt(running, order, otp)), '200 708')
    otp = await receiveAt(running, order, mobile)
    assert.equal(await resultOf(validateAt(running, order, otp)), '200 01')
    assert.equal(await resultOf(validateAt(running, order, 'abcdef')), '200 1107')
    await changeWorld(running, customer(mobile, true))
    assert.equal(await resultOf(validateAt(running, order, otp)), '200 517')
    running.clock.advance(2 * MINUTE)
    assert.equal(await resultOf(validateAt(running, order, otp)), '200 513')
    running.clock.advance(13 * MINUTE)
    const before = await written(running)
    assert.equal(await resultOf(validateAt(running, order, otp)), '200 1006')
    for (const [status, code] of [
      ['IN_PROCESS', '1111'],
      ['CLOSED', '410'],
      ['PAID', '201'],
    ] as const) {
      await setStatus(running, order, status)
      assert.equal(await resultOf(validateAt(running, order, otp)), `200 ${code}`)
    }
    assert.equal(await resultOf(validateAt(running, { ...order, orderId: 'OTHER' }, otp)), '200 2014')
    assert.equal(await resultOf(validateAt(running, { ...order, mid: 'OTHER', orderId: 'OTHER' }, otp)), '200 2013')
    const wrongToken = { ...order, mid: 'OTHER', txnToken: 'nobody-knows-it' }
    assert.equal(await resultOf(validateAt(running, wrongToken, otp)), '200 1006')
    assert.equal(await resultOf(validateAt(running, wrongToken, 123456 as never)), '200 434')
    assert.equal(await resultOf(running.post(LOGIN_VALIDATE, '{')), '200 434')
    await setStatus(running, order, 'CREATED')
    assert.equal(await written(running), before)
  })

  test('the right one signs the payer in to the order, and to no other', async () => {
    const running = await service()
    const [first, second] = [await orderToPay(running, 'VALIDATE-2'), await orderToPay(running, 'VALIDATE-3')]
    const otp = await receiveAt(running, first, '9876550102')
    const others = await receiveAt(running, second, '9876550103')
    assert.equal(await resultOf(validateAt(running, second, otp === others ? otherThan(otp) : otp)), '200 403')
    const [router, head] = ['/aoa-pay-option-service/v2/otp/verify', { tokenType: 'TXN_TOKEN', token: first.txnToken }]
    const text = JSON.stringify({ head, body: { otp, rememberMe: true } })
    const reply = await running.post(`${router}?mid=${MID}&orderId=VALIDATE-2`, text)
    const resultInfo = { resultStatus: 'S', resultCode: '01', resultMsg: 'Success' }
    assert.deepEqual(reply.body, { resultInfo, authenticated: true })

    const row = await running.store.query.row(orderKey(MID, 'VALIDATE-2'))
    const [made] = await running.store.query.rows(find('customers', { equals: { mobile: '9876550102' }, limit: 2 }))
    assert.deepEqual([row?.payer, row?.version], [{ userId: made!.userId, mobile: '9876550102' }, 2])
    assert.equal((await running.store.query.row(orderKey(MID, 'VALIDATE-3')))?.payer, null)
    const events = await running.store.query.rows(
      find('events', { equals: { owner: MID, id: 'VALIDATE-2' }, orderBy: ['version'], limit: 9 }),
    )
    assert.deepEqual(
      events.map(({ type, version, fromStatus, toStatus, data }) => ({ type, version, fromStatus, toStatus, data })),
      [
        {
          type: 'order.created',
          version: 1,
          fromStatus: '',
          toStatus: 'CREATED',
          data: { amountPaise: 1_000, custId: 'C_VALIDATE_2', requestType: 'PAYMENT' },
        },
        {
          type: 'order.payer-signed-in',
          version: 2,
          fromStatus: 'CREATED',
          toStatus: 'CREATED',
          data: { amountPaise: 1_000 },
        },
      ],
    )
  })

  test('sending again ends the OTP before, and the payer may be another', async () => {
    const running = await service()
    const order = await orderToPay(running, 'VALIDATE-4')
    const first = await receiveAt(running, order, '9876550104')
    const second = await receiveAt(running, order, '9876550105')
    if (first !== second) assert.equal(await resultOf(validateAt(running, order, first)), '200 403')
    assert.equal(await resultOf(validateAt(running, order, second)), '200 01')
    assert.equal((await running.store.query.row(orderKey(MID, 'VALIDATE-4')))?.payer?.mobile, '9876550105')
    assert.equal(await resultOf(validateAt(running, order, await receiveAt(running, order, '9876550104'))), '200 01')
    assert.equal((await running.store.query.row(orderKey(MID, 'VALIDATE-4')))?.payer?.mobile, '9876550104')
  })

  test('a hundred right answers at once are one login, and three of fifty wrong ones are checked', async (t) => {
    const running = await service()
    const order = await orderToPay(running, 'VALIDATE-5')
    const otp = await receiveAt(running, order, '9876550106')
    const counted = (codes: string[]) => Object.fromEntries([...Map.groupBy(codes, String)].map(([code, of]) => [code, of.length]))
    const right = counted(await Promise.all(Array.from({ length: 100 }, () => resultOf(validateAt(running, order, otp)))))
    assert.deepEqual(right, { '200 01': 1, '200 1107': 99 })
    assert.equal((await running.store.query.row(orderKey(MID, 'VALIDATE-5')))?.version, 2)
    const next = await receiveAt(running, order, '9876550107')
    const wrong = counted(await Promise.all(Array.from({ length: 50 }, () => resultOf(validateAt(running, order, otherThan(next))))))
    assert.deepEqual(wrong, { '200 403': 3, '200 708': 47 })
    t.diagnostic(`${store}: 100 right answers ${JSON.stringify(right)}; 50 wrong ones ${JSON.stringify(wrong)}`)
  })
})

onBothStores('a failing store at the checkout', (store) => {
  for (const at of ['begin', 'read', 'write', 'commit'] as const) {
    test(`at ${at}: both steps answer U 00000900, nothing is sent and nothing is spent`, async () => {
      let faults: Faults | undefined
      const running = await startService(store, {
        world: signInWorld,
        exit: () => {},
        store(real) {
          faults = withFaults(real)
          return faults.store
        },
      })
      try {
        const error = () => (at === 'commit' ? commitUnknown() : new Error('injected'))
        const order = await orderToPay(running, 'FAILING')
        faults!.fail(at, error())
        const failed = await sendAt(running, order, '9876550201')
        assert.deepEqual(failed.body.resultInfo, { resultStatus: 'U', resultCode: '00000900', resultMsg: 'System error' })
        assert.deepEqual(await inbox(running, '9876550201'), [])
        const otp = await receiveAt(running, order, '9876550201')
        for (const given of [otp, otherThan(otp)]) {
          faults!.fail(at, error())
          assert.equal(await resultOf(validateAt(running, order, given)), '200 00000900')
        }
        assert.equal(await resultOf(validateAt(running, order, otp)), '200 01')
      } finally {
        await running.close()
      }
    })
  }

  test('beyond the ceiling of an address the answer is 429', async () => {
    const running = await startService(store, { world: signInWorld, env: { MOHUR_SIGNIN_CEILING_PER_MINUTE: '3' } })
    try {
      const statuses: number[] = []
      for (let at = 0; at < 8; at++) statuses.push((await running.post(at % 2 ? LOGIN_SEND : LOGIN_VALIDATE, '{}')).status)
      assert.ok(statuses.filter((status) => status === 429).length >= 2, statuses.join(' ')) // five, unless the minute changed in between
    } finally {
      await running.close()
    }
  })
})
