// Pre Notify and Pre Notify Status over HTTP, on both stores (docs/interface.md sections 4.37 and 4.38). Tests every row of their tables by
// name, the cycle of a notice, and repetitions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import { cancelSubscription } from '../../../src/domain/subscription/cancel-subscription.ts'
import { preNotify } from '../../../src/domain/subscription/pre-notification/pre-notify.ts'
import { preNotify as codes, type ResultCode, preNotifyStatus as statusCodes } from '../../../src/interface/result-codes.ts'
import { demoWorld } from '../../../src/sandbox/world.ts'
import { noticeKey } from '../../../src/tables/keys.ts'
import { find, type Row } from '../../../src/tables/tables.ts'
import { addCycle, consented, cycleRow, manage } from '../../support/mandates/mandates.ts'
import { type Body, fix, TODAY } from '../../support/mandates/subscription.ts'
import { at } from '../../support/mandates/timeline.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Reply, type Service, sharedService } from '../../support/run/service.ts'
import { type Faults, withFailingQuery, withFaults } from '../../support/store/faults.ts'

const OTHER = 'OTHER000000000000001'
const OTHER_KEY = 'PONMLKJIHGFEDCBA'
const world = { ...demoWorld, merchants: [...demoWorld.merchants!, { mid: OTHER, keys: [{ clientId: 'C11', key: OTHER_KEY }] }] }
const [NOTIFY] = operations.preNotify.paths
const [STATUS] = operations.preNotifyStatus.paths

const notify = (running: Service, subsId: string, more: Body = {}, options: Parameters<typeof manage>[3] = {}) =>
  manage(running, NOTIFY, { subsId, txnAmount: '50.00', ...more }, options)
const noticesOf = ({ ports }: Service, subscriptionId: string) =>
  ports.query.rows(find('notices', { equals: { mid: MID, subscriptionId }, orderBy: ['requestedAt', 'noticeId'], limit: 100 }))
const executionOn = (day: string) => ({ subscriptionScheduledExecutionDate: day })
/** Today's cycle with two days of grace. */
const GRACE = { windowTo: '2026-06-17' } as const
const ENDED = { nextAt: null, noticedAt: at('2026-06-13 10:00:00'), noticedPaise: 50_00, notices: 1 } as const

function is(reply: Reply, code: ResultCode, message = code.message) {
  assert.equal(reply.status, 200)
  assert.deepEqual(
    [reply.body.resultInfo.code, reply.body.resultInfo.message, reply.body.resultInfo.status],
    [code.code, message, code.status],
    reply.text,
  )
}

/** Writes the bank's answer to a notice, as the collection sweep does. */
async function answer({ store, ports }: Service, noticeId: string, status: Row<'notices'>['status']) {
  const key = noticeKey(MID, noticeId)
  const row = { ...(await ports.query.row(key))!, status, answeredAt: at('2026-06-15 10:07:00') }
  await store.transaction((transaction) => transaction.write({ changes: [{ kind: 'update', key, row }], events: [], tasks: [] }))
}

onBothStores('pre notify', (store) => {
  const service = sharedService(store, { world })

  test('3006 SUCCESS: a notice that the collection sweep is to send at once, with all that the merchant said', async () => {
    const running = await service()
    const id = await consented(running, 'whole')
    const cycle = await addCycle(running, id, GRACE)
    const said = {
      txnMessage: 'Milk for June',
      invoiceDisplayNo: 'I-17',
      orderId: 'whole-1',
      referenceId: 'R1',
      merchantName: 'x',
      merchantLogoUrl: 'y',
    }
    const reply = await notify(running, id, { ...said, txnDate: '15-06-2026', ...executionOn('2026-06-16') })
    is(reply, codes.success)
    const { resultInfo: _, ...body } = reply.body
    assert.deepEqual(Object.keys(body), ['referenceId', 'paytmReferenceId', 'subsId'])
    const [notice] = await noticesOf(running, id)
    const { requestedAt, ...row } = notice!
    assert.equal(requestedAt, running.clock.now())
    assert.deepEqual(row, {
      ...{ mid: MID, noticeId: body.paytmReferenceId, subscriptionId: id, collectionId: cycle.collectionId, number: 1, referenceId: 'R1' },
      ...{ orderId: 'whole-1', status: 'PENDING', amountPaise: 50_00, debitDate: '2026-06-16', answeredAt: null },
      content: { txnMessage: 'Milk for June', invoiceDisplayNo: 'I-17' },
    })
    const after = (await cycleRow(running, cycle))!
    assert.deepEqual([after.status, after.notices, after.amountPaise, after.nextAt], ['SCHEDULED', 1, 50_00, running.clock.now()])
  })

  test('3006 SUCCESS: an amount as Money, and a reference and a message of Mohur’s where none is given', async () => {
    const running = await service()
    const id = await consented(running, 'ours')
    await addCycle(running, id, GRACE)
    const { body } = await notify(running, id, { txnAmount: { value: '50', currency: 'INR' } })
    assert.equal(body.referenceId, body.paytmReferenceId)
    const [notice] = await noticesOf(running, id)
    assert.deepEqual([notice!.content, notice!.debitDate], [{ txnMessage: 'Demo Stores debits Rs 50.00 on 16-06-2026' }, '2026-06-16'])
  })

  test('3006 SUCCESS: the same again is the same notice; 3903: another amount, day or reference', async () => {
    const running = await service()
    const id = await consented(running, 'again')
    await addCycle(running, id, GRACE)
    const said = { referenceId: 'R2', ...executionOn('2026-06-16') }
    const first = (await notify(running, id, said)).body
    for (const more of [said, executionOn('2026-06-16')]) {
      const { body } = await notify(running, id, more)
      assert.deepEqual([body.resultInfo.code, body.paytmReferenceId], ['3006', first.paytmReferenceId])
    }
    for (const more of [
      { ...said, txnAmount: '50.01' },
      { ...said, ...executionOn('2026-06-17') },
      { ...said, referenceId: 'R3' },
    ])
      is(await notify(running, id, more), codes.alreadyDone)
    assert.equal((await noticesOf(running, id)).length, 1)
    await answer(running, first.paytmReferenceId, 'SUCCESS')
    assert.equal((await notify(running, id, said)).body.paytmReferenceId, first.paytmReferenceId)
  })

  test('3006 SUCCESS: one that failed takes no day away, and the same reference names another notice', async () => {
    const running = await service()
    const id = await consented(running, 'failed')
    await addCycle(running, id, GRACE)
    const first = (await notify(running, id, { referenceId: id })).body
    await answer(running, first.paytmReferenceId, 'FAILURE')
    running.clock.advance(1_000)
    const second = (await notify(running, id, { referenceId: id })).body
    assert.notEqual(second.paytmReferenceId, first.paytmReferenceId)
    assert.deepEqual(
      (await noticesOf(running, id)).map(({ number }) => number),
      [1, 2],
    )
  })

  test('a hundred at once make one notice, which every reply names', async () => {
    const running = await service()
    const id = await consented(running, 'hundred')
    await addCycle(running, id, GRACE)
    const replies = await Promise.all(Array.from({ length: 100 }, () => notify(running, id)))
    assert.deepEqual(new Set(replies.map(codeOf)), new Set(['3006']))
    assert.equal(new Set(replies.map(({ body }) => body.paytmReferenceId)).size, 1)
    assert.equal((await noticesOf(running, id)).length, 1)
  })

  test('the day is the one that is scheduled, else the named one, else the next on which it may be collected', async () => {
    const running = await service()
    const weekly = { subscriptionFrequencyUnit: 'WEEK', subscriptionGraceDays: '1' }
    const cases: [string, Body, string | undefined][] = [
      ['today is no day to notify of, and tomorrow is in the cycle', { txnDate: '15-06-2026' }, '2026-06-16'],
      ['none is named', {}, '2026-06-16'],
      ['a day of the next cycle is named', { txnDate: '22-06-2026' }, '2026-06-22'],
      ['a day between two cycles is named', { txnDate: '19-06-2026' }, '2026-06-16'],
      ['the scheduled one counts, whatever else is named', { txnDate: '16-06-2026', ...executionOn('2026-06-22') }, '2026-06-22'],
      ['the scheduled one lies between two cycles', { txnDate: '16-06-2026', ...executionOn('2026-06-19') }, undefined],
    ]
    for (const [place, [what, said, day]] of cases.entries()) {
      const id = await consented(running, `day-${place}`, weekly)
      await addCycle(running, id, { windowTo: '2026-06-16' })
      is(await notify(running, id, said), day ? codes.success : codes.cannotBeSent)
      assert.deepEqual(
        (await noticesOf(running, id)).map(({ debitDate }) => debitDate),
        day ? [day] : [],
        what,
      )
    }
    const over = await consented(running, 'day-over', weekly)
    await addCycle(running, over, { ...ENDED, status: 'COLLECTED', orderId: 'o', txnId: 'day-over', windowTo: '2026-06-16' })
    is(await notify(running, over), codes.success)
    assert.equal((await noticesOf(running, over))[0]!.collectionId, `${over}.20260622`, 'the cycle of today is over, so it is the next')
    assert.equal((await cycleRow(running, { collectionId: `${over}.20260622` }))!.number, 1)
  })

  test('on demand it makes the cycle of its day, once, between start and expiry', async () => {
    const running = await service()
    const onDemand = { subscriptionFrequencyUnit: 'ONDEMAND', subscriptionGraceDays: null, subscriptionExpiryDate: '2026-06-18' }
    const id = await consented(running, 'demand', onDemand)
    for (const day of ['2026-06-16', '2026-06-18']) is(await notify(running, id, executionOn(day)), codes.success)
    is(await notify(running, id, { txnDate: '17-06-2026' }), codes.success)
    is(await notify(running, id, executionOn('2026-06-19')), codes.cannotBeSent)
    const row = (await cycleRow(running, { collectionId: `${id}.20260617` }))!
    assert.deepEqual([row.number, row.windowFrom, row.windowTo, row.version], [null, '2026-06-17', '2026-06-17', 1])
    is(await notify(running, id, { txnAmount: '1', ...executionOn('2026-06-18') }), codes.alreadyDone)
  })

  test('on demand it ends with a cancellation that is decided together with it, on whichever day it is for', async () => {
    const running = await service()
    const { engine, reference, clock } = running.ports
    const now = clock.now()
    for (const day of ['2026-06-16', '2026-06-22']) {
      const id = await consented(running, `demand-${day}`, { subscriptionFrequencyUnit: 'ONDEMAND', subscriptionGraceDays: null })
      const of = { caller: { signature: 'valid' }, subscriptionId: id, now } as const
      const request = { mid: MID, txnAmount: '50.00', ...executionOn(day) }
      const noticed = engine.submit(preNotify, { ...of, request, reference, fresh: { noticeId: `demand-${day}` } })
      const cancelled = engine.submit(cancelSubscription, { ...of, request: { mid: MID } })
      assert.deepEqual([(await noticed).result.code, (await cancelled).result.code], ['3006', '3006'])
      const row = (await cycleRow(running, { collectionId: `${id}.${day.replaceAll('-', '')}` }))!
      assert.deepEqual([row.status, row.nextAt, row.version], ['MISSED', null, 2])
    }
  })

  test('is taken on rails that need none', async () => {
    const running = await service()
    const id = await consented(running, 'enach', {}, { paymentMode: 'BANK_MANDATE', mandateType: 'E_MANDATE', startDate: '2026-06-20' })
    is(await notify(running, id, executionOn('2026-06-20')), codes.success)
    assert.equal((await cycleRow(running, { collectionId: `${id}.20260620` }))!.noticeNeeded, false)
  })

  test('400 notification can not be send at given txnDate: not 1 to 7 days ahead, or in no cycle that is open', async () => {
    const running = await service()
    const wide = { windowTo: '2026-07-10' } as const
    for (const [place, day] of ['2026-06-14', TODAY, '2026-06-23', '2026-07-14'].entries()) {
      const id = await consented(running, `ahead-${place}`)
      await addCycle(running, id, wide)
      is(await notify(running, id, executionOn(day)), codes.cannotBeSent)
      assert.deepEqual(await noticesOf(running, id), [])
    }
    for (const status of ['MISSED', 'FAILED'] as const) {
      const id = await consented(running, `over-${status}`)
      await addCycle(running, id, { ...ENDED, status, ...GRACE })
      is(await notify(running, id, executionOn('2026-06-16')), codes.cannotBeSent)
      is(await notify(running, id), codes.cannotBeSent)
    }
  })

  for (const [code, what, row] of [
    ['alreadyDone', 'it is collected', { ...ENDED, status: 'COLLECTED', orderId: 'o' }],
    ['skipped', 'the customer skipped it', { ...ENDED, status: 'SKIPPED' }],
    ['inFlight', 'an attempt is in flight', { ...ENDED, nextAt: 2 ** 41, status: 'IN_FLIGHT', orderId: 'o', attempts: 1 }],
  ] as const) {
    test(`${codes[code].code} ${codes[code].message}: ${what}`, async () => {
      const running = await service()
      const id = await consented(running, `state-${code}`)
      const cycle = await addCycle(running, id, { ...row, ...GRACE, ...('orderId' in row && { txnId: code }) })
      is(await notify(running, id, executionOn('2026-06-16')), codes[code])
      assert.deepEqual([await cycleRow(running, cycle), await noticesOf(running, id)], [cycle, []])
    })
  }

  for (const [code, message, what, sub] of [
    ['expired', '', 'an expired one', { startDate: '2026-06-01', expiryDate: '2026-06-14' }],
    ['notActive', ': SUSPENDED, USER_PAUSED', 'a paused one', { status: 'SUSPENDED', subStatus: 'USER_PAUSED' }],
    ['notActive', ': REJECT, USER_CANCELLED', 'a revoked one', { status: 'REJECT', subStatus: 'USER_CANCELLED' }],
  ] as const) {
    test(`${codes[code].code} ${codes[code].message}: ${what}`, async () => {
      const running = await service()
      const id = await consented(running, `sub-${what}`.replaceAll(' ', '-'), {}, sub)
      is(await notify(running, id), codes[code], codes[code].message + message)
    })
  }

  test('400 request cannot be validated: whatever is missing, wrong or unsigned, and an amount that is not the cycle’s', async () => {
    const running = await service()
    const id = await consented(running, 'wrong')
    await addCycle(running, id, GRACE)
    const wrong: Body[] = [
      { txnAmount: null },
      ...['1e3', '0', '0.00', '100.01', 50, { value: '50.00', currency: 'USD' }, { value: '50.001', currency: 'INR' }].map((txnAmount) => ({
        txnAmount,
      })),
      ...['2026-06-16', '30-02-2026', '1-6-2026', '16/06/2026'].map((txnDate) => ({ txnDate })),
      ...['16-06-2026', '2026-02-30'].map(executionOn),
      { referenceId: 'x'.repeat(51) },
      { txnMessage: 'x'.repeat(201) },
      { txnMessage: 'a|b' },
      { invoiceDisplayNo: 'x'.repeat(16) },
      { orderId: 'a b' },
      { subscriptionId: `${id}1` },
      { mid: 'NOBODY' },
    ]
    for (const more of wrong) is(await notify(running, id, more), codes.badRequest)
    for (const options of [{ signature: null }, { key: OTHER_KEY }, { head: { tokenType: 'SSO' } }])
      is(await notify(running, id, {}, options), codes.badRequest)
    is(await manage(running, NOTIFY, { txnAmount: '50.00' }), codes.badRequest)
    const fixed = await consented(running, 'wrong-fixed', fix('25.50'))
    await addCycle(running, fixed, { ...GRACE, amountType: 'FIX', amountPaise: 25_50, maxPaise: 25_50 })
    for (const txnAmount of ['25.49', '25.51']) is(await notify(running, fixed, { txnAmount }), codes.badRequest)
    assert.deepEqual([...(await noticesOf(running, id)), ...(await noticesOf(running, fixed))], [])
    is(await notify(running, fixed, { txnAmount: '25.5' }), codes.success)
  })

  test('3004 Subscription Not Found', async () => {
    const running = await service()
    const id = await consented(running, 'foreign')
    is(await notify(running, '1'), codes.notFound)
    is(await notify(running, id, { mid: OTHER }, { key: OTHER_KEY }), codes.notFound)
  })
})

onBothStores('pre notify status', (store) => {
  const service = sharedService(store, { world })
  const status = (running: Service, body: Body, options: Parameters<typeof manage>[3] = {}) => manage(running, STATUS, body, options)

  test('3006 SUCCESS: its result, by the merchant’s reference, by Mohur’s, or by its order', async () => {
    const running = await service()
    const id = await consented(running, 'told')
    await addCycle(running, id, GRACE)
    const { paytmReferenceId } = (await notify(running, id, { referenceId: 'T1', orderId: 'told-1', txnMessage: 'Milk' })).body
    const ends = [
      ['PENDING', 'PENDING', '1', '15-06-2026 10:00'],
      ['SUCCESS', 'SUCCESS', '0', '15-06-2026 10:07'],
      ['FAILURE', 'FAILURE', '2', '15-06-2026 10:07'],
      ['OPTED_OUT', 'FAILURE', '3', '15-06-2026 10:07'],
    ] as const
    for (const [state, notificationStatus, code, date] of ends) {
      if (state !== 'PENDING') await answer(running, paytmReferenceId, state)
      for (const by of [{ referenceId: 'T1' }, { paytmReferenceId }, { orderId: 'told-1' }]) {
        const reply = await status(running, { subscriptionId: id, ...by })
        is(reply, statusCodes.success)
        const { resultInfo: _, notificationStatusMessage, ...body } = reply.body
        assert.ok(notificationStatusMessage.length > 0)
        assert.deepEqual(body, {
          ...{ subsId: id, txnDate: '16-06-2026 00:00', txnMessage: 'Milk' },
          ...{ notificationStatus, notificationStatusCode: code, notificationDate: date },
        })
      }
    }
  })

  test('3006 SUCCESS: the newest notice of one reference', async () => {
    const running = await service()
    const id = await consented(running, 'newest')
    await addCycle(running, id, GRACE)
    const { paytmReferenceId } = (await notify(running, id, { referenceId: id })).body
    await answer(running, paytmReferenceId, 'FAILURE')
    running.clock.advance(60_000)
    await notify(running, id, { referenceId: id })
    assert.equal((await status(running, { subsId: id, referenceId: id })).body.notificationStatus, 'PENDING')
    assert.equal((await status(running, { subsId: id, paytmReferenceId })).body.notificationStatus, 'FAILURE')
  })

  test('3006 SUCCESS: a notice that is not sent any more, because its cycle has ended, is a failure', async () => {
    const running = await service()
    const id = await consented(running, 'ended')
    await addCycle(running, id, { ...GRACE })
    await notify(running, id, { referenceId: 'E1' })
    await manage(running, operations.cancelSubscription.paths[0], { subsId: id })
    const { body } = await status(running, { subsId: id, referenceId: 'E1' })
    assert.deepEqual([body.notificationStatus, body.notificationStatusCode], ['FAILURE', '4'])
  })

  test('3060 ReferenceId is mandatory, 3054 Prenotify Not Found, 3004 Subscription Not Found', async () => {
    const running = await service()
    const [id, other] = [await consented(running, 'none'), await consented(running, 'none-other')]
    await addCycle(running, other, GRACE)
    const { paytmReferenceId } = (await notify(running, other, { referenceId: 'N1' })).body
    is(await status(running, { subsId: id }), statusCodes.referenceMissing)
    is(await status(running, { subsId: id, orderId: 'none' }), statusCodes.referenceMissing)
    for (const by of [{ referenceId: 'N1' }, { paytmReferenceId }, { orderId: 'none', subscriptionId: id }])
      is(await status(running, { subsId: id, ...by }), statusCodes.noticeNotFound)
    is(await status(running, { subsId: '1', referenceId: 'N1' }), statusCodes.notFound)
    is(await status(running, { mid: OTHER, subsId: other, referenceId: 'N1' }, { key: OTHER_KEY }), statusCodes.notFound)
  })

  test('400 request cannot be validated', async () => {
    const running = await service()
    const id = await consented(running, 'bad')
    for (const more of [{ subsId: null }, { mid: 'NOBODY' }, { referenceId: ['x'] }, { orderId: 'a b' }])
      is(await status(running, { subsId: id, referenceId: 'x', ...more }), statusCodes.badRequest)
    is(await status(running, { subsId: id, referenceId: 'x' }, { key: OTHER_KEY }), statusCodes.badRequest)
  })
})

onBothStores('a store that fails under notices', (store) => {
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
    await addCycle(running, id, GRACE)
    is(await faults!.during('commit', new Error('the disk is on fire'), () => notify(running, id)), codes.systemError)
    assert.deepEqual(await noticesOf(running, id), [])
    is(await notify(running, id, { referenceId: 'F1' }), codes.success)
    failing.now = true
    is(await manage(running, STATUS, { subsId: id, referenceId: 'F1' }), statusCodes.systemError)
    failing.now = false
    is(await manage(running, STATUS, { subsId: id, referenceId: 'F1' }), statusCodes.success)
  })
})
