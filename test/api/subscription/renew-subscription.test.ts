// Renew Subscription over HTTP, on both stores: one row for each row of its table, in order of precedence. Each request also has the faults
// of the rows below, as far as they are possible together. Then which cycle is renewed, when, and how often.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import { renewSubscription as codes } from '../../../src/interface/result-codes.ts'
import { demoWorld } from '../../../src/sandbox/world.ts'
import { find, type Row } from '../../../src/tables/tables.ts'
import { addCycle, consented, cycleRow, orderRow, setSubscription, transactionRow } from '../../support/mandates/mandates.ts'
import { type Body, fix, TODAY } from '../../support/mandates/subscription.ts'
import { at } from '../../support/mandates/timeline.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Reply, type Service, sharedService } from '../../support/run/service.ts'
import { type Faults, withFaults } from '../../support/store/faults.ts'

const OTHER = 'OTHER000000000000001'
const OTHER_KEY = 'PONMLKJIHGFEDCBA'
const world = { ...demoWorld, merchants: [...demoWorld.merchants!, { mid: OTHER, keys: [{ clientId: 'C11', key: OTHER_KEY }] }] }
const [RENEW] = operations.renewSubscription.paths
const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const money = (value: unknown) => ({ value, currency: 'INR' })

/** The payer was notified two days ago of the whole amount. */
const NOTICED = { status: 'NOTIFIED', notices: 1, noticedAt: at('2026-06-13 10:00:00'), noticedPaise: 100_00 } as const
const IN_FLIGHT = { ...NOTICED, status: 'IN_FLIGHT', attempts: 1, orderId: 'other', sentAt: at('2026-06-15 09:00:00') } as const

interface Asked {
  query: Record<string, string>
  body: Body
  key?: string
  signature?: null
}
interface CodeRow {
  code: keyof typeof codes
  message?: string
  what: string
  break(asked: Asked): void
}
/** In order of precedence. Rows that need stored rows are further below. */
const rows: CodeRow[] = [
  {
    code: 'missingElement',
    message: 'Mid is mandatory in query parameter',
    what: 'a query without mid',
    break: ({ query }) => delete query['mid'],
  },
  { code: 'missingElement', what: 'a query without orderId', break: ({ query }) => delete query['orderId'] },
  { code: 'missingElement', what: 'a head without signature', break: (asked) => (asked.signature = null) },
  {
    code: 'missingElement',
    what: 'no id in the signed body',
    break: (asked) => {
      delete asked.signature
      delete asked.body['subscriptionId']
      delete asked.body['subsId']
    },
  },
  { code: 'midMismatch', what: 'another mid in the query', break: ({ query }) => (query['mid'] = 'OTHER') },
  { code: 'orderIdMismatch', what: 'another orderId in the query', break: ({ query }) => (query['orderId'] = 'OTHER') },
  { code: 'pipeCharacter', what: 'a pipe in a map', break: ({ body }) => (body['extendInfo'] = { udf1: 'a|b' }) },
  {
    code: 'missingElement',
    message: 'Invalid subscriptionId',
    what: 'two ids that differ',
    break: ({ body }) => {
      body['extendInfo'] = { udf1: 'a' }
      body['subsId'] = `${body['subscriptionId']}1`
    },
  },
  {
    code: 'missingElement',
    message: 'Invalid debitDate',
    what: 'a day that is none',
    break: ({ body }) => {
      delete body['subsId']
      body['debitDate'] = '2026-02-30 10:00:00'
    },
  },
  {
    code: 'invalidTxnAmount',
    what: 'an amount that is none',
    break: ({ body }) => {
      delete body['debitDate']
      body['txnAmount'] = money('1e3')
    },
  },
  {
    code: 'invalidMid',
    what: 'an unknown merchant',
    break: ({ query, body }) => {
      body['txnAmount'] = money('100.01')
      query['mid'] = body['mid'] = 'NOBODY'
    },
  },
  { code: 'invalidChecksum', what: 'a signature by another key', break: (asked) => (asked.key = 'QQQQQQQQQQQQQQQQ') },
  {
    code: 'notFound',
    what: 'another merchant’s subscription',
    break: (asked) => {
      asked.query['mid'] = asked.body['mid'] = OTHER
      asked.key = OTHER_KEY
    },
  },
  {
    code: 'amountOverMax',
    what: 'more than the maximum by a paisa, for an order that is taken, of a cycle that is in flight',
    break: ({ body }) => (body['txnAmount'] = money('100.01')),
  },
  {
    code: 'duplicateOrderId',
    what: 'an orderId in use',
    break: ({ query, body }) => (query['orderId'] = body['orderId'] = 'TAKEN'),
  },
]

/** States of a cycle that is due today, and the code by which another attempt is refused. */
const cycles: {
  code: keyof typeof codes
  message?: string
  what: string
  row: Partial<Row<'collections'>>
  sub?: Partial<Row<'subscriptions'>>
}[] = [
  { code: 'expired', what: 'the last day was yesterday', row: NOTICED, sub: { startDate: '2026-06-01', expiryDate: '2026-06-14' } },
  { code: 'expired', what: 'the mandate is expired', row: NOTICED, sub: { status: 'EXPIRED', subStatus: 'EXPIRED' } },
  {
    code: 'notActive',
    message: ': SUSPENDED, MERCHANT_PAUSED',
    what: 'it is paused',
    row: NOTICED,
    sub: { status: 'SUSPENDED', subStatus: 'MERCHANT_PAUSED' },
  },
  {
    code: 'notActive',
    message: ': REJECT, MERCHANT_CANCELLED',
    what: 'it is cancelled',
    row: NOTICED,
    sub: { status: 'REJECT', subStatus: 'MERCHANT_CANCELLED' },
  },
  { code: 'notActive', message: ': INIT, INIT', what: 'nobody has consented', row: NOTICED, sub: { status: 'INIT', subStatus: 'INIT' } },
  { code: 'tooEarly', what: 'its start lies ahead', row: { dueDate: '2026-06-16' }, sub: { startDate: '2026-06-16' } },
  { code: 'tooEarly', what: 'its first permitted day lies ahead', row: { ...NOTICED, windowFrom: '2026-06-16', windowTo: '2026-06-18' } },
  { code: 'alreadyCollected', what: 'it is collected', row: { ...IN_FLIGHT, status: 'COLLECTED', txnId: 'c1', nextAt: null } },
  { code: 'skipped', what: 'the customer skipped it', row: { ...NOTICED, status: 'SKIPPED', nextAt: null } },
  { code: 'inFlight', what: 'an attempt is in flight', row: { ...IN_FLIGHT, txnId: 'c2' } },
  {
    code: 'retryNotAllowed',
    what: 'its only attempt has failed',
    row: { ...NOTICED, status: 'FAILED', attempts: 1, attemptsMax: 1, nextAt: null },
    sub: { enableRetry: false },
  },
  { code: 'attemptsUsedUp', what: 'all attempts have failed', row: { ...NOTICED, status: 'FAILED', attempts: 3, nextAt: null } },
  { code: 'noticeNotFound', what: 'nobody was told', row: {} },
  { code: 'noticeNotFound', what: 'the notice is on its way', row: { notices: 1 } },
  {
    code: 'forbidden',
    message: ': moreThanNoticed',
    what: 'the notice named less',
    row: { ...NOTICED, noticedPaise: 99_99 },
  },
  {
    code: 'forbidden',
    message: ': windowOver, next 2026-07-10 00:00:00',
    what: 'its days are over',
    row: { ...NOTICED, dueDate: '2026-06-10', windowTo: '2026-06-14' },
    sub: { startDate: '2026-06-10' },
  },
  { code: 'forbidden', message: ': windowOver, next 2026-07-15 00:00:00', what: 'it was missed', row: { status: 'MISSED', nextAt: null } },
  {
    code: 'forbidden',
    message: ': windowOver, next 2026-07-15 00:00:00',
    what: 'it failed with its days',
    row: { ...NOTICED, status: 'FAILED', attempts: 1, nextAt: null },
  },
  {
    code: 'forbidden',
    message: ': noticeTooShort, next 2026-06-16 08:00:00',
    what: 'a day after the notice it is over',
    row: { ...NOTICED, noticedAt: at('2026-06-15 08:00:00') },
  },
  {
    code: 'forbidden',
    message: ': notAuthenticated',
    what: 'it is above the limit, and the customer has not approved it',
    row: { ...NOTICED, rail: 'CARD', maxPaise: 15_000_01, noticedPaise: 15_000_01 },
  },
]

const renew = ({ signed }: Service, body: Body, options: Parameters<Service['signed']>[2] = {}) =>
  signed(`${RENEW}?mid=${body['mid'] ?? MID}&orderId=${body['orderId']}`, { mid: MID, ...body }, options)

function is(reply: Reply, name: keyof typeof codes, message: string = codes[name].message) {
  assert.equal(reply.status, 200)
  const { code: resultCode, status: resultStatus } = codes[name]
  assert.deepEqual(reply.body.resultInfo, { resultStatus, resultCode, resultMsg: message }, reply.text)
}

onBothStores('renew subscription', (store) => {
  const service = sharedService(store, { world })
  let made: Promise<string> | undefined
  /** A mandate with a cycle in flight. That is the lowest fault, so every row above has it too. */
  const broken = async (running: Service) => {
    made ??= consented(running, 'TAKEN').then(async (id) => {
      await addCycle(running, id, { ...IN_FLIGHT, txnId: 'flying' })
      return id
    })
    return made
  }

  for (const [place, { code, message, what }] of rows.entries()) {
    test(`${codes[code].code} ${message ?? codes[code].message}: ${what}`, async () => {
      const running = await service()
      const subscriptionId = await broken(running)
      const asked: Asked = {
        query: { mid: MID, orderId: 'FREE' },
        body: { mid: MID, orderId: 'FREE', subscriptionId, txnAmount: money('100.00') },
      }
      for (const each of rows.slice(place).reverse()) each.break(asked)
      const { query, body, ...options } = asked
      is(await running.signed(`${RENEW}?${new URLSearchParams(query)}`, body, options), code, message)
      assert.equal(await orderRow(running, 'FREE'), undefined)
    })
  }

  for (const [place, { code, message = '', what, row, sub = {} }] of cycles.entries()) {
    test(`${codes[code].code} ${codes[code].message}${message}: ${what}`, async () => {
      const running = await service()
      const id = await consented(running, `cycle-${place}`, {}, { maxAmountPaise: 20_000_00, ...sub })
      const before = await addCycle(running, id, row.txnId ? { ...row, txnId: `${id}-${row.txnId}` } : row)
      const amount = row.maxPaise === undefined ? '100.00' : '15000.01'
      is(
        await renew(running, { subscriptionId: id, orderId: `cycle-${place}-1`, txnAmount: money(amount) }),
        code,
        codes[code].message + message,
      )
      assert.deepEqual(await cycleRow(running, before), before)
      assert.equal(await orderRow(running, `cycle-${place}-1`), undefined)
    })
  }

  test('1007 Missing mandatory element: no amount, and bytes that are no envelope', async () => {
    const running = await service()
    const [id, fixed] = [await consented(running, 'unsaid'), await consented(running, 'unsaid-fixed', fix('25.50'))]
    await addCycle(running, id, NOTICED)
    await addCycle(running, fixed, { ...NOTICED, amountType: 'FIX', amountPaise: 25_50, maxPaise: 25_50, noticedPaise: 25_50 })
    for (const subscriptionId of [id, fixed]) is(await renew(running, { subscriptionId, orderId: 'unsaid-1' }), 'missingElement')
    for (const text of ['', '[]', '{"head":{},"body":1}']) is(await running.post(`${RENEW}?mid=${MID}&orderId=x`, text), 'missingElement')
  })

  test('1007 Invalid subscriptionId: an id in the query that is another; 0000 with the same by either name', async () => {
    const running = await service()
    const id = await consented(running, 'by-query')
    await addCycle(running, id, NOTICED)
    const ask = (query: string, body: Body) =>
      running.signed(`${RENEW}?mid=${MID}&orderId=by-query-1&${query}`, { mid: MID, orderId: 'by-query-1', txnAmount: money('1'), ...body })
    is(await ask(`subsId=${id}1`, { subscriptionId: id }), 'missingElement', 'Invalid subscriptionId')
    is(await ask(`subscriptionId=${id}`, {}), 'missingElement')
    is(await ask(`subscriptionId=${id}`, { subsId: id }), 'success')
  })

  test('2007 Txn amount is invalid: nothing, and another amount than the fixed one', async () => {
    const running = await service()
    const varying = await consented(running, 'varying')
    await addCycle(running, varying, NOTICED)
    is(await renew(running, { subscriptionId: varying, orderId: 'varying-1', txnAmount: money('0.00') }), 'invalidTxnAmount')
    const id = await consented(running, 'fixed', fix('25.50'))
    await addCycle(running, id, { ...NOTICED, amountType: 'FIX', amountPaise: 25_50, maxPaise: 25_50, noticedPaise: 25_50 })
    for (const [at, value] of ['25.49', '25.51', '0'].entries())
      is(await renew(running, { subscriptionId: id, orderId: `fixed-${at}`, txnAmount: money(value) }), 'invalidTxnAmount')
    is(await renew(running, { subscriptionId: id, orderId: 'fixed-agreed', txnAmount: money('25.50') }), 'success')
    assert.equal((await orderRow(running, 'fixed-agreed'))!.amountPaise, 25_50)
  })
})

onBothStores('a renewal that is accepted', (store) => {
  const service = sharedService(store, { world })
  const NOTICED_ONCE = { ...NOTICED, windowTo: '2026-06-17' } as const

  test('begins an order and a transaction of its own, which the collection sweep sends; the next cycle is there from then on', async () => {
    const running = await service()
    const id = await consented(running, 'good', { extendInfo: { udf1: 'first' }, callbackUrl: 'https://shop.example/cb' })
    const cycle = await addCycle(running, id, NOTICED_ONCE)
    const reply = await renew(running, {
      subscriptionId: id,
      orderId: 'good-1',
      txnAmount: money('99.50'),
      extendInfo: { udf1: 'mine' },
      requestType: 'WHATEVER',
    })
    is(reply, 'success')
    const { resultInfo: _, txnId, ...rest } = reply.body
    assert.deepEqual(rest, { subscriptionId: id, orderId: 'good-1', nextAttemptTime: '2026-06-15 13:00:00', rule: 'forbiddenHours' })
    assert.deepEqual(Object.keys(reply.head), ['responseTimestamp', 'version', 'signature'])
    const order = (await orderRow(running, 'good-1'))!
    assert.deepEqual(
      [order.status, order.requestType, order.amountPaise, order.callbackUrl, order.consentOrderId, order.details.extendInfo],
      ['IN_PROCESS', 'RENEWAL', 99_50, 'https://shop.example/cb', 'good', { udf1: 'mine' }],
    )
    const transaction = (await transactionRow(running, txnId))!
    assert.deepEqual([transaction.status, transaction.bankPaise, transaction.initiatedAt], ['INITIATED', 99_50, running.clock.now()])
    const after = (await cycleRow(running, cycle))!
    assert.deepEqual(
      [after.status, after.attempts, after.sentAt, after.nextAt, after.txnId],
      ['IN_FLIGHT', 1, null, at('2026-06-15 13:00:00'), txnId],
    )
    const next = (await cycleRow(running, { collectionId: `${id}.20260715` }))!
    assert.deepEqual([next.status, next.number, next.windowFrom, next.windowTo], ['SCHEDULED', 1, '2026-07-15', '2026-07-17'])
  })

  test('waits for nothing where no rule makes it wait, and until the day that the merchant names', async () => {
    const running = await service()
    const card = { paymentMode: 'CREDIT_CARD' } as const
    const id = await consented(running, 'card', {}, card)
    const cycle = await addCycle(running, id, { ...NOTICED_ONCE, rail: 'CARD' })
    const now = await renew(running, { subscriptionId: id, orderId: 'card-1', txnAmount: money('1') })
    assert.deepEqual([now.body.nextAttemptTime, now.body.rule], [undefined, undefined])
    assert.equal((await cycleRow(running, cycle))!.nextAt, running.clock.now())
    const later = await consented(running, 'later', {}, card)
    await addCycle(running, later, { ...NOTICED_ONCE, rail: 'CARD' })
    const ask = (orderId: string, debitDate: string) => renew(running, { subscriptionId: later, orderId, txnAmount: money('1'), debitDate })
    is(await ask('later-1', '2026-06-18 00:00:00'), 'forbidden', `${codes.forbidden.message}: windowOver, next 2026-07-15 00:00:00`)
    const waits = await ask('later-2', '2026-06-17 23:59:59')
    assert.deepEqual([waits.body.nextAttemptTime, waits.body.rule], ['2026-06-17 23:59:59', 'debitDate'])
  })

  test('waits for a day after the notice, in whichever hours are permitted then', async () => {
    const running = await service()
    const id = await consented(running, 'short')
    await addCycle(running, id, { ...NOTICED_ONCE, noticedAt: at('2026-06-15 09:59:00') })
    const { body } = await renew(running, { subscriptionId: id, orderId: 'short-1', txnAmount: money('1') })
    assert.deepEqual([body.nextAttemptTime, body.rule], ['2026-06-16 13:00:00', 'noticeTooShort'])
  })

  test('is one of a hundred at once, and the others get 3909; with one orderId 2009', async () => {
    const running = await service()
    const [id, same] = [await consented(running, 'race'), await consented(running, 'same')]
    for (const each of [id, same]) await addCycle(running, each, NOTICED_ONCE)
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, n) => renew(running, { subscriptionId: id, orderId: `race-${n}`, txnAmount: money('1') })),
    )
    assert.deepEqual(counted(replies), { '0000': 1, '3909': 99 })
    const twins = await Promise.all(
      Array.from({ length: 20 }, () => renew(running, { subscriptionId: same, orderId: 'same-1', txnAmount: money('1') })),
    )
    assert.deepEqual(counted(twins), { '0000': 1, '2009': 19 })
    for (const each of [id, same]) {
      const attempts = await running.ports.query.rows(
        find('transactions', { equals: { mid: MID, collectionId: `${each}.20260615` }, limit: 200 }),
      )
      assert.equal(attempts.length, 1)
    }
  })

  test('makes the row of its cycle after the one before it, where the sweep has not yet made it', async () => {
    const running = await service()
    const id = await consented(running, 'lag', {}, { startDate: '2026-05-15', paymentMode: 'BANK_MANDATE', mandateType: 'E_MANDATE' })
    is(await renew(running, { subscriptionId: id, orderId: 'lag-1', txnAmount: money('1') }), 'tooEarly')
    await addCycle(running, id, { dueDate: '2026-05-15', status: 'MISSED', nextAt: null })
    is(await renew(running, { subscriptionId: id, orderId: 'lag-1', txnAmount: money('1') }), 'success')
    const row = (await cycleRow(running, { collectionId: `${id}.20260615` }))!
    assert.deepEqual([row.number, row.rail, row.noticeNeeded, row.attemptsMax, row.version], [1, 'ENACH', false, 1, 2])
  })

  test('on demand collects the day of a notice, and at a bank mandate the day itself', async () => {
    const running = await service()
    const onDemand = { subscriptionFrequencyUnit: 'ONDEMAND', subscriptionGraceDays: null }
    const id = await consented(running, 'demand', onDemand)
    is(await renew(running, { subscriptionId: id, orderId: 'demand-0', txnAmount: money('1') }), 'noticeNotFound')
    await addCycle(running, id, { ...NOTICED, dueDate: '2026-06-16', number: null })
    is(await renew(running, { subscriptionId: id, orderId: 'demand-1', txnAmount: money('1') }), 'tooEarly')
    await addCycle(running, id, { ...NOTICED, number: null })
    is(await renew(running, { subscriptionId: id, orderId: 'demand-2', txnAmount: money('1') }), 'success')
    const bank = await consented(running, 'bank', onDemand, { paymentMode: 'BANK_MANDATE', mandateType: 'E_MANDATE' })
    const { body } = await renew(running, { subscriptionId: bank, orderId: 'bank-1', txnAmount: money('1') })
    assert.deepEqual([codeOf({ body } as Reply), body.nextAttemptTime], ['0000', undefined])
    const row = (await cycleRow(running, { collectionId: `${bank}.20260615` }))!
    assert.deepEqual([row.number, row.windowFrom, row.windowTo, row.status], [null, TODAY, TODAY, 'IN_FLIGHT'])
    is(await renew(running, { subscriptionId: bank, orderId: 'bank-2', txnAmount: money('1') }), 'inFlight')
  })

  test('goes by the terms that its cycle was noticed with', async () => {
    const running = await service()
    const id = await consented(running, 'terms', fix('25.50'))
    await addCycle(running, id, { ...NOTICED_ONCE, amountType: 'FIX', amountPaise: 25_50, maxPaise: 25_50, noticedPaise: 25_50 })
    await setSubscription(running, id, { renewalAmountPaise: 30_00, maxAmountPaise: 30_00 })
    is(await renew(running, { subscriptionId: id, orderId: 'terms-1', txnAmount: money('30.00') }), 'invalidTxnAmount')
    is(await renew(running, { subscriptionId: id, orderId: 'terms-1', txnAmount: money('25.50') }), 'success')
  })

  test('is not undone by a clock that is set back', async () => {
    const running = await service()
    const id = await consented(running, 'back')
    await addCycle(running, id, NOTICED_ONCE)
    is(await renew(running, { subscriptionId: id, orderId: 'back-1', txnAmount: money('1') }), 'success')
    running.clock.set(-2 * DAY_MS)
    is(await renew(running, { subscriptionId: id, orderId: 'back-2', txnAmount: money('1') }), 'tooEarly')
    running.clock.set(2 * DAY_MS)
    is(await renew(running, { subscriptionId: id, orderId: 'back-2', txnAmount: money('1') }), 'inFlight')
  })
})

const counted = (replies: readonly Reply[]) => {
  const counts: Record<string, number> = {}
  for (const reply of replies) counts[codeOf(reply)] = (counts[codeOf(reply)] ?? 0) + 1
  return counts
}

onBothStores('a store that fails under renew subscription', (store) => {
  let faults: Faults | undefined
  const service = sharedService(store, {
    store: (real) => {
      faults = withFaults(real)
      return faults.store
    },
  })
  test('900 System error, and nothing is begun', async () => {
    const running = await service()
    const id = await consented(running, 'failing')
    await addCycle(running, id, NOTICED)
    const ask = () => renew(running, { subscriptionId: id, orderId: 'failing-1', txnAmount: money('1') })
    is(await faults!.during('commit', new Error('the disk is on fire'), ask), 'systemError')
    assert.equal(await orderRow(running, 'failing-1'), undefined)
    is(await ask(), 'success')
  })
})

test('every row of the code table is reached', () => {
  const reached = new Set([...rows, ...cycles].map(({ code }) => code as string))
  assert.deepEqual(
    Object.keys(codes).filter((name) => !reached.has(name)),
    ['success', 'systemError'],
  )
})
