// Apply Promo and Create Access Token over HTTP: one row per row of docs/interface.md section 7, in order of precedence. Each row has its
// own fault and all those of the rows below.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Query } from '../../../src/engine/decision.ts'
import type { Store } from '../../../src/engine/store.ts'
import { sign } from '../../../src/interface/checksum.ts'
import { applyPromo as applyCodes, createAccessToken as tokenCodes } from '../../../src/interface/result-codes.ts'
import { look } from '../../../src/tables/tables.ts'
import {
  APPLY,
  type Asked,
  accessTokenOf,
  apply,
  IDLE_MID,
  OTHER_KEY,
  OTHER_MID,
  promoAsked,
  promotionWorld,
  send,
  TOKEN,
  tokenAsked,
} from '../../support/paying/promotions.ts'
import { KEY, MID, onBothStores, type Reply, sharedService, startService } from '../../support/run/service.ts'
import { commitUnknown, type Faults, withFaults } from '../../support/store/faults.ts'

const world = promotionWorld([{ promocode: 'TEN', percent: '10' }])
const WRONG_SIGNATURE = `${'A'.repeat(107)}=`

type Row = [broken: string, breaks: (asked: Asked) => void, code: string, message?: string]
/** The request with the faults of one row and of all below it. The higher row is applied last, so it wins where both change one member. */
function brokenFrom(rows: readonly Row[], at: number, asked: Asked): Asked {
  const request = structuredClone(asked)
  for (const [, breaks] of rows.slice(at).toReversed()) breaks(request)
  return request
}
const resultOf = ({ status, body }: Reply) => [status, body.resultInfo.resultCode, body.resultInfo.resultStatus, body.resultInfo.resultMsg]

const firstOption = ({ body }: Asked) => (body['paymentOptions'] as Record<string, unknown>[])[0]!
const promoRows: readonly Row[] = [
  ['no mid in the query', ({ query }) => delete query['mid'], '1001'],
  ['no channelId', ({ head }) => delete head['channelId'], '1001'],
  ['no tokenType', ({ head }) => delete head['tokenType'], '1001'],
  ['no token', ({ head }) => (head['token'] = null), '1001'],
  ['no mid in the body', ({ body }) => delete body['mid'], '1001'],
  ['no paymentOptions', ({ body }) => (body['paymentOptions'] = []), '1001'],
  ['no totalTransactionAmount', ({ body }) => (body['totalTransactionAmount'] = ''), '1001'],
  ['an option without an amount', (asked) => (firstOption(asked)['transactionAmount'] = null), '1001'],
  ['an option without a payMethod', (asked) => delete firstOption(asked)['payMethod'], '1001'],
  ['another mid in the query', ({ query }) => (query['mid'] = OTHER_MID), '1001', 'Invalid mid'],
  ['a channelId of apps', ({ head }) => (head['channelId'] = 'APP'), '1001'],
  ['a custId with a sign that only orders take', ({ body }) => (body['custId'] = 'a=b'), '1001'],
  ['a total that is not the sum', ({ body }) => (body['totalTransactionAmount'] = '1000.01'), '1001'],
  ['a wrong signature', ({ head }) => (head['token'] = WRONG_SIGNATURE), '2005'],
  [
    'a merchant without a live promotion',
    ({ query, body }) => {
      query['mid'] = IDLE_MID
      body['mid'] = IDLE_MID
    },
    '1012',
  ],
]

onBothStores('apply promo', (store) => {
  const service = sharedService(store, { world })

  for (const [at, [broken, , code, message]] of promoRows.entries()) {
    test(`${broken} answers ${code}`, async () => {
      const wanted = Object.values(applyCodes).find((row) => row.code === code)!
      const reply = await apply(await service(), brokenFrom(promoRows, at, promoAsked()))
      assert.deepEqual(resultOf(reply), [200, code, 'F', message ?? wanted.message])
      assert.deepEqual(Object.keys(reply.body), ['resultInfo'])
      assert.deepEqual(Object.keys(reply.head), ['requestId', 'responseTimestamp', 'version'])
    })
  }

  test('bytes that are no envelope answer 1001', async () => {
    const { post } = await service()
    for (const text of ['', '{', '[]', '{"head":{},"body":[]}', '{"body":{}}', '{"head":{},"head":{},"body":{}}'])
      assert.deepEqual(resultOf(await post(`${APPLY}?mid=${MID}`, text)), [200, '1001', 'F', applyCodes.invalidField.message])
  })

  const wrong: [what: string, breaks: (asked: Asked) => void][] = [
    ['tokenType', ({ head }) => (head['tokenType'] = 'AES')],
    ['version', ({ head }) => (head['version'] = 'v1234')],
    ['requestId', ({ head }) => (head['requestId'] = 7)],
    ['mid', ({ query, body }) => (query['mid'] = body['mid'] = 'a'.repeat(21))],
    ['custId, too long', ({ body }) => (body['custId'] = 'c'.repeat(65))],
    ['promocode, too long', ({ body }) => (body['promocode'] = 'p'.repeat(65))],
    ['payMethod', (asked) => (firstOption(asked)['payMethod'] = 'BANK_MANDATE')],
    ['transactionAmount, a number', (asked) => (firstOption(asked)['transactionAmount'] = 1000)],
    ['transactionAmount, negative', (asked) => (firstOption(asked)['transactionAmount'] = '-1000.00')],
    ['transactionAmount, three decimals', (asked) => (firstOption(asked)['transactionAmount'] = '1000.000')],
    ['transactionAmount, digits of another script', (asked) => (firstOption(asked)['transactionAmount'] = '१०००.००')],
    ['cardNo, five digits', (asked) => (firstOption(asked)['cardNo'] = '41111')],
    ['cardNo, twenty digits', (asked) => (firstOption(asked)['cardNo'] = '4'.repeat(20))],
    ['cardNo, with spaces', (asked) => (firstOption(asked)['cardNo'] = '4111 1111 1111 1111')],
    ['cardNo, a number', (asked) => (firstOption(asked)['cardNo'] = 4111111111111111)],
    ['cardNo, an object', (asked) => (firstOption(asked)['cardNo'] = { number: '4111111111111111' })],
    ['paymentOptions, a text', ({ body }) => (body['paymentOptions'] = 'CREDIT_CARD')],
    ['paymentOptions, elements that are texts', ({ body }) => (body['paymentOptions'] = ['CREDIT_CARD'])],
    ['paymentOptions, fifty-one', ({ body }) => (body['paymentOptions'] = Array(51).fill({ transactionAmount: '0', payMethod: 'UPI' }))],
    ['cartDetails', ({ body }) => (body['cartDetails'] = ['shirt'])],
    ['price of an item', ({ body }) => (body['cartDetails'] = { items: [{ id: 'a', price: -1 }] })],
    ['cardTokenInfo', ({ body }) => (body['cardTokenInfo'] = 'token')],
  ]
  for (const [what, breaks] of wrong) {
    test(`a wrong ${what} answers 1001`, async () => {
      const asked = promoAsked()
      breaks(asked)
      assert.deepEqual(resultOf(await apply(await service(), asked)), [200, '1001', 'F', applyCodes.invalidField.message])
    })
  }

  test('2005: an unknown merchant, another key, and a body that was changed', async () => {
    const running = await service()
    const unknown = promoAsked({ query: { mid: 'NOBODY' } })
    unknown.body['mid'] = 'NOBODY'
    const changed = promoAsked({ head: { channelId: 'WEB', tokenType: 'CHECKSUM', token: sign('{}', KEY, 'a+/9') } })
    for (const asked of [unknown, promoAsked({ key: OTHER_KEY }), changed])
      assert.deepEqual(resultOf(await apply(running, asked)), [200, '2005', 'F', applyCodes.invalidChecksum.message])
  })

  test('00000000: a signed request, with the version and the requestId of its head in the reply', async () => {
    const running = await service()
    const head = { channelId: 'WAP', tokenType: 'CHECKSUM', version: 'v2', requestId: 'R-1' }
    const reply = await apply(running, promoAsked({ head }))
    assert.deepEqual(resultOf(reply), [200, '00000000', 'S', 'Success'])
    assert.deepEqual(reply.head, { requestId: 'R-1', responseTimestamp: String(running.clock.now()), version: 'v2' })
    const longest = '😀'.repeat(255)
    assert.equal((await apply(running, promoAsked({ head: { ...head, requestId: longest } }))).head.requestId, longest)
    const drawn = await apply(running, promoAsked())
    assert.match(drawn.head.requestId, /^[0-9a-f]{32}$/)
    assert.equal(drawn.head.version, 'v1')
  })
})

onBothStores('apply promo with an access token', (store) => {
  const service = sharedService(store, { world })

  test('a token may try sixty codes a minute that earn nothing; other tokens, blank codes and the merchant go on', async () => {
    const running = await service()
    const tryCode = async (referenceId: string, token: unknown, promocode: string | undefined) => {
      const asked = promoAsked({ query: { mid: MID, referenceId }, head: { channelId: 'WEB', tokenType: 'ACCESS', token } })
      return (await apply(running, { ...asked, body: { ...asked.body, promocode } })).status
    }
    const [guesser, other] = [await accessTokenOf(running, 'GUESSER-01'), await accessTokenOf(running, 'GUESSER-02')]
    const madeUp = await Promise.all(Array.from({ length: 70 }, () => tryCode('GUESSER-01', 'MADE-UP', 'GUESS')))
    assert.deepEqual([...new Set(madeUp)], [200], 'a made-up token takes no place')
    for (let at = 0; at < 70; at++) assert.equal(await tryCode('GUESSER-02', other, 'TEN'), 200, 'a code that earns takes no place')
    const statuses = await Promise.all(Array.from({ length: 130 }, (_, at) => tryCode('GUESSER-01', guesser, `GUESS${at}`)))
    const refused = statuses.filter((status) => status === 429).length
    assert.ok(refused >= 10 && refused <= 70, String(refused)) // 70, unless the minute changed in between
    assert.equal(await tryCode('GUESSER-01', guesser, undefined), 200)
    assert.equal(await tryCode('GUESSER-02', other, 'GUESS'), 200)
    const signed = promoAsked()
    assert.equal((await apply(running, { ...signed, body: { ...signed.body, promocode: 'GUESS' } })).status, 200)
  })
  const withToken = (token: unknown, referenceId: string | undefined, mid = MID): Asked => {
    const asked = promoAsked({ query: { mid, referenceId }, head: { channelId: 'WEB', tokenType: 'ACCESS', token } })
    return { ...asked, body: { ...asked.body, mid } }
  }
  const rows: readonly Row[] = [
    ['no referenceId', ({ query }) => delete query['referenceId'], '1001'],
    ['a referenceId that cannot be one', ({ query }) => (query['referenceId'] = 'REF\u0000REFREF'), '1001'],
    ['no token', ({ head }) => (head['token'] = null), '1001'],
    ['another mid in the query', ({ query }) => (query['mid'] = OTHER_MID), '1001', 'Invalid mid'],
    ['a wrong promocode', ({ body }) => (body['promocode'] = 1), '1001'],
    ['an unknown token', ({ head }) => (head['token'] = 'unknown'), '1006'],
    [
      'a merchant without a live promotion',
      ({ query, body, head }) => {
        query['mid'] = body['mid'] = IDLE_MID
        head['token'] = 'of the idle merchant'
      },
      '1012',
    ],
  ]
  for (const [at, [broken, , code, message]] of rows.entries()) {
    test(`${broken} answers ${code}`, async () => {
      const running = await service()
      const asked = brokenFrom(rows, at, withToken('any', 'REFERENCE-0'))
      if (asked.head['token'] === 'of the idle merchant') {
        const made = tokenAsked('REFERENCE-0')
        asked.head['token'] = (
          await send(running, TOKEN, { ...made, query: { ...made.query, mid: IDLE_MID }, body: { ...made.body, mid: IDLE_MID } })
        ).body.accessToken
      }
      const wanted = Object.values(applyCodes).find((row) => row.code === code)!
      assert.deepEqual(resultOf(await apply(running, asked)), [200, code, 'F', message ?? wanted.message])
    })
  }

  test('a token opens its own mid and referenceId until fifteen minutes have passed, and nothing else', async () => {
    const running = await service()
    const token = await accessTokenOf(running, 'REFERENCE-1')
    await accessTokenOf(running, 'REFERENCE-2')
    const codeOf = async (asked: Asked) => (await apply(running, asked)).body.resultInfo.resultCode
    assert.equal(await codeOf(withToken(token, 'REFERENCE-1')), '00000000')
    assert.equal(await codeOf(withToken(token, 'REFERENCE-2')), '1006')
    assert.equal(await codeOf(withToken(token, 'REFERENCE-3')), '1006')
    assert.equal(await codeOf(withToken(token, 'REFERENCE-1', OTHER_MID)), '1006')
    assert.equal(await codeOf(withToken(`${token}x`, 'REFERENCE-1')), '1006')
    running.clock.advance(15 * 60_000 - 1)
    assert.equal(await codeOf(withToken(token, 'REFERENCE-1')), '00000000')
    running.clock.advance(1)
    assert.equal(await codeOf(withToken(token, 'REFERENCE-1')), '1006')
  })
})

const tokenRows: readonly Row[] = [
  ['no mid in the query', ({ query }) => delete query['mid'], '1012'],
  ['no referenceId in the query', ({ query }) => delete query['referenceId'], '1012'],
  ['no tokenType', ({ head }) => delete head['tokenType'], '1012'],
  ['no token', ({ head }) => (head['token'] = null), '1012'],
  ['no mid in the body', ({ body }) => delete body['mid'], '1007'],
  ['no referenceId in the body', ({ body }) => delete body['referenceId'], '1007'],
  ['another mid in the query', ({ query }) => (query['mid'] = OTHER_MID), '2013'],
  ['another referenceId in the query', ({ query }) => (query['referenceId'] = 'REFERENCE-8'), '1001', 'Invalid referenceId'],
  ['a tokenType that is not CHECKSUM', ({ head }) => (head['tokenType'] = 'AES'), '1001', 'Invalid tokenType'],
  ['a referenceId of nine', ({ query, body }) => (query['referenceId'] = body['referenceId'] = 'REFERENCE'), '1001', 'Invalid referenceId'],
  ['a custId with a space', ({ body }) => (body['custId'] = 'a b'), '1001', 'Invalid custId'],
  [
    'a mid nobody knows',
    ({ query, body }) => {
      query['mid'] = body['mid'] = 'NOBODY'
    },
    '2006',
  ],
  ['a wrong signature', ({ head }) => (head['token'] = WRONG_SIGNATURE), '2005'],
  ['a referenceId that was used', () => {}, '324'],
]

onBothStores('create access token', (store) => {
  const service = sharedService(store, { world })
  const used = async () => {
    const running = await service()
    await send(running, TOKEN, tokenAsked('REFERENCE-9'))
    return running
  }

  for (const [at, [broken, , code, message]] of tokenRows.entries()) {
    test(`${broken} answers ${code}`, async () => {
      const wanted = Object.values(tokenCodes).find((row) => row.code === code)!
      const reply = await send(await used(), TOKEN, brokenFrom(tokenRows, at, tokenAsked('REFERENCE-9')))
      assert.deepEqual(resultOf(reply), [200, code, 'F', message ?? wanted.message])
      assert.deepEqual(Object.keys(reply.body), ['resultInfo'])
      assert.deepEqual(Object.keys(reply.head), ['responseTimestamp', 'version'])
    })
  }

  test('a mid that cannot be one answers 2006', async () => {
    const asked = tokenAsked('REFERENCE-9')
    asked.query['mid'] = asked.body['mid'] = 'a'.repeat(21)
    assert.deepEqual(resultOf(await send(await service(), TOKEN, asked)), [200, '2006', 'F', tokenCodes.invalidMid.message])
  })

  test('bytes that are no envelope answer 2222', async () => {
    const { post } = await service()
    for (const text of ['', '{', '[]', '{"head":[],"body":{}}', '{"head":{}}'])
      assert.deepEqual(resultOf(await post(`${TOKEN}?mid=${MID}`, text)), [200, '2222', 'F', tokenCodes.invalidBody.message])
  })

  test('0000: a token, kept as a hash only; whatever paytmSsoToken is', async () => {
    const running = await service()
    const asked = tokenAsked('abc@-_.DEF0123456789')
    const reply = await send(running, TOKEN, { ...asked, body: { ...asked.body, custId: 'C=1', paytmSsoToken: 'nobodys' } })
    assert.deepEqual(resultOf(reply), [200, '0000', 'S', 'Success'])
    assert.match(reply.body.accessToken, /^[A-Za-z0-9_-]{43}$/)
    const row = await running.store.query.row(look('accessTokens', MID, 'abc@-_.DEF0123456789'))
    assert.equal(row?.issuedAt, running.clock.now())
    assert.equal(row?.expiresAt, running.clock.now() + 15 * 60_000)
    assert.ok(!JSON.stringify(row).includes(reply.body.accessToken))
  })

  test('324: of twenty equal requests at once one succeeds; the referenceId stays used, but for this merchant only', async () => {
    const running = await service()
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(running, TOKEN, tokenAsked('REFERENCE-A'))))
    const codes = replies.map(({ body }) => body.resultInfo.resultCode)
    assert.deepEqual([codes.filter((code) => code === '0000').length, codes.filter((code) => code === '324').length], [1, 19])
    running.clock.advance(400 * 24 * 60 * 60_000)
    assert.equal((await send(running, TOKEN, tokenAsked('REFERENCE-A'))).body.resultInfo.resultCode, '324')
    const other = tokenAsked('REFERENCE-A')
    other.query['mid'] = other.body['mid'] = OTHER_MID
    assert.equal((await send(running, TOKEN, { ...other, key: OTHER_KEY })).body.resultInfo.resultCode, '0000')
  })
})

onBothStores('a store that fails once', (store) => {
  const withFailingQuery = (of: Store, next: { table?: string }): Store => {
    const asked = (table: string): Query => {
      if (next.table !== table) return of.query
      delete next.table
      throw new Error('injected')
    }
    const query: Query = {
      ...of.query,
      row: async (key) => asked(key.table).row(key),
      rows: async (find) => asked(find.find).rows(find),
    }
    return {
      query,
      concurrency: of.concurrency,
      transaction: (work) => of.transaction(work),
      claimTasks: (...given) => of.claimTasks(...given),
      ping: () => of.ping(),
      close: () => of.close(),
    }
  }

  test('9999: Apply Promo, at each of its reads', async () => {
    const next: { table?: string } = {}
    const limited = promotionWorld([{ promocode: 'LIMITED', flat: '10.00', budget: '100.00' }])
    const running = await startService(store, { world: limited, store: (of) => withFailingQuery(of, next) })
    try {
      const token = await accessTokenOf(running, 'REFERENCE-1')
      const head = { channelId: 'WEB', tokenType: 'ACCESS', token }
      const reads: [table: string, asked: Asked][] = [
        ['merchantKeys', promoAsked()],
        ['promotions', promoAsked()],
        ['promotionCounters', promoAsked()],
        ['accessTokens', promoAsked({ head, query: { mid: MID, referenceId: 'REFERENCE-1' } })],
      ]
      for (const [table, asked] of reads) {
        running.ports.merchantKeys.forget()
        running.ports.promotions.forget()
        next.table = table
        assert.deepEqual(resultOf(await apply(running, asked)), [200, '9999', 'F', applyCodes.systemError.message], table)
        assert.equal(next.table, undefined)
        assert.equal((await apply(running, asked)).body.resultInfo.resultCode, '00000000', `${table}, asked again`)
      }
    } finally {
      await running.close()
    }
  })

  test('501: Create Access Token, at begin, read, write and COMMIT; nothing is written, and the next try succeeds', async () => {
    let faults: Faults | undefined
    const exits: number[] = []
    const running = await startService(store, {
      world,
      exit: (code) => void exits.push(code),
      store(of) {
        faults = withFaults(of)
        return faults.store
      },
    })
    try {
      for (const at of ['begin', 'read', 'write', 'commit'] as const) {
        const asked = tokenAsked(`REFERENCE-${at}`)
        faults!.fail(at, at === 'commit' ? commitUnknown() : new Error('injected'))
        assert.deepEqual(resultOf(await send(running, TOKEN, asked)), [200, '501', 'F', tokenCodes.systemError.message], at)
        const row = await running.store.query.row(look('accessTokens', MID, `REFERENCE-${at}`))
        assert.equal(row, undefined)
        assert.equal((await send(running, TOKEN, asked)).body.resultInfo.resultCode, '0000', at)
      }
    } finally {
      await running.close()
    }
  })
})
