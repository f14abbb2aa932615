// Initiate Subscription over HTTP: one row per row of docs/interface.md section 7, in order of precedence. Each request also has the faults
// of the rows below, as far as they are possible together.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initiateSubscription as codes } from '../../../src/interface/result-codes.ts'
import { demoWorld } from '../../../src/sandbox/world.ts'
import { find } from '../../../src/tables/tables.ts'
import { type Body, CREATE, initiate, initiated, issueSsoToken, subscription } from '../../support/mandates/subscription.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { type Faults, withFaults } from '../../support/store/faults.ts'

const NARROW = 'NARROW00000000000001'
const modesOfNarrow: ('UPI' | 'CREDIT_CARD' | 'DEBIT_CARD' | 'NET_BANKING' | 'BANK_MANDATE')[] = [
  'UPI',
  'CREDIT_CARD',
  'DEBIT_CARD',
  'NET_BANKING',
  'BANK_MANDATE',
]
const world = {
  ...demoWorld,
  merchants: [...demoWorld.merchants!, { mid: NARROW, keys: [{ clientId: 'C11', key: 'ABCDEFGHIJKLMNOP' }], paymentModes: modesOfNarrow }],
}

interface Asked {
  query: Record<string, string>
  head: Body
  body: Body
  key?: string
}
interface CodeRow {
  code: keyof typeof codes
  message?: string
  what: string
  break(asked: Asked): void
}
const only = (mode: string) => [{ mode }]
const amount = (value: unknown) => ({ value, currency: 'INR' })

/** In order of precedence. */
const rows: CodeRow[] = [
  { code: 'missingElement', what: 'a query without mid', break: ({ query }) => delete query['mid'] },
  { code: 'missingElement', what: 'a query without orderId', break: ({ query }) => delete query['orderId'] },
  { code: 'missingElement', what: 'a head without signature', break: ({ head }) => (head['signature'] = '') },
  {
    code: 'missingElement',
    what: 'a missing body member',
    break: ({ head, body }) => {
      delete head['signature']
      body['subscriptionExpiryDate'] = null
    },
  },
  {
    code: 'midMismatch',
    what: 'another mid in the query',
    break: ({ query, body }) => {
      query['mid'] = 'OTHER'
      body['subscriptionExpiryDate'] = '2026-01-01'
    },
  },
  {
    code: 'orderIdMismatch',
    what: 'another orderId in the query',
    break: ({ query }) => {
      query['orderId'] = 'OTHER'
    },
  },
  { code: 'pipeCharacter', what: 'a pipe in a map', break: ({ body }) => (body['extendInfo'] = { udf1: 'a|b' }) },
  {
    code: 'pipeCharacter',
    what: 'a pipe in a key, deep inside',
    break: ({ body }) => {
      body['extendInfo'] = { comments: [{ 'a|b': '' }] }
    },
  },
  {
    code: 'missingElement',
    message: 'Invalid channelId',
    what: 'a channel of another operation',
    break: ({ head, body }) => {
      head['channelId'] = 'APP'
      body['extendInfo'] = { udf1: 'a' }
    },
  },
  {
    code: 'missingElement',
    message: 'Invalid requestType',
    what: 'a requestType of another operation',
    break: ({ head, body }) => {
      delete head['channelId']
      body['requestType'] = 'PAYMENT'
    },
  },
  {
    code: 'missingElement',
    message: 'Invalid subscriptionExpiryDate',
    what: 'an expiry before the start',
    break: ({ body }) => {
      body['requestType'] = 'NATIVE_SUBSCRIPTION'
      body['subscriptionExpiryDate'] = '2026-06-14'
      body['subscriptionStartDate'] = '2026-06-15'
    },
  },
  {
    code: 'invalidTxnAmount',
    what: 'an amount that is none',
    break: ({ body }) => {
      body['subscriptionExpiryDate'] = '2027-06-15'
      body['txnAmount'] = amount('1e3')
    },
  },
  {
    code: 'invalidTxnAmount',
    what: 'FIX that recurs at nothing',
    break: ({ body }) => {
      Object.assign(body, { subscriptionAmountType: 'FIX', renewalAmount: null, txnAmount: amount('0.00') })
    },
  },
  { code: 'invalidPaymentMode', what: 'an unknown mode', break: ({ body }) => (body['enablePaymentMode'] = only('NET_BANKING')) },
  {
    code: 'invalidPaymentMode',
    what: 'an unknown subscriptionPaymentMode',
    break: ({ body }) => {
      Object.assign(body, { enablePaymentMode: null, subscriptionPaymentMode: 'NB' })
    },
  },
  { code: 'invalidStartDate', what: 'a start yesterday', break: ({ body }) => (body['subscriptionStartDate'] = '2026-06-14') },
  { code: 'invalidStartDate', what: 'a start on no day', break: ({ body }) => (body['subscriptionStartDate'] = '2027-02-29') },
  { code: 'invalidFrequencyUnit', what: 'the unit DAY', break: ({ body }) => (body['subscriptionFrequencyUnit'] = 'DAY') },
  { code: 'invalidAmountType', what: 'an unknown amount type', break: ({ body }) => (body['subscriptionAmountType'] = 'FIXED') },
  {
    code: 'invalidMaxAmount',
    what: 'a maximum of nothing',
    break: ({ body }) => (body['subscriptionMaxAmount'] = '0'),
  },
  { code: 'invalidMaxAmount', what: 'no maximum with VARIABLE', break: ({ body }) => delete body['subscriptionMaxAmount'] },
  { code: 'invalidMaxAmount', what: 'a maximum that is a number', break: ({ body }) => (body['subscriptionMaxAmount'] = 100) },
  {
    code: 'graceDaysTooLong',
    what: 'more grace days than the month has',
    break: ({ body }) => {
      body['subscriptionGraceDays'] = '31'
    },
  },
  {
    code: 'invalidAppInvokeDevice',
    what: 'an unknown device',
    break: ({ body }) => {
      body['appInvokeDevice'] = '3p'
    },
  },
  { code: 'graceDaysMissing', what: 'no grace days', break: ({ body }) => delete body['subscriptionGraceDays'] },
  {
    code: 'txnAmountOverMaxAmount',
    what: 'a first payment above the maximum, by a paisa',
    break: ({ body }) => {
      Object.assign(body, {
        subscriptionAmountType: 'VARIABLE',
        subscriptionMaxAmount: '2000000.00',
        txnAmount: amount('2000000.01'),
        enablePaymentMode: only('UPI'),
        subscriptionGraceDays: '4',
      })
    },
  },
  {
    code: 'invalidChecksum',
    what: 'an unknown merchant',
    break: ({ query, body }) => {
      query['mid'] = body['mid'] = 'NOBODY'
    },
  },
  {
    code: 'invalidChecksum',
    what: 'a signature by another key',
    break: (asked) => {
      asked.key = 'PONMLKJIHGFEDCBA'
    },
  },
  { code: 'invalidSsoToken', what: 'an unknown SSO token', break: ({ body }) => (body['userInfo']['svcSsoToken'] = 'unknown') },
  {
    code: 'missingElement',
    message: 'Invalid websiteName',
    what: 'a foreign website',
    break: ({ body }) => (body['websiteName'] = 'NOPE'),
  },
  {
    code: 'missingElement',
    message: 'Invalid subscriptionGraceDays',
    what: 'four grace days where only cards are open',
    break: ({ body }) => {
      Object.assign(body, { enablePaymentMode: [{ mode: 'CREDIT_CARD' }, { mode: 'DEBIT_CARD' }], subscriptionGraceDays: '4' })
    },
  },
  {
    code: 'missingElement',
    what: 'a bank mandate without mandateType',
    break: ({ body }) => {
      Object.assign(body, { enablePaymentMode: only('BANK_MANDATE'), mandateType: null })
    },
  },
  {
    code: 'invalidTxnAmount',
    what: 'a first payment above the renewal amount where only UPI is open',
    break: ({ body }) => {
      Object.assign(body, {
        enablePaymentMode: only('UPI'),
        subscriptionAmountType: 'FIX',
        renewalAmount: '100001.00',
        txnAmount: amount('100001.01'),
      })
    },
  },
  {
    code: 'paymentModeNotEnabled',
    what: 'a mode that the merchant lacks',
    break: ({ query, body }) => {
      query['mid'] = body['mid'] = NARROW
      body['enablePaymentMode'] = only('BALANCE')
    },
  },
  {
    code: 'bankMandateAmountNotZero',
    what: 'a bank mandate with a first payment',
    break: ({ body }) => {
      Object.assign(body, {
        enablePaymentMode: only('BANK_MANDATE'),
        mandateType: 'PAPER_MANDATE',
        subscriptionMaxAmount: '1000000.01',
        txnAmount: amount('0.01'),
      })
    },
  },
  {
    code: 'maxAmountOverLimit',
    what: 'a maximum above the limit of every open mode, by a paisa',
    break: ({ body }) => (body['subscriptionMaxAmount'] = '100000.01'),
  },
  {
    code: 'addAndPayNotAllowed',
    what: 'a wallet that holds a paisa too little',
    break: ({ body }) => {
      body['txnAmount'] = amount('5000.01')
      body['subscriptionMaxAmount'] = '5000.01'
      body['enablePaymentMode'] = only('BALANCE')
      body['userInfo'] = { custId: 'REFUSED', svcSsoToken: 'good' }
    },
  },
  { code: 'duplicateOrderId', what: 'an orderId in use', break: ({ query, body }) => (query['orderId'] = body['orderId'] = 'TAKEN') },
]

function askedFor(row: number): Asked {
  const body = subscription('FREE', { userInfo: { custId: 'REFUSED' } })
  const asked: Asked = { query: { mid: MID, orderId: 'FREE' }, head: { clientId: 'C11', version: 'v1', channelId: 'WEB' }, body }
  for (const each of rows.slice(row).reverse()) each.break(asked)
  return asked
}

async function prepare(service: Service) {
  await initiated(service, subscription('TAKEN'))
  await initiated(service, subscription('TAKEN', { mid: NARROW }))
  await issueSsoToken(service, 'good')
}

onBothStores('initiate subscription', (store) => {
  const service = sharedService(store, { world })
  let prepared: Promise<void> | undefined
  const ready = async () => {
    const running = await service()
    prepared ??= prepare(running)
    await prepared
    return running
  }

  for (const [at, { code, message, what }] of rows.entries()) {
    test(`${codes[code].code} ${message ?? codes[code].message}: ${what}`, async () => {
      const { signed, ports } = await ready()
      const { query, head, body, key } = askedFor(at)
      const reply = await signed(`${CREATE}?${new URLSearchParams(query)}`, body, {
        head,
        ...(key && { key }),
        ...(at < 3 && { signature: null }),
      })
      const { code: resultCode, status: resultStatus, message: resultMsg } = codes[code]
      assert.equal(reply.status, 200)
      assert.deepEqual(reply.body, { resultInfo: { resultStatus, resultCode, resultMsg: message ?? resultMsg } })
      const written = await ports.query.rows(find('subscriptions', { equals: { custId: 'REFUSED' }, limit: 1 }))
      assert.deepEqual(written, [])
    })
  }

  test('1007 Missing mandatory element: bytes that are no envelope', async () => {
    const { post } = await ready()
    for (const text of ['', '[]', '{"head":{}', '{"head":{},"body":[]}', '{"body":{},"head":null}']) {
      const reply = await post(`${CREATE}?mid=${MID}&orderId=FREE`, text)
      assert.equal(reply.status, 200)
      assert.deepEqual(reply.body, { resultInfo: { resultStatus: 'F', resultCode: '1007', resultMsg: 'Missing mandatory element' } })
    }
  })

  test('every row of the code table is reached', () => {
    const reached = new Set([...rows.map(({ code }) => code), 'success', 'systemError'])
    assert.deepEqual(
      Object.keys(codes).filter((name) => !reached.has(name as keyof typeof codes)),
      [],
    )
    assert.equal(Object.keys(codes).length, 23)
  })
})

onBothStores('a store that fails under initiate subscription', (store) => {
  let faults: Faults | undefined
  const service = sharedService(store, {
    store: (real) => {
      faults = withFaults(real)
      return faults.store
    },
  })
  for (const at of ['begin', 'read', 'write', 'commit', 'after commit'] as const) {
    test(`900 System error: it fails once at ${at}`, async () => {
      const running = await service()
      const body = subscription(`fault-${at.replace(' ', '-')}`)
      faults!.fail(at, new Error('the disk is on fire'))
      const reply = await initiate(running, body)
      assert.equal(reply.status, 200)
      assert.deepEqual(reply.body, { resultInfo: { resultStatus: 'U', resultCode: '900', resultMsg: 'System error' } })
      assert.equal((await initiate(running, subscription('after'))).body.resultInfo.resultCode, at === 'begin' ? '0000' : '2009')
    })
  }
})
