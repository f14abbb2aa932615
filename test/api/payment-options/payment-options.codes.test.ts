// Fetch Payment Options, Fetch BIN Detail, Validate VPA, Fetch Balance Info, Fetch NB Payment Channels, Fetch EMI Detail and Fetch All
// Payment Offers over HTTP. One row per row of docs/interface.md section 7, in order of precedence. Each row has its own fault and all
// those of the rows below.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import type { Query } from '../../../src/engine/decision.ts'
import type { Store } from '../../../src/engine/store.ts'
import { sign } from '../../../src/interface/checksum.ts'
import {
  fetchAllPaymentOffers,
  fetchBalanceInfo,
  fetchBinDetail,
  fetchEmiDetail,
  fetchNbPaymentChannels,
  fetchPaymentOptions,
  type ResultCode,
  transactionStatus,
  validateVpa,
} from '../../../src/interface/result-codes.ts'
import { orderKey } from '../../../src/tables/keys.ts'
import type { Row } from '../../../src/tables/tables.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import {
  type Asked,
  accessToken,
  ask,
  BALANCE,
  BANKS,
  BIN,
  byToken,
  EMI,
  newOrder,
  OFFERS,
  OPTIONS,
  STATUS,
  VPA,
} from '../../support/paying/options.ts'
import { OTHER_MID, promotionWorld } from '../../support/paying/promotions.ts'
import { KEY, MID, onBothStores, type Reply, sharedService, startService } from '../../support/run/service.ts'
import { signInAt } from '../../support/signin/tokens.ts'

const WALLET = '9876512345'
const world = { ...promotionWorld([{ promocode: 'TEN', percent: '10' }]), customers: [{ mobile: WALLET, walletBalance: '60.00' }] }

type BrokenRow = [broken: string, breaks: (asked: Asked) => void, name: string, message?: string]
type Codes = Readonly<Record<string, ResultCode>>

const resultOf = ({ status, body: { resultInfo } }: Reply) => [
  status,
  resultInfo?.resultCode,
  resultInfo?.resultStatus,
  resultInfo?.resultMsg,
]
const expected = ({ code, status, message }: ResultCode, other?: string) => [200, code, status, other ?? message]

/** The request with the faults of this row and of all below it. This row's fault is made last. */
function brokenFrom(rows: readonly BrokenRow[], at: number, asked: Asked): Asked {
  for (const [, breaks] of rows.slice(at).reverse()) breaks(asked)
  return asked
}

const commonRows: readonly BrokenRow[] = [
  ['no mid in the query', ({ query }) => delete query['mid'], 'missingParam'],
  ['no orderId in the query', ({ query }) => delete query['orderId'], 'missingParam'],
  ['no tokenType', ({ head }) => delete head['tokenType'], 'missingParam'],
  ['no token', ({ head }) => (head['token'] = ''), 'missingParam'],
]
const mismatchRows: readonly BrokenRow[] = [
  ['another mid in the body', ({ body }) => (body['mid'] = OTHER_MID), 'midMismatch'],
  ['another orderId in the body', ({ body }) => (body['orderId'] = 'ANOTHER'), 'orderIdMismatch'],
]
const wrongHeadRows: readonly BrokenRow[] = [
  ['a channelId of its own', ({ head }) => (head['channelId'] = 'TV'), 'invalidField', 'Invalid channelId'],
  ['a tokenType that opens nothing here', ({ head }) => (head['tokenType'] = 'AES'), 'invalidField', 'Invalid tokenType'],
]
const wrongRows: readonly BrokenRow[] = [
  [
    'a mid that cannot be one',
    ({ query, body }) => {
      query['mid'] = body['mid'] = 'M'.repeat(21)
    },
    'invalidMid',
  ],
  [
    'a mid nobody knows',
    ({ query, body }) => {
      query['mid'] = body['mid'] = 'NOBODY'
    },
    'invalidMid',
  ],
  ['an unknown token', ({ head }) => (head['token'] = `${'a'.repeat(32)}1781497922000`), 'sessionExpired'],
]

interface Subject {
  what: string
  path: string
  codes: Codes
  body: Record<string, unknown>
  rows: readonly BrokenRow[]
  /** An access token opens it too. */
  takesAccess: boolean
  /** It is about the signed-in payer. */
  wantsPayer?: true
}
const subjects: readonly Subject[] = [
  {
    what: 'fetch payment options',
    takesAccess: true,
    path: OPTIONS,
    codes: fetchPaymentOptions,
    body: {},
    rows: [...commonRows, ...mismatchRows, ...wrongRows],
  },
  {
    what: 'fetch BIN detail',
    takesAccess: true,
    path: BIN,
    codes: fetchBinDetail,
    body: { bin: '411111' },
    rows: [
      ...commonRows,
      ['no bin', ({ body }) => delete body['bin'], 'missingElement'],
      ...mismatchRows,
      ...wrongHeadRows,
      ['a bin of five digits', ({ body }) => (body['bin'] = '41111'), 'invalidField', 'Invalid bin'],
      ['a bin of letters', ({ body }) => (body['bin'] = 'abcdef'), 'invalidField', 'Invalid bin'],
      ...wrongRows,
      ['a bin nobody knows', ({ body }) => (body['bin'] = '999999'), 'unknownBin'],
    ],
  },
  {
    what: 'validate VPA',
    takesAccess: true,
    path: VPA,
    codes: validateVpa,
    body: { vpa: 'asha@upi' },
    rows: [
      ...commonRows,
      ['no vpa', ({ body }) => delete body['vpa'], 'missingElement'],
      ...mismatchRows,
      ...wrongHeadRows,
      ['a vpa that is no text', ({ body }) => (body['vpa'] = 7), 'invalidField', 'Invalid vpa'],
      ...wrongRows,
    ],
  },
  {
    what: 'validate VPA by a number',
    takesAccess: true,
    path: VPA,
    codes: validateVpa,
    body: { numericId: '9876512345' },
    rows: [
      ...commonRows,
      ['no numericId', ({ body }) => delete body['numericId'], 'missingElement'],
      ...mismatchRows,
      ...wrongHeadRows,
      ['a numericId that is no text', ({ body }) => (body['numericId'] = 7.5), 'invalidField', 'Invalid numericId'],
      ...wrongRows,
    ],
  },
  {
    what: 'fetch balance info',
    takesAccess: false,
    wantsPayer: true,
    path: BALANCE,
    codes: fetchBalanceInfo,
    body: { paymentMode: 'BALANCE' },
    rows: [
      ...commonRows,
      ['no paymentMode', ({ body }) => delete body['paymentMode'], 'missingElement'],
      ...mismatchRows,
      ...wrongHeadRows,
      ['another paymentMode', ({ body }) => (body['paymentMode'] = 'PAYTM_DIGITAL_CREDIT'), 'invalidField', 'Invalid paymentMode'],
      ...wrongRows,
      ['nobody signed in', () => {}, 'notSignedIn'],
    ],
  },
  {
    what: 'fetch NB payment channels',
    takesAccess: true,
    path: BANKS,
    codes: fetchNbPaymentChannels,
    body: { type: 'MERCHANT' },
    rows: [
      ...commonRows,
      ['no type', ({ body }) => delete body['type'], 'missingElement'],
      ...mismatchRows,
      ...wrongHeadRows,
      ['another type', ({ body }) => (body['type'] = 'USER'), 'invalidField', 'Invalid type'],
      ...wrongRows,
    ],
  },
  {
    what: 'fetch EMI detail',
    takesAccess: false,
    path: EMI,
    codes: fetchEmiDetail,
    body: { channelCode: 'HDFC' },
    rows: [
      ...commonRows,
      ['no channelCode', ({ body }) => delete body['channelCode'], 'missingElement'],
      ...mismatchRows,
      ...wrongHeadRows,
      ['a channelCode with an empty place', ({ body }) => (body['channelCode'] = 'HDFC,,SBI'), 'invalidField', 'Invalid channelCode'],
      [
        'twenty-one channel codes',
        ({ body }) => (body['channelCode'] = Array.from({ length: 21 }, (_, at) => `BANK${at}`).join()),
        'invalidField',
        'Invalid channelCode',
      ],
      ['an emiType of its own', ({ body }) => (body['emiType'] = 'GOLD'), 'invalidField', 'Invalid emiType'],
      ['an amount that is none', ({ body }) => (body['amount'] = { value: '-1', currency: 'INR' }), 'invalidField', 'Invalid value'],
      ...wrongRows,
    ],
  },
]

for (const { what, path, codes, body, rows, takesAccess, wantsPayer } of subjects) {
  onBothStores(what, (store) => {
    const service = sharedService(store, { world })
    let orders = 0
    const asked = async () => {
      const running = await service()
      const orderId = `ORDER-${++orders}`
      return { running, orderId, asked: byToken(path, orderId, await newOrder(running, orderId), { ...body }) }
    }
    const good = async () => {
      const made = await asked()
      if (wantsPayer) await signInAt(made.running, made.orderId, String(made.asked.head['token']), WALLET)
      return made
    }

    for (const [at, [broken, , name, message]] of rows.entries()) {
      test(`${broken} answers ${codes[name]!.code}`, async () => {
        const { running, asked: good } = await asked()
        const reply = await ask(running, brokenFrom(rows, at, good))
        assert.deepEqual(resultOf(reply), expected(codes[name]!, message))
        assert.deepEqual(Object.keys(reply.body), ['resultInfo'])
      })
    }

    test('bytes that are no envelope answer 2222', async () => {
      const { post } = await service()
      for (const text of ['', '{', '[]', '{"head":[],"body":{}}', '{"head":{},"body":[]}'])
        assert.deepEqual(resultOf(await post(`${path}?mid=${MID}&orderId=O`, text)), expected(codes['invalidBody']!))
    })

    test('success, by head.txnToken too, and under every alias', async () => {
      const { running, asked: whole } = await good()
      assert.deepEqual(resultOf(await ask(running, whole)), expected(codes['success']!))
      const byName = { ...whole, head: { txnToken: whole.head['token'], channelId: null, version: 'v2' } }
      const reply = await ask(running, byName)
      assert.deepEqual(resultOf(reply), expected(codes['success']!))
      assert.deepEqual(Object.keys(reply.head), ['responseTimestamp', 'version'])
      assert.equal(reply.head.version, 'v2')
      const { paths } = Object.values(operations).find((line) => (line.paths as readonly string[]).includes(path))!
      for (const alias of paths) assert.deepEqual((await ask(running, { ...whole, path: alias })).body, reply.body, alias)
    })

    test('1006: the token of another order, one that is over, one whose order is paid or closed', async () => {
      const { running, asked: whole, orderId } = await good()
      const { asked: other } = await asked()
      assert.deepEqual(resultOf(await ask(running, { ...whole, head: other.head })), expected(codes['sessionExpired']!))
      const setStatus = async (status: Row<'orders'>['status']) => {
        const key = orderKey(MID, orderId)
        const row = (await running.store.query.row(key))!
        await running.store.transaction((transaction) =>
          transaction.write({ changes: [{ kind: 'update', key, row: { ...row, status } }], events: [], tasks: [] }),
        )
        return resultOf(await ask(running, whole))
      }
      assert.deepEqual(await setStatus('IN_PROCESS'), expected(codes['success']!))
      assert.deepEqual(await setStatus('PAID'), expected(codes['sessionExpired']!))
      assert.deepEqual(await setStatus('CLOSED'), expected(codes['sessionExpired']!))
      assert.deepEqual(await setStatus('CREATED'), expected(codes['success']!))
      running.clock.advance(15 * 60_000 - 1)
      assert.deepEqual(resultOf(await ask(running, whole)), expected(codes['success']!))
      running.clock.advance(1)
      assert.deepEqual(resultOf(await ask(running, whole)), expected(codes['sessionExpired']!))
    })

    if (!takesAccess)
      test('an access token opens nothing here', async () => {
        const running = await service()
        const token = await accessToken(running, 'REFERENCE-1')
        const { asked: own } = await asked()
        const reply = await ask(running, {
          ...own,
          query: { ...own.query, referenceId: 'REFERENCE-1' },
          head: { tokenType: 'ACCESS', token },
        })
        assert.deepEqual(resultOf(reply), expected(codes['invalidField']!, 'Invalid tokenType'))
        const asTxnToken = await ask(running, { ...own, head: { txnToken: token } })
        assert.deepEqual(resultOf(asTxnToken), expected(codes['sessionExpired']!))
      })

    if (takesAccess)
      test('an access token opens it with its own referenceId until fifteen minutes have passed; without one 1012', async () => {
        const running = await service()
        const token = await accessToken(running, 'REFERENCE-1')
        await accessToken(running, 'REFERENCE-2')
        const asked: Asked = {
          path,
          query: { mid: MID, referenceId: 'REFERENCE-1' },
          head: { tokenType: 'ACCESS', token },
          body: { ...body },
        }
        const withReference = (referenceId: string | undefined) => ask(running, { ...asked, query: { mid: MID, referenceId } })
        assert.deepEqual(resultOf(await ask(running, asked)), expected(codes['success']!))
        assert.deepEqual(resultOf(await withReference(undefined)), expected(codes['missingParam']!))
        assert.deepEqual(resultOf(await withReference('REFERENCE-2')), expected(codes['sessionExpired']!))
        assert.deepEqual(resultOf(await withReference('REFERENCE-3')), expected(codes['sessionExpired']!))
        running.clock.advance(15 * 60_000)
        assert.deepEqual(resultOf(await ask(running, asked)), expected(codes['sessionExpired']!))
      })
  })
}

// ------------------------------------------------------------------------------------------- fetch all payment offers

const offersRows: readonly BrokenRow[] = [
  ['no mid in the query', ({ query }) => delete query['mid'], 'invalidField'],
  ['no tokenType', ({ head }) => delete head['tokenType'], 'invalidField'],
  ['no token', ({ head }) => (head['token'] = null), 'invalidField'],
  ['no mid in the body', ({ body }) => delete body['mid'], 'missingElement'],
  ['another mid in the query', ({ query }) => (query['mid'] = OTHER_MID), 'midMismatch'],
  ['a tokenType of its own', ({ head }) => (head['tokenType'] = 'AES'), 'invalidField'],
]
const offersAsked = (tokenType: string, token: unknown, referenceId?: string): Asked => ({
  path: OFFERS,
  query: { mid: MID, ...(referenceId && { referenceId }) },
  head: { tokenType, token },
  body: { mid: MID },
})
const signedOffers = () => offersAsked('CHECKSUM', sign(JSON.stringify({ mid: MID }), KEY, 'salt'))

onBothStores('fetch all payment offers', (store) => {
  const service = sharedService(store, { world })
  const codes = fetchAllPaymentOffers

  for (const [at, [broken, , name]] of offersRows.entries()) {
    test(`${broken} answers ${(codes as Codes)[name]!.code}`, async () => {
      const reply = await ask(await service(), brokenFrom(offersRows, at, signedOffers()))
      assert.deepEqual(resultOf(reply), expected((codes as Codes)[name]!))
    })
  }

  test('bytes that are no envelope answer 1001', async () => {
    const { post } = await service()
    for (const text of ['', '{', '[]', '{"head":{}}'])
      assert.deepEqual(resultOf(await post(`${OFFERS}?mid=${MID}`, text)), expected(codes.invalidField))
  })

  test('2005: a wrong signature, or an unknown merchant', async () => {
    const running = await service()
    assert.deepEqual(resultOf(await ask(running, offersAsked('CHECKSUM', `${'A'.repeat(107)}=`))), expected(codes.invalidChecksum))
    const unknown = { ...signedOffers(), query: { mid: 'NOBODY' }, body: { mid: 'NOBODY' } }
    assert.deepEqual(resultOf(await ask(running, unknown)), expected(codes.invalidChecksum))
  })

  test('1006: an unknown SSO or access token, and a known one with an unknown merchant', async () => {
    const running = await service()
    const sso = await issueSsoToken(running, 'sso-1')
    assert.deepEqual(resultOf(await ask(running, offersAsked('SSO', sso))), expected(codes.success))
    assert.deepEqual(resultOf(await ask(running, offersAsked('SSO', `${sso}x`))), expected(codes.sessionExpired))
    const unknown = { ...offersAsked('SSO', sso), query: { mid: 'NOBODY' }, body: { mid: 'NOBODY' } }
    assert.deepEqual(resultOf(await ask(running, unknown)), expected(codes.sessionExpired))
    const token = await accessToken(running, 'REFERENCE-1')
    assert.deepEqual(resultOf(await ask(running, offersAsked('ACCESS', token, 'REFERENCE-1'))), expected(codes.success))
    assert.deepEqual(resultOf(await ask(running, offersAsked('ACCESS', token, 'REFERENCE-2'))), expected(codes.sessionExpired))
    assert.deepEqual(resultOf(await ask(running, offersAsked('ACCESS', token))), expected(codes.invalidField))
  })
})

// ------------------------------------------------------------------------------------------------------ system errors

onBothStores('a store that fails once', (storeName) => {
  const withFailingQuery = (of: Store, next: { table?: string }): Store => {
    const asked = (table: string): Query => {
      if (next.table !== table) return of.query
      delete next.table
      throw new Error('injected')
    }
    return {
      query: {
        ...of.query,
        row: async (key) => asked(key.table).row(key),
        rows: async (find) => asked(find.find).rows(find),
      },
      concurrency: of.concurrency,
      transaction: (work) => of.transaction(work),
      claimTasks: (...given) => of.claimTasks(...given),
      ping: () => of.ping(),
      close: () => of.close(),
    }
  }

  test('501 and 9999, at each of their reads; the next try succeeds', async () => {
    const next: { table?: string } = {}
    const running = await startService(storeName, { world, store: (of) => withFailingQuery(of, next) })
    try {
      const token = await newOrder(running, 'O1')
      await signInAt(running, 'O1', token, WALLET)
      const access = await accessToken(running, 'REFERENCE-1')
      const byAccess: Asked = { ...byToken(OPTIONS, '', access), query: { mid: MID, referenceId: 'REFERENCE-1' } }
      byAccess.head['tokenType'] = 'ACCESS'
      const reads: [table: string, asked: Asked, codes: Codes][] = [
        ['merchants', byToken(OPTIONS, 'O1', token), fetchPaymentOptions],
        ['orders', byToken(OPTIONS, 'O1', token), fetchPaymentOptions],
        ['promotions', byToken(OPTIONS, 'O1', token), fetchPaymentOptions],
        ['accessTokens', byAccess, fetchPaymentOptions],
        ['orders', byToken(BIN, 'O1', token, { bin: '411111' }), fetchBinDetail],
        ['orders', byToken(VPA, 'O1', token, { vpa: 'a@upi' }), validateVpa],
        ['orders', byToken(STATUS, 'O1', token, { mid: MID, orderId: 'O1' }), transactionStatus],
        ['orders', byToken(BALANCE, 'O1', token, { paymentMode: 'BALANCE' }), fetchBalanceInfo],
        ['customers', byToken(BALANCE, 'O1', token, { paymentMode: 'BALANCE' }), fetchBalanceInfo],
        ['orders', byToken(BANKS, 'O1', token, { type: 'MERCHANT' }), fetchNbPaymentChannels],
        ['orders', byToken(EMI, 'O1', token, { channelCode: 'HDFC' }), fetchEmiDetail],
        ['merchantKeys', signedOffers(), fetchAllPaymentOffers],
        ['promotions', signedOffers(), fetchAllPaymentOffers],
        ['accessTokens', offersAsked('ACCESS', access, 'REFERENCE-1'), fetchAllPaymentOffers],
      ]
      for (const [table, asked, codes] of reads) {
        running.ports.merchantKeys.forget()
        running.ports.promotions.forget()
        next.table = table
        assert.deepEqual(resultOf(await ask(running, asked)), expected(codes['systemError']!), table)
        assert.equal(next.table, undefined)
        assert.deepEqual(resultOf(await ask(running, asked)), expected(codes['success']!), `${table}, asked again`)
      }
    } finally {
      await running.close()
    }
  })
})
