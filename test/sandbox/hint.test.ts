// The header that explains a refusal, in the sandbox alone (docs/sandbox.md, "Hints"). In production the replies to all causes are the
// same.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { rotateKey } from '../../src/domain/merchant/keys.ts'
import { dropKey, prepareKey } from '../../src/domain/merchant/prepared-key.ts'
import { isRefusal } from '../../src/http/request-log.ts'
import { sign } from '../../src/interface/checksum.ts'
import { type ResultCode, resultCodeTables } from '../../src/interface/result-codes.ts'
import { REASONS, RULES } from '../../src/sandbox/hints/rules.ts'
import { demoWorld, type World } from '../../src/sandbox/world.ts'
import { find, lock, type Row } from '../../src/tables/tables.ts'
import { subscription } from '../support/mandates/subscription.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { CARD, createOrder } from '../support/paying/paying.ts'
import { KEY, MID, onBothStores, type Service, sharedService, startService } from '../support/run/service.ts'

const CREATE = '/theia/api/v1/initiateTransaction'
const bodyOf = (orderId: string, mid = MID) =>
  orderBody(orderId, { requestType: 'Payment', mid, txnAmount: { value: '1.00', currency: 'INR' } })

/** With one clientId alone, another selects nothing and is no cause. */
const withTwoClients: World = {
  ...demoWorld,
  merchants: demoWorld.merchants!.map((each) => ({ ...each, keys: [...each.keys!, { clientId: 'C12', key: 'C12C12C12C12C12C' }] })),
}

/** Every cause of 2005, and one of 2006, which has one cause. */
const CHECKSUMS: Readonly<Record<string, (text: string) => { head: object; hint: string }>> = {
  'another key': (text) => ({ head: { signature: sign(text, 'PONMLKJIHGFEDCBA', 'salt') }, hint: 'key' }),
  'other bytes': (text) => ({ head: { signature: sign(`${text} `, KEY, 'salt') }, hint: 'bytes' }),
  'no base64': () => ({ head: { signature: '!'.repeat(108) }, hint: 'form' }),
  'too short': () => ({ head: { signature: 'YWJj' }, hint: 'form' }),
  'no text': () => ({ head: { signature: { a: 1 } }, hint: 'form' }),
  'base64 of anything': () => ({ head: { signature: Buffer.alloc(80, 7).toString('base64') }, hint: 'key' }),
  'an unknown clientId': (text) => ({ head: { clientId: 'C99', signature: sign(text, KEY, 'salt') }, hint: 'client' }),
}
const CARDS: Readonly<Record<string, { means: object; order?: object }>> = {
  digits: { means: { ...CARD, cardInfo: '|4111111111111112|123|122032' } },
  network: { means: { ...CARD, cardInfo: '|9000000000000001|123|122032' } },
  kind: { means: { ...CARD, paymentMode: 'DEBIT_CARD' } },
  order: { means: CARD, order: { enablePaymentMode: [{ mode: 'CREDIT_CARD', channels: ['MASTER'] }] } },
}

const wordOf = (hint: string | null) => hint?.split(';')[0] ?? null

/** Everything that a refusal reveals: its body and headers, without the parts that differ in any two replies. */
async function reported({ url }: Service, path: string, text: string) {
  const reply = await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text })
  const body = (await reply.text()).replace(/"(responseTimestamp|signature)":"[^"]*"/g, '"$1":""').replace('"clientId":"C99",', '')
  const headers = Object.fromEntries(
    [...reply.headers].filter(([name]) => !['date', 'x-request-id', 'content-length', 'mohur-hint'].includes(name)),
  )
  return { body, headers, status: reply.status, hint: wordOf(reply.headers.get('mohur-hint')), whole: reply.headers.get('mohur-hint') }
}
const askWith = (service: Service, head: object, text: string, orderId: string) =>
  reported(service, `${CREATE}?mid=${MID}&orderId=${orderId}`, `{"head":${JSON.stringify(head)},"body":${text}}`)
const payWith = (service: Service, { orderId, txnToken }: { orderId: string; txnToken: string }, means: object) =>
  reported(
    service,
    `/theia/api/v1/processTransaction?mid=${MID}&orderId=${orderId}`,
    JSON.stringify({ head: { txnToken }, body: { requestType: 'NATIVE', mid: MID, orderId, ...means } }),
  )

onBothStores('the sandbox', (store) => {
  const service = sharedService(store, { world: withTwoClients })

  test('says in a header why a checksum was refused, and nothing more', async () => {
    const text = JSON.stringify(bodyOf('HINT'))
    const replies = new Set<string>()
    for (const [what, make] of Object.entries(CHECKSUMS)) {
      const { head, hint } = make(text)
      const reply = await askWith(await service(), head, text, 'HINT')
      assert.match(reply.body, /"resultCode":"2005"/, what)
      assert.equal(reply.hint, hint, what)
      replies.add(JSON.stringify([reply.body, reply.headers, reply.status]))
    }
    assert.equal(replies.size, 1, [...replies].join('\n'))
  })

  test('goes by the keys that a clientId selects, also where a client writes it as a number or leaves it empty', async () => {
    const text = JSON.stringify(bodyOf('HINT'))
    const signature = sign(`${text} `, KEY, 'salt')
    for (const [clientId, word] of [
      [null, 'bytes'],
      ['', 'bytes'],
      ['C11', 'bytes'],
      ['C12', 'key'],
      [99, 'client'],
    ])
      assert.equal((await askWith(await service(), { clientId, signature }, text, 'HINT')).hint, word, `${clientId}`)
    const { ports, store: rows } = await service()
    const [second] = await ports.query.rows(find('merchantKeys', { equals: { mid: MID, clientId: 'C12' }, limit: 1 }))
    const row = { ...second!, retiresAt: ports.clock.realNow() - 1 }
    const change = { kind: 'update' as const, key: lock('merchantKeys', MID, 'C12', second!.generation), row }
    const write = (of: Row<'merchantKeys'>) =>
      rows.transaction((transaction) => transaction.write({ changes: [{ ...change, row: of }], events: [], tasks: [] }))
    await write(row)
    ports.merchantKeys.forget()
    assert.equal((await askWith(await service(), { clientId: 'C99', signature }, text, 'HINT')).hint, 'bytes', 'one clientId is left')
    await write(second!)
    ports.merchantKeys.forget()
  })

  test('says of a right checksum that the body was signed for something else', async () => {
    const [mid, orderId] = [MID, 'BORROWED']
    const renewal = { mid, orderId, subscriptionId: '1', txnAmount: { value: '1.00', currency: 'INR' } }
    for (const more of [{ txnDate: '16-06-2026' }, { resultInfo: {} }]) {
      const text = JSON.stringify({ ...renewal, ...more })
      const request = `{"head":{"signature":"${sign(text, KEY, 'salt')}"},"body":${text}}`
      const reply = await reported(await service(), `/subscription/renew?mid=${mid}&orderId=${orderId}`, request)
      assert.deepEqual([/"resultCode":"2005"/.test(reply.body), reply.hint], [true, 'operation'])
    }
  })

  test('says why a card was refused', async () => {
    for (const [hint, { means, order }] of Object.entries(CARDS)) {
      const made = await createOrder(await service(), `CARD-${hint}`, order)
      const reply = await payWith(await service(), made, means)
      assert.match(reply.body, /"resultCode":"312"/, hint)
      assert.equal(reply.hint, hint)
    }
    const made = await createOrder(await service(), 'CARD-bin')
    const path = `/theia/api/v1/fetchBinDetail?mid=${MID}&orderId=CARD-bin`
    const reply = await reported(await service(), path, JSON.stringify({ head: { txnToken: made.txnToken }, body: { bin: '900000' } }))
    assert.deepEqual([/"resultCode":"312"/.test(reply.body), reply.hint], [true, 'unknown'])
  })

  test('says of what has one cause the name, the place and the meaning, and nothing of a success', async () => {
    const unknown = JSON.stringify(bodyOf('HINT', 'NOBODY'))
    const reply = await reported(await service(), `${CREATE}?mid=NOBODY&orderId=HINT`, `{"head":{"signature":"x"},"body":${unknown}}`)
    assert.deepEqual([/"resultCode":"2006"/.test(reply.body), reply.hint], [true, 'unknownMid'])
    assert.match(reply.whole!, /; at mid; no merchant has this mid$/)
    assert.equal((await payWith(await service(), await createOrder(await service(), 'FINE'), CARD)).hint, null)
  })

  test('says which part of an envelope is not there', async () => {
    const causes = { empty: '', json: 'nothing', limits: '[]', head: '{"body":{}}', body: '{"head":{}}' }
    for (const [word, text] of Object.entries(causes)) {
      const reply = await reported(await service(), `${CREATE}?mid=${MID}&orderId=HINT`, text)
      assert.match(reply.body, /"resultCode":"2222"/, word)
      assert.match(reply.whole ?? '', new RegExp(`^${word}; [ -~]+$`))
    }
  })

  test('names the place that is missing, and an unsigned Order Status', async () => {
    const text = JSON.stringify(bodyOf('HINT'))
    const moved = await reported(await service(), `${CREATE}?orderId=HINT`, `{"head":{},"body":${text}}`)
    assert.equal(
      moved.whole,
      'query; at mid; send it in the query of the address: only a signed body on a path of section 4.9 can name it instead',
    )
    const asked = await reported(await service(), '/v3/order/status', JSON.stringify({ head: {}, body: { mid: MID, orderId: 'HINT' } }))
    assert.deepEqual([/"resultCode":"330"/.test(asked.body), asked.hint], [true, 'unsigned'])
    const listed = await reported(await service(), '/subscription/list/all', JSON.stringify({ head: {}, body: {} }))
    assert.match(listed.whole ?? '', /^unsigned; at head\.signature; [ -:<-~]+$/)
  })

  test('is not broken by a hostile name: the place is short, of harmless letters and on one line', async () => {
    const hostile = { ...bodyOf('HINT'), extendInfo: { ['a;\r\nset-cookie: x=1'.repeat(9)]: { a: 1 } } }
    const reply = await reported(await service(), `${CREATE}?mid=${MID}&orderId=HINT`, JSON.stringify({ head: {}, body: hostile }))
    assert.match(reply.whole ?? '', /^[A-Za-z]+; (at [A-Za-z0-9_.[\]?-]{1,40}; )?[ -:<-~]+$/)
    assert.equal(reply.headers['set-cookie'], undefined)
  })

  test('calls a key that was rotated away another key, whatever it signed', async () => {
    const { ports, clock } = await service()
    await ports.engine.submit(rotateKey, {
      mid: MID,
      clientId: 'C11',
      now: clock.now(),
      realNow: clock.realNow(),
      fresh: { key: 'PONMLKJIHGFEDCBA' },
    })
    clock.set(25 * 60 * 60_000)
    ports.merchantKeys.forget()
    const text = JSON.stringify(bodyOf('ROTATED'))
    const [old, living] = [KEY, 'PONMLKJIHGFEDCBA'].map((key) => ({ signature: sign(`${text} `, key, 'salt') }))
    for (const head of [old!, { signature: sign(text, KEY, 'salt') }])
      assert.equal((await askWith(await service(), head, text, 'ROTATED')).hint, 'key')
    assert.equal((await askWith(await service(), living!, text, 'ROTATED')).hint, 'bytes')
  })

  test('counts a prepared key as one of the merchant’s, and a dropped one as another', async () => {
    const { ports, clock } = await service()
    const of = { mid: MID, clientId: 'C11', now: clock.now(), realNow: clock.realNow() }
    const key = 'PREPAREDPREPARED'
    await ports.engine.submit(prepareKey, { ...of, fresh: { key } })
    ports.merchantKeys.forget()
    const text = JSON.stringify(bodyOf('PREPARED'))
    const head = { signature: sign(`${text} `, key, 'salt') }
    assert.equal((await askWith(await service(), head, text, 'PREPARED')).hint, 'bytes')
    await ports.engine.submit(dropKey, of)
    ports.merchantKeys.forget()
    assert.equal((await askWith(await service(), head, text, 'PREPARED')).hint, 'key')
  })
})

onBothStores('the cause of a refused checksum', (store) => {
  const service = sharedService(store, { world: withTwoClients })
  const spaced = (body: object) => JSON.stringify(body, null, 2)
  const hintOf = async (body: object, signature: string, head: object = {}) =>
    (await askWith(await service(), { ...head, signature }, JSON.stringify(body), 'HINT')).whole ?? ''

  test('stands behind the word, the place and the sentence, which stay as they were', async () => {
    const body = bodyOf('HINT')
    assert.equal(
      await hintOf(body, sign(spaced(body), KEY, 'salt')),
      'bytes; at head.signature; the key is right, but other bytes were signed: sign exactly the bytes that are sent as body; cause=spaces; say="The signed JSON has other spaces than the sent JSON: make the text once, sign it, send it."; see="/docs/guide/checksum#spaces"',
    )
    assert.match(
      await hintOf(body, sign(JSON.stringify(body), 'DEMO000000000000', 'salt')),
      /^key; at head.signature; [^;]+; cause=key-length; /,
    )
    assert.match(await hintOf(body, `${sign(spaced(body), KEY, 'salt')}\n`), /^form; at head.signature; [^;]+; cause=form,spaces; /)
    assert.match(
      await hintOf({ ...body, resultInfo: {} }, sign(JSON.stringify({ ...body, resultInfo: {} }), KEY, 'salt')),
      /^operation; at head.signature; [^;]+; cause=ours; /,
    )
  })

  test('is left out where no key of the merchant opens the signature, and where no text is found', async () => {
    const body = bodyOf('HINT')
    const ofAnotherKey = await hintOf(body, sign(JSON.stringify(body), 'PONMLKJIHGFEDCBA', 'salt'))
    assert.match(ofAnotherKey, /^key; at head.signature; [^;]+; see="\/docs\/guide\/checksum#key-other"$/)
    for (const [signature, word] of [
      [sign('another', KEY, 'salt'), 'bytes'],
      ['x', 'form'],
    ])
      assert.match(await hintOf(body, signature!), new RegExp(`^${word}; at head.signature; [^;]+$`))
    assert.match(await hintOf(body, sign(spaced(body), KEY, 'salt'), { clientId: 'C99' }), /^client; at head.signature; [^;]+$/)
  })

  test('names no value of the caller, and is never longer than 512 characters', async () => {
    const name = 'hushhush"; x=1'
    const body = { ...bodyOf('HINT'), extendInfo: { comments: 'Chai ₹/a' }, [name]: 'secret' }
    const { [name]: _, ...rest } = body
    const hints = [
      await hintOf(body, sign(JSON.stringify(rest), KEY, 'salt')),
      await hintOf(body, `${sign(`${JSON.stringify(JSON.stringify(body).replace('₹', '\\u20b9'))}\n`, KEY, 'salt')} `),
    ]
    assert.match(hints[0]!, /cause=changed/)
    for (const hint of hints) {
      assert.match(hint, /^[ -~]{1,512}$/)
      assert.doesNotMatch(hint, /hush|secret|Chai/)
    }
  })

  test('is said of an older, flat question too', async () => {
    const fields = { MID, ORDERID: 'HINT' }
    const hint = async (signature: string) =>
      (await reported(await service(), '/order/status', JSON.stringify({ ...fields, CHECKSUMHASH: signature }))).whole
    assert.match((await hint(sign(JSON.stringify(fields), KEY, 'salt'))) ?? '', /^[A-Za-z]+; [^;]+; cause=json; /)
  })
})

onBothStores('production', (store) => {
  const env = {
    MOHUR_MODE: 'production',
    MOHUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    // A card is refused before the acquirer is called.
    MOHUR_ACQUIRER_URL: 'https://127.0.0.1:1/adapter',
    MOHUR_ACQUIRER_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    MOHUR_PUBLIC_URL: 'https://pay.example',
  }
  let running: Promise<Service> | undefined
  const service = () => {
    running ??= startService(store, { world: { merchants: withTwoClients.merchants! }, env })
    return running
  }
  after(async () => (await running)?.close())

  test('answers every cause of 2005 with the same bytes and headers', async () => {
    const text = JSON.stringify(bodyOf('HINT'))
    const replies = await Promise.all(Object.values(CHECKSUMS).map(async (make) => askWith(await service(), make(text).head, text, 'HINT')))
    assert.match(replies[0]!.body, /"resultCode":"2005"/)
    for (const reply of replies) assert.deepEqual(reply, { ...replies[0]!, hint: null, whole: null })
  })

  test('answers every cause of 312 with the same bytes and headers', async () => {
    const replies = []
    for (const [hint, { means, order }] of Object.entries(CARDS))
      replies.push(await payWith(await service(), await createOrder(await service(), `CARD-${hint}`, order), means))
    assert.match(replies[0]!.body, /"resultCode":"312"/)
    for (const reply of replies) assert.deepEqual(reply, { ...replies[0]!, hint: null, whole: null })
  })
})

test('production loads nothing of it: no file that main.ts imports does', () => {
  const root = resolve(import.meta.dirname, '../../src')
  const seen = new Set<string>()
  const follow = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const [, from] of readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gm))
      follow(join(dirname(file), from!))
  }
  follow(join(root, 'main.ts'))
  assert.ok(seen.size > 80 && seen.has(join(root, 'http/server.ts')), String(seen.size))
  assert.ok(!seen.has(join(root, 'sandbox/hints/hints.ts')))
  assert.ok(!seen.has(join(root, 'interface/doctor/diagnose.ts')))
})

test('each refusal of section 7 has a rule of its own, in one line of plain letters', () => {
  const names = new Set(
    Object.values(resultCodeTables).flatMap((table) =>
      Object.values<ResultCode>(table)
        .filter(isRefusal)
        .map(({ name }) => name),
    ),
  )
  assert.deepEqual(Object.keys(RULES).toSorted(), [...names].toSorted())
  for (const [name, rule] of Object.entries({ ...RULES, ...REASONS })) {
    assert.match(rule, /^[ !-:<-~]+$/, name)
    assert.ok(rule.split(' ').length <= 30, name)
  }
})

onBothStores('a refusal that used to leave its reader alone', (store) => {
  const service = sharedService(store, { world: withTwoClients })

  test('says what to send instead, and where', async () => {
    const running = await service()
    const order = await createOrder(running, 'ALONE')
    const signed = async (path: string, body: object, head: object = {}) => {
      const text = JSON.stringify(body)
      return (await reported(running, path, `{"head":${JSON.stringify({ ...head, signature: sign(text, KEY, 'salt') })},"body":${text}}`))
        .whole
    }
    const begin = (startDate: string) =>
      signed(`/subscription/create?mid=${MID}&orderId=S_${startDate}`, subscription(`S_${startDate}`, { subscriptionStartDate: startDate }))
    const hints: Record<string, [string | null, RegExp]> = {
      'a payer account': [
        (await payWith(running, order, { paymentMode: 'UPI', payerAccount: 'nobody' })).whole,
        /at payerAccount; a UPI id as name@handle/,
      ],
      'no bank': [
        (await payWith(running, order, { paymentMode: 'NET_BANKING' })).whole,
        /^needed; at channelCode; NET_BANKING needs the code of a bank/,
      ],
      'a mid in the body alone': [
        (
          await reported(
            running,
            '/theia/api/v1/processTransaction?orderId=ALONE',
            JSON.stringify({ head: { txnToken: order.txnToken }, body: { mid: MID } }),
          )
        ).whole,
        /^query; at mid; send it in the query of the address/,
      ],
      'a day that is over': [await begin('2026-06-01'), /^invalidStartDate; .*yyyy-MM-dd, not before today/],
      'a day in another form': [await begin('15-06-2026'), /^form; at subscriptionStartDate; a day as YYYY-MM-DD/],
      'no SSO token': [
        await signed(`/subscription/list/all?mid=${MID}`, { mid: MID, custId: 'C1' }, { tokenType: 'SSO' }),
        /^missing; at head\.token; it is mandatory/,
      ],
      'no signature': [
        (await reported(running, '/v3/order/status', JSON.stringify({ head: {}, body: { mid: MID, orderId: 'ALONE' } }))).whole,
        /^unsigned; .*sign the bytes of the body/,
      ],
    }
    for (const [what, [hint, expected]] of Object.entries(hints)) assert.match(hint ?? '', expected, `${what}`)
  })
})
