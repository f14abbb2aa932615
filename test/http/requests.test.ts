// What every request has: its own id in its reply and in the log, one spelling of the operators' paths, one host (docs/interface.md section
// 4).

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { operations } from '../../src/api/operations.ts'
import { joinedValues, sign } from '../../src/interface/checksum.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { type ServedProcess, serveProcess } from '../support/run/process.ts'
import { KEY, MID } from '../support/run/service.ts'

const CREATE = operations.createOrder.paths[0]
const OWN_FORM = /^[A-Za-z0-9_-]{16}$/
const CARD = '4111111111111111'
const STANDS_STILL_MS = 5_000

const folder = mkdtempSync(join(tmpdir(), 'mohur-requests-'))
let served: Promise<ServedProcess> | undefined
const service = () => {
  served ??= serveProcess({ MOHUR_DATA: folder, MOHUR_LOG: 'debug' })
  return served
}
after(async () => {
  await (await served)?.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

interface Said {
  status: number
  headers: string
  body: string
}
/** Sends these bytes, and returns what came back before the connection was closed. */
async function raw(bytes: string): Promise<Said> {
  const { url } = await service()
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.end(Buffer.from(bytes, 'latin1'))
  let text = ''
  for await (const part of socket.setEncoding('latin1')) text += part
  const [headers = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(headers.split(' ')[1] ?? 0), headers, body }
}
const idOf = ({ headers }: Said) => /^x-request-id: (.*)$/im.exec(headers)?.[1]
const get = (path: string, ...headers: string[]) =>
  raw(`${[`GET ${path} HTTP/1.1`, 'Host: mohur', ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`)

const orderText = (orderId: string, key = KEY) => {
  const body = JSON.stringify(orderBody(orderId))
  return `{"head":{"signature":"${sign(body, key, 'Ab3=')}"},"body":${body}}`
}
async function create(orderId: string, { id, key, query = orderId }: { id?: string; key?: string; query?: string } = {}) {
  const { url } = await service()
  const reply = await fetch(`${url}${CREATE}?mid=${MID}&orderId=${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(id !== undefined && { 'x-request-id': id }) },
    body: orderText(orderId, key),
  })
  const { body } = (await reply.json()) as { body: { resultInfo: { resultCode: string } } }
  return { code: body.resultInfo.resultCode, id: reply.headers.get('x-request-id') }
}

interface LogLine {
  msg: string
  request?: string
  alike?: number
  [field: string]: unknown
}
const linesIn = (log: Buffer) =>
  log
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine)

/** The log's lines, once the awaited ones are there: they come through a pipe, a moment after the reply. */
async function logged(enough: (lines: LogLine[]) => boolean, from = 0): Promise<LogLine[]> {
  for (let tries = 0; ; tries++) {
    const lines = linesIn((await service()).log().subarray(from))
    if (enough(lines) || tries === 200) return lines
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
async function lastLineOf(id: string): Promise<LogLine | undefined> {
  const own = ({ request }: LogLine) => request === id
  const lines = await logged((all) => all.some((line) => own(line) && line.msg !== 'begun'))
  return lines.findLast(own)
}

test('every reply has the id of its request, by the name that the request brought', async () => {
  const { url } = await service()
  const id = 'shop-7.order_12345'
  const headers = { 'x-request-id': id }
  const json = { ...headers, 'content-type': 'application/json' }
  const replies = [
    fetch(`${url}/healthz`, { headers }),
    fetch(`${url}/metrics`, { headers }),
    fetch(`${url}/sandbox/clock`, { headers }),
    fetch(`${url}/nowhere`, { headers }),
    fetch(`${url}/%zz`, { headers }),
    fetch(`${url}${CREATE}`, { headers }),
    fetch(`${url}${CREATE}`, { method: 'POST', headers: json, body: '{}' }),
    fetch(`${url}${CREATE}`, { method: 'POST', headers, body: 'a' }),
    fetch(`${url}${CREATE}`, { method: 'POST', headers: json, body: 'x'.repeat(65 * 1024) }),
    fetch(`${url}/user/details`, { headers }),
    fetch(`${url}/transaction/return`, { headers }),
  ]
  for (const reply of await Promise.all(replies)) {
    assert.equal(reply.headers.get('x-request-id'), id, reply.url)
    await reply.text()
  }
})

test('an id that cannot be kept is replaced, and refuses nothing', async () => {
  const bad = [
    undefined,
    '',
    'short-7',
    'x'.repeat(65),
    'x'.repeat(10 * 1024),
    CARD,
    `order-${CARD}`,
    '4111-1111-1111-1111',
    '4111_1111.1111-1111',
    '4111--1111._1111__1111',
    '1234567890123',
    'two words 12',
    'r\u00e9quest-12345',
    'a"b\\c{d}e;f=g',
    `<script>alert(1)</script>`,
  ]
  const own = new Set<string>()
  for (const given of bad) {
    const said = await get('/healthz', ...(given === undefined ? [] : [`X-Request-ID: ${given}`]))
    assert.equal(said.status, 200, String(given).slice(0, 70))
    assert.match(idOf(said) ?? '', OWN_FORM, String(given).slice(0, 70))
    own.add(idOf(said)!)
  }
  const twice = await get('/healthz', 'X-Request-ID: shop-7.order-1', 'X-Request-ID: shop-7.order-2')
  assert.equal(twice.status, 200)
  assert.match(idOf(twice) ?? '', OWN_FORM)
  assert.equal(own.size, bad.length)
  assert.equal((await create('NAMED1', { id: CARD })).code, '0000')
  const log = (await service()).log().toString()
  for (const given of [
    CARD,
    '4111-1111-1111-1111',
    '4111_1111.1111-1111',
    '4111--1111._1111__1111',
    'short-7',
    'x'.repeat(65),
    'two words',
    'r\u00e9quest',
    'alert(1)',
    'shop-7.order-1',
    'shop-7.order-2',
  ])
    assert.ok(!log.includes(given), given.slice(0, 70))
})

test('a control character in a header is refused, wherever it stands, and delays no other request', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-control-'))
  const service = await serveProcess({ MOHUR_DATA: folder })
  const { hostname, port } = new URL(service.url)
  try {
    for (let code = 0; code < 0x20; code++) {
      if (code === 0x09) continue // a tab is white space
      for (const name of ['X-Request-ID', 'Content-Length', 'Cookie']) {
        const socket = connect(Number(port), hostname).setTimeout(STANDS_STILL_MS, () => socket.destroy(new Error('no answer')))
        socket.end(`GET /healthz HTTP/1.1\r\nHost: mohur\r\n${name}: 1${String.fromCharCode(code)}2\r\nConnection: close\r\n\r\n`)
        let text = ''
        for await (const part of socket) text += part
        assert.match(text, /^HTTP\/1\.1 400 /, `${name} ${code}`)
      }
    }
    assert.equal((await fetch(`${service.url}/healthz`, { signal: AbortSignal.timeout(STANDS_STILL_MS) })).status, 200)
  } finally {
    await service.kill('SIGKILL') // a process that stands still reacts to no other signal
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a log line has the id of its request, and its merchant and order once the signature held', async () => {
  const made = await create('LOGGED1', { id: 'request-made' })
  assert.deepEqual(made, { code: '0000', id: 'request-made' })
  const done = await lastLineOf('request-made')
  assert.deepEqual([done?.msg, done?.['mid'], done?.['orderId'], done?.['code']], ['done', MID, 'LOGGED1', '0000'])
  const begun = (await logged(() => true)).find(({ request }) => request === 'request-made')
  assert.deepEqual([begun?.msg, begun?.['operation'], begun?.['orderId']], ['begun', 'createOrder', undefined])

  for (const [orderId, id, code, options, mid] of [
    ['LOGGED1', 'request-again', '324', {}, MID],
    ['LOGGED2', 'request-forged', '2005', { key: 'BCDEFGHIJKLMNOPQ' }, undefined],
    ['LOGGED3', 'request-differs', '2014', { query: 'LOGGED4' }, undefined],
  ] as const) {
    assert.equal((await create(orderId, { id, ...options })).code, code)
    const line = await lastLineOf(id)
    assert.deepEqual([line?.msg, line?.['mid'], line?.['orderId'], line?.['code']], ['refused', mid, mid && orderId, code])
  }
})

test('a flat refund too is logged with its merchant and order once its checksum held', async () => {
  const { url } = await service()
  for (const [id, key, mid] of [
    ['request-flat', KEY, MID],
    ['request-flat-forged', 'BCDEFGHIJKLMNOPQ', undefined],
  ] as const) {
    const refund = { MID, ORDERID: 'FLAT-LOGGED', TXNID: '1', REFID: 'R1', REFUNDAMOUNT: '1.00', TXNTYPE: 'REFUND' }
    const body = JSON.stringify({ ...refund, CHECKSUM: sign(Object.values(refund).join('|'), key, 'Ab3=') })
    const path = '/refund/HANDLER_INTERNAL/REFUND'
    await (await fetch(url + path, { method: 'POST', headers: { 'x-request-id': id }, body })).text()
    const line = await lastLineOf(id)
    assert.deepEqual([line?.msg, line?.['mid'], line?.['orderId']], ['refused', mid, mid && refund.ORDERID])
  }
})

test('a flat query too is logged with its merchant and order, and never with a text that can be no order id', async () => {
  const { url } = await service()
  await create('UNPAID1')
  for (const [id, ORDERID, key, reported] of [
    ['question-flat', 'UNPAID1', KEY, ['331', MID, 'UNPAID1']],
    ['question-flat-form', 'no order id', KEY, ['334', MID, undefined]],
    ['question-flat-forged', 'LOGGED-FLAT', 'BCDEFGHIJKLMNOPQ', ['330', undefined, undefined]],
  ] as const) {
    const body = JSON.stringify({ MID, ORDERID, CHECKSUMHASH: sign(joinedValues({ MID, ORDERID }), key, 'Ab3=') })
    await (await fetch(`${url}/order/status`, { method: 'POST', headers: { 'x-request-id': id }, body })).text()
    const line = await lastLineOf(id)
    assert.deepEqual([line?.['code'], line?.['mid'], line?.['orderId']], reported)
  }
})

test('a plugin that registers a notification URL is logged with its merchant, once its checksum held', async () => {
  const { url } = await service()
  const queryParam = 'notificationUrls'
  const body = JSON.stringify({ mid: MID, queryParam, paymentNotificationUrl: 'https://shop.example/notify' })
  for (const [id, key, reported] of [
    ['register-barred', KEY, ['E_403', MID]],
    ['register-forged', 'BCDEFGHIJKLMNOPQ', ['E_401', undefined]],
  ] as const) {
    const headers = { 'content-type': 'application/json', 'x-request-id': id, 'x-checksum': sign(body, key, 'Ab3=') }
    await (await fetch(`${url}/api/v1/external/putMerchantInfo`, { method: 'PUT', headers, body })).text()
    const line = await lastLineOf(id)
    assert.deepEqual([line?.['code'], line?.['mid']], reported)
  }
})

test("the operators' paths have no second spelling, and operations may have two slashes", async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/sandbox/clock', '/metrics?x=//'])
    assert.equal((await get(path)).status, 200, path)
  const others = ['//metrics', '/metric%73', '/%6Detrics', '//healthz', '/health%7a', '//readyz', '/ready%7A', '///metrics', '/metrics#a']
  const sandbox = [
    '//sandbox/clock',
    '/sandbox//clock',
    '/%73andbox/clock',
    '/sandbox/cloc%6B',
    'http://mohur/sandbox/clock',
    'http://mohur/metrics',
  ]
  for (const path of [...others, ...sandbox]) {
    const said = await get(path)
    assert.equal(said.status, 404, path)
    assert.match(said.body, /"SVE-003"/)
  }
  const { url } = await service()
  const body = orderText('SLASHES1')
  const reply = await fetch(`${url}/${CREATE}?mid=${MID}&orderId=SLASHES1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  assert.match(await reply.text(), /"resultCode":"0000"/)
})

test('a request with two hosts, or of HTTP/0.9, is refused', async () => {
  assert.equal((await get('/healthz', 'Host: other')).status, 400)
  assert.equal((await get('/healthz', 'host: mohur')).status, 400)
  for (const start of [
    'GET /healthz\r\n\r\n',
    'GET /healthz HTTP/0.9\r\nHost: mohur\r\n\r\n',
    'GET /healthz HTTP/2.0\r\nHost: mohur\r\n\r\n',
  ]) {
    const said = await raw(start)
    assert.notEqual(said.status, 200, start)
    assert.ok(!said.body.includes('"ok"'), start)
  }
  assert.equal((await raw('GET /healthz HTTP/1.0\r\n\r\n')).status, 200)
})

test('a flood of one refusal is one line in a second, and a count', async () => {
  const from = (await service()).log().length
  const sent = 40
  const started = performance.now()
  await Promise.all(Array.from({ length: sent }, (_, at) => create(`FLOOD${at}`, { key: 'BCDEFGHIJKLMNOPQ' })))
  const refused = (lines: LogLine[]) => lines.filter(({ msg }) => msg === 'refused')
  const counted = (lines: LogLine[]) =>
    refused(lines).reduce((sum, { alike = 0, request }) => sum + alike + (request === undefined ? 0 : 1), 0)
  const lines = await logged((all) => counted(all) >= sent, from)
  assert.equal(counted(lines), sent)
  assert.ok(refused(lines).length <= (performance.now() - started) / 1_000 + 1, `${refused(lines).length} lines`)
})
