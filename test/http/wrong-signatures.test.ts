// A signature that is known to be wrong takes no place in a batch. It is refused in the same order as any other (docs/interface.md
// section 7, "Order of refusals").

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../src/api/operations.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { MID, onBothStores, type Service, sharedService } from '../support/run/service.ts'
import { type Faults, withFaults } from '../support/store/faults.ts'

const WRONG_KEY = 'BCDEFGHIJKLMNOPQ'
const order = orderBody('WRONG1')
const bodies = {
  createOrder: order,
  initiateSubscription: {
    ...order,
    requestType: 'NATIVE_SUBSCRIPTION',
    subscriptionAmountType: 'FIX',
    subscriptionFrequencyUnit: 'MONTH',
    subscriptionExpiryDate: '2030-01-01',
    subscriptionEnableRetry: '0',
    subscriptionStartDate: '2026-07-01',
    subscriptionGraceDays: '0',
  },
  closeOrder: { requestType: 'CLOSE', mid: MID, orderId: 'WRONG1' },
  applyRefund: { mid: MID, txnType: 'REFUND', orderId: 'WRONG1', txnId: '1', refId: 'R1', refundAmount: '1.00' },
}
type Name = keyof typeof bodies

const ask = async (service: Service, name: Name, more: object = {}, options: { key?: string; head?: object } = {}) => {
  const body = { ...bodies[name], ...more }
  const reply = await service.signed(`${operations[name].paths[0]}?mid=${body.mid}&orderId=${body.orderId}`, body, options)
  return reply.body.resultInfo.resultCode as string
}

onBothStores('wrong signatures', (store) => {
  let faults: Faults
  const started = sharedService(store, {
    store: (given) => {
      faults = withFaults(given)
      return faults.store
    },
  })

  test('a signature that no key of the merchant has made takes no place in a batch', async () => {
    const service = await started()
    for (const name of Object.keys(bodies) as Name[]) {
      const { begun } = faults.counts
      const code = name === 'applyRefund' ? '606' : '2005'
      assert.equal(await ask(service, name, {}, { key: WRONG_KEY }), code, name)
      assert.equal(await ask(service, name, {}, { key: WRONG_KEY, head: { clientId: 'C99' } }), code, name)
      assert.equal(faults.counts.begun, begun, name)
    }
  })

  test('refusals before the signature still come before it, and refusals after it still come after it', async () => {
    const service = await started()
    const wrong = { key: WRONG_KEY }
    assert.equal(await ask(service, 'createOrder', { mid: 'NOBODY' }, wrong), '2006')
    assert.equal(await ask(service, 'closeOrder', { mid: 'NOBODY' }, wrong), '2006')
    assert.equal(await ask(service, 'initiateSubscription', { mid: 'NOBODY' }, wrong), '2005')
    assert.equal(await ask(service, 'applyRefund', { mid: 'NOBODY' }, wrong), '606')
    assert.equal(await ask(service, 'createOrder', { txnAmount: { value: '0', currency: 'INR' } }, wrong), '2007')
    assert.equal(await ask(service, 'createOrder', { websiteName: 'NOWHERE' }, wrong), '2005')
    assert.equal(await ask(service, 'createOrder'), '0000')
    assert.equal(await ask(service, 'createOrder', {}, wrong), '2005')
    assert.equal(await ask(service, 'createOrder'), '324')
    assert.equal(await ask(service, 'closeOrder', {}, wrong), '2005')
    assert.equal(await ask(service, 'closeOrder'), '0000')
    assert.equal(await ask(service, 'closeOrder'), '410')
  })
})
