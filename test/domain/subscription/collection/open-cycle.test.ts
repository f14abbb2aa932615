// The cycle after one that ends or is notified. It exists whichever command was first, and has the terms in force when its payer is
// notified of it (docs/interface.md sections 3 and 4.41). Commands are decided together, on both stores.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advanceCollection } from '../../../../src/domain/subscription/collection/advance-collection.ts'
import { renewSubscription } from '../../../../src/domain/subscription/collection/renew-subscription.ts'
import { applyEditResult } from '../../../../src/domain/subscription/mandate/apply-edit-result.ts'
import { applyNoticeResult } from '../../../../src/domain/subscription/pre-notification/apply-notice-result.ts'
import { preNotify } from '../../../../src/domain/subscription/pre-notification/pre-notify.ts'
import type { PendingEdit } from '../../../../src/tables/subscription.ts'
import { find, type Row } from '../../../../src/tables/tables.ts'
import { addCycle, consented } from '../../../support/mandates/mandates.ts'
import { fix, TODAY } from '../../../support/mandates/subscription.ts'
import { at } from '../../../support/mandates/timeline.ts'
import { MID, onBothStores, type Service, sharedService } from '../../../support/run/service.ts'

const caller = { signature: 'valid' } as const
const OURS = fix('50.00', { autoRenewal: true, autoRetry: true })
const FIXED = { amountType: 'FIX', amountPaise: 50_00, maxPaise: 50_00 } as const
const NOTICED = { status: 'NOTIFIED', notices: 1, noticedAt: at('2026-06-13 10:00:00'), noticedPaise: 50_00 } as const

const cyclesOf = async ({ ports }: Service, subscriptionId: string) =>
  (await ports.query.rows(find('collections', { equals: { mid: MID, subscriptionId }, orderBy: ['dueDate'], limit: 9 }))).map(
    ({ dueDate, status, amountPaise, nextAt }) => [dueDate, status, amountPaise, nextAt !== null],
  )

onBothStores('the cycle after one', (store) => {
  const service = sharedService(store)

  /** The payer approves twenty rupees at a time. */
  const approved = ({ ports }: Service, subscriptionId: string) => {
    const edit: PendingEdit = { editId: `edit-${subscriptionId}`, renewalAmountPaise: 20_00, validUntil: ports.clock.now() + 1 }
    return ports.engine.submit(applyEditResult, {
      ...{ mid: MID, subscriptionId, edit, outcome: 'active', reference: ports.reference, now: ports.clock.now() },
    })
  }
  const takeUp = ({ ports }: Service, { collectionId }: Pick<Row<'collections'>, 'collectionId'>) =>
    ports.engine.submit(advanceCollection, {
      ...{ mid: MID, collectionId, reference: ports.reference, now: ports.clock.now() },
      fresh: { txnId: `txn-${collectionId}`, noticeId: `notice-${collectionId}` },
    })

  test('has other terms that are approved together with the look that brings it', async () => {
    const running = await service()
    const id = await consented(running, 'looked-at', OURS)
    const due = await addCycle(running, id, { ...FIXED, ...NOTICED, nextAt: running.clock.now() })
    await Promise.all([takeUp(running, due), approved(running, id)])
    assert.deepEqual(await cyclesOf(running, id), [
      [TODAY, 'NOTIFIED', 50_00, true],
      ['2026-07-15', 'SCHEDULED', 20_00, true],
    ])
  })

  test('has other terms that are approved together with the renewal that brings it', async () => {
    const running = await service()
    const { engine, reference, clock } = running.ports
    const id = await consented(running, 'renewed', fix('50.00'), { startDate: '2026-05-15' })
    await addCycle(running, id, { ...FIXED, status: 'MISSED', dueDate: '2026-05-15', nextAt: null })
    const due = await addCycle(running, id, { ...FIXED, ...NOTICED, number: 1 })
    const renewed = engine.submit(renewSubscription, {
      request: { mid: MID, orderId: 'renewed-1', subscriptionId: id, txnAmount: { value: '50.00', currency: 'INR' } },
      ...{ caller, subscriptionId: id, reference, now: clock.now() },
      fresh: { txnId: 'renewed-1' },
    })
    const [reply] = await Promise.all([renewed, approved(running, id)])
    assert.equal(reply.result.code, '0000')
    assert.deepEqual(await cyclesOf(running, id), [
      ['2026-05-15', 'MISSED', 50_00, false],
      [due.dueDate, 'IN_FLIGHT', 50_00, true],
      ['2026-07-15', 'SCHEDULED', 20_00, true],
    ])
  })

  test('exists when its payer opts out of a notice that was not sent yet', async () => {
    const running = await service()
    const { engine, reference, clock } = running.ports
    const id = await consented(running, 'opts-out', OURS, { startDate: '2026-06-17' })
    const due = await addCycle(running, id, { ...FIXED, dueDate: '2026-06-17', nextAt: at('2026-06-15 18:00:00') })
    const fresh = { noticeId: 'opts-out' }
    const request = { mid: MID, txnAmount: '50.00', subscriptionScheduledExecutionDate: due.dueDate }
    const reported = await engine.submit(preNotify, { request, caller, subscriptionId: id, reference, now: clock.now(), fresh })
    assert.equal(reported.result.code, '3006')
    const said = { noticeId: 'opts-out', outcome: 'optedOut', onPage: {}, category: undefined, now: clock.now() } as const
    const skipped = await engine.submit(applyNoticeResult, { mid: MID, collectionId: due.collectionId, ...said })
    assert.equal(skipped.result.name, 'applied')
    assert.deepEqual(await cyclesOf(running, id), [
      [due.dueDate, 'SKIPPED', 50_00, false],
      ['2026-07-17', 'SCHEDULED', 50_00, true],
    ])
  })
})
