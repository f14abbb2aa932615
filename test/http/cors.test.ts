// What a payment page on the merchant's own host may call from the payer's browser, and nothing else (docs/interface.md section 4,
// "Browsers").

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../src/api/operations.ts'
import type { OperationLine } from '../../src/http/handler.ts'
import { pagePaths } from '../../src/interface/page-paths.ts'
import { byToken, newOrder, OPTIONS } from '../support/paying/options.ts'
import { MID, onBothStores, type Service, sharedService } from '../support/run/service.ts'

const OPEN = [
  'fetchPaymentOptions',
  'processTransaction',
  'directBankRequest',
  'transactionStatus',
  'fetchBinDetail',
  'validateVpa',
  'fetchBalanceInfo',
  'fetchNbPaymentChannels',
  'fetchEmiDetail',
  'applyPromo',
  'sendCheckoutOtp',
  'validateCheckoutOtp',
]
const lines: readonly [string, OperationLine][] = Object.entries(operations)
const pathsOf = (open: boolean) => lines.filter(([name]) => OPEN.includes(name) === open).flatMap(([, { paths }]) => paths)

const preflight = (service: Service, path: string) =>
  fetch(service.url + path, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://shop.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,idempotency-key,x-request-id',
    },
  })

async function post(service: Service, path: string, contentType = 'application/json', text = '{}') {
  const reply = await fetch(service.url + path, {
    method: 'POST',
    headers: { origin: 'https://shop.example', 'content-type': contentType },
    body: text,
  })
  await reply.text()
  return reply
}
const origin = ({ headers }: Response) => headers.get('access-control-allow-origin')

onBothStores('browsers', (store) => {
  const started = sharedService(store)

  test('a page of any origin may ask beforehand for each path of the twelve operations', async () => {
    const service = await started()
    for (const path of pathsOf(true)) {
      const reply = await preflight(service, path)
      assert.equal(reply.status, 204, path)
      assert.equal(await reply.text(), '')
      const { headers } = reply
      assert.equal(origin(reply), '*')
      assert.equal(headers.get('access-control-allow-methods'), 'POST')
      assert.equal(headers.get('access-control-allow-headers'), 'content-type, idempotency-key, x-request-id')
      assert.equal(headers.get('access-control-max-age'), '600')
      assert.equal(headers.get('access-control-allow-credentials'), null)
    }
  })

  test('a page reads the answer, and when to come back', async () => {
    const service = await started()
    const { path, query, head, body } = byToken(OPTIONS, 'B1', await newOrder(service, 'B1'))
    const reply = await post(
      service,
      `${path}?${new URLSearchParams(query as Record<string, string>)}`,
      undefined,
      JSON.stringify({ head, body }),
    )
    assert.equal(reply.status, 200)
    assert.equal(origin(reply), '*')
    assert.equal(reply.headers.get('access-control-expose-headers'), 'retry-after, x-request-id, mohur-hint')
    assert.equal(reply.headers.get('access-control-allow-credentials'), null)
  })

  test('a page also reads what is refused before anything is read: another content type, a body that is too large, another method', async () => {
    const service = await started()
    for (const path of pathsOf(true)) {
      const form = await post(service, path, 'application/x-www-form-urlencoded', 'a=b')
      // The payer's browser may also send it as a form, and then gets a page (docs/pages.md).
      assert.deepEqual([form.status, origin(form)], [path === pagePaths.payByForm ? 400 : 415, '*'], path)
      const large = await post(service, path, undefined, JSON.stringify({ x: 'y'.repeat(70_000) }))
      assert.deepEqual([large.status, origin(large)], [413, '*'], path)
      const get = await fetch(service.url + path)
      assert.deepEqual([get.status, origin(get)], [405, '*'], path)
      const doubled = await post(service, `/${path}?mid=${MID}`)
      assert.deepEqual([doubled.status, origin(doubled)], [200, '*'], path)
    }
  })

  test('no other path is open: no operation that merchants sign, no sign-in, no path about the service itself', async () => {
    const service = await started()
    for (const path of [...pathsOf(false), '/healthz', '/readyz', '/metrics', '/no/such/path', '/sandbox/world']) {
      const asked = await preflight(service, path)
      assert.ok(asked.status === 405 || asked.status === 404, `${path}: ${asked.status}`)
      const posted = await post(service, path)
      for (const reply of [asked, posted]) for (const name of reply.headers.keys()) assert.doesNotMatch(name, /^access-control/, path)
    }
  })
})
