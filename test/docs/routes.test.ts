// The pages of /docs: every link leads somewhere, no other site's page can try an operation, and production has no key.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5'
import { SAMPLE_KEY, SAMPLE_MID } from '../../src/api/kit/sample.ts'
import { type OperationName, operations } from '../../src/api/operations.ts'
import { linked } from '../../src/docs/cross-links.ts'
import { codesPage } from '../../src/docs/pages.ts'
import { readSources } from '../../src/docs/sources.ts'
import * as resultCodes from '../../src/interface/result-codes.ts'
import { demoWorld } from '../../src/sandbox/world.ts'
import { MID, type Service, sharedService, startService } from '../support/run/service.ts'

const FIRST_PAGE_BYTES_MAX = 30 * 1024
const OURS = { 'sec-fetch-site': 'same-origin' }
const FORM = { ...OURS, 'content-type': 'application/x-www-form-urlencoded' }
const names = Object.keys(operations) as OperationName[]

const get = (service: Service, path: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { headers, redirect: 'manual' })
const tries = (service: Service, operation: string, fields: Record<string, string>, headers: Record<string, string> = FORM) =>
  fetch(`${service.url}/docs/${operation}`, { method: 'POST', headers, body: new URLSearchParams({ send: '1', ...fields }).toString() })

function elements(text: string): Tree.Element[] {
  const found: Tree.Element[] = []
  const visit = (node: Tree.Node) => {
    if ('tagName' in node) found.push(node)
    if ('childNodes' in node) node.childNodes.forEach(visit)
  }
  visit(parse(text))
  return found
}
const attributes = (text: string, name: string) =>
  elements(text).flatMap(({ attrs }) => attrs.filter((each) => each.name === name).map(({ value }) => value))

describe('the pages of /docs in the sandbox', () => {
  const service = sharedService('sqlite')

  test('every link and picture on every page leads to a page that is there, and to a place on it', async () => {
    const { url } = await service()
    const pages = new Map<string, Promise<{ ids: ReadonlySet<string>; leads: readonly string[] }>>()
    const wrong: string[] = []
    const asked = new Set<string>(['/docs'])
    const read = async (path: string) => {
      const response = await fetch(url + path)
      if (response.status !== 200) wrong.push(`${path}: ${response.status}`)
      const text = await response.text()
      const attrs = response.headers.get('content-type')?.startsWith('text/html') ? elements(text).flatMap((each) => each.attrs) : []
      const valuesOf = (...wanted: readonly string[]) => attrs.filter(({ name }) => wanted.includes(name)).map(({ value }) => value)
      return { ids: new Set(valuesOf('id')), leads: valuesOf('href', 'src') }
    }
    for (const address of asked) {
      const [path = '', place] = address.split('#')
      const known = pages.get(path)
      const reading = known ?? read(path)
      pages.set(path, reading)
      const { ids, leads } = await reading
      if (place && !ids.has(decodeURIComponent(place))) wrong.push(`${address}: no such place`)
      for (const href of known ? [] : leads) {
        const to = URL.parse(href, url + path)
        if (to?.origin === url && to.pathname.startsWith('/docs')) asked.add(to.pathname + to.hash)
      }
    }
    assert.deepEqual(wrong, [])
    for (const name of names) assert.ok(pages.has(`/docs/${name}`), name)
    assert.ok(pages.size > names.length + 40, `${pages.size} pages`)
  })

  test('a page has no cookie and no script, names no other host, is not indexed and has no id twice', async () => {
    for (const path of ['/docs', '/docs/createOrder', '/docs/codes', '/docs/checksum', '/docs/guide', '/docs/guide/interface']) {
      const response = await get(await service(), path)
      const text = await response.text()
      const { headers } = response
      assert.equal(response.status, 200, `${path}: ${text.slice(0, 200)}`)
      assert.equal(headers.get('set-cookie'), null)
      assert.equal(headers.get('x-robots-tag'), 'noindex')
      assert.match(headers.get('content-security-policy')!, /^default-src 'none'; /)
      assert.deepEqual(
        [...new Set(elements(text).map(({ tagName }) => tagName))].filter((tag) => ['script', 'iframe', 'object'].includes(tag)),
        [],
        path,
      )
      const loaded = elements(text).filter(({ tagName }) => tagName === 'link' || tagName === 'img')
      for (const { attrs } of loaded)
        assert.match(attrs.find(({ name }) => name === 'href' || name === 'src')!.value, /^(\/[a-z]|data:image)/, path)
      const ids = attributes(text, 'id')
      assert.equal(new Set(ids).size, ids.length, `${path}: an id stands twice`)
    }
  })

  test('the first page is small: three requests, and packed it has less than 30 KiB', async () => {
    const { url } = await service()
    const response = await fetch(`${url}/docs`)
    const text = await response.text()
    const styles = elements(text).filter(({ tagName, attrs }) => tagName === 'link' && attrs.some(({ value }) => value === 'stylesheet'))
    assert.equal(styles.length + 1, 3)
    const sizes = await Promise.all(
      styles.map(async ({ attrs }) => gzipSync(await (await fetch(url + attrs.find(({ name }) => name === 'href')!.value)).text()).length),
    )
    const bytes = sizes.reduce((sum, size) => sum + size, gzipSync(text).length)
    assert.ok(bytes < FIRST_PAGE_BYTES_MAX, `${bytes} bytes`)
  })

  test('the first page has each operation once, with what it is for, and leads to the shop to pay in', async () => {
    const text = await (await get(await service(), '/docs')).text()
    for (const name of names) assert.equal(text.split(`href="/docs/${name}"`).length - 1, 1, name)
    assert.match(text, /Create Order<\/a><\/td><td>Create an order; issue the transaction token/)
    assert.match(text, /href="\/sandbox\/shop"/)
    assert.ok(text.indexOf('/docs/createOrder') < text.indexOf('/docs/validateOtp'), 'a shop begins with an order')
  })

  test('a type and a section that an operation names lead to where they are described', async () => {
    const text = await (await get(await service(), '/docs/createOrder')).text()
    assert.match(text, /<h1>Create Order<\/h1><p>Create an order; /)
    assert.match(text, /<td>txnAmount<\/td>\s*<td><a href="\/docs\/guide\/interface#money">Money<\/a>/)
    assert.match(text, /<a href="\/docs\/guide\/interface#49-path-aliases-mohur">section 4\.9<\/a>/)
    const places = new Map([['Money', 'money']])
    assert.equal(
      linked('# Money\n`Money` [Money](x.md) Moneys Money', places),
      '# Money\n`Money` [Money](x.md) Moneys [Money](interface.md#money)',
    )
  })

  test('the list of guides has each of them once, and those of shops first', async () => {
    const text = await (await get(await service(), '/docs/guide')).text()
    for (const name of readSources().guides.keys()) assert.equal(text.split(`href="/docs/guide/${name}"`).length - 1, 1, name)
    assert.ok(text.indexOf('/docs/guide/examples') < text.indexOf('/docs/guide/acquirer'))
  })

  test('a packed page is the same page', async () => {
    const { url } = await service()
    const plain = await (await fetch(`${url}/docs/guide/sandbox`, { headers: { 'accept-encoding': 'identity' } })).text()
    const packed = await fetch(`${url}/docs/guide/sandbox`, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(packed.headers.get('content-encoding'), 'gzip')
    assert.equal(await packed.text(), plain)
    assert.equal(gunzipSync(gzipSync(plain)).toString(), plain)
  })

  test('an address that is no page is not found, however it is spelled', async () => {
    for (const path of [
      '/docs/nothing',
      '/docs/constructor',
      '/docs/__proto__',
      '/docs/guide/nothing',
      '/docs/guide/..%2f..%2fpackage',
      '/docs/pictures/..%2finterface.md',
      '/docs/pictures/nothing.png',
    ])
      assert.ok([400, 404].includes((await get(await service(), path)).status), path)
    assert.equal((await get(await service(), `/docs/codes?code=${'1'.repeat(33)}`)).status, 400)
    assert.equal((await get(await service(), '/docs/codes?code=1&code=2')).status, 400)
    const gone = await (await get(await service(), '/docs/nothing')).text()
    assert.match(gone, /There is no such page.*href="\/docs"/s)
    assert.doesNotMatch(gone, /taken|<script|pay\.js/, 'its reader is no payer')
  })

  test('a picture of the guides is served under its own type', async () => {
    for (const [name, type] of Object.entries({ 'pay-wide.png': 'image/png', 'processor-time.svg': 'image/svg+xml' })) {
      const answer = await get(await service(), `/docs/pictures/${name}`)
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, type])
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    }
  })

  test('/docs/codes has every row of section 7, and one code alone when it is asked for', async () => {
    const rows = Object.values(resultCodes).flatMap((table) => Object.values(table))
    const text = codesPage(readSources()).body
    const all = elements((text as { text: string }).text).filter(({ tagName }) => tagName === 'tr').length - 1
    assert.ok(all >= 349 && rows.length > 300, `${all} rows, ${rows.length} codes`)
    const one = await (await get(await service(), '/docs/codes?code=330')).text()
    const cells = elements(one).filter(({ tagName }) => tagName === 'tr').length - 1
    assert.ok(cells >= 1 && cells < 10, `${cells} rows of 330`)
    assert.match(one, /href="\/docs\/orderStatus"/)
    assert.match(await (await get(await service(), '/docs/codes?code=%3Cscript%3E')).text(), /No operation answers this code/)
  })

  test('a try is signed, sent as it is shown, and what it answers leads on', async () => {
    const orderId = 'DOCS_1'
    const response = await tries(await service(), 'createOrder', { orderId, body: JSON.stringify(operations.createOrder.sample.body) })
    const text = await response.text()
    assert.match(text, /Answer: HTTP 200/)
    assert.match(text, /&#34;resultCode&#34;: &#34;0000&#34;/)
    assert.match(text, /POST \/aoa-acquiring-biz\/v2\/order\?mid=DEMO0000000000000001&#38;orderId=DOCS_1/)
    const token = /name="txnToken" value="([0-9a-zA-Z]+)"/.exec(text)![1]!
    const paid = await (
      await tries(await service(), 'processTransaction', {
        orderId,
        txnToken: token,
        body: JSON.stringify(operations.processTransaction.sample.body),
      })
    ).text()
    assert.match(paid, /TXN_SUCCESS/)
    for (const each of [text, paid]) assert.match(each, /action="\/docs\/orderStatus"/, 'Order Status is what every server asks next')
    const txnId = /name="txnId" value="(\d+)"/.exec(paid)![1]!
    const refund = await (
      await tries(await service(), 'applyRefund', { orderId, txnId, refId: 'R1', body: JSON.stringify(operations.applyRefund.sample.body) })
    ).text()
    assert.match(refund, /&#34;601&#34;/)
    const signed = await (await service()).signed('/v3/order/status', { mid: MID, orderId })
    assert.equal(signed.body.resultInfo.resultStatus, 'TXN_SUCCESS')
    assert.equal(signed.body.refundAmt, '499.00')
  })

  test('a refused try shows the hint, and a body that is no JSON is answered by the operation', async () => {
    const wrong = await (
      await tries(await service(), 'createOrder', {
        orderId: 'DOCS_2',
        body: JSON.stringify({ ...operations.createOrder.sample.body, txnAmount: { value: '0.00', currency: 'INR' } }),
      })
    ).text()
    assert.match(wrong, /Mohur-Hint: .*txnAmount/)
    const broken = await (await tries(await service(), 'createOrder', { orderId: 'DOCS_2', body: '{"mid":' })).text()
    assert.match(broken, /Answer: HTTP 200/)
    assert.match(broken, /&#34;resultStatus&#34;: &#34;F&#34;/)
  })

  test('nothing is tried from another site, for another merchant, of 64 KiB or with a field twice', async () => {
    const at = await service()
    const orderId = 'DOCS_3'
    const body = JSON.stringify(operations.createOrder.sample.body)
    for (const site of ['cross-site', 'same-site', 'none', ''])
      for (const operation of ['createOrder', 'checksum'])
        assert.equal(
          (await tries(at, operation, { orderId, body }, { ...FORM, 'sec-fetch-site': site })).status,
          403,
          `${operation}, ${site}`,
        )
    const { 'sec-fetch-site': _, ...bare } = FORM
    const strange = await tries(at, 'createOrder', { orderId, body }, bare)
    assert.equal(strange.status, 403)
    assert.match(await strange.text(), /came from another site/)
    const foreign = await (await tries(at, 'createOrder', { orderId, body: body.replace(SAMPLE_MID, 'OTHER000000000000001') })).text()
    assert.match(foreign, /This page signs only for DEMO0000000000000001/)
    assert.equal((await tries(at, 'createOrder', { orderId, body: body + ' '.repeat(70_000) })).status, 413)
    const twice = await fetch(`${at.url}/docs/createOrder`, {
      method: 'POST',
      headers: FORM,
      body: `send=1&orderId=${orderId}&orderId=${orderId}`,
    })
    assert.equal(twice.status, 400)
    assert.equal((await tries(at, 'nothing', {})).status, 404)
    const status = await at.signed('/v3/order/status', { mid: MID, orderId })
    assert.equal(status.body.resultInfo.resultCode, '334', 'no order was made')
  })

  test('hostile text in every field stays text', async () => {
    const at = await service()
    const hostile = `"><script>alert(1)</script>{signature}\r\nx-evil: 1`
    for (const name of names) {
      const fields = Object.fromEntries(
        ['orderId', 'txnToken', 'txnId', 'refId', 'subscriptionId', 'ssoToken', 'otp'].map((each) => [each, hostile]),
      )
      const response = await tries(at, name, { ...fields, body: JSON.stringify(operations[name].sample.body ?? {}) })
      assert.ok(response.status < 500, `${name}: ${response.status}`)
      assert.deepEqual(
        elements(await response.text()).filter(({ tagName }) => tagName === 'script'),
        [],
        name,
      )
    }
    const page = await (await tries(at, 'checksum', { sent: hostile, key: hostile, signature: hostile })).text()
    assert.deepEqual(
      elements(page).filter(({ tagName }) => tagName === 'script'),
      [],
    )
  })

  test('the doctor names a cause, verifies what is right, and never repeats a key', async () => {
    const at = await service()
    const body = '{"mid":"DEMO0000000000000001", "orderId":"A"}'
    const { ports } = at
    const { signature } = (await ports.merchantKeys.sign(MID, undefined, body))!
    const asked = async (sent: string, key: string) => (await tries(at, 'checksum', { sent, key })).text()
    assert.match(await asked(`{"head":{"signature":"${signature}"},"body":${body}}`, SAMPLE_KEY), /Verified over/)
    assert.match(
      await asked(`{"head":{"signature":"${signature}"},"body":${body.replace(', ', ',')}}`, SAMPLE_KEY),
      /guide\/checksum#spaces/,
    )
    const wrong = 'QRSTUVWXYZ012345'
    const named = await asked(`{"head":{"signature":"${signature}"},"body":${body}}`, wrong)
    assert.match(named, /guide\/checksum#key-other/)
    for (const each of [wrong, SAMPLE_KEY]) assert.ok(!named.includes(each), 'a key stands in the page')
  })
})

describe('the pages of /docs in production', () => {
  const MASTER = Buffer.alloc(32, 7).toString('base64')
  const production = { MOHUR_MODE: 'production', MOHUR_MASTER_KEY: MASTER, MOHUR_PUBLIC_URL: 'https://pay.example' }

  test('are not there unless the operator wants them, and then no key is used', async () => {
    const without = await startService('sqlite', { env: production, world: demoWorld })
    assert.equal((await get(without, '/docs')).status, 404)
    await without.close()
    const at = await startService('sqlite', { env: { ...production, MOHUR_DOCS: 'on' }, world: demoWorld })
    try {
      for (const path of ['/docs', '/docs/createOrder', '/docs/codes', '/docs/guide/operating/watch']) {
        const response = await get(at, path)
        const text = await response.text()
        assert.equal(response.status, 200, path)
        assert.deepEqual(
          elements(text).filter(({ tagName, attrs }) => tagName === 'form' && !attrs.some(({ value }) => value === 'get')),
          [],
          path,
        )
        assert.ok(!text.includes('href="/docs/checksum"'), path)
      }
      assert.equal((await get(at, '/docs/checksum')).status, 404)
      assert.ok([404, 405].includes((await tries(at, 'createOrder', { orderId: 'A', body: '{}' })).status))
      assert.ok([404, 405].includes((await tries(at, 'checksum', { sent: '{}', key: 'K' })).status))
    } finally {
      await at.close()
    }
  })
})
