// Sends the names that every object has wherever a caller may name something. Each gets a code of the table or a page, never a 5xx, and
// pollutes nothing.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import type { OperationLine } from '../../../src/http/handler.ts'
import { sign } from '../../../src/interface/checksum.ts'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { type Person, personOf } from '../../support/console/desk.ts'
import { formOf, newPage, Visitor } from '../../support/pages/pages.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { checksummed, orderForm } from '../../support/paying/order-forms.ts'
import { createOrder } from '../../support/paying/paying.ts'
import { KEY, MID, onBothStores, type Service, startService } from '../../support/run/service.ts'

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']
/** Members whose text some code looks up. */
const WORDS = [
  'requestType',
  'websiteName',
  'paymentMode',
  'payMode',
  'channelCode',
  'channelId',
  'authMode',
  'authenticationMode',
  'bankCode',
]
const MORE_WORDS = ['orderSearchType', 'orderSearchStatus', 'subscriptionFrequencyUnit', 'subscriptionPaymentMode', 'mandateType', 'status']
const LISTS = ['orders', 'payments', 'refunds', 'subscriptions', 'notifications', 'people', 'audit', 'search']
const PATHS = [
  '/',
  '/docs/',
  '/docs/guide/',
  '/docs/operations/',
  '/pay/',
  '/mandate/',
  '/m/',
  '/sandbox/',
  '/sandbox/phone/',
  '/console/',
  '/pay/assets/',
]

const itself = Object.getOwnPropertyNames(Object.prototype).sort()
function assertClean(where: string) {
  assert.deepEqual(Object.getOwnPropertyNames(Object.prototype).sort(), itself, where)
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined, where)
}

onBothStores('names that every object has', (store) => {
  let service: Service
  let admin: Person
  before(async () => {
    service = await startService(store)
    admin = await personOf(service, ['admin', 'operations'])
  })
  after(() => service.close())

  /** Expects a code or a page. */
  async function judged(where: string, path: string, request: RequestInit = {}): Promise<{ status: number; text: string }> {
    const response = await fetch(service.url + path, { redirect: 'manual', ...request })
    const text = await response.text()
    assert.ok(response.status < 500, `${where}: HTTP ${response.status} ${text.slice(0, 200)}`)
    assert.doesNotMatch(text, /\[native code\]|\[object Object\]/, where)
    assertClean(where)
    return { status: response.status, text }
  }
  const json = (text: string, method = 'POST'): RequestInit => ({ method, headers: { 'content-type': 'application/json' }, body: text })
  const form = (fields: Record<string, string>): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: service.url },
    body: new URLSearchParams(fields).toString(),
  })
  let forms = 0
  const newForm = () => orderForm(`ODD_FORM_${++forms}`)
  /** An own member, also where its name is `__proto__`. */
  const having = (name: string, value: unknown): Record<string, never> => JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)
  const enveloped = (body: object, head: object = {}) => {
    const text = JSON.stringify(body)
    return `{"head":${JSON.stringify({ ...head, signature: sign(text, KEY, 'salt') })},"body":${text}}`
  }

  test('as members, words and keys of maps in every operation', async () => {
    for (const name of NAMES) {
      for (const [operation, { method, paths }] of Object.entries<OperationLine>(operations)) {
        const of = { ...orderBody(`ODD_${operation}`), mid: MID }
        const words = Object.fromEntries([...WORDS, ...MORE_WORDS].map((word) => [word, name]))
        const query = `?mid=${MID}&orderId=ODD_${operation}&${name}=x`
        const texts = [
          enveloped({ ...of, ...having(name, { polluted: 'yes' }) }),
          enveloped({ ...of, ...words }),
          enveloped({ ...of, extendInfo: having(name, 'x') }),
          enveloped(of, { ...having(name, 'x'), tokenType: name, clientId: name, version: name }),
          JSON.stringify(having(name, { polluted: 'yes' })),
        ]
        for (const text of texts) {
          const request = method === 'GET' || method === 'DELETE' ? { method } : json(text, method)
          await judged(`${operation}, ${text.slice(0, 80)}`, `${paths[0]!}${query}`, request)
        }
        await judged(`${operation}, mid ${name}`, `${paths[0]!}?mid=${name}&orderId=${name}`, json(enveloped({ ...of, mid: name }), 'POST'))
      }
    }
    const made = await service.signed(`/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=ODD_SITE`, {
      ...orderBody('ODD_SITE'),
      websiteName: 'constructor',
    })
    assert.equal(made.body.resultInfo.resultMsg, 'Invalid websiteName')
  })

  test('as fields and words of forms, of the shop and of the payer', async () => {
    for (const name of NAMES) {
      for (const path of pagePaths.orderForms) {
        assert.equal((await judged(`${path} ${name}`, path, form(checksummed({ ...newForm(), ...having(name, 'x') })))).status, 400)
        for (const field of ['WEBSITE', 'CHANNEL_ID', 'PAYMENT_TYPE_ID', 'AUTH_MODE', 'REQUEST_TYPE'])
          await judged(`${path} ${field}=${name}`, path, form(checksummed({ ...newForm(), [field]: name })))
      }
      const { page } = await newPage(service, `ODD_PAGE_${NAMES.indexOf(name)}`)
      const visitor = new Visitor(service, page)
      const { action, fields } = formOf((await visitor.look()).text, { panel: 'card' })
      for (const given of [
        { ...fields, ...having(name, 'x') },
        { ...fields, panel: name },
        { ...fields, language: name },
      ])
        await judged(`${action} ${name}`, action, form(given))
      const back = new URL(page, service.url).pathname
      for (const given of [
        { back, act: name },
        { back, act: 'next', mid: MID, orderId: 'X', next: name },
      ])
        await judged(`drawer ${name}`, '/sandbox/drawer', form(given))
      await judged(`article ${name}`, '/sandbox/shop/buy', form({ article: name, by: name }))
    }
  })

  test('as parts of an address, parameters, cookies and headers', async () => {
    const token = await createOrder(service, 'ODD_ADDRESS')
    const shown = `${pagePaths.showPaymentPage}?mid=${MID}&orderId=ODD_ADDRESS&txnToken=${token.txnToken}`
    for (const name of NAMES) {
      for (const path of PATHS) await judged(`${path}${name}`, `${path}${name}`)
      await judged('script', pagePaths.checkoutScript.replace(':mid', `${name}.js`))
      for (const parameter of ['lang', 'language', 'said', 'code', 'done', 'since', 'mobile', name])
        for (const path of [shown, '/sandbox/phone/9876543210?', '/sandbox/inbox?', '/sandbox/reset?', '/sandbox/bank/journal?', '/docs?'])
          await judged(`${path} ${parameter}=${name}`, `${path}&${parameter}=${name}`)
      const headers: [string, string][] = [
        [name, 'x'],
        ['cookie', `${name}=x; other=${name}`],
        ['accept-language', name],
        ['idempotency-key', name],
        ['content-type', name],
      ]
      for (const header of headers)
        await judged(`${header}`, `/v3/order/status`, { method: 'POST', headers: [header], body: enveloped({ mid: MID, orderId: name }) })
    }
  })

  test('as filters of the console', async () => {
    const headers = { 'sec-fetch-site': 'same-origin', cookie: `console=${admin.cookie}` }
    assert.match((await judged('orders', '/console/orders', { headers })).text, /Orders/)
    for (const name of NAMES)
      for (const list of LISTS)
        for (const parameter of ['state', 'mode', 'code', 'merchant', 'from', 'amount', 'after', 'q', name])
          await judged(`${list} ${parameter}=${name}`, `/console/${list}?${parameter}=${name}`, { headers })
  })

  test('in what the sandbox is sent: a world, a script, a payer, the clock', async () => {
    for (const name of NAMES) {
      const world = (websites: string) => `{"merchants":[{"mid":"${MID}","websites":{${websites}}}]}`
      const refused = await judged(
        'world',
        '/sandbox/world',
        json(world(`"DEFAULT":{},"${name}":{"callbackUrl":"https://a.example"}`), 'PUT'),
      )
      assert.equal(refused.status, 400, name)
      assert.match(refused.text, new RegExp(`property name must be valid \\(.*${name}`))
      for (const text of [
        `{"${name}":[]}`,
        `{"merchants":[{"mid":"${MID}","${name}":1}]}`,
        `{"promotions":[{"mid":"${name}","promocode":"${name}"}]}`,
      ])
        assert.equal((await judged(text, '/sandbox/world', json(text, 'PUT'))).status, 400)
      for (const request of [{ advance: name }, { to: name }, having(name, 'P1D')])
        assert.equal((await judged('clock', '/sandbox/clock', json(JSON.stringify(request)))).status, 400)
      for (const [path, request] of [
        ['/sandbox/bank/script', { mid: MID, orderId: 'X', outcomes: [name] }],
        ['/sandbox/bank/script', { mid: MID, subscriptionId: name, call: name, outcomes: [] }],
        ['/sandbox/payer', { mid: MID, orderId: name, action: name }],
        ['/sandbox/payer', { mid: MID, subscriptionId: name, action: name }],
      ] as const)
        assert.ok((await judged(path, path, json(JSON.stringify(request)))).status >= 400, path)
    }
    assert.deepEqual(
      Object.keys((await service.ports.query.rows({ find: 'merchants', equals: { mid: MID }, limit: 1 }))[0]!.websites).length > 0,
      true,
    )
  })
})
