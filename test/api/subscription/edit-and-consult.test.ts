// Consult Subscription and Edit Subscription over HTTP, on both stores (docs/interface.md sections 4.40 and 4.41). Tests every row of their
// tables by name, the reply that a renewal would get, and what changed terms wait for.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import { consultSubscription as consultCodes, editSubscription as editCodes, type ResultCode } from '../../../src/interface/result-codes.ts'
import { demoWorld } from '../../../src/sandbox/world.ts'
import { find, type Row } from '../../../src/tables/tables.ts'
import { addCycle, consented, manage, orderRow, subscriptionRow } from '../../support/mandates/mandates.ts'
import { type Body, fix } from '../../support/mandates/subscription.ts'
import { at } from '../../support/mandates/timeline.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Reply, type Service, sharedService } from '../../support/run/service.ts'
import { type Faults, withFailingQuery, withFaults } from '../../support/store/faults.ts'

const OTHER = 'OTHER000000000000001'
const OTHER_KEY = 'PONMLKJIHGFEDCBA'
const world = { ...demoWorld, merchants: [...demoWorld.merchants!, { mid: OTHER, keys: [{ clientId: 'C11', key: OTHER_KEY }] }] }
const [CONSULT] = operations.consultSubscription.paths
const [EDIT] = operations.editSubscription.paths
const [RENEW] = operations.renewSubscription.paths
const DAY_MS = 24 * 60 * 60_000

const NOTICED = {
  status: 'NOTIFIED',
  notices: 1,
  noticedAt: at('2026-06-13 10:00:00'),
  noticedPaise: 100_00,
  windowTo: '2026-06-17',
} as const
const ENDED = { ...NOTICED, nextAt: null } as const

function is(reply: Reply, code: ResultCode, more = '') {
  assert.equal(reply.status, 200)
  const message = code.message + more
  assert.deepEqual(
    [reply.body.resultInfo.code, reply.body.resultInfo.message, reply.body.resultInfo.status],
    [code.code, message, code.status],
    reply.text,
  )
}

onBothStores('consult subscription', (store) => {
  const service = sharedService(store, { world })
  const consult = (running: Service, subsId: string, more: Body = {}, options: Parameters<typeof manage>[3] = {}) =>
    manage(running, CONSULT, { subsId, amount: '50.00', ...more }, options)
  const reported = ({ body: { resultInfo, ...body } }: Reply) => {
    assert.equal(resultInfo.code, '3006', JSON.stringify(resultInfo))
    return body
  }

  interface Case {
    what: string
    row?: Partial<Row<'collections'>>
    sub?: Partial<Row<'subscriptions'>>
    more?: Body
    reported: object
    /** Renew's reply at that moment: its code, and the time that it names. */
    renewal: string
  }
  const cases: Case[] = [
    {
      what: 'it would be sent now',
      row: { ...NOTICED, rail: 'CARD' },
      reported: { permitted: true, authenticationNeeded: false, attemptsLeft: 3 },
      renewal: '0000',
    },
    {
      what: 'it would wait for the end of the forbidden hours',
      row: { ...NOTICED, attempts: 1 },
      reported: {
        permitted: false,
        rule: 'forbiddenHours',
        nextPermittedTime: '2026-06-15 13:00:00',
        authenticationNeeded: false,
        attemptsLeft: 2,
      },
      renewal: '0000 2026-06-15 13:00:00',
    },
    {
      what: 'nobody was told, and until a day before the cycle’s end he may be',
      row: { windowTo: '2026-06-17' },
      reported: { permitted: false, rule: 'noNotice', noticeBy: '2026-06-17 00:00:00', authenticationNeeded: false, attemptsLeft: 3 },
      renewal: '3054',
    },
    {
      what: 'the notice named less',
      row: { ...NOTICED, noticedPaise: 49_99 },
      reported: { permitted: false, rule: 'moreThanNoticed', authenticationNeeded: false, attemptsLeft: 3 },
      renewal: '3908',
    },
    {
      what: 'it is collected',
      row: { ...ENDED, status: 'COLLECTED', orderId: 'o' },
      reported: {
        permitted: false,
        rule: 'alreadyCollected',
        nextPermittedTime: '2026-07-15 00:00:00',
        authenticationNeeded: false,
        attemptsLeft: 0,
      },
      renewal: '3903',
    },
    {
      what: 'the customer skipped it',
      row: { ...ENDED, status: 'SKIPPED' },
      reported: {
        permitted: false,
        rule: 'skipped',
        nextPermittedTime: '2026-07-15 00:00:00',
        authenticationNeeded: false,
        attemptsLeft: 0,
      },
      renewal: '3907',
    },
    {
      what: 'it was missed',
      row: { ...ENDED, status: 'MISSED' },
      reported: {
        permitted: false,
        rule: 'windowOver',
        nextPermittedTime: '2026-07-15 00:00:00',
        authenticationNeeded: false,
        attemptsLeft: 0,
      },
      renewal: '3908',
    },
    {
      what: 'its attempts are used up',
      row: { ...ENDED, status: 'FAILED', attempts: 3 },
      reported: {
        permitted: false,
        rule: 'attemptsUsedUp',
        nextPermittedTime: '2026-07-15 00:00:00',
        authenticationNeeded: false,
        attemptsLeft: 0,
      },
      renewal: '3906',
    },
    {
      what: 'another attempt is in flight',
      row: { ...NOTICED, status: 'IN_FLIGHT', orderId: 'o', attempts: 1 },
      reported: { permitted: false, rule: 'inFlight', authenticationNeeded: false, attemptsLeft: 2 },
      renewal: '3909',
    },
    {
      what: 'it has not begun',
      row: { dueDate: '2026-06-20' },
      sub: { startDate: '2026-06-20' },
      reported: { permitted: false, rule: 'tooEarlyForCycle', nextPermittedTime: '2026-06-20 00:00:00', authenticationNeeded: false },
      renewal: '3904',
    },
    {
      what: 'it is above the maximum',
      row: { ...NOTICED, rail: 'CARD' },
      more: { amount: '100.01' },
      reported: { permitted: false, rule: 'moreThanNoticed', authenticationNeeded: false, attemptsLeft: 3 },
      renewal: '00000900',
    },
    {
      what: 'it is paused',
      row: NOTICED,
      sub: { status: 'SUSPENDED', subStatus: 'USER_PAUSED' },
      reported: { permitted: false, rule: 'notActive', authenticationNeeded: false },
      renewal: '3901',
    },
    {
      what: 'it is expired',
      row: NOTICED,
      sub: { startDate: '2026-06-01', expiryDate: '2026-06-14' },
      reported: { permitted: false, rule: 'expired', authenticationNeeded: false },
      renewal: '3902',
    },
  ]
  for (const [place, { what, row, sub, more, reported: wanted, renewal }] of cases.entries()) {
    test(`3006 SUCCESS: ${what}, and Renew answers ${renewal}`, async () => {
      const running = await service()
      const id = await consented(running, `consult-${place}`, {}, sub)
      await addCycle(running, id, { ...row, ...(row && 'orderId' in row && { txnId: `consult-${place}` }) })
      assert.deepEqual(reported(await consult(running, id, more)), { subsId: id, ...wanted })
      const orderId = `consult-${place}-1`
      const body = { mid: MID, orderId, subscriptionId: id, txnAmount: { value: more?.['amount'] ?? '50.00', currency: 'INR' } }
      const reply = await running.signed(`${RENEW}?mid=${MID}&orderId=${orderId}`, body)
      assert.equal([codeOf(reply), reply.body.nextAttemptTime].filter(Boolean).join(' '), renewal, reply.text)
    })
  }

  test('3006 SUCCESS: as if it were then, with debitDate; a notice by a day before it', async () => {
    const running = await service()
    const id = await consented(running, 'dated', {}, { maxAmountPaise: 20_000_00 })
    await addCycle(running, id, { ...ENDED, status: 'COLLECTED', orderId: 'o', txnId: 'dated' })
    assert.deepEqual(reported(await consult(running, id, { debitDate: '2026-07-15 06:00:00', amount: '15000.01' })), {
      ...{ subsId: id, permitted: false, rule: 'noNotice', noticeBy: '2026-07-14 06:00:00' },
      ...{ authenticationNeeded: true, attemptsLeft: 1 },
    })
    assert.equal(
      (await running.ports.query.rows(find('collections', { equals: { subscriptionId: id }, limit: 9 }))).length,
      1,
      'nothing is written',
    )
  })

  test('3006 SUCCESS: what the wallet has, and a fixed amount is that one', async () => {
    const running = await service()
    const mandate = { instrument: {}, payer: { userId: 'u', mobile: '9999900001' } }
    const id = await consented(running, 'wallet', fix('6000.00'), { paymentMode: 'BALANCE', mandate })
    const row = { amountType: 'FIX', amountPaise: 6_000_00, maxPaise: 6_000_00, rail: 'WALLET' } as const
    await addCycle(running, id, { ...NOTICED, ...row, noticedPaise: 6_000_00 })
    const { fundsSufficient, addMoneyAllowed, deficitAmount, permitted } = reported(await consult(running, id, { amount: '6000' }))
    assert.deepEqual([fundsSufficient, addMoneyAllowed, deficitAmount, permitted], [false, false, '1000.00', true])
    const little = reported(await consult(running, id, { amount: 5000 }))
    assert.deepEqual([little.fundsSufficient, little.addMoneyAllowed, little.deficitAmount], [true, undefined, undefined])
    assert.deepEqual([little.permitted, little.rule], [false, 'anotherAmount'])
  })

  test('3006 SUCCESS: an amount as a number is what was written', async () => {
    const running = await service()
    const id = await consented(running, 'number')
    await addCycle(running, id, { ...NOTICED, rail: 'CARD' })
    for (const amount of [50, 49.5]) assert.equal(reported(await consult(running, id, { amount })).permitted, true)
  })

  test('400 request cannot be validated, 3004 Subscription Not Found', async () => {
    const running = await service()
    const id = await consented(running, 'bad')
    for (const more of [
      ...[null, '0', '0.00', 0, 1e30, -1, 1.005, '1e3', true, { value: '1', currency: 'INR' }].map((amount) => ({ amount })),
      ...['2026-06-16', '2026-02-30 10:00:00', '2026-06-16T10:00:00', 1].map((debitDate) => ({ debitDate })),
      { mid: 'NOBODY' },
      { subsId: null },
    ])
      is(await consult(running, id, more), consultCodes.badRequest)
    is(await consult(running, id, {}, { key: OTHER_KEY }), consultCodes.badRequest)
    is(await consult(running, '1'), consultCodes.notFound)
    is(await consult(running, id, { mid: OTHER }, { key: OTHER_KEY }), consultCodes.notFound)
  })
})

onBothStores('edit subscription', (store) => {
  const service = sharedService(store, { world })
  const edit = (running: Service, subsId: string, more: Body, options: Parameters<typeof manage>[3] = {}) =>
    manage(running, EDIT, { subsId, ...more }, options)

  test('3006 SUCCESS: the terms wait for the customer, for a day, and nothing changes meanwhile', async () => {
    const running = await service()
    const id = await consented(running, 'terms', fix('25.50'))
    const before = (await subscriptionRow(running, id))!
    const reply = await edit(running, id, { renewalAmount: '20.00', subscriptionExpiryDate: '2028-01-01' })
    is(reply, editCodes.success)
    const { editId, editStatus, subsId } = reply.body
    assert.deepEqual([editStatus, subsId], ['PENDING', id])
    const after = (await subscriptionRow(running, id))!
    const wanted = { editId, renewalAmountPaise: 20_00, expiryDate: '2028-01-01', validUntil: running.clock.now() + DAY_MS }
    assert.deepEqual(after, { ...before, version: before.version + 1, edit: wanted })
    const [event] = (await running.ports.query.rows(find('events', { equals: { owner: MID, id }, limit: 9 }))).slice(-1)
    assert.deepEqual(
      [event!.type, event!.fromStatus, event!.toStatus, event!.version],
      ['subscription.edit-requested', 'ACTIVE', 'ACTIVE', after.version],
    )
    const [task] = await running.ports.query.rows(
      find('tasks', { equals: { task: 'mandate-amend.due', subject: `${MID}:${id}:${editId}` }, limit: 1 }),
    )
    const { isAsked: _, ...payload } = task!.payload // the service may have asked the bank meanwhile
    assert.deepEqual(payload, { mid: MID, subscriptionId: id, edit: wanted })
  })

  test('3909 An edit is pending: until it is approved or its day is over', async () => {
    const running = await service()
    const [id, many] = [await consented(running, 'open'), await consented(running, 'many')]
    is(await edit(running, id, { subscriptionMaxAmount: '90.00' }), editCodes.success)
    is(await edit(running, id, { subscriptionMaxAmount: '80.00' }), editCodes.inFlight)
    running.clock.advance(DAY_MS - 1)
    is(await edit(running, id, { subscriptionMaxAmount: '80.00' }), editCodes.inFlight)
    running.clock.advance(1)
    is(await edit(running, id, { subscriptionMaxAmount: '80.00' }), editCodes.success)
    running.clock.advance(-DAY_MS)
    const replies = await Promise.all(Array.from({ length: 20 }, () => edit(running, many, { subscriptionMaxAmount: '80.00' })))
    assert.equal(replies.filter((reply) => codeOf(reply) === '3006').length, 1)
    assert.equal(replies.filter((reply) => codeOf(reply) === '3909').length, 19)
  })

  for (const [code, what, more, row] of [
    ['invalidRenewalAmount', 'of nothing', { renewalAmount: '0.00' }, fix('10.00')],
    ['invalidRenewalAmount', 'where the amount varies', { renewalAmount: '10.00' }, {}],
    ['invalidMaxAmount', 'of nothing', { subscriptionMaxAmount: '0' }, {}],
    ['invalidMaxAmount', 'of less than the first payment', { subscriptionMaxAmount: '0.99' }, { txnAmountPaise: 100 }],
    ['invalidMaxAmount', 'where the amount is fixed', { subscriptionMaxAmount: '10.00' }, fix('10.00')],
    ['invalidExpiryDate', 'yesterday', { subscriptionExpiryDate: '2026-06-14' }, {}],
    ['maxAmountOverLimit', 'by a paisa', { subscriptionMaxAmount: '100000.01' }, {}],
    ['maxAmountOverLimit', 'by a paisa, fixed', { renewalAmount: '100000.01' }, fix('10.00')],
  ] as const) {
    test(`${editCodes[code].code} ${editCodes[code].message}: ${what}`, async () => {
      const running = await service()
      const id = await consented(running, `${code}-${what}`.replaceAll(/[ ,]/g, '-'), row)
      const before = await subscriptionRow(running, id)
      is(await edit(running, id, more), editCodes[code])
      assert.deepEqual(await subscriptionRow(running, id), before)
    })
  }

  for (const [code, message, row] of [
    ['expired', '', { startDate: '2026-06-01', expiryDate: '2026-06-14' }],
    ['notActive', ': SUSPENDED, MERCHANT_PAUSED', { status: 'SUSPENDED', subStatus: 'MERCHANT_PAUSED' }],
    ['notActive', ': INIT, INIT', { status: 'INIT', subStatus: 'INIT' }],
    ['notActive', ': REJECT, USER_CANCELLED', { status: 'REJECT', subStatus: 'USER_CANCELLED' }],
  ] as const) {
    test(`${editCodes[code].code} ${editCodes[code].message}${message}: it is not edited`, async () => {
      const running = await service()
      const id = await consented(running, `edit${message || code}`.replaceAll(/[:, ]/g, '-'), {}, row)
      is(await edit(running, id, { subscriptionMaxAmount: '90.00' }), editCodes[code], message)
    })
  }

  test('400 request cannot be validated, 3004 Subscription Not Found', async () => {
    const running = await service()
    const id = await consented(running, 'bad')
    for (const more of [
      {},
      { subscriptionMaxAmount: 90 },
      { subscriptionMaxAmount: '1e3' },
      { subscriptionMaxAmount: { value: '90.00', currency: 'INR' } },
      { subscriptionExpiryDate: '2030-02-30' },
      { subscriptionExpiryDate: '30-01-2030' },
      { subscriptionMaxAmount: '90.00', mid: 'NOBODY' },
      { subscriptionMaxAmount: '90.00', subscriptionId: '1' },
    ])
      is(await edit(running, id, more), editCodes.badRequest)
    is(await edit(running, id, { subscriptionMaxAmount: '90.00' }, { signature: null }), editCodes.badRequest)
    is(await edit(running, '1', { subscriptionMaxAmount: '90.00' }), editCodes.notFound)
    is(await edit(running, id, { subscriptionMaxAmount: '90.00', mid: OTHER }, { key: OTHER_KEY }), editCodes.notFound)
    assert.equal((await subscriptionRow(running, id))!.edit, null)
    assert.ok(await orderRow(running, 'bad'))
  })
})

onBothStores('a store that fails under terms', (store) => {
  let faults: Faults | undefined
  const failing = { now: false }
  const service = sharedService(store, {
    store: (real) => {
      faults = withFaults(withFailingQuery(real, failing))
      return faults.store
    },
  })
  test('500 System Error', async () => {
    const running = await service()
    const id = await consented(running, 'failing')
    const edit = () => manage(running, EDIT, { subsId: id, subscriptionMaxAmount: '90.00' })
    is(await faults!.during('commit', new Error('the disk is on fire'), edit), editCodes.systemError)
    is(await edit(), editCodes.success)
    failing.now = true
    is(await manage(running, CONSULT, { subsId: id, amount: '1' }), consultCodes.systemError)
    failing.now = false
    is(await manage(running, CONSULT, { subsId: id, amount: '1' }), consultCodes.success)
  })
})
