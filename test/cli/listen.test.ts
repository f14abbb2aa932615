// `mohur listen`: its verdict on notifications, on callbacks, and on requests that are neither.

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { render, webhookHeaders } from '../../src/adapters/delivery/render.ts'
import { receiver } from '../../src/cli/listen.ts'
import { SystemClock } from '../../src/engine/clock.ts'
import { sign } from '../../src/interface/checksum.ts'
import { contentOf, SECRET } from '../support/notifications/receiver.ts'
import { KEY, MID } from '../support/run/service.ts'

const lines: string[] = []
const server = receiver({ key: KEY, secret: SECRET }, new SystemClock(), (line) => lines.push(line))
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
after(() => server.close())
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const ID = `${MID}:O1:merchant:1`
const now = () => Date.now()

async function sent(body: string, headers: Record<string, string>, path = '/notify') {
  const response = await fetch(url + path, { method: 'POST', headers, body })
  return { status: response.status, line: lines.pop() }
}
const rendered = (form: 'json' | 'classic', key = KEY) => render(form, contentOf(MID, 'O1', 7), async (data) => sign(data, key, 'a+/9'))

test('either form is verified by its checksum and by its webhook headers, and shown in one line', async () => {
  for (const form of ['json', 'classic'] as const) {
    const { body, contentType } = await rendered(form)
    assert.deepEqual(await sent(body, { 'content-type': contentType, ...webhookHeaders(SECRET, ID, now(), body) }), {
      status: 200,
      line: 'notification SALE order O1 Rs 7.00 TXN_SUCCESS 01: checksum verified, webhook-signature verified',
    })
  }
})

test('a notification that was changed, signed by another, or long ago is not verified', async () => {
  const { body, contentType } = await rendered('json')
  const type = { 'content-type': contentType }
  const changed = body.replace('7.00', '8.00')
  const other = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
  for (const [text, headers, expected] of [
    [changed, webhookHeaders(SECRET, ID, now(), changed), /: checksum WRONG, webhook-signature verified$/],
    [changed, webhookHeaders(SECRET, ID, now(), body), /: checksum WRONG, webhook-signature WRONG/],
    [body, webhookHeaders(other, ID, now(), body), /: checksum verified, webhook-signature WRONG/],
    [body, { ...webhookHeaders(SECRET, ID, now(), body), 'webhook-id': 'another' }, /webhook-signature WRONG/],
    [body, webhookHeaders(SECRET, ID, now() - 600_000, body), /webhook-signature WRONG \(it was signed at another time than now\)$/],
    [body, {}, /: checksum verified, webhook-signature MISSING$/],
    [`{"head":{},"body":${JSON.stringify(contentOf(MID, 'O1', 7))}}`, {}, /: checksum MISSING, webhook-signature MISSING$/],
  ] as const) {
    const { status, line } = await sent(text, { ...type, ...headers })
    assert.match(line!, expected)
    assert.equal(status, 200)
  }
  const { body: form } = await rendered('classic', 'BCDEFGHIJKLMNOPQ')
  const typeOfForm = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.match((await sent(form, typeOfForm)).line!, /checksum WRONG/)
  assert.match((await sent(`${(await rendered('classic')).body}&TXNAMOUNT=8.00`, typeOfForm)).line!, /checksum WRONG/)
})

test('a callback is a form with a checksum and no webhook headers', async () => {
  const { body } = await rendered('classic')
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.match((await sent(body, type, '/callback?from=browser')).line!, /^callback SALE order O1 .*: checksum verified$/)
  assert.match((await sent('ORDERID=O1&STATUS=PENDING', type, '/callback')).line!, /^callback order O1 PENDING: checksum MISSING$/)
})

test('requests that no service sends are answered too: no body, no JSON, control characters, too much of it, another method', async () => {
  for (const body of ['', '{', '[]', '{"head":{},"body":7}', '{"head":null,"body":{}}', '\0\0'])
    assert.match((await sent(body, { 'content-type': 'application/json' })).line!, /^notification .*(cannot be read|order \?)/)
  const { line } = await sent(JSON.stringify({ head: {}, body: { orderId: '\u001b[2J\n', status: 'x'.repeat(5_000) } }), {})
  assert.match(line!, /^[ -~]{1,300}$/)
  const flood = await sent('x'.repeat(64 * 1024 + 1), {}).catch(() => undefined)
  assert.ok(flood === undefined || flood.status === 413, 'the connection is closed, with 413 or before it can be read')
  assert.equal((await fetch(url)).status, 405)
  assert.deepEqual(lines, [])
})
