// The flat form of Order Status as shops' kits and plugins write it (docs/interface.md section 4.12). A shop whose request cannot be read
// must not read that its order failed. A signature that a browser carries asks nothing.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import type { OperationLine } from '../../../src/http/handler.ts'
import { receiver } from '../../support/notifications/receiver.ts'
import { cancelCallbacks } from '../../support/pages/cancels.ts'
import { CARD, createOrder, pay } from '../../support/paying/paying.ts'
import { serveProcess } from '../../support/run/process.ts'
import { KEY, MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const paytmChecksum = createRequire(import.meta.url)('paytmchecksum') as {
  generateSignature(data: string | object, key: string): Promise<string>
}

const PATHS = ['/order/status', '/merchant-status/getTxnStatus', '/oltp/HANDLER_INTERNAL/getTxnStatus']
const MEMBERS = [
  ...['TXNID', 'BANKTXNID', 'ORDERID', 'TXNAMOUNT', 'TXNTYPE', 'GATEWAYNAME', 'BANKNAME', 'MID', 'PAYMENTMODE', 'REFUNDAMT'],
  ...['TXNDATE', 'SUBS_ID', 'MERC_UNQ_REF', 'STATUS', 'RESPCODE', 'RESPMSG'],
]

interface Sent {
  method?: 'GET' | 'POST' | 'HEAD' | 'PUT'
  path?: string
  /** The query exactly as it is sent, because clients differ in what they encode. */
  query?: string
  type?: string
  body?: string
  /** Keeps the connection for the next request. */
  agent?: Agent
}

async function send({ url }: Pick<Service, 'url'>, { method = 'POST', path = PATHS[1]!, query, type, body, agent }: Sent) {
  const { hostname, port } = new URL(url)
  const headers = {
    ...(type !== undefined && { 'content-type': type }),
    ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
  }
  return new Promise<{ status: number; text: string; headers: Record<string, unknown>; flat: Record<string, string> }>(
    (resolve, reject) => {
      const asked = request(
        { hostname, port, method, path: query === undefined ? path : `${path}?${query}`, headers, agent: agent ?? false },
        (reply) => {
          const parts: Buffer[] = []
          reply.on('data', (part) => parts.push(part))
          reply.on('end', () => {
            const text = Buffer.concat(parts).toString()
            const flat = text.startsWith('{') ? JSON.parse(text) : {}
            resolve({ status: reply.statusCode!, text, headers: reply.headers, flat })
          })
        },
      )
      asked.on('error', reject)
      asked.end(body)
    },
  )
}

const question = async (orderId: string, more: Record<string, string> = {}): Promise<Record<string, string>> => {
  const members = { MID, ORDERID: orderId, ...more }
  return { ...members, CHECKSUMHASH: await paytmChecksum.generateSignature({ ...members }, KEY) }
}

/** A checksum with a plus sign, a slash and an equals sign, which encodings can spoil. */
async function awkward(orderId: string): Promise<Record<string, string>> {
  for (;;) {
    const asked = await question(orderId)
    if (asked['CHECKSUMHASH']!.includes('+') && asked['CHECKSUMHASH']!.includes('/')) return asked
  }
}

const encoded = (asked: Record<string, string>) => ({ ...asked, CHECKSUMHASH: encodeURIComponent(asked['CHECKSUMHASH']!) })
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
const raw = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map((field) => field.join('='))
    .join('&')
const FORM = 'application/x-www-form-urlencoded'

/** How kits and plugins write a query. Only the writing differs. */
const WRITINGS: Readonly<Record<string, (asked: Record<string, string>) => Sent>> = {
  JSON: (asked) => ({ type: 'application/json', body: JSON.stringify(asked) }),
  'JSON under no content type': (asked) => ({ body: JSON.stringify(asked) }),
  'JSON under that of a form': (asked) => ({ type: FORM, body: JSON.stringify(asked) }),
  'JSON under one that is none': (asked) => ({ type: 'json', body: JSON.stringify(asked) }),
  'JSON with escaped slashes': (asked) => ({ type: 'application/json', body: JSON.stringify(asked).replaceAll('/', '\\/') }),
  'JSON whose checksum is encoded': (asked) => ({ type: 'application/json', body: JSON.stringify(encoded(asked)) }),
  'JsonData, form-encoded': (asked) => ({ type: FORM, body: form({ JsonData: JSON.stringify(asked) }) }),
  'JsonData, encoded with %20': (asked) => ({ type: FORM, body: `JsonData=${encodeURIComponent(JSON.stringify(asked, null, 1))}` }),
  'JsonData, encoded, called JSON': (asked) => ({
    type: 'application/json',
    body: `JsonData=${encodeURIComponent(JSON.stringify(asked))}`,
  }),
  'JsonData, encoded twice over for the checksum': (asked) => ({ type: FORM, body: form({ JsonData: JSON.stringify(encoded(asked)) }) }),
  'JsonData, raw': (asked) => ({ type: FORM, body: `JsonData=${JSON.stringify(asked)}` }),
  'JsonData, raw, called JSON': (asked) => ({ type: 'application/json', body: `JsonData=${JSON.stringify(asked)}` }),
  'JsonData, raw, no content type': (asked) => ({ body: `JsonData=${JSON.stringify(asked)}` }),
  'JsonData, raw with the checksum encoded': (asked) => ({ type: 'application/json', body: `JsonData=${JSON.stringify(encoded(asked))}` }),
  'plain form fields': (asked) => ({ type: `${FORM}; charset=UTF-8`, body: form(asked) }),
  'plain form fields, not encoded': (asked) => ({ type: FORM, body: raw(asked) }),
  'plain form fields with an ampersand at the end': (asked) => ({ type: FORM, body: `${form(asked)}&` }),
  'plain form fields under text/plain': (asked) => ({ type: 'text/plain', body: form(asked) }),
  'GET with JsonData, encoded': (asked) => ({ method: 'GET', query: form({ JsonData: JSON.stringify(asked) }) }),
  'GET with JsonData, only its quotes encoded': (asked) => ({
    method: 'GET',
    query: `JsonData=${JSON.stringify(asked).replaceAll('"', '%22')}`,
  }),
  'GET with JsonData, raw': (asked) => ({ method: 'GET', query: `JsonData=${JSON.stringify(asked)}` }),
  'GET with JsonData, raw with the checksum encoded': (asked) => ({ method: 'GET', query: `JsonData=${JSON.stringify(encoded(asked))}` }),
  'POST with JsonData in the query': (asked) => ({ query: form({ JsonData: JSON.stringify(asked) }), body: '' }),
  'POST of JSON beside an empty JsonData': (asked) => ({ query: 'JsonData=', body: JSON.stringify(asked) }),
}

const refusalOf = ({ status, flat }: { status: number; flat: Record<string, string> }) => {
  assert.equal(status, 200)
  assert.ok(!('STATUS' in flat), JSON.stringify(flat))
  assert.deepEqual([flat['ErrorCode'], flat['ErrorMsg']], [flat['RESPCODE'], flat['RESPMSG']])
  return flat['RESPCODE']
}

onBothStores('the flat status', (store) => {
  const service = sharedService(store)
  let paid: Promise<{ orderId: string; txnId: string }> | undefined
  const paidOrder = () => {
    paid ??= (async () => {
      const order = await createOrder(await service(), 'PAID-1', { extendInfo: { mercUnqRef: 'ref-1' } })
      const { body } = await pay(await service(), order, CARD)
      return { orderId: order.orderId, txnId: body.txnId }
    })()
    return paid
  }

  for (const [what, write] of Object.entries(WRITINGS))
    test(`a paid order is reported as paid to a query with ${what}`, async () => {
      const { orderId, txnId } = await paidOrder()
      const { status, text, flat } = await send(await service(), write(await awkward(orderId)))
      assert.equal(status, 200, text)
      assert.deepEqual([flat['STATUS'], flat['RESPCODE'], flat['TXNID'], flat['TXNAMOUNT']], ['TXN_SUCCESS', '01', txnId, '100.00'], text)
    })

  test('every path of it answers alike', async () => {
    const { orderId } = await paidOrder()
    const body = form({ JsonData: JSON.stringify(await question(orderId)) })
    const replies = await Promise.all(PATHS.map(async (path) => (await send(await service(), { path, type: FORM, body })).text))
    assert.equal(new Set(replies).size, 1, replies.join('\n'))
    assert.match(replies[0]!, /TXN_SUCCESS/)
  })

  test('a transaction type is part of what is signed', async () => {
    const { orderId } = await paidOrder()
    const asked = await question(orderId, { TXNTYPE: 'SALE' })
    assert.equal((await send(await service(), { body: JSON.stringify(asked) })).flat['STATUS'], 'TXN_SUCCESS')
    assert.equal(refusalOf(await send(await service(), { body: JSON.stringify({ ...asked, TXNTYPE: 'REFUND' }) })), '330')
    const unnamed = await question(orderId, { TXNTYPE: '' })
    assert.equal((await send(await service(), { body: form(unnamed) })).flat['STATUS'], 'TXN_SUCCESS')
    assert.equal((await send(await service(), { body: JSON.stringify({ ...unnamed, TXNTYPE: null }) })).flat['STATUS'], 'TXN_SUCCESS')
  })

  test('the order may be named as a checkout form names it, and the answer says ORDERID', async () => {
    const { orderId, txnId } = await paidOrder()
    const renamed = async (more: Record<string, string> = {}) => {
      const members = { MID, ORDER_ID: orderId, ...more }
      return { ...members, CHECKSUMHASH: await paytmChecksum.generateSignature({ ...members }, KEY) }
    }
    const reported = await send(await service(), { body: JSON.stringify(await question(orderId)) })
    for (const [what, write] of Object.entries(WRITINGS))
      assert.equal((await send(await service(), write(await renamed()))).text, reported.text, what)
    for (const path of PATHS)
      assert.equal((await send(await service(), { path, body: form(await renamed({ TXNTYPE: 'SALE' })) })).text, reported.text)
    assert.deepEqual([reported.flat['ORDERID'], reported.flat['TXNID'], 'ORDER_ID' in reported.flat], [orderId, txnId, false])
    const of = async (members: object) => (await send(await service(), { body: JSON.stringify(members) })).flat
    const unknown = { MID, ORDER_ID: 'NOWHERE' }
    const signed = { ...unknown, CHECKSUMHASH: await paytmChecksum.generateSignature({ ...unknown }, KEY) }
    const { STATUS, ORDERID, RESPCODE } = await of(signed)
    assert.deepEqual([STATUS, ORDERID, RESPCODE], ['TXN_FAILURE', 'NOWHERE', '334'])
    assert.deepEqual(await of({ ...signed, ORDER_ID: '!' }), { ...(await of({ ...signed, ORDER_ID: undefined, ORDERID: '!' })) })
  })

  test('a query with both names of the order is not signed, whatever they and its checksum say', async () => {
    const { orderId } = await paidOrder()
    const { CHECKSUMHASH: ofOne } = await question(orderId)
    for (const names of [
      { ORDERID: orderId, ORDER_ID: orderId },
      { ORDERID: orderId, ORDER_ID: 'OTHER' },
      { ORDERID: 'OTHER', ORDER_ID: orderId },
      { ORDERID: orderId, ORDER_ID: '' },
    ]) {
      const ofBoth = await paytmChecksum.generateSignature({ MID, ...names }, KEY)
      for (const CHECKSUMHASH of [ofOne!, ofBoth])
        for (const body of [JSON.stringify({ MID, ...names, CHECKSUMHASH }), form({ MID, ...names, CHECKSUMHASH })])
          assert.equal(refusalOf(await send(await service(), { body })), '330', body)
    }
    for (const names of [
      { ORDERID: null, ORDER_ID: orderId },
      { ORDERID: '', ORDER_ID: orderId },
    ])
      assert.equal(refusalOf(await send(await service(), { body: JSON.stringify({ MID, ...names, CHECKSUMHASH: ofOne }) })), '334')
    for (const names of [{ ORDERID: orderId, ORDER_ID: null }])
      assert.equal(refusalOf(await send(await service(), { body: JSON.stringify({ MID, ...names, CHECKSUMHASH: ofOne }) })), '330')
  })

  test('a number counts as its text, with every digit that it was written with', async () => {
    const order = await createOrder(await service(), '20261121160012345678')
    await pay(await service(), order, CARD)
    const json = JSON.stringify(await question(order.orderId)).replace(`"${order.orderId}"`, order.orderId)
    for (const body of [json, `JsonData=${json}`, form({ JsonData: json })])
      assert.equal((await send(await service(), { body })).flat['STATUS'], 'TXN_SUCCESS', body)
  })

  test('a caller without proof of identity gets no STATUS', async () => {
    const { orderId } = await paidOrder()
    const asked = await question(orderId)
    const codeOf = async (sent: Sent) => refusalOf(await send(await service(), sent))
    const json = JSON.stringify(asked)
    const { CHECKSUMHASH: _, ...unsigned } = asked
    const forged = { ...asked, CHECKSUMHASH: await paytmChecksum.generateSignature({ MID, ORDERID: orderId }, 'PPPPPPPPPPPPPPPP') }
    const unreadable: Sent[] = [
      { body: '' },
      { body: '[]' },
      { body: 'nothing' },
      { body: json.slice(0, -1) },
      { body: `"${MID}"` },
      { body: 'JsonData=' },
      { body: `JsonData=${json.slice(1)}` },
      { body: `JsonData=${json.replaceAll('"', "'")}` },
      { body: `JsonData=${encodeURIComponent(json.replaceAll('"', "'"))}` },
      { body: `JsonData=${json}&JsonData=${json}` },
      { body: `${form({ JsonData: json })}&${form({ JsonData: json })}` },
      { body: `${form(asked)}&MID=${MID}` },
      { body: 'JsonData=%7B%zz' },
      { body: 'MID=%ff' },
      { body: json.replace(`"MID":"${MID}"`, `"MID":"${MID}","MID":"${MID}"`) },
      { body: JSON.stringify({ ...asked, ORDERID: [orderId] }) },
      { body: JSON.stringify({ ...asked, ORDERID: true }) },
      { body: JSON.stringify({ ...asked, TXNTYPE: 'A|B' }) },
      { body: form({ ...asked, TXNTYPE: 'A|B' }) },
      { method: 'GET' },
      { method: 'GET', query: 'JsonData={' },
    ]
    for (const sent of unreadable) assert.equal(await codeOf(sent), '2222', JSON.stringify(sent))
    assert.equal(await codeOf({ body: JSON.stringify({ ...asked, MID: 'NOBODY' }) }), '335')
    assert.equal(await codeOf({ body: JSON.stringify({ ORDERID: orderId }) }), '335')
    assert.equal(await codeOf({ body: JSON.stringify({ ...asked, MID: null }) }), '335')
    assert.equal(await codeOf({ body: JSON.stringify({ ...unsigned, ORDERID: '!' }) }), '334')
    assert.equal(await codeOf({ body: JSON.stringify({ MID }) }), '334')
    for (const wrong of [
      unsigned,
      forged,
      { ...asked, CHECKSUMHASH: '' },
      { ...asked, CHECKSUMHASH: 'x' },
      { ...asked, CHECKSUMHASH: '%' },
    ])
      for (const body of [JSON.stringify(wrong), form(wrong), form({ JsonData: JSON.stringify(wrong) })])
        assert.equal(await codeOf({ body }), '330', body)
  })

  test('a query with anything beside its own members is not signed, whatever its checksum covers', async () => {
    const { orderId } = await paidOrder()
    for (const more of [{ COMMENTS: '' }, { TXNAMOUNT: '100.00' }, { mid: MID }]) {
      const asked = await question(orderId, more)
      for (const body of [JSON.stringify(asked), form(asked), form({ JsonData: JSON.stringify(asked) })])
        assert.equal(refusalOf(await send(await service(), { body })), '330', body)
    }
    const asked = await question(orderId)
    assert.equal(refusalOf(await send(await service(), { body: `${form({ JsonData: JSON.stringify(asked) })}&x=1` })), '330')
  })

  test('a caller with proof of identity always gets a STATUS, and every member', async () => {
    const running = await service()
    await paidOrder()
    await createOrder(running, 'UNPAID')
    const reported = async (orderId: string) => (await send(running, { body: JSON.stringify(await question(orderId)) })).flat
    const known = await reported('PAID-1')
    assert.deepEqual(Object.keys(known).sort(), [...MEMBERS].sort())
    assert.deepEqual([known['MERC_UNQ_REF'], known['SUBS_ID']], ['ref-1', ''])
    const empty = Object.fromEntries(MEMBERS.map((name) => [name, '']))
    const expect = { ...empty, MID, STATUS: 'TXN_FAILURE' }
    assert.deepEqual(await reported('UNPAID'), { ...expect, ORDERID: 'UNPAID', RESPCODE: '331', RESPMSG: 'No record for this order' })
    assert.deepEqual(await reported('NOWHERE'), { ...expect, ORDERID: 'NOWHERE', RESPCODE: '334', RESPMSG: 'Invalid order id' })
    assert.deepEqual(await reported('not an id'), { ...expect, ORDERID: 'not an id', RESPCODE: '334', RESPMSG: 'Invalid order id' })
  })

  test('every request that is too large is refused', async () => {
    const { orderId } = await paidOrder()
    const asked = await question(orderId)
    const body = form({ JsonData: JSON.stringify({ ...asked, TXNTYPE: 'x'.repeat(1024 * 1024) }) })
    const { status, flat } = await send(await service(), { type: FORM, body })
    assert.deepEqual([status, 'STATUS' in flat], [413, false])
    assert.equal((await send(await service(), { method: 'GET', query: `JsonData=${'x'.repeat(32 * 1024)}` })).status, 431)
  })

  test('no cache on its way keeps a query by GET, and there is no HEAD', async () => {
    const { orderId } = await paidOrder()
    const query = form({ JsonData: JSON.stringify(await question(orderId)) })
    for (const path of PATHS) {
      const asked = await send(await service(), { method: 'GET', path, query })
      assert.deepEqual([asked.status, asked.headers['cache-control'], asked.flat['STATUS']], [200, 'no-store', 'TXN_SUCCESS'])
      for (const method of ['HEAD', 'PUT'] as const) {
        const { status, headers } = await send(await service(), { method, path, query })
        assert.deepEqual([status, headers['allow']], [405, 'POST, GET'], `${method} ${path}`)
      }
    }
  })

  test('operations that need a readable envelope still need application/json', async () => {
    const body = JSON.stringify({ head: {}, body: { mid: MID, orderId: 'PAID-1' } })
    assert.equal((await send(await service(), { path: '/v3/order/status', type: FORM, body })).status, 415)
    assert.equal((await send(await service(), { method: 'GET', path: '/v3/order/status' })).status, 405)
  })
})

/** The member by which a reply shows that an operation accepted a flat message as its merchant's. */
const TAKEN: Readonly<Record<string, (flat: Record<string, string>) => boolean>> = {
  orderStatus: (flat) => 'STATUS' in flat,
  applyRefund: (flat) => 'STATUS' in flat,
}

onBothStores('a signature that a browser or a notification carries', (store) => {
  const service = sharedService(store)

  /** The fields that a payer's browser and the merchant's own server get, each with its checksum. */
  const carried = async (orderId: string, means: object) => {
    const running = await service()
    const merchant = await receiver(() => 200, { endsWithTest: false })
    const extendInfo = { mercUnqRef: 'ref', udf1: 'one' }
    const order = await createOrder(running, orderId, { peonUrl: merchant.url, callbackUrl: 'https://shop.example/back', extendInfo })
    const { body } = await pay(running, order, means)
    const page = await running.call('GET', `/transaction/return?mid=${MID}&txnId=${body.txnId}`)
    await running.tasks.runDue()
    merchant.close()
    const forms = [
      ...(body.txnInfo ? [body.txnInfo] : []),
      Object.fromEntries([...page.text.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!])),
      ...merchant.journal.map((reported) => Object.fromEntries(new URLSearchParams(reported.body))),
    ] as Record<string, string>[]
    for (const fields of forms) assert.match(fields['CHECKSUMHASH']!, /^.{108}$/, JSON.stringify(fields))
    return forms
  }

  test('asks nothing when its form is posted as it is, or as JSON', async () => {
    const forms = await carried('CB-1', CARD)
    assert.equal(forms.length, 3)
    for (const fields of forms)
      for (const sent of [
        { type: 'application/json', body: JSON.stringify(fields) },
        { type: FORM, body: form(fields) },
        { type: FORM, body: form({ JsonData: JSON.stringify(fields) }) },
      ])
        assert.equal(refusalOf(await send(await service(), sent)), '330', sent.body)
  })

  test('fits no flat operation, however its values are named and joined', async () => {
    const running = await service()
    const agent = new Agent({ keepAlive: true })
    const forms = [
      ...(await carried('CB-2', CARD)),
      ...(await carried('CB-3', { paymentMode: 'NET_BANKING', channelCode: 'HDFC' })),
      ...(await cancelCallbacks(running, 'CB-4')),
    ]
    const flat = Object.entries<OperationLine>(operations).filter(([, { flatPaths }]) => flatPaths)
    assert.deepEqual(
      flat.map(([name]) => name),
      Object.keys(TAKEN),
    )
    let tried = 0
    for (const [name, { flatPaths }] of flat)
      for (const [at, members] of forms.flatMap((fields) => [...spellings(fields)]).entries()) {
        const json = JSON.stringify(members)
        const sent = at % 2 === 0 ? { type: 'application/json', body: json } : { type: FORM, body: form({ JsonData: json }) }
        const reply = await send(running, { path: flatPaths![at % flatPaths!.length]!, agent, ...sent })
        assert.ok(!TAKEN[name]!(reply.flat), `${sent.body}: ${reply.text}`)
        tried++
      }
    agent.destroy()
    assert.ok(tried > 400, String(tried))
  })
})

/** The same checksum under other names: as received, as members of a query, and its joined values cut in every other way. */
function* spellings(fields: Record<string, string>) {
  const { CHECKSUMHASH, ...rest } = fields
  const names = Object.keys(rest).sort()
  const values = names.map((name) => rest[name]!)
  yield fields
  for (const name of ['ORDERID', 'ORDER_ID']) yield { CHECKSUMHASH: CHECKSUMHASH!, MID: rest['MID']!, [name]: rest['ORDERID']! }
  const refund = {
    MID: rest['MID']!,
    TXNID: rest['TXNID']!,
    ORDERID: rest['ORDERID']!,
    REFUNDAMOUNT: '1.00',
    TXNTYPE: 'REFUND',
    REFID: 'R1',
  }
  yield { CHECKSUM: CHECKSUMHASH!, ...refund }
  yield { CHECKSUM: CHECKSUMHASH!, ...rest, ...refund }
  // Its values as the members of a refund, the rest of them as its comments.
  yield { CHECKSUM: CHECKSUMHASH!, ...refund, COMMENTS: values.join('|') }
  yield { CHECKSUMHASH: CHECKSUMHASH!, MID: rest['MID']!, ORDERID: rest['ORDERID']!, TXNTYPE: rest['TXNTYPE'] ?? '' }
  // The same values under names that sort alike and that the callback lacks.
  yield {
    CHECKSUMHASH: CHECKSUMHASH!,
    ...Object.fromEntries(
      names.map((name, at) => [['MID', 'ORDERID'].includes(name) ? name : `${name[0]}${String(at).padStart(2, '0')}`, values[at]!]),
    ),
  }
  for (let first = 1; first < values.length; first++) {
    const MIDS = values.slice(0, first).join('|')
    for (const name of ['ORDERID', 'ORDER_ID']) yield { CHECKSUMHASH: CHECKSUMHASH!, MID: MIDS, [name]: values.slice(first).join('|') }
    for (let second = first + 1; second < values.length; second++)
      yield {
        CHECKSUMHASH: CHECKSUMHASH!,
        MID: MIDS,
        ORDERID: values.slice(first, second).join('|'),
        TXNTYPE: values.slice(second).join('|'),
      }
  }
}

test('no log contains the query of a GET', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-flat-'))
  const running = await serveProcess({ MOHUR_DATA: folder, MOHUR_LOG: 'debug' })
  try {
    const asked = await question('NAMED-IN-LOGS', { TXNTYPE: 'SEEN-IN-NO-LOG' })
    for (const query of [
      form({ JsonData: JSON.stringify(asked) }),
      `JsonData=${JSON.stringify(asked)}`,
      'JsonData={SEEN-IN-NO-LOG',
      '%zz=SEEN-IN-NO-LOG',
    ])
      for (const path of [...PATHS, '/order//status']) assert.equal((await send(running, { method: 'GET', path, query })).status, 200)
  } finally {
    await running.kill('SIGTERM')
    rmSync(folder, { recursive: true })
  }
  const log = running.log().toString()
  assert.match(log, /orderStatus/)
  assert.match(log, /"orderId":"NAMED-IN-LOGS"/, 'whose order it was')
  assert.doesNotMatch(log, /SEEN-IN-NO-LOG|JsonData|CHECKSUMHASH/)
})
