// A one-time password that is sent again with its Idempotency-Key uses no second try of the payer's (docs/interface.md section 4). That
// holds one after another, at once, after a crash, and in another process.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADAPTER_SECRET, type Adapter, startAdapter } from '../../support/bank/adapter.ts'
import { CARD_FIELDS, formsOf, newPage, Visitor } from '../../support/pages/pages.ts'
import { createOrder, type Order, pay, statusOf } from '../../support/paying/paying.ts'
import { codeOf } from '../../support/run/replies.ts'
import {
  MID,
  onBothStores,
  type Reply,
  type Service,
  type ServiceOptions,
  type StoreName,
  startService,
} from '../../support/run/service.ts'
import { storesWhereSqlDiffers } from '../../support/run/which-stores.ts'
import { commitUnknown, type Faults, withFaults } from '../../support/store/faults.ts'
import { sharedPostgres } from '../../support/store/postgres.ts'

const [RIGHT, WRONG] = ['123123', '000000'] // docs/sandbox.md, as the adapter's bank has it
const [WAITS, UNKNOWN, PAID] = ['402', '400', '01']
const AT_ONCE = 5

const codesOf = (replies: readonly Reply[]) => replies.map(codeOf)

interface Shop {
  service: Service
  adapter: Adapter
}
async function within(store: StoreName, options: ServiceOptions, work: (shop: Shop) => Promise<void>) {
  const adapter = await startAdapter({ now: () => service.clock.now() })
  const service = await startService(store, { ...options, env: { ...options.env, ...envOf(adapter) } })
  try {
    await work({ service, adapter })
  } finally {
    await service.close()
  }
}
const envOf = ({ url }: Adapter) => ({ MOHUR_ACQUIRER_URL: url, MOHUR_ACQUIRER_SECRET: ADAPTER_SECRET })

/** An order whose card waits for its password, and how often the bank has received one. */
async function waiting({ service, adapter }: Shop, orderId: string) {
  const order = await createOrder(service, orderId)
  const { body } = await pay(service, order, { paymentMode: 'CREDIT_CARD', cardInfo: '|4000000000003220|123|122032', authMode: 'otp' })
  const asked = () => adapter.calls.filter(({ call, key }) => call === 'otp' && key === `${MID}:${body.txnId}`).length
  return { order, asked }
}
const tell = ({ post }: Service, { orderId, txnToken }: Order, said: object, key: string): Promise<Reply> =>
  post(
    `/theia/api/v1/directBankRequest?mid=${MID}&orderId=${orderId}`,
    JSON.stringify({ head: { txnToken }, body: { mid: MID, orderId, ...said } }),
    { 'idempotency-key': key },
  )
const submit = (otp: string) => ({ requestType: 'submit', otp })

onBothStores('a one-time password with an Idempotency-Key', (store) => {
  test('reaches the bank once, whatever the bank says, and the reply is repeated byte for byte', () =>
    within(store, {}, async (shop) => {
      const { service } = shop
      for (const [at, [said, code]] of (
        [
          [submit(WRONG), '403'],
          [submit(RIGHT), '0000'],
          [{ requestType: 'cancel' }, '0001'],
          [{ requestType: 'resend' }, '0000'],
        ] as const
      ).entries()) {
        const { order, asked } = await waiting(shop, `AGAIN${at}`)
        const first = await tell(service, order, said, 'again')
        service.clock.advance(1_000)
        const others = [await tell(service, order, said, 'again'), await tell(service, order, said, 'again')]
        assert.deepEqual([codeOf(first), ...others.map(({ text }) => text)], [code, first.text, first.text])
        assert.equal(asked(), 1, code)
        if (code !== '403') continue
        assert.equal(codeOf(await statusOf(service, order)), WAITS)
        assert.equal((await tell(service, order, submit(RIGHT), 'again')).status, 409)
        assert.equal(codeOf(await tell(service, order, submit(RIGHT), 'another')), '0000')
      }
    }))

  test('reaches the bank once when several requests come at once', () =>
    within(store, {}, async (shop) => {
      const { service } = shop
      for (const [otp, code] of [
        [WRONG, '403'],
        [RIGHT, '0000'],
      ] as const) {
        const { order, asked } = await waiting(shop, `ATONCE${code}`)
        const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => tell(service, order, submit(otp), 'at once')))
        assert.deepEqual(codesOf(replies), Array(AT_ONCE).fill(code))
        assert.equal(new Set(replies.map(({ text }) => text)).size, 1)
        assert.equal(asked(), 1)
      }
      const { order, asked } = await waiting(shop, 'TWO')
      const replies = await Promise.all([WRONG, RIGHT].map((otp) => tell(service, order, submit(otp), 'one key')))
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409])
      assert.equal(asked(), 1)
    }))

  test('is not asked for again while the bank has it and has not decided, or while it is unknown whether the bank has it', () =>
    within(store, {}, async (shop) => {
      const { service, adapter } = shop
      for (const { lie, next, waits } of [
        { lie: 'that it is undecided', next: '309', waits: WAITS },
        { lie: 'HTTP 500', next: undefined, waits: UNKNOWN },
        { lie: 'breaks off when the work is done', next: undefined, waits: UNKNOWN },
      ] as const) {
        const { order, asked } = await waiting(shop, `TYPED${lie.replaceAll(' ', '')}`)
        adapter.lie('otp', lie)
        if (lie.startsWith('breaks')) adapter.lie('status', 'HTTP 500')
        const { body } = await tell(service, order, submit(RIGHT), 'typed')
        assert.deepEqual([body.resultInfo.resultCode, body.bankForm, typeof body.transId], ['0000', undefined, 'string'], lie)
        assert.deepEqual([codeOf(await statusOf(service, order)), asked()], [waits, 1])
        if (next) assert.deepEqual([codeOf(await tell(service, order, submit(RIGHT), 'again')), asked()], [next, 1])
        adapter.forgive()
        service.clock.advance(2 * 60_000)
        await service.tasks.runDue()
        assert.equal(codeOf(await statusOf(service, order)), PAID, lie)
      }
    }))

  test('is not asked for again on the payment page either, while the bank has it', () =>
    within(store, {}, async ({ service, adapter }) => {
      const { order, page } = await newPage(service, 'PAGE')
      const visitor = new Visitor(service, page)
      await visitor.send({ panel: 'card' }, { ...CARD_FIELDS, cardNumber: '4000000000003220' })
      const hasForm = () => formsOf(visitor.last.text).some(({ action }) => action.endsWith('/otp'))
      assert.ok(hasForm())
      adapter.lie('otp', 'that it is undecided')
      await visitor.send('/otp', { otp: RIGHT })
      assert.ok(!hasForm())
      assert.equal(codeOf(await statusOf(service, order)), WAITS)
    }))

  test('is asked for again after another was sent, and when a later answer says so', () =>
    within(store, {}, async (shop) => {
      const { service, adapter } = shop
      const { order, asked } = await waiting(shop, 'RESENT')
      adapter.lie('otp', 'that it is undecided')
      const resent = await tell(service, order, { requestType: 'resend' }, 'resend')
      assert.deepEqual([codeOf(resent), resent.body.bankForm?.pageType], ['0000', 'direct'])
      // It was another's password: the bank lies that it has not decided.
      adapter.lie('otp', 'that it is undecided')
      assert.equal((await tell(service, order, submit(WRONG), 'wrong')).body.bankForm, undefined)
      assert.equal(codeOf(await tell(service, order, submit(RIGHT), 'early')), '309')
      service.clock.advance(2 * 60_000)
      await service.tasks.runDue()
      assert.deepEqual([codeOf(await tell(service, order, submit(RIGHT), 'right')), asked()], ['0000', 3])
      assert.equal(codeOf(await statusOf(service, order)), PAID)
    }))

  test('uses one try when the service dies after the bank has answered, and its result is reported', () => {
    let faults: Faults | undefined
    const options: ServiceOptions = {
      exit: () => {},
      store(of) {
        faults = withFaults(of)
        return faults.store
      },
    }
    return within(store, options, async (shop) => {
      const { service } = shop
      const { order } = await waiting(shop, 'DIES')
      faults!.fail('write', new Error('injected'))
      assert.equal(codeOf(await tell(service, order, submit(WRONG), 'wrong')), '501')
      const first = await tell(service, order, submit(WRONG), 'wrong')
      assert.deepEqual([codeOf(first), (await tell(service, order, submit(WRONG), 'wrong')).text], ['403', first.text])
      // One of three tries is used. Another leaves the last one.
      assert.equal(codeOf(await tell(service, order, submit('111111'), 'another')), '403')
      faults!.fail('after commit', commitUnknown())
      assert.equal(codeOf(await tell(service, order, submit(RIGHT), 'right')), '501')
      for (const _ of [1, 2]) {
        const paid = await tell(service, order, submit(RIGHT), 'right')
        assert.deepEqual([codeOf(paid), paid.body.txnInfo?.STATUS], ['0000', 'TXN_SUCCESS'])
      }
    })
  })
})

if (storesWhereSqlDiffers.includes('postgres'))
  test('two processes on one PostgreSQL spend one try on a password that comes to both at once', async () => {
    const env = {
      DATABASE_URL: await (await sharedPostgres()).createDatabase(),
      MOHUR_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
    }
    await within('postgres', { env }, async (shop) => {
      const other = await startService('postgres', { env: { ...env, ...envOf(shop.adapter) } })
      try {
        const both = async (order: Order, otp: string, key: string) =>
          codesOf(await Promise.all([shop.service, other].map((service) => tell(service, order, submit(otp), key))))
        const { order } = await waiting(shop, 'BOTH')
        assert.deepEqual(await both(order, WRONG, 'first'), ['403', '403'])
        assert.deepEqual(await both(order, WRONG, 'second'), ['403', '403'])
        assert.deepEqual(await both(order, RIGHT, 'third'), ['0000', '0000'])
      } finally {
        await other.close()
      }
    })
  })
