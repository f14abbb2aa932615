// Refunds at a bank of any behaviour: the customer gets the money once, and the books agree with the bank's.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { Refund } from '../../../src/domain/refund/refund.ts'
import { refundOutcomeOf } from '../../../src/domain/refund/refund-outcome.ts'
import type { AcquirerAnswer } from '../../../src/domain/transaction/acquirer-answer.ts'
import type { Store } from '../../../src/engine/store.ts'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import { customerKey, refundKey } from '../../../src/tables/keys.ts'
import { lock } from '../../../src/tables/tables.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { notifiedWorld, receiver } from '../../support/notifications/receiver.ts'
import { bankJournal, CARD, createOrder, pay, script, statusOf } from '../../support/paying/paying.ts'
import { accountsOf, type Paid, paidOrder, refund, refundStatusOf, transactionOf } from '../../support/paying/refunds.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService, startService } from '../../support/run/service.ts'
import { assertHolds } from '../../support/store/verify.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Moves time through every instant with due work. */
const pass = ({ tasks, clock }: Service, ms: number) =>
  tasks.advance(clock.now() + ms, async (instant) => clock.advance(Math.max(0, instant - clock.now())))

const refundOf = async ({ ports }: Service, refId: string): Promise<Refund> => (await ports.query.row(refundKey(MID, refId)))!
const balanceOf = async ({ ports }: Service, mobile = '9999900001') => (await ports.query.row(customerKey(mobile)))!.walletBalancePaise

async function givenBack(service: Service, { txnId }: Pick<Paid, 'txnId'>, refIds: readonly string[]): Promise<number[]> {
  const automatic = async (refId: string) => (await refundOf(service, refId)).refundId
  const keys = await Promise.all(
    refIds.map(async (refId) => `${MID}:refund:${refId.includes(':') ? await automatic(refId) : `ref:${refId}`}`),
  )
  const lines = (await bankJournal(service)).filter(
    ({ kind, outcome, key }) => kind === 'refund' && outcome === 'success' && keys.includes(key),
  )
  assert.ok(txnId.length > 0)
  return lines.map(({ amountPaise }) => amountPaise)
}

const eventsOf = async ({ ports }: Service, aggregate: string, id: string) =>
  (await ports.query.rows({ find: 'events', equals: { owner: MID, aggregate, id }, orderBy: ['version'], limit: 100 })).map(
    ({ type, fromStatus, toStatus, version }) => `${version} ${type} ${fromStatus}>${toStatus}`,
  )

const promotions = [
  { mid: MID, promocode: 'OFF10', kind: 'DISCOUNT', flat: '10.00', fundedBy: 'bank', budget: '20.00', maxPerCustomer: 2 },
  { mid: MID, promocode: 'BACK30', kind: 'CASHBACK', flat: '30.00', fundedBy: 'shop', budget: '300.00' },
] as const satisfies World['promotions']
const customers = [1, 2, 3, 4, 5].map((n) => ({ mobile: `999990000${n}`, walletBalance: '40.00' }))
const emptyWallets = [6, 7, 8].map((n) => ({ mobile: `999990000${n}`, walletBalance: '0.00' }))
const world: World = { ...demoWorld, customers: [...customers, ...emptyWallets], promotions: [...promotions] }

/** An order whose wallet's payer has signed in. */
async function signedIn(service: Service, orderId: string, mobile = '9999900001') {
  const customer = (await service.ports.query.row(customerKey(mobile)))!
  await issueSsoToken(service, `token-${orderId}`, { userId: customer.userId, mobile, familyId: `family-${orderId}` })
  return { paytmSsoToken: `token-${orderId}`, userInfo: { custId: `C${mobile}` } }
}

onBothStores('refunds', (store) => {
  const service = sharedService(store, { world })
  afterEach(async () => assertHolds(await service()))

  test('parts of a payment are given back until nothing is left of it', async () => {
    const running = await service()
    const order = await paidOrder(running, 'PARTS')
    for (const [refId, amount] of [
      ['P1', '25.00'],
      ['P2', '0.01'],
      ['P3', '74.99'],
    ] as const) {
      assert.equal(codeOf(await refund(running, order, refId, amount)), '601')
      await running.tasks.runDue()
      assert.equal(codeOf(await refundStatusOf(running, order, refId)), '10')
    }
    assert.deepEqual(await givenBack(running, order, ['P1', 'P2', 'P3']), [2500, 1, 7499])
    assert.deepEqual(await accountsOf(running, order), {})
    assert.equal((await statusOf(running, order)).body.refundAmt, '100.00')
    assert.deepEqual((await eventsOf(running, 'refund', 'P1')).slice(0, 2), [
      '1 refund.requested >PENDING',
      '2 refund.succeeded PENDING>SUCCESS',
    ])
    assert.deepEqual((await eventsOf(running, 'transaction', order.txnId)).slice(2, 4), [
      '3 transaction.refund-set-aside SUCCESS>SUCCESS',
      '4 transaction.refunded SUCCESS>SUCCESS',
    ])
  })

  test('no party has the money that is set aside until the bank has answered', async () => {
    const running = await service()
    const order = await paidOrder(running, 'ASIDE')
    await script(running, order, 'slow')
    await refund(running, order, 'A1', '60.00')
    await running.tasks.runDue()
    assert.deepEqual(await accountsOf(running, order), { acquirer_receivable: 100_00, merchant_payable: -40_00, refund_payable: -60_00 })
    await pass(running, 3 * MINUTE_MS)
    assert.deepEqual(await accountsOf(running, order), { acquirer_receivable: 40_00, merchant_payable: -40_00 })
  })

  test('fifty refunds of one payment at once never give back more than was paid', async () => {
    const running = await service()
    const order = await paidOrder(running, 'FIFTY')
    const refIds = Array.from({ length: 50 }, (_, at) => `F${at}`)
    const codes = (await Promise.all(refIds.map((refId) => refund(running, order, refId, '3.00')))).map(codeOf)
    await running.tasks.runDue()
    const accepted = refIds.filter((_, at) => codes[at] === '601')
    assert.equal(accepted.length, 33)
    assert.equal(codes.filter((code) => code === '619').length, 17)
    assert.deepEqual(await givenBack(running, order, accepted), Array(33).fill(3_00))
    assert.equal((await transactionOf(running, order)).returnedPaise, 99_00)
    assert.deepEqual(await accountsOf(running, order), { acquirer_receivable: 1_00, merchant_payable: -1_00 })
  })

  test('one refId fifty times at once is one refund', async () => {
    const running = await service()
    const order = await paidOrder(running, 'ONE')
    const replies = await Promise.all(Array.from({ length: 50 }, () => refund(running, order, 'ONE', '3.00')))
    await running.tasks.runDue()
    assert.equal(new Set(replies.map(({ body }) => JSON.stringify(body))).size, 1)
    assert.equal(codeOf(replies[0]!), '601')
    assert.deepEqual(await givenBack(running, order, ['ONE']), [3_00])
  })

  test('the amount of a declined refund is free again and may be requested anew', async () => {
    const running = await service()
    const order = await paidOrder(running, 'DECLINED')
    await script(running, order, 'declined')
    await refund(running, order, 'D1', '100.00')
    await running.tasks.runDue()
    assert.equal(codeOf(await refundStatusOf(running, order, 'D1')), '602')
    assert.deepEqual(await accountsOf(running, order), { acquirer_receivable: 100_00, merchant_payable: -100_00 })
    assert.equal(codeOf(await refund(running, order, 'D2', '100.00')), '601')
    await running.tasks.runDue()
    assert.deepEqual(await givenBack(running, order, ['D1', 'D2']), [100_00])
    assert.deepEqual(await accountsOf(running, order), {})
  })

  test('a lost answer is found by a query, and nothing is sent twice', async () => {
    const running = await service()
    const order = await paidOrder(running, 'LOST')
    await script(running, order, 'lost')
    await refund(running, order, 'L1', '40.00')
    await running.tasks.runDue()
    assert.equal(codeOf(await refundStatusOf(running, order, 'L1')), '604')
    await pass(running, 2 * MINUTE_MS)
    assert.equal(codeOf(await refundStatusOf(running, order, 'L1')), '10')
    assert.deepEqual(await givenBack(running, order, ['L1']), [40_00])
  })

  test('a call that never arrived is made again under the same key, once the bank has had its time', async () => {
    const running = await service()
    const order = await paidOrder(running, 'TIMEOUT')
    await script(running, order, 'timeout')
    await refund(running, order, 'T1', '40.00')
    await pass(running, 1.5 * MINUTE_MS)
    assert.equal((await refundOf(running, 'T1')).checks, 2) // absent, and not believed yet
    assert.deepEqual(await givenBack(running, order, ['T1']), [])
    await pass(running, MINUTE_MS)
    assert.equal(codeOf(await refundStatusOf(running, order, 'T1')), '10')
    assert.deepEqual(await givenBack(running, order, ['T1']), [40_00])
  })

  test('a bank that is down for a month delays a refund, and it is not given up', async () => {
    const running = await service()
    const order = await paidOrder(running, 'DOWN')
    await script(running, order, ...Array(100).fill('timeout'))
    await refund(running, order, 'W1', '40.00')
    await pass(running, 30 * DAY_MS)
    assert.equal((await refundOf(running, 'W1')).checks, 1 + 14 + 23) // at once, the schedule's fourteen, and daily after seven days
    assert.equal(codeOf(await refundStatusOf(running, order, 'W1')), '604')
    await script(running, order)
    await pass(running, DAY_MS)
    assert.equal(codeOf(await refundStatusOf(running, order, 'W1')), '10')
    assert.deepEqual(await givenBack(running, order, ['W1']), [40_00])
  })

  test('a payment from wallet and card goes back to the card first, and then to the wallet', async () => {
    const running = await service()
    const order = await paidOrder(running, 'HYBRID', {
      order: await signedIn(running, 'HYBRID'),
      means: { ...CARD, paymentFlow: 'HYBRID' },
    })
    assert.equal(await balanceOf(running), 0)
    await refund(running, order, 'H1', '50.00')
    await running.tasks.runDue()
    assert.equal(await balanceOf(running), 0)
    await refund(running, order, 'H2', '30.00')
    await running.tasks.runDue()
    assert.equal(await balanceOf(running), 20_00)
    assert.deepEqual(
      (await refundStatusOf(running, order, 'H2')).body.refundDetailInfoList.map(({ rrn, ...part }: { rrn: string }) => part),
      [
        { payMethod: 'CREDIT_CARD', refundAmount: '10.00', refundType: 'TO_SOURCE' },
        { payMethod: 'BALANCE', refundAmount: '20.00', refundType: 'TO_SOURCE' },
      ],
    )
    await refund(running, order, 'H3', '20.00')
    await running.tasks.runDue()
    assert.equal(await balanceOf(running), 40_00)
    assert.deepEqual(await givenBack(running, order, ['H1', 'H2', 'H3']), [50_00, 10_00])
    assert.deepEqual(await accountsOf(running, order), {})
  })

  test('money that was added to the wallet to pay goes back to the wallet', async () => {
    const running = await service()
    const mobile = '9999900002'
    const order = await paidOrder(running, 'ADD', {
      order: await signedIn(running, 'ADD', mobile),
      means: { ...CARD, paymentFlow: 'ADDANDPAY' },
    })
    assert.equal(await balanceOf(running, mobile), 0)
    await refund(running, order, 'ADD1', '100.00')
    await running.tasks.runDue()
    assert.equal(await balanceOf(running, mobile), 100_00)
    assert.deepEqual(await givenBack(running, order, ['ADD1']), [])
    assert.deepEqual(await accountsOf(running, order), { acquirer_receivable: 60_00, customer_wallet: -60_00 })
  })

  for (const { what, mobile, means, isApproved } of [
    { what: 'at once', mobile: '9999900006', means: CARD, isApproved: false },
    { what: 'later', mobile: '9999900007', means: { paymentMode: 'UPI', payerAccount: 'pending@upi' }, isApproved: true },
  ]) {
    test(`an empty wallet is filled and paid out of too, when the bank answers ${what}`, async () => {
      const running = await service()
      const orderId = `EMPTY${mobile}`
      const order = await paidOrder(running, orderId, {
        order: await signedIn(running, orderId, mobile),
        means: { ...means, paymentFlow: 'ADDANDPAY' },
      })
      if (isApproved) await running.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId, action: 'approve' }))
      await running.tasks.runDue()
      assert.equal(codeOf(await statusOf(running, order)), '01')
      const { flow, walletPaise, bankPaise, capturedPaise } = await transactionOf(running, order)
      assert.deepEqual([flow, walletPaise, bankPaise, capturedPaise], ['ADDANDPAY', 0, 100_00, 100_00])
      const equals = { owner: MID, subject: order.txnId, account: 'customer_wallet' }
      const lines = await running.ports.query.rows({ find: 'ledgerEntries', equals, limit: 10 })
      assert.deepEqual(lines.map(({ debitPaise, creditPaise }) => debitPaise - creditPaise).sort(), [-100_00, 100_00])
      for (const [refId, amount] of [
        [`${orderId}A`, '30.00'],
        [`${orderId}B`, '70.00'],
      ] as const) {
        assert.equal(codeOf(await refund(running, order, refId, amount)), '601')
        await running.tasks.runDue()
        const [part, ...others] = (await refundStatusOf(running, order, refId)).body.refundDetailInfoList
        assert.deepEqual([part.payMethod, part.refundAmount, others], ['BALANCE', amount, []])
      }
      assert.equal(await balanceOf(running, mobile), 100_00)
      assert.deepEqual(await givenBack(running, order, [`${orderId}A`, `${orderId}B`]), [])
      assert.deepEqual(await accountsOf(running, order), { acquirer_receivable: 100_00, customer_wallet: -100_00 })
    })
  }

  test('a payment to an empty wallet that may not be kept goes back to the instrument; the wallet stays empty', async () => {
    const running = await service()
    const mobile = '9999900008'
    const created = await createOrder(running, 'EMPTYWRONG', await signedIn(running, 'EMPTYWRONG', mobile))
    await script(running, created, 'wrongAmount')
    const { body } = await pay(running, created, { ...CARD, paymentFlow: 'ADDANDPAY' })
    assert.equal(body.resultInfo.resultCode, '0001')
    await running.tasks.runDue()
    assert.equal(await balanceOf(running, mobile), 0)
    assert.deepEqual(await accountsOf(running, { txnId: body.txnId }), {})
  })

  test('a payment from the wallet alone needs no bank', async () => {
    const running = await service()
    const mobile = '9999900003'
    const order = await paidOrder(running, 'WALLET', {
      order: { ...(await signedIn(running, 'WALLET', mobile)), txnAmount: { value: '40.00', currency: 'INR' } },
      means: { paymentMode: 'BALANCE' },
    })
    await refund(running, order, 'WALLET1', '15.00')
    await running.tasks.runDue()
    const { body } = await refundStatusOf(running, order, 'WALLET1')
    assert.equal(body.resultInfo.resultCode, '10')
    assert.deepEqual(body.refundDetailInfoList, [{ payMethod: 'BALANCE', refundAmount: '15.00', refundType: 'TO_SOURCE' }])
    assert.equal(await balanceOf(running, mobile), 15_00)
    assert.deepEqual(await givenBack(running, order, ['WALLET1']), [])
  })

  test('with the last rupee of a payment its discount goes back to the funder, and can be used again', async () => {
    const running = await service()
    const counters = async () =>
      (
        await running.ports.query.rows({
          find: 'promotionCounters',
          equals: { mid: MID, promocode: 'OFF10' },
          orderBy: ['custId'],
          limit: 9,
        })
      ).map(({ custId, uses, amountPaise }) => [custId, uses, amountPaise])
    const order = await paidOrder(running, 'OFFER', { means: { ...CARD, promoCode: 'OFF10' } })
    assert.equal((await transactionOf(running, order)).capturedPaise, 90_00)
    await refund(running, order, 'O1', '89.99')
    await running.tasks.runDue()
    assert.deepEqual(await counters(), [
      ['', 1, 10_00],
      ['C1', 1, 10_00],
    ])
    await refund(running, order, 'O2', '0.01')
    await running.tasks.runDue()
    assert.deepEqual(await counters(), [
      ['', 0, 0],
      ['C1', 0, 0],
    ])
    assert.deepEqual(await accountsOf(running, order), {})
    assert.deepEqual(await eventsOf(running, 'redemption', order.txnId), [
      '1 redemption.reserved >RESERVED',
      '2 redemption.committed RESERVED>COMMITTED',
      '3 redemption.released COMMITTED>RELEASED',
    ])
  })

  for (const { what, mobile, spentPaise, wallet, rest } of [
    { what: 'is taken back', mobile: '9999900004', spentPaise: 0, wallet: 40_00, rest: {} },
    {
      what: 'is taken back as far as it is there',
      mobile: '9999900005',
      spentPaise: 65_00,
      wallet: 0,
      rest: { cashback_recoverable: 25_00, customer_wallet: -25_00 },
    },
  ]) {
    test(`with the last rupee of a payment its cashback ${what}`, async () => {
      const running = await service()
      const orderId = `CASH${mobile}`
      const order = await paidOrder(running, orderId, {
        order: await signedIn(running, orderId, mobile),
        means: { ...CARD, promoCode: 'BACK30' },
      })
      assert.equal(await balanceOf(running, mobile), 70_00)
      if (spentPaise > 0) {
        const value = { txnAmount: { value: '65.00', currency: 'INR' } }
        const means = { paymentMode: 'BALANCE', promoCode: undefined }
        await paidOrder(running, `${orderId}B`, { order: { ...(await signedIn(running, `${orderId}B`, mobile)), ...value }, means })
      }
      await refund(running, order, orderId, '100.00')
      await running.tasks.runDue()
      assert.equal(await balanceOf(running, mobile), wallet)
      assert.deepEqual(await accountsOf(running, order), rest)
    })
  }

  test('a payment that came too late is given back by itself', async () => {
    const running = await service()
    const order = await createOrder(running, 'LATE')
    await script(running, order, 'late')
    const { body } = await pay(running, order, CARD)
    await pass(running, 5 * DAY_MS)
    const refId = `auto:${body.txnId}`
    assert.equal((await statusOf(running, order)).body.resultInfo.resultCode, '810')
    assert.equal(codeOf(await refundStatusOf(running, order, refId)), '10')
    assert.deepEqual(await givenBack(running, body, [refId]), [100_00])
    assert.deepEqual(await accountsOf(running, body), {})
    assert.equal(codeOf(await refund(running, { ...order, txnId: body.txnId }, 'LATE', '1.00')), '609')
  })
})

onBothStores('a late success', (store) => {
  const service = sharedService(store)
  test('is refunded again every day under a new name while the bank refuses the refund', async () => {
    const running = await service()
    const order = await createOrder(running, 'REFUSED')
    await script(running, order, 'late', 'declined', 'declined')
    const { txnId } = (await pay(running, order, CARD)).body
    await pass(running, 5.5 * DAY_MS)
    const codes = async () =>
      Promise.all(
        [`auto:${txnId}`, `auto:${txnId}:2`, `auto:${txnId}:3`].map(async (refId) => codeOf(await refundStatusOf(running, order, refId))),
      )
    assert.deepEqual(await codes(), ['602', '602', '601'])
    await pass(running, DAY_MS)
    assert.deepEqual(await codes(), ['602', '602', '10'])
    assert.deepEqual(
      (await bankJournal(running)).map(({ kind, outcome }) => `${kind} ${outcome}`),
      ['authorize success', 'refund declined', 'refund declined', 'refund success'],
    )
    await assertHolds(running)
  })
})

onBothStores('a refund between bank and books', (store) => {
  for (const outcome of ['success', 'timeout'] as const) {
    test(`a process that dies with the bank's ${outcome} unreported sends nothing twice`, async () => {
      let dies = true
      const mortal = (real: Store): Store => ({
        ...{ query: real.query, concurrency: real.concurrency },
        ...{ claimTasks: (...given) => real.claimTasks(...given), ping: () => real.ping(), close: () => real.close() },
        transaction: (work) =>
          real.transaction((transaction) =>
            work({
              read: (keys) => transaction.read(keys),
              find: (find) => transaction.find(find),
              write(writes) {
                const settles = writes.changes.some(({ kind, key }) => kind === 'update' && key.table === 'refunds')
                if (settles && dies) throw new Error('the process died')
                return transaction.write(writes)
              },
            }),
          ),
      })
      const running = await startService(store, { store: mortal })
      try {
        const order = await paidOrder(running, 'CRASH')
        await script(running, order, outcome)
        await refund(running, order, 'X1', '40.00')
        await running.tasks.runDue()
        assert.equal((await refundOf(running, 'X1')).checks, 0)
        dies = false
        await endLease(running, 'refund.due')
        await running.tasks.runDue()
        const after = await refundOf(running, 'X1')
        assert.deepEqual([after.status, after.checks], outcome === 'success' ? ['SUCCESS', 0] : ['PENDING', 1])
        await pass(running, 10 * MINUTE_MS)
        assert.equal(codeOf(await refundStatusOf(running, order, 'X1')), '10')
        assert.deepEqual(await givenBack(running, order, ['X1']), [40_00])
        assert.deepEqual(await accountsOf(running, order), { acquirer_receivable: 60_00, merchant_payable: -60_00 })
        await assertHolds(running)
      } finally {
        await running.close()
      }
    })
  }

  /** Expires the lease, as the half minute of real time after a process's death does. */
  async function endLease({ store: real, clock }: Service, task: string) {
    const later = clock.realNow() + MINUTE_MS
    assert.equal((await real.claimTasks(task, clock.now(), later, 0, 10)).length, 1)
  }
})

onBothStores('notifications of refunds to merchants', (store) => {
  for (const form of ['json', 'classic'] as const) {
    test(`come in the ${form} form`, async () => {
      const { url, journal } = await receiver()
      const running = await startService(store, { world: notifiedWorld(url, form) })
      try {
        const order = await paidOrder(running, 'TOLD', { order: { peonUrl: `${url}/peon` } })
        await refund(running, order, 'N1', '40.00')
        await running.tasks.runDue()
        await script(running, order, 'declined')
        await refund(running, order, 'N2', '60.00')
        await running.tasks.runDue()
        const heard = (at: string) =>
          journal
            .filter(({ path }) => path === at)
            .map(({ body, headers }) =>
              headers['content-type'] === 'application/json'
                ? (JSON.parse(body) as { body: Record<string, string> }).body
                : Object.fromEntries(new URLSearchParams(body)),
            )
        const classic = [
          ['SALE', 'TXN_SUCCESS', undefined, undefined, undefined],
          ['REFUND', 'TXN_SUCCESS', 'N1', '40.00', '40.00'],
          ['REFUND', 'TXN_FAILURE', 'N2', '60.00', '40.00'],
        ]
        const json = [
          classic[0],
          ['REFUND', 'PENDING', 'N1', '40.00', '40.00'],
          classic[1],
          ['REFUND', 'PENDING', 'N2', '60.00', '100.00'],
          classic[2],
        ]
        const inShort = (one: Record<string, string>) => [
          one['txnType'] ?? one['TXNTYPE'],
          one['status'] ?? one['STATUS'],
          one['refId'] ?? one['REFID'],
          one['refundAmount'] ?? one['REFUNDAMT'],
          one['totalRefundAmount'] ?? one['TOTALREFUNDAMT'],
        ]
        assert.deepEqual(heard('/peon').map(inShort), classic)
        assert.deepEqual(heard('/').map(inShort), form === 'json' ? json : classic)
        const last = heard('/').at(-1)!
        assert.equal(last['refundId'] ?? last['REFUNDID'], (await refundOf(running, 'N2')).refundId)
        await assertHolds(running)
      } finally {
        await running.close()
      }
    })
  }
})

const pending: Refund = {
  ...{ mid: 'M', refId: 'R', version: 1, refundId: '1', orderId: 'O', txnId: 'T', status: 'PENDING', result: 'pending' },
  ...{ amountPaise: 500, bankPaise: 400, walletPaise: 100, contentHash: '', bankTxnId: null, details: {} },
  ...{ requestedAt: 0, updatedAt: 0, checks: 3 },
}

for (const [what, answer, result] of [
  ['of less than was asked', { outcome: 'success', reference: '1', amountPaise: 399 }, 'delayed'],
  ['of the whole, wallet included', { outcome: 'success', reference: '1', amountPaise: 500 }, 'delayed'],
  ['that is no answer', { outcome: 'unknown' }, 'delayed'],
  ['that it never heard of it', { outcome: 'absent' }, 'delayed'],
  ['that it is at work', { outcome: 'pending' }, 'pending'],
] satisfies [string, AcquirerAnswer, string][]) {
  test(`an answer ${what} leaves the refund pending, moves nothing and is followed by another query`, () => {
    const refunding = { refund: pending } as Parameters<typeof refundOutcomeOf>[0]
    const { refund, changes, events, tasks } = refundOutcomeOf(refunding, answer, 7)
    assert.deepEqual(refund, { ...pending, result, checks: 4, updatedAt: 7 })
    assert.deepEqual(
      changes.map(({ key }) => key.name),
      [lock('refunds', 'M', 'R').name],
    )
    assert.deepEqual(events, [])
    assert.deepEqual(tasks, [{ kind: 'add', task: 'refund.due', subject: 'M:R', dueAt: 15 * MINUTE_MS, payload: { mid: 'M', refId: 'R' } }])
  })
}

test('an answer to a refund that is over changes nothing', () => {
  for (const status of ['SUCCESS', 'FAILURE'] as const) {
    const refunding = { refund: { ...pending, status } } as Parameters<typeof refundOutcomeOf>[0]
    for (const answer of [
      { outcome: 'success', reference: '1', amountPaise: 400 },
      { outcome: 'failure', failure: 'declined' },
    ] satisfies AcquirerAnswer[])
      assert.deepEqual(refundOutcomeOf(refunding, answer, 7).changes, [])
  }
})
