// The loader's script and its frame over HTTP: docs/pages.md, "The browser loader".

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { shopViewIn, VIEW_LENGTH_MAX } from '../../../src/pages/loader/shop-view.ts'
import { scriptOf } from '../../support/pages/loader-shop.ts'
import { MID, type Service, startService } from '../../support/run/service.ts'

const SCRIPT_BYTES_MAX = 4 * 1024 // docs/pages.md

describe('the script that a shop loads', () => {
  let service: Service
  before(async () => {
    service = await startService('sqlite')
  })
  after(() => service.close())

  test('is the same bytes with .js and without, for every merchant', async () => {
    const [one, other] = await Promise.all(
      [scriptOf(service), scriptOf(service).slice(0, -3)].map(async (url) => (await fetch(url)).text()),
    )
    assert.equal(one, other)
    assert.ok(one!.includes('CheckoutJS'))
    assert.ok(!one!.includes(MID), 'nothing of the request stands in it')
  })

  test('goes to any origin, and is kept for five minutes', async () => {
    const { status, headers } = await fetch(scriptOf(service))
    assert.equal(status, 200)
    const wanted = {
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=300',
      vary: 'accept-encoding',
    }
    for (const [name, value] of Object.entries(wanted)) assert.equal(headers.get(name), value, name)
  })

  test('is at most 4 KB by gzip, and not sent again to a browser that has it', async () => {
    const { request } = await import('node:http')
    const asked = (headers: Record<string, string>, method = 'GET') =>
      new Promise<{ status: number | undefined; encoding: string | undefined; body: Buffer; etag: string | undefined }>(
        (resolve, reject) => {
          request(scriptOf(service), { method, headers }, (answer) => {
            const parts: Buffer[] = []
            answer.on('data', (part) => parts.push(part))
            answer.on('end', () => {
              const { 'content-encoding': encoding, etag } = answer.headers
              resolve({ status: answer.statusCode, encoding, etag, body: Buffer.concat(parts) })
            })
          })
            .on('error', reject)
            .end()
        },
      )
    const packed = await asked({ 'accept-encoding': 'gzip' })
    assert.equal(packed.encoding, 'gzip')
    assert.ok(packed.body.length <= SCRIPT_BYTES_MAX, `${packed.body.length} bytes`)
    const plain = await asked({})
    assert.equal(plain.encoding, undefined)
    assert.deepEqual(gunzipSync(packed.body), plain.body)
    assert.equal((await asked({ 'if-none-match': packed.etag! })).status, 304)
    assert.equal((await asked({ 'if-none-match': '"another"' })).status, 200)
    const head = await asked({}, 'HEAD')
    assert.deepEqual([head.status, head.body.length], [200, 0])
  })

  test('is not kept where the merchant is unknown', async () => {
    const answer = await fetch(scriptOf(service, 'NOBODY'))
    assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store'])
    assert.notEqual(await answer.text(), await (await fetch(scriptOf(service))).text())
  })

  test('stands at no other address', async () => {
    for (const path of [`/merchantpgpui/checkoutjs/${MID}.js`, `/merchantpgpui/checkoutjs/merchants/a/${MID}.js`])
      assert.equal((await fetch(`${service.url}${path}`)).status, 404, path)
  })

  test('opens a frame that any page may hold, because nothing is in it', async () => {
    const answer = await fetch(`${service.url}/pay/frame?mid=${MID}&orderId=SECRET&txnToken=SECRET`)
    const text = await answer.text()
    assert.equal(answer.status, 200)
    assert.ok(!text.includes('SECRET'))
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.doesNotMatch(policy, /frame-ancestors/)
    assert.match(policy, /default-src 'none'.*form-action 'self'.*require-trusted-types-for 'script'/)
    assert.equal(answer.headers.get('cross-origin-opener-policy'), null, 'a window that a shop opened is still spoken to')
  })
})

describe('the requests of a shop’s page to the payment page', () => {
  const asked = (view: unknown) => shopViewIn(JSON.stringify(view))

  test('ways are named as shops name them', () => {
    const filter = { include: ['CC', 'nb', 'COD', 'Bitcoin', 7], exclude: ['DEBIT_CARD'] }
    assert.deepEqual(asked({ held: 'frame', payMode: { filter, order: ['NB', 'CARD'] } }), {
      held: 'frame',
      only: ['CREDIT_CARD', 'NET_BANKING'],
      without: ['DEBIT_CARD'],
      order: ['NET_BANKING', 'CREDIT_CARD', 'DEBIT_CARD'],
    })
  })
  test('an element shows its one way, whatever the filter says', () => {
    const filter = { include: ['NB'] }
    assert.deepEqual(asked({ mode: 'SCAN_AND_PAY', payMode: { filter } }), { held: 'frame', only: ['UPI'], qrOnly: true })
  })
  test('labels are text of one line', () => {
    assert.deepEqual(asked({ labels: { UPI: '  Any app ', CARD: '', NB: 5 }, payMode: { labels: { UPI: 'x'.repeat(100) } } })?.labels, {
      UPI: 'x'.repeat(60),
    })
  })
  test('the empty list of a language without empty objects is nothing', () => {
    assert.deepEqual(asked({ held: 'window', handler: true, payMode: { filter: [], labels: [], order: [] }, labels: [] }), {
      held: 'window',
      handler: true,
    })
  })
  test('unreadable members are passed over', () => {
    const deep = `${'['.repeat(1_000)}${']'.repeat(1_000)}`
    for (const text of [undefined, '', '{', 'null', '"x"', '7', `{"held":"${'x'.repeat(VIEW_LENGTH_MAX)}"}`])
      assert.equal(shopViewIn(text), undefined)
    for (const text of [
      '{}',
      '[]',
      `{"payMode":${deep}}`,
      '{"__proto__":{"handler":true}}',
      '{"payMode":{"filter":{"include":"UPI"}},"handler":"yes"}',
    ])
      assert.deepEqual(shopViewIn(text), { held: 'frame' }, text.slice(0, 40))
  })
})
