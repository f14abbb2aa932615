// The largest input of each search that a request reaches, before and after its credential: SECURITY.md, "Bounds of one request". Those of
// a wrong checksum are in test/sandbox/hint-bounds.test.ts.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { availableModes, leavesAny } from '../../src/domain/order/payment-modes.ts'
import { bestOffers } from '../../src/domain/promotion/evaluate.ts'
import { prepare } from '../../src/domain/promotion/promotion.ts'
import { BODY_BYTES_MAX } from '../../src/interface/envelope.ts'
import { demoWorld } from '../../src/sandbox/world.ts'
import { createOrder } from '../support/paying/paying.ts'
import { CPU_MS_MAX, costOf } from '../support/run/cost.ts'
import { MID, type Service, sharedService, startService } from '../support/run/service.ts'

const many = <T>(count: number, one: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => one(at))
/** Letters that are all different, which makes a host's name hardest to write in ASCII. */
const letters = (count: number) => String.fromCharCode(...many(count, (at) => 0x4e00 + ((at * 7_919) % 20_000)))
const address = (host: string) => `https://${host}/`
const labels = many(4, () => letters(62)).join('.')
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }
const OURS = { ...FORM, 'sec-fetch-site': 'same-origin' }
const HEADER_LETTERS = 15_000

type Ask = (service: Service) => Promise<Response>
const send = (path: string, text: string, headers: Record<string, string>, method = 'POST') => {
  assert.ok(Buffer.byteLength(text) <= BODY_BYTES_MAX, `${path}: ${Buffer.byteLength(text)} bytes`)
  return ({ url }: Service) => fetch(url + path, { method, headers, body: text, redirect: 'manual' })
}
const get =
  (path: string, headers: Record<string, string> = {}): Ask =>
  ({ url }) =>
    fetch(url + path, { headers, redirect: 'manual' })
const order = { requestType: 'Payment', mid: MID, orderId: 'O', websiteName: 'DEFAULT', userInfo: { custId: 'C' } }
const money = { value: '1.00', currency: 'INR' }
const create = (more: object, path = '/theia/api/v1/initiateTransaction') =>
  send(
    `${path}?mid=${MID}&orderId=O`,
    JSON.stringify({ head: { signature: 'x' }, body: { ...order, txnAmount: money, ...more } }),
    JSON_TYPE,
  )
const options = many(50, (at) => ({ amount: '1.00', payMethod: ['CREDIT_CARD', 'EMI', 'NET_BANKING'][at % 3], bankCode: `B${at}` }))
const items = many(50, (at) => ({ id: `I${at}`, productDetail: { id: `P${at}` }, amount: '1.00' }))

/** Unsigned requests. */
const everywhere: Readonly<Record<string, Ask>> = {
  'hosts of 5,000 letters': create({
    callbackUrl: address(letters(5_000)),
    goodsInfo: many(3, () => ({ snapshotUrl: address(letters(5_000)) })),
  }),
  'hosts of 2,000 letters': create({ goodsInfo: many(9, () => ({ snapshotUrl: address(letters(2_000)) })) }),
  'hosts of 253 letters': create({ goodsInfo: many(72, () => ({ snapshotUrl: address(letters(253)) })) }),
  'hosts of four labels': create({ goodsInfo: many(72, () => ({ snapshotUrl: address(labels) })) }),
  'hosts behind a name': create({ callbackUrl: `https://a:b@${letters(8_000)}/`, peonUrl: `https://[::1]${letters(8_000)}` }),
  'an address to be notified at': send(
    '/api/v1/external/putMerchantInfo',
    JSON.stringify({ mid: MID, queryParam: 'notificationUrls', paymentNotificationUrl: address(letters(5_000)) }),
    JSON_TYPE,
    'PUT',
  ),
  'modes that are none': create({ enablePaymentMode: many(470, () => ({ mode: 'X', banks: 'Y' })) }),
  'a list of wrong banks': create({ enablePaymentMode: [{ banks: many(1_980, () => '!') }] }),
  'goods that are wrong': create({ goodsInfo: many(300, () => ({ price: 1, quantity: 'é', snapshotUrl: 'x' })) }),
  'a map of 980 members': create({ extendInfo: Object.fromEntries(many(980, (at) => [`k${at}`, 'x'.repeat(50)])) }),
  'an e-mail address': create({ userInfo: { custId: 'C', email: `${'a.'.repeat(32_000)}@b.c` } }),
  'texts of each format': create({ callbackUrl: 'a.'.repeat(16_000), userInfo: { custId: '-'.repeat(16_000), email: 'a@'.repeat(8_000) } }),
  'quotes and backslashes': send('/v3/order/status', `{"head":{"a":"${'\\"'.repeat(32_000)}"},"body":{}}`, JSON_TYPE),
  'one name with many colons': send('/v3/order/status', `{"${'\\u0061'.repeat(10_000)}"${':'.repeat(999)}}`, JSON_TYPE),
  'a body named again and again': send('/v3/order/status', `{${`"body":1${' '.repeat(50)},`.repeat(990)}"head":{}}`, JSON_TYPE),
  'options and items of a cart': send(
    `/theia/api/v2/applyPromo?mid=${MID}`,
    JSON.stringify({ head: { token: 'x', tokenType: 'CHECKSUM' }, body: { mid: MID, paymentOptions: options, cartDetails: { items } } }),
    JSON_TYPE,
  ),
  'a flat question of 999 fields': send('/order/status', many(999, (at) => `${at.toString(36)}=${'%41'.repeat(18)}`).join('&'), FORM),
  'a flat question in JSON in a form': send(
    '/order/status',
    `JsonData=${encodeURIComponent(`{${many(900, (at) => `"k${at}":1.5`).join()},"MID":"${MID}"}`)}`,
    FORM,
  ),
  'a checkout form of 100 fields': send('/theia/processTransaction', many(100, (at) => `F${at}=${'x'.repeat(640)}`).join('&'), FORM),
  'a checkout form of long values': send(
    '/theia/processTransaction',
    `MID=${MID}&ORDER_ID=O&CUST_ID=C&TXN_AMOUNT=1&CHANNEL_ID=WEB&WEBSITE=DEFAULT&INDUSTRY_TYPE_ID=R&CHECKSUMHASH=x&CALLBACK_URL=${encodeURIComponent(address(letters(6_500)))}`,
    FORM,
  ),
  'languages of a header': get('/pay/none', { 'accept-language': ` ${'q;'.repeat(HEADER_LETTERS / 2)}` }),
  'cookies of a header': get('/pay/none', { cookie: 'a=1; '.repeat(HEADER_LETTERS / 5) }),
  'a key of a repeated request': ({ url }) =>
    fetch(`${url}/v3/order/status`, {
      method: 'POST',
      headers: { ...JSON_TYPE, 'idempotency-key': ' '.repeat(9) + 'k'.repeat(HEADER_LETTERS) },
    }),
}

/** Requests that any visitor of a sandbox can send. */
const inSandbox: Readonly<Record<string, Ask>> = {
  'a body to try that is all words in braces': send(
    '/docs/createOrder',
    new URLSearchParams({ send: '1', otp: '"'.repeat(9_000), body: `{"a":"${'{otp}'.repeat(3_000)}"}` }).toString(),
    OURS,
  ),
  'a body to try that names what objects have': send(
    '/docs/createOrder',
    new URLSearchParams({ send: '1', body: '{"a":"{constructor}{toString}{valueOf}"}' }).toString(),
    OURS,
  ),
  'a code on the phone': get(`/sandbox/phone/none?code=${encodeURIComponent(address(letters(1_600)))}`),
}

async function askAll(service: Service, asked: Readonly<Record<string, Ask>>, diagnostic: (line: string) => void) {
  for (const [what, ask] of Object.entries(asked)) {
    await ask(service) // the first of its kind compiles what it needs
    const { status, cpuMs, blockMs } = await costOf(() => ask(service))
    diagnostic(`${what}: ${cpuMs.toFixed(0)} ms of this thread, the longest block ${blockMs.toFixed(0)} ms, HTTP ${status}`)
    assert.ok(status < 500, `${what}: ${status}`)
    assert.ok(cpuMs <= CPU_MS_MAX, `${what}: ${cpuMs.toFixed(0)} ms of this thread`)
  }
}

describe('no largest input keeps the service from others', () => {
  const sandbox = sharedService('sqlite')
  let running: Promise<Service> | undefined
  const production = () => {
    const env = {
      MOHUR_MODE: 'production',
      MOHUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      MOHUR_ACQUIRER_URL: 'https://127.0.0.1:1/adapter',
      MOHUR_ACQUIRER_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      MOHUR_PUBLIC_URL: 'https://pay.example',
      MOHUR_CONSOLE: 'on',
      MOHUR_CONSOLE_URL: 'https://console.example',
    }
    running ??= startService('sqlite', { world: { merchants: demoWorld.merchants! }, env })
    return running
  }
  after(async () => (await running)?.close())

  test('in production, from any sender', async (t) => {
    await askAll(await production(), everywhere, (line) => t.diagnostic(line))
  })

  test('in a sandbox, its pages for developers among them', async (t) => {
    await askAll(await sandbox(), { ...everywhere, ...inSandbox }, (line) => t.diagnostic(line))
  })

  test('with a world of sixteen megabytes that is none, and that has more faults than a list can hold', async (t) => {
    const { url } = await sandbox()
    const put = (text: string) => fetch(`${url}/sandbox/world`, { method: 'PUT', headers: JSON_TYPE, body: text })
    const worlds = {
      'offers without a member': `{"promotions":[${'{},'.repeat(990_000)}{}]}`,
      'more offers than a world may have': `{"promotions":[${'{},'.repeat(5_000_000)}{}]}`,
      'members that no world has': `{${many(290_000, (at) => `"k${at}":1`).join()}}`,
      'lists in lists': '['.repeat(8_000_000) + ']'.repeat(8_000_000),
    }
    for (const [what, text] of Object.entries(worlds)) {
      const { status, text: said, cpuMs } = await costOf(() => put(text))
      t.diagnostic(`${what}, ${text.length} bytes: ${cpuMs.toFixed(0)} ms of this thread`)
      assert.deepEqual([status, said.startsWith('{"error":"the world is not ')], [400, true], said.slice(0, 200))
    }
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
  })

  test('among ten thousand offers of which none fits, and with lists of ways to pay that leave none', (t) => {
    const modes = ['UPI', 'CREDIT_CARD', 'DEBIT_CARD', 'NET_BANKING', 'EMI', 'PPBL']
    const ofTwo = { kind: 'DISCOUNT', flatPaise: 100, percentHundredths: null, upToPaise: null, minAmountPaise: 0 } as const
    const ofAll = {
      payMethods: [],
      validFrom: '2020-01-01',
      validUpto: '2030-01-01',
      budgetPaise: null,
      maxPerCustomer: null,
      visible: true,
    }
    const rows = many(10_000, (at) => ({
      ...{ ...ofTwo, ...ofAll, mid: MID, promocode: `P${at}`, title: 'T', fundedBy: 'SHOP', version: 1 },
      ...{ banks: ['NONE'], bins: ['99999999'], skus: at % 2 ? [`S${at}`] : [] },
    }))
    const live = prepare(rows, '2026-06-15')
    const options = many(50, (at) => ({ amountPaise: 100, payMethod: modes[at % 6]!, bankCode: `B${at}`, bin: `${41_111_111 + at}` }))
    const cart = { options, items: many(50, (at) => ({ skus: [`I${at}`], paise: 100 })), totalPaise: 5_000, custId: 'C' }
    const banks = many(20, (at) => ({ mode: 'EMI' as const, banks: many(49, (bank) => `B${at}_${bank}`) }))
    const filters = { enable: banks, disable: banks }
    const searches = {
      offers: () => assert.deepEqual(bestOffers(live, cart, 5, new Set()), []),
      'ways to pay': () => assert.equal(leavesAny('EMI', availableModes(['EMI'], filters).get('EMI')!), false),
    }
    for (const [what, search] of Object.entries(searches)) {
      search()
      const before = process.threadCpuUsage()
      search()
      const { user, system } = process.threadCpuUsage(before)
      t.diagnostic(`${what}: ${((user + system) / 1_000).toFixed(0)} ms of this thread`)
      assert.ok((user + system) / 1_000 <= CPU_MS_MAX, what)
    }
  })

  test('on the payment page of an order, framed by a page of any name', async (t) => {
    const { orderId, txnToken } = await createOrder(await sandbox(), 'FRAMED')
    const origin = encodeURIComponent(`https://${letters(1_600)}`)
    const framed = get(`/theia/api/v1/showPaymentPage?mid=${MID}&orderId=${orderId}&txnToken=${txnToken}&origin=${origin}`)
    await askAll(await sandbox(), { 'an origin of 1,600 letters': framed }, (line) => t.diagnostic(line))
  })
})
