// Apply Refund and Refund Status over HTTP: one row per row of docs/interface.md section 7, in order of precedence. Each row also has the
// faults of the rows below it, as far as they are possible together.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyRefund, refundStatus } from '../../../src/interface/result-codes.ts'
import { refundKey } from '../../../src/tables/keys.ts'
import { createOrder, pay, script } from '../../support/paying/paying.ts'
import { APPLY, type Paid, paidOrder, refund, refundBody, refundStatusOf, STATUS, transactionOf } from '../../support/paying/refunds.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Reply, type Service, sharedService } from '../../support/run/service.ts'
import { type Faults, watched, withFaults } from '../../support/store/faults.ts'

const forged = `${'A'.repeat(107)}=`
const MINUTE_MS = 60_000

onBothStores('Apply Refund', (store) => {
  let faults: Faults | undefined
  const service = sharedService(store, {
    store: (real) => {
      faults = withFaults(real)
      return faults.store
    },
  })
  /** A paid order with one refund of Rs 10 under the refId `<orderId>-used`. */
  async function paid(orderId: string): Promise<{ running: Service; paid: Paid }> {
    const running = await service()
    const order = await paidOrder(running, orderId)
    assert.equal(codeOf(await refund(running, order, `${orderId}-used`, '10.00')), '601')
    await running.tasks.runDue()
    return { running, paid: order }
  }
  async function refuses(name: Exclude<keyof typeof applyRefund, 'success'>, running: Service, ask: () => Promise<Reply>, of?: Paid) {
    const before = of && (await transactionOf(running, of))
    const reply = await ask()
    assert.deepEqual(
      reply.body,
      { resultInfo: { resultStatus: applyRefund[name].status, resultCode: applyRefund[name].code, resultMsg: applyRefund[name].message } },
      reply.text,
    )
    if (of) assert.deepEqual(await transactionOf(running, of), before)
  }

  test('600: bytes that are no envelope', async () => {
    const running = await service()
    await refuses('invalidRequest', running, () => running.post(APPLY, '{"head":{},"body":'))
    await refuses('invalidRequest', running, () => running.post(APPLY, '{"head":{},"body":[]}'))
  })

  for (const member of ['mid', 'txnType', 'orderId', 'txnId', 'refId', 'refundAmount']) {
    test(`600: no ${member}, and everything else wrong`, async () => {
      const running = await service()
      const nothing = { orderId: 'NONE', txnId: '1' }
      const body = { ...refundBody(nothing, 'R', '0'), ...(member !== 'txnType' && { txnType: 'SALE' }), [member]: '' }
      await refuses('invalidRequest', running, () => running.signed(APPLY, body, { signature: forged }))
    })
  }

  for (const [what, wrong] of Object.entries({
    'another txnType': { txnType: 'SALE' },
    'a mid with a space': { mid: 'A B' },
    'a txnId with a point': { txnId: '1.2' },
    'a refId of 51 characters': { refId: 'r'.repeat(51) },
    'a refId with a colon': { refId: 'auto:1' },
    'comments that are a number': { comments: 1 },
    'an agent without text': { agentInfo: { name: 1 } },
  })) {
    test(`600: ${what}, and a wrong amount`, async () => {
      const running = await service()
      const body = { ...refundBody({ orderId: 'NONE', txnId: '1' }, 'R', '0'), ...wrong }
      await refuses('invalidRequest', running, () => running.signed(APPLY, body, { signature: forged }))
    })
  }

  for (const amount of ['0', '0.00', '-1.00', '1.234', '1e2', ' 1', '٣', 10]) {
    test(`619: the amount ${JSON.stringify(amount)}, and a wrong signature`, async () => {
      const running = await service()
      const body = { ...refundBody({ orderId: 'NONE', txnId: '1' }, 'R', '1'), refundAmount: amount }
      await refuses('invalidAmount', running, () => running.signed(APPLY, body, { signature: forged }))
    })
  }

  test('606: a wrong signature, none, or an unknown merchant; and an unknown order', async () => {
    const running = await service()
    const body = refundBody({ orderId: 'NONE', txnId: '1' }, 'R', '1')
    await refuses('invalidChecksum', running, () => running.signed(APPLY, body, { signature: forged }))
    await refuses('invalidChecksum', running, () => running.signed(APPLY, body, { signature: null }))
    await refuses('invalidChecksum', running, () => running.signed(APPLY, { ...body, mid: 'NOBODY' }))
  })

  test('607: an unknown order, an unknown transaction, or one of another order, and a refId that was used', async () => {
    const { running, paid: a } = await paid('A607')
    const { paid: b } = await paid('B607')
    const refId = 'A607-used'
    await refuses('orderNotFound', running, () => refund(running, { ...a, orderId: 'NONE' }, refId, '1000'), a)
    await refuses('orderNotFound', running, () => refund(running, { ...a, txnId: '1' }, refId, '1000'), a)
    await refuses('orderNotFound', running, () => refund(running, { ...a, txnId: b.txnId }, refId, '1000'), a)
  })

  test('609: a payment that failed, and a refId that was used', async () => {
    const { running } = await paid('A609')
    const order = await createOrder(running, 'B609')
    const failed = await pay(running, order, { paymentMode: 'CREDIT_CARD', cardInfo: '|4000000000000002|123|122032' })
    const { txnId } = failed.body
    await refuses('notCaptured', running, () => refund(running, { ...order, txnId }, 'A609-used', '1000'))
  })

  test('617 while the refund of all that is left is on its way, then 610; whatever the amount and the refId', async () => {
    const { running, paid: order } = await paid('A610')
    await script(running, order, 'slow')
    assert.equal(codeOf(await refund(running, order, 'A610-rest', '90.00')), '601')
    await running.tasks.runDue()
    await refuses('alreadyRaised', running, () => refund(running, order, 'A610-used', '1000'), order)
    running.clock.advance(3 * MINUTE_MS)
    await running.tasks.runDue()
    await refuses('fullyRefunded', running, () => refund(running, order, 'A610-used', '1000'), order)
  })

  test('619: more than is left, and a refId that was used', async () => {
    const { running, paid: order } = await paid('A619')
    await refuses('invalidAmount', running, () => refund(running, order, 'A619-used', '90.01'), order)
  })

  test('701: the same refId with other content, whatever differs', async () => {
    const { running, paid: order } = await paid('A701')
    const other = await paidOrder(running, 'B701')
    await refuses('refIdUsed', running, () => refund(running, order, 'A701-used', '10.01'), order)
    await refuses('refIdUsed', running, () => refund(running, order, 'A701-used', '10.00', { comments: 'again' }), order)
    await refuses('refIdUsed', running, () => refund(running, other, 'A701-used', '10.00'), other)
  })

  test('the same refId with the same content is the same refund, at any time, and nothing is written', async () => {
    const { running, paid: order } = await paid('SAME')
    const first = await refund(running, order, 'S1', '90.00', { comments: 'broken', extraParamsMap: { a: '1', b: '2' } })
    await running.tasks.runDue() // by now all of it is given back
    const before = await running.ports.query.row(refundKey(MID, 'S1'))
    for (const refundAmount of ['90', '90.0', '90.00']) {
      const again = await refund(running, order, 'S1', refundAmount, { extraParamsMap: { b: '2', a: '1' }, comments: 'broken' })
      assert.deepEqual(again.body, first.body)
    }
    assert.equal(codeOf(first), '601')
    assert.deepEqual(await running.ports.query.row(refundKey(MID, 'S1')), before)
    assert.equal((await transactionOf(running, order)).refundedPaise, 100_00)
  })

  test('501: a store that fails once, and the refund is there at most once', async () => {
    const { running, paid: order } = await paid('A501')
    for (const at of ['read', 'write', 'commit'] as const) {
      const failing = () => faults!.during(at, new Error('the disk is on fire'), () => refund(running, order, `F-${at}`, '1.00'))
      await refuses('systemError', running, failing, order)
      assert.equal(codeOf(await refund(running, order, `F-${at}`, '1.00')), '601')
      await running.tasks.runDue()
    }
    assert.equal((await transactionOf(running, order)).refundedPaise, 13_00)
  })

  test('601 carries what was asked for and what it is known by, on both paths', async () => {
    const { running, paid: order } = await paid('GOOD')
    for (const [at, path] of [APPLY, '/refund/api/v1/async/refund'].entries()) {
      const { body, head } = await running.signed(path, refundBody(order, `G${at}`, '5'), { head: { clientId: 'C11', version: 'v2' } })
      const { refundId, txnTimestamp, ...more } = body
      assert.match(refundId, /^\d{26}$/)
      assert.match(txnTimestamp, /^2026-06-15 \d\d:\d\d:\d\d\.0$/)
      assert.deepEqual(more, {
        resultInfo: { resultStatus: 'PENDING', resultCode: '601', resultMsg: applyRefund.success.message },
        mid: MID,
        orderId: 'GOOD',
        txnId: order.txnId,
        refId: `G${at}`,
        refundAmount: '5.00',
        txnAmount: '100.00',
      })
      assert.equal(head.clientId, 'C11')
      assert.equal(head.version, 'v2')
      assert.equal(head.signature.length, 108)
    }
  })
})

onBothStores('Refund Status', (store) => {
  const service = sharedService(store, {
    store: (real) =>
      watched(real, {
        query(table) {
          if (failing && table === 'refunds') throw new Error('the disk is on fire')
        },
      }),
  })
  let failing = false
  const info = (name: keyof typeof refundStatus) => ({
    resultStatus: refundStatus[name].status,
    resultCode: refundStatus[name].code,
    resultMsg: refundStatus[name].message,
  })

  test('600: unreadable, a member missing or wrong, and a wrong signature', async () => {
    const { post, signed } = await service()
    const good = { mid: MID, orderId: 'O', refId: 'R' }
    assert.deepEqual((await post(STATUS, '[]')).body, { resultInfo: info('invalidRequest') })
    for (const wrong of [{ mid: '' }, { orderId: null }, { refId: undefined }, { refId: 'a b' }, { orderId: 'a b' }, { mid: 1 }])
      assert.deepEqual((await signed(STATUS, { ...good, ...wrong }, { signature: forged })).body, { resultInfo: info('invalidRequest') })
  })

  test('606: a wrong signature, none, or an unknown merchant, and an unknown refund', async () => {
    const { signed } = await service()
    const body = { mid: MID, orderId: 'O', refId: 'R' }
    for (const signature of [forged, null])
      assert.deepEqual((await signed(STATUS, body, { signature })).body, { resultInfo: info('invalidChecksum') })
    assert.deepEqual((await signed(STATUS, { ...body, mid: 'NOBODY' })).body, { resultInfo: info('invalidChecksum') })
  })

  test('800: a refId that was never used, or for another order', async () => {
    const running = await service()
    const order = await paidOrder(running, 'S800')
    await refund(running, order, 'S800', '1')
    assert.deepEqual((await refundStatusOf(running, order, 'S801')).body, { resultInfo: info('noRecord') })
    assert.deepEqual((await refundStatusOf(running, { orderId: 'OTHER' }, 'S800')).body, { resultInfo: info('noRecord') })
  })

  for (const [outcome, name] of [
    ['success', 'success'],
    ['slow', 'pending'],
    ['timeout', 'delayed'],
    ['declined', 'declined'],
  ] as const) {
    test(`${refundStatus[name].code} when the bank says ${outcome}`, async () => {
      const running = await service()
      const order = await paidOrder(running, `S-${outcome}`)
      await script(running, order, outcome)
      const applied = await refund(running, order, `R-${outcome}`, '40')
      await running.tasks.runDue()
      for (const path of [STATUS, '/refund/api/v1/refundStatus']) {
        const { body } = await running.signed(path, { mid: MID, orderId: order.orderId, refId: `R-${outcome}`, readTimeOut: '3000' })
        const { resultInfo, bankTxnId, refundDetailInfoList, ...more } = body
        assert.deepEqual(resultInfo, info(name))
        assert.match(bankTxnId, /^\d{12}$/)
        const at = '2026-06-15 10:00:00.0'
        assert.deepEqual(more, {
          mid: MID,
          orderId: order.orderId,
          txnId: order.txnId,
          refId: `R-${outcome}`,
          refundId: applied.body.refundId,
          txnAmount: '100.00',
          refundAmount: '40.00',
          totalRefundAmount: name === 'declined' ? '0.00' : '40.00',
          paymentMode: 'CC',
          gatewayName: 'VISA',
          txnTimestamp: at,
          merchantRefundRequestTimestamp: at,
          acceptRefundTimestamp: at,
          acceptRefundStatus: 'SUCCESS',
          userCreditInitiateStatus: { success: 'SUCCESS', pending: 'PENDING', delayed: 'PENDING', declined: 'FAILURE' }[name],
          ...(name === 'success' && { userCreditInitiateTimestamp: at }),
          refundType: 'TO_SOURCE',
        })
        const [{ rrn, ...part }] = refundDetailInfoList
        assert.deepEqual(part, { payMethod: 'CREDIT_CARD', refundAmount: '40.00', refundType: 'TO_SOURCE' })
        if (name === 'success') assert.match(rrn, /^\d{12}$/)
      }
    })
  }

  test('501: a store that fails once', async () => {
    const running = await service()
    failing = true
    try {
      assert.deepEqual((await refundStatusOf(running, { orderId: 'O' }, 'R')).body, { resultInfo: info('systemError') })
    } finally {
      failing = false
    }
    assert.equal(codeOf(await refundStatusOf(running, { orderId: 'O' }, 'R')), '800')
  })
})
