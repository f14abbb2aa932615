// Paying over HTTP, from the payer's side to the bank's books. Every instrument and every word of the bank's script ends as docs/sandbox.md
// says. After each test the bank's journal equals Mohur's books.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { applyTransactionResult } from '../../../src/domain/transaction/apply-transaction-result.ts'
import { dateInIndia } from '../../../src/engine/clock.ts'
import { joinedValues } from '../../../src/interface/checksum.ts'
import { orderKey, taskKey, transactionsOfOrder } from '../../../src/tables/keys.ts'
import { booksEqualJournal, chainsAreWhole, historyOf } from '../../support/bank/books.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { bankJournal, CARD, createOrder, type Order, pay, script, statusOf } from '../../support/paying/paying.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const PAGE_CARD = { paymentMode: 'CREDIT_CARD', cardInfo: '|4000000000003220|123|122032' }
const OTP_CARD = { ...PAGE_CARD, authMode: 'otp' }
const vpa = (name: string) => ({ paymentMode: 'UPI', payerAccount: `${name}@upi` })
const rupees = (value: string) => ({ txnAmount: { value, currency: 'INR' } })

/** Time passes, and all due work runs. */
async function later({ clock, tasks }: Service, ms: number) {
  clock.advance(ms)
  await tasks.runDue()
}
const payer = (running: Service, { orderId }: Order, action: 'approve' | 'decline') =>
  running.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId, action }))
const close = ({ signed }: Service, { orderId }: Order) => signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId })
const otp = ({ post }: Service, { orderId, txnToken }: Order, requestType: string, value?: string) =>
  post(
    `/theia/api/v1/directBankRequest?mid=${MID}&orderId=${orderId}`,
    JSON.stringify({ head: { txnToken }, body: { mid: MID, orderId, requestType, otp: value } }),
  )
const modify = ({ signed }: Service, { orderId, txnToken }: Order, body: object) =>
  signed(`/aoa-acquiring-biz/v2/modifyOrder?mid=${MID}&orderId=${orderId}`, body, { head: { tokenType: 'TXN_TOKEN', token: txnToken } })

onBothStores('paying', (store) => {
  const service = sharedService(store)
  let orders = 0
  const order = async (more: object = {}) => createOrder(await service(), `P${++orders}`, more)
  const orderRow = async ({ orderId }: Order) => (await (await service()).ports.query.row(orderKey(MID, orderId)))!
  const attempts = async ({ orderId }: Order) => (await service()).ports.query.rows(transactionsOfOrder(MID, orderId))

  afterEach(async () => {
    const running = await service()
    await running.tasks.runDue()
    await booksEqualJournal(running)
    await chainsAreWhole(running)
  })

  // ------------------------------------------------------------------------------------------------ instruments

  for (const [what, means, reply, status] of [
    ['a card', CARD, '0000', '01'],
    ['a debit card', { paymentMode: 'DEBIT_CARD', cardInfo: '|4012888888881881|1234|062026' }, '0000', '01'],
    ['a card that is declined', { ...CARD, cardInfo: '|4000000000000002|123|122032' }, '0001', '227'],
    ['a card without money', { ...CARD, cardInfo: '|4000000000009995|123|122032' }, '0001', '235'],
    ['UPI', vpa('asha'), '0000', '01'],
    ['UPI that is declined', vpa('declined'), '0001', '227'],
    ['UPI without money', vpa('insufficient'), '0001', '235'],
    ['a UPI id that the bank does not know', vpa('invalid'), '0001', '295'],
    ['PPBL', { paymentMode: 'PPBL' }, '0000', '01'],
    ['postpaid', { paymentMode: 'PAYTM_DIGITAL_CREDIT' }, '0000', '01'],
    ['EMI', { ...CARD, paymentMode: 'EMI', planId: 'HDFC|3' }, '0000', '01'],
  ] as const) {
    test(`${what} ends at once: ${reply}, then ${status}`, async () => {
      const running = await service()
      const paid = await order(rupees('4000'))
      const answer = await pay(running, paid, means)
      assert.equal(codeOf(answer), reply, answer.text)
      const { MID: mid, ORDERID, TXNID, STATUS, RESPCODE, TXNAMOUNT, CHECKSUMHASH } = answer.body.txnInfo
      assert.deepEqual([mid, ORDERID, TXNID, RESPCODE, TXNAMOUNT], [MID, paid.orderId, answer.body.txnId, status, '4000.00'])
      assert.equal(STATUS, status === '01' ? 'TXN_SUCCESS' : 'TXN_FAILURE')
      assert.equal(await running.ports.merchantKeys.check(MID, undefined, joinedValues(answer.body.txnInfo), CHECKSUMHASH), 'valid')
      assert.equal(answer.body.callBackUrl, 'http://127.0.0.1:8080/sandbox/shop/callback')
      const { body } = await statusOf(running, paid)
      assert.deepEqual([body.resultInfo.resultCode, body.txnId, body.bankTxnId], [status, answer.body.txnId, answer.body.txnInfo.BANKTXNID])
      assert.equal((await orderRow(paid)).status, status === '01' ? 'PAID' : 'CREATED')
      const lines = (await bankJournal(running)).filter(({ key }) => key === `${MID}:${answer.body.txnId}`)
      assert.deepEqual(
        lines.map(({ kind, outcome, amountPaise }) => [kind, outcome === 'success', amountPaise]),
        [['authorize', status === '01', 400_000]],
      )
    })
  }

  for (const [what, means] of [
    ['a collect', vpa('pending')],
    ['an intent', { paymentMode: 'UPI_INTENT' }],
    ['an intent by its channel', { paymentMode: 'UPI', channelCode: 'UPIPUSH' }],
    ['a push', { paymentMode: 'UPI', channelCode: 'UPIPUSHEXPRESS' }],
  ] as const) {
    for (const [action, status] of [
      ['approve', '01'],
      ['decline', '141'],
    ] as const) {
      test(`${what} waits for the payer, who does ${action}: ${status}`, async () => {
        const running = await service()
        const waiting = await order()
        const { body } = await pay(running, waiting, means)
        if (what === 'a collect') assert.equal(body.transId, body.txnId)
        else {
          const { deepLink, orderId, cashierRequestId, transId } = body.deepLinkInfo
          assert.match(deepLink, /^upi:\/\/pay\?.*am=100\.00/)
          assert.deepEqual([orderId, cashierRequestId, transId], [waiting.orderId, body.txnId, body.txnId])
        }
        assert.equal(codeOf(await statusOf(running, waiting)), '402')
        assert.equal((await payer(running, waiting, action)).status, 200)
        assert.equal(codeOf(await statusOf(running, waiting)), status)
        assert.equal((await payer(running, waiting, action)).status, 404, 'nothing waits any longer')
      })
    }
  }

  test('sixty codes of offers a minute may be tried with one token; another token and a payment without a code go on', async () => {
    const running = await service()
    const [guessed, other] = [await order(), await order()]
    const guess = (of: Order, at: number) => pay(running, of, { ...CARD, promoCode: `GUESS${at}` })
    const statuses = await Promise.all(Array.from({ length: 130 }, async (_, at) => (await guess(guessed, at)).status))
    const refused = statuses.filter((status) => status === 429).length
    assert.ok(refused >= 10 && refused <= 70, String(refused)) // 70, unless the minute changed in between
    assert.equal((await guess(other, 0)).status, 200)
    assert.equal(codeOf(await pay(running, guessed, CARD)), '0000')
  })

  test('a payer who does nothing has fifteen minutes; then the order is open again', async () => {
    const running = await service()
    const waiting = await order()
    await pay(running, waiting, vpa('pending'))
    await later(running, 15 * MINUTE_MS - 1)
    assert.equal(codeOf(await statusOf(running, waiting)), '402')
    await later(running, 1)
    const { resultCode, resultMsg } = (await statusOf(running, waiting)).body.resultInfo
    assert.deepEqual([resultCode, resultMsg], ['141', 'The payment was not completed in time'])
    assert.equal((await orderRow(waiting)).status, 'CREATED')
  })

  test('slow: pending, and paid after two minutes', async () => {
    const running = await service()
    const slow = await order()
    assert.equal((await pay(running, slow, vpa('slow'))).body.transId !== undefined, true)
    await later(running, 90_000)
    assert.equal(codeOf(await statusOf(running, slow)), '402')
    await later(running, MINUTE_MS)
    assert.equal(codeOf(await statusOf(running, slow)), '01')
  })

  test('timeout: the bank did nothing, which is believed after two minutes', async () => {
    const running = await service()
    const lost = await order()
    const { body } = await pay(running, lost, vpa('timeout'))
    assert.equal(codeOf(await statusOf(running, lost)), '400')
    await later(running, 90_000)
    assert.equal(codeOf(await statusOf(running, lost)), '400', 'the call may still be on its way')
    await later(running, MINUTE_MS)
    assert.equal(codeOf(await statusOf(running, lost)), '141')
    assert.deepEqual(
      (await bankJournal(running)).filter(({ key }) => key.endsWith(body.txnId)),
      [],
    )
    assert.equal((await orderRow(lost)).status, 'CREATED')
  })

  test('a failure is queried once more, a day later at a full hour; a second failure is believed', async () => {
    const running = await service()
    const declined = await order()
    const { txnId } = (await pay(running, declined, { ...CARD, cardInfo: '|4000000000000002|123|122032' })).body
    const asks = async () =>
      (await running.ports.query.rows({ find: 'tasks', equals: { subject: `${MID}:${txnId}` }, limit: 10 })).map(({ dueAt }) => dueAt)
    const [dueAt = 0] = await asks()
    assert.equal(dueAt % HOUR_MS, 0)
    assert.ok(dueAt >= running.clock.now() + 24 * HOUR_MS && dueAt < running.clock.now() + 25 * HOUR_MS)
    await later(running, 25 * HOUR_MS)
    assert.deepEqual(await asks(), [])
    assert.equal(codeOf(await statusOf(running, declined)), '227')
  })

  test('lost: the bank took the money and never reported it; a query finds it', async () => {
    const running = await service()
    const lost = await order()
    await pay(running, lost, vpa('lost'))
    assert.equal(codeOf(await statusOf(running, lost)), '400')
    assert.equal(codeOf(await pay(running, lost, CARD)), '1005', 'nobody pays twice meanwhile')
    await later(running, 90_000)
    assert.equal(codeOf(await statusOf(running, lost)), '01')
    assert.deepEqual(await historyOf(running, 'transaction', (await attempts(lost))[0]!.txnId), [
      'transaction.initiated',
      'transaction.lost',
      'transaction.succeeded',
    ])
  })

  // ------------------------------------------------------------------------------------------------ the bank's script

  test('a script says what the next calls end in, whatever the instrument; afterwards it counts again', async () => {
    const running = await service()
    const scripted = await order()
    await script(running, scripted, 'insufficient', 'declined')
    const codes = []
    for (const _ of [1, 2, 3]) {
      await pay(running, scripted, CARD)
      codes.push(codeOf(await statusOf(running, scripted)))
    }
    assert.deepEqual(codes, ['235', '227', '01'])
    const { body } = await statusOf(running, scripted)
    assert.equal(body.currentTxnCount, '3')
    assert.deepEqual(
      body.childTransaction.map(({ status }: { status: string }) => status),
      ['TXN_FAILURE', 'TXN_FAILURE', 'TXN_SUCCESS'],
    )
  })

  test('wrongAmount: what the bank took is captured and given back, and the payment has failed', async () => {
    const running = await service()
    const wrong = await order()
    await script(running, wrong, 'wrongAmount')
    assert.equal(codeOf(await pay(running, wrong, CARD)), '0001')
    await running.tasks.runDue()
    const { body } = await statusOf(running, wrong)
    assert.deepEqual([body.resultInfo.resultCode, body.refundAmt], ['810', '101.00'])
    const lines = (await bankJournal(running)).slice(-2).map(({ kind, outcome, amountPaise }) => [kind, outcome, amountPaise])
    assert.deepEqual(lines, [
      ['authorize', 'success', 10_100],
      ['refund', 'success', 10_100],
    ])
    assert.equal(codeOf(await pay(running, wrong, CARD)), '0000', 'the order can be paid again')
  })

  test('duplicate: a bank’s answer counts once, although it comes three times', async () => {
    const running = await service()
    const twice = await order()
    await script(running, twice, 'duplicate')
    assert.equal(codeOf(await pay(running, twice, CARD)), '0000')
    await later(running, 90_000)
    assert.equal((await attempts(twice)).length, 1)
    assert.deepEqual(await historyOf(running, 'order', twice.orderId), ['order.created', 'order.payment-initiated', 'order.paid'])
  })

  test('late: given up after 72 hours, closed as its time is over, and given back when the bank takes it after all', async () => {
    const running = await service()
    const late = await order()
    await script(running, late, 'late')
    const { body } = await pay(running, late, CARD)
    await later(running, 24 * HOUR_MS)
    assert.equal((await orderRow(late)).status, 'IN_PROCESS', 'an order that is being paid does not expire')
    await later(running, 48 * HOUR_MS - 1)
    assert.equal(codeOf(await statusOf(running, late)), '402')
    await later(running, 1)
    assert.equal(codeOf(await statusOf(running, late)), '141')
    assert.equal((await orderRow(late)).status, 'CLOSED')
    await later(running, 24 * HOUR_MS)
    const after = (await statusOf(running, late)).body
    assert.deepEqual([after.resultInfo.resultCode, after.refundAmt], ['810', '100.00'])
    const history = await historyOf(running, 'transaction', body.txnId)
    assert.deepEqual(history.slice(0, 5), [
      'transaction.initiated',
      'transaction.pending',
      'transaction.failed',
      'transaction.captured-late',
      'transaction.refund-set-aside',
    ])
    assert.deepEqual(await historyOf(running, 'order', late.orderId), ['order.created', 'order.payment-initiated', 'order.closed'])
    const refunds = (await bankJournal(running)).filter(({ kind, amountPaise }) => kind === 'refund' && amountPaise === 10_000)
    assert.equal(refunds.length, 1)
    await later(running, 96 * HOUR_MS)
    assert.equal((await running.ports.query.rows({ find: 'tasks', equals: { task: 'transaction.due' }, limit: 10 })).length, 0)
  })

  test('a bank that is away for eight days is asked every day until it answers, and what it took is given back', async () => {
    const running = await service()
    const lost = await order()
    const { txnId } = (await pay(running, lost, vpa('lost'))).body
    const due = async () => (await running.ports.query.row(taskKey('transaction.due', `${MID}:${txnId}`)))?.dueAt
    let now = running.clock.now() + 8 * 24 * HOUR_MS
    for (const outcome of ['unknown', 'pending', 'unknown'] as const) {
      await running.ports.engine.submit(applyTransactionResult, {
        mid: MID,
        txnId,
        answer: { outcome },
        reference: running.ports.reference,
        now,
      })
      assert.equal((await attempts(lost))[0]?.result, 'timedOut')
      const next = (await due())!
      assert.ok(next >= now + 24 * HOUR_MS && next < now + 25 * HOUR_MS)
      now = next
    }
    await later(running, now - running.clock.now())
    assert.equal(await due(), undefined)
    const { body } = await statusOf(running, lost)
    assert.deepEqual([body.resultInfo.resultCode, body.refundAmt], ['810', '100.00'])
  })

  // ------------------------------------------------------------------------------------------------ the bank's page

  for (const [action, status] of [
    ['approve', '01'],
    ['decline', '141'],
  ] as const) {
    for (const means of [PAGE_CARD, { paymentMode: 'NET_BANKING', channelCode: 'HDFC' }]) {
      test(`the bank's page for ${means.paymentMode}: ${action} takes the browser back to the shop with ${status}`, async () => {
        const running = await service()
        const browsing = await order()
        const { redirectForm } = (await pay(running, browsing, means)).body.bankForm
        assert.equal(redirectForm.method, 'post')
        const form = (fields: Record<string, string>) =>
          fetch(redirectForm.actionUrl, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
        const page = await form(redirectForm.content)
        assert.equal(page.status, 200)
        assert.match(await page.text(), /₹100\.00.*[Oo]rder <bdi>P\d+<.*value="approve".*value="decline"/s)
        const pressed = await form({ ...redirectForm.content, action })
        assert.equal(pressed.status, 303)
        const back = await fetch(pressed.headers.get('location')!)
        const html = await back.text()
        assert.match(html, /action="http:\/\/127\.0\.0\.1:8080\/sandbox\/shop\/callback"/)
        assert.match(back.headers.get('content-security-policy')!, /form-action 'self' http:\/\/127\.0\.0\.1:8080 https: http:;/)
        const fields = Object.fromEntries(
          [...html.matchAll(/name="([A-Z_]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, unescaped(value!)]),
        )
        assert.deepEqual([fields['ORDERID'], fields['RESPCODE']], [browsing.orderId, status])
        assert.equal(await running.ports.merchantKeys.check(MID, undefined, joinedValues(fields), fields['CHECKSUMHASH']), 'valid')
        assert.equal(codeOf(await statusOf(running, browsing)), status)
      })
    }
  }

  test('a browser’s claim is not believed: before the bank has decided, and for a payment that does not exist', async () => {
    const running = await service()
    const waiting = await order()
    const { txnId } = (await pay(running, waiting, PAGE_CARD)).body
    const visit = (mid: string, id: string) =>
      fetch(`${running.url}/transaction/return?mid=${mid}&txnId=${id}`, {
        method: 'POST',
        body: new URLSearchParams({ STATUS: 'TXN_SUCCESS' }),
      })
    assert.match(await (await visit(MID, txnId)).text(), /name="STATUS" value="PENDING"/)
    assert.equal((await orderRow(waiting)).status, 'IN_PROCESS')
    for (const [mid, id] of [
      ['OTHER', txnId],
      [MID, '1'],
      [MID, '<script>'],
      ['', ''],
    ] as const)
      assert.equal((await visit(mid, id)).status, 404)
    for (const key of ['nobody', '\0'])
      assert.equal((await fetch(`${running.url}/sandbox/bank/page`, { method: 'POST', body: new URLSearchParams({ key }) })).status, 404)
    const reopened = await fetch(`${running.url}/sandbox/bank/page`)
    assert.deepEqual([reopened.status, /Go back to the payment page/.test(await reopened.text())], [404, true])
    const nul = JSON.stringify({ mid: '\0', orderId: '\0', action: 'approve', outcomes: ['success'] })
    for (const path of ['/sandbox/payer', '/sandbox/bank/script']) assert.equal((await running.post(path, nul)).status, 400)
  })

  // ---------------------------------------------------------------------------------------------- one-time password

  test('otp: the right password pays, after wrong ones as well', async () => {
    const running = await service()
    const asked = await order()
    const { bankForm } = (await pay(running, asked, OTP_CARD)).body
    assert.deepEqual(bankForm, {
      pageType: 'direct',
      directForms: [{ type: 'otp', actionUrl: `${running.url}/theia/api/v1/directBankRequest` }],
    })
    assert.deepEqual((await otp(running, asked, 'resend')).body.bankForm, bankForm)
    for (const value of ['000000', '1234']) assert.equal(codeOf(await otp(running, asked, 'submit', value)), '403')
    const done = await otp(running, asked, 'submit', '123123')
    assert.deepEqual([codeOf(done), done.body.txnInfo.STATUS], ['0000', 'TXN_SUCCESS'])
    assert.equal(codeOf(await otp(running, asked, 'submit', '123123')), '309')
  })

  test('a payer who has the password sent fifty times uses nothing up: the bank ends the payment, and Mohur learns of it', async () => {
    const running = await service()
    const impatient = await order()
    await pay(running, impatient, OTP_CARD)
    for (let at = 0; at < 50; at++) assert.equal(codeOf(await otp(running, impatient, 'resend')), '0000')
    await later(running, 15 * MINUTE_MS)
    assert.equal(codeOf(await statusOf(running, impatient)), '141')
    assert.equal((await orderRow(impatient)).status, 'CREATED')
  })

  // ---------------------------------------------------------------------------------------------------- saved cards

  test('a card is kept when its payment succeeds, and pays again with its CVV; no other customer can use it', async () => {
    const running = await service()
    const cards = async (custId: string) => running.ports.query.rows({ find: 'savedCards', equals: { custId }, limit: 10 })
    const asha = { userInfo: { custId: 'ASHA' }, paytmSsoToken: await issueSsoToken(running, `asha of ${store}`) }
    const another = await issueSsoToken(running, `another of ${store}`, { userId: 'user-2', mobile: '9999900003' })
    const keep = { ...CARD, storeInstrument: '1' }
    const first = await order(asha)
    await script(running, first, 'declined')
    await pay(running, first, keep)
    assert.deepEqual(await cards('ASHA'), [], 'a card that did not pay is not kept')
    await pay(running, first, keep)
    const [saved] = await cards('ASHA')
    assert.deepEqual(
      [saved?.savedCardId, saved?.card.last4, saved?.card.bin, saved?.card.expiry],
      ['411111111111122032C', '1111', '41111111', '122032'],
    )
    const cardInfo = '411111111111122032C||123|'

    assert.equal(codeOf(await pay(running, await order(asha), { ...keep, cardInfo })), '0000')
    assert.equal(codeOf(await pay(running, await order(asha), keep)), '0000')
    assert.equal((await cards('ASHA')).length, 1, 'a card is not kept twice')
    const router = { paymentMode: 'CREDIT_CARD', cardInfo: { cardUniqueId: '411111111111122032C', cvv: '123' } }
    assert.equal(codeOf(await pay(running, await order(asha), router)), '0000')
    assert.equal(
      codeOf(await pay(running, await order({ ...asha, ...rupees('3000') }), { paymentMode: 'EMI', planId: 'HDFC|3', cardInfo })),
      '0000',
    )

    assert.equal(codeOf(await pay(running, await order({ ...asha, paytmSsoToken: another }), keep)), '0000')
    assert.equal(
      codeOf(await pay(running, await order(asha), { ...keep, cardInfo })),
      '0000',
      'another user of her custId takes it from nobody',
    )

    const refusals: [Order, object][] = [
      [await order({ ...asha, userInfo: { custId: 'RAVI' } }), { ...CARD, cardInfo }],
      [await order({ userInfo: { custId: 'ASHA' } }), { ...CARD, cardInfo }],
      [await order({ userInfo: { custId: 'ASHA' }, paytmSsoToken: another }), { ...CARD, cardInfo }],
      [await order(asha), { ...CARD, cardInfo: '411111111111122032||123|' }],
      [await order(asha), { ...CARD, cardInfo: '411111111111122032C||12|' }],
      [await order(asha), { ...CARD, paymentMode: 'DEBIT_CARD', cardInfo }],
      [await order({ ...asha, ...rupees('3000') }), { paymentMode: 'EMI', planId: 'AXIS|3', cardInfo }],
      [await order({ ...asha, disablePaymentMode: [{ mode: 'CREDIT_CARD', channels: ['VISA'] }] }), { ...CARD, cardInfo }],
    ]
    const codes = []
    for (const [of, means] of refusals) codes.push(codeOf(await pay(running, of, means)))
    assert.deepEqual(codes, ['1001', '1001', '1001', '1001', '1001', '312', '1001', '312'])
  })

  test('a saved card is refused when its month is over', async () => {
    const running = await service()
    const old = {
      userInfo: { custId: 'OLD' },
      paytmSsoToken: await issueSsoToken(running, `old of ${store}`, { expiresAt: Number.MAX_SAFE_INTEGER }),
    }
    const [month, year] = [dateInIndia(running.clock.now()).slice(5, 7), dateInIndia(running.clock.now()).slice(0, 4)]
    await pay(running, await order(old), { ...CARD, cardInfo: `|4111111111111111|123|${month}${year}`, storeInstrument: '1' })
    const saved = { ...CARD, cardInfo: `411111111111${month}${year}C||123|` }
    assert.equal(codeOf(await pay(running, await order(old), saved)), '0000')
    running.clock.advance(32 * 24 * 60 * 60_000)
    assert.equal(codeOf(await pay(running, await order(old), saved)), '315')
  })

  // ------------------------------------------------------------------------------------------------------- attempts

  test('five attempts within one order, then 372, and the order is closed', async () => {
    const running = await service()
    const tried = await order()
    for (let at = 1; at <= 5; at++) {
      assert.equal((await orderRow(tried)).status, 'CREATED')
      assert.equal(codeOf(await pay(running, tried, vpa('declined'))), '0001')
    }
    assert.equal((await orderRow(tried)).status, 'CLOSED')
    assert.equal(codeOf(await pay(running, tried, CARD)), '372')
    assert.equal(codeOf(await modify(running, tried, rupees('5'))), '410')
    assert.deepEqual(
      (await attempts(tried)).map(({ attempt, status }) => [attempt, status]),
      [1, 2, 3, 4, 5].map((attempt) => [attempt, 'FAILURE']),
    )
  })

  test('a payment is for the amount that the order has when it begins', async () => {
    const running = await service()
    const changing = await order()
    assert.equal(codeOf(await modify(running, changing, rupees('70.5'))), '0000')
    const { body } = await pay(running, changing, vpa('pending'))
    assert.equal(codeOf(await modify(running, changing, rupees('1'))), '1111')
    await payer(running, changing, 'approve')
    assert.equal(codeOf(await modify(running, changing, rupees('1'))), '201')
    assert.deepEqual([(await statusOf(running, changing)).body.txnAmount, (await attempts(changing))[0]?.txnId], ['70.50', body.txnId])
  })

  test('an order that is closed while it is being paid is never paid: what the bank takes is given back', async () => {
    const running = await service()
    for (const [means, finish] of [
      [vpa('pending'), (closed: Order) => payer(running, closed, 'approve')],
      [vpa('slow'), () => later(running, 150_000)],
      [vpa('lost'), () => later(running, 90_000)],
    ] as const) {
      const closed = await order()
      await pay(running, closed, means)
      assert.equal(codeOf(await close(running, closed)), '0000')
      assert.equal(codeOf(await pay(running, closed, CARD)), '410')
      await finish(closed)
      await running.tasks.runDue()
      const { body } = await statusOf(running, closed)
      assert.deepEqual([body.resultInfo.resultCode, body.refundAmt], ['810', '100.00'], means.payerAccount)
      assert.deepEqual(await historyOf(running, 'order', closed.orderId), ['order.created', 'order.payment-initiated', 'order.closed'])
      assert.equal((await orderRow(closed)).status, 'CLOSED')
    }
  })

  test('an order that is closed while it is being paid, and whose payer declines, leaves no debt', async () => {
    const running = await service()
    const closed = await order()
    await pay(running, closed, vpa('pending'))
    await close(running, closed)
    await payer(running, closed, 'decline')
    const { body } = await statusOf(running, closed)
    assert.deepEqual([body.resultInfo.resultCode, body.refundAmt], ['141', '0.00'])
  })

  // ---------------------------------------------------------------------------------------------------- both hosts

  test("the router's path: its token, its names of modes, its card", async () => {
    const running = await service()
    const send = (to: Order, body: object) =>
      running.post(
        `/aoa-acquiring-biz/v2/pay?mid=${MID}&orderId=${to.orderId}`,
        JSON.stringify({
          head: { tokenType: 'TXN_TOKEN', token: to.txnToken, requestTimeStamp: '1' },
          body: { mid: MID, orderId: to.orderId, ...body },
        }),
      )
    const card = { cardUniqueId: '4111 1111 1111 1111', cvv: '123', expiryMonth: '12', expiryYear: '2032' }
    const body = { requestType: 'PAYMENT', paymentMode: 'CREDIT_CARD', paymentFlow: 'PAY' }
    assert.equal(codeOf(await send(await order(), { ...body, cardInfo: card })), '0000')
    assert.equal(codeOf(await send(await order(), { ...body, cardInfo: { ...card, expiryMonth: 1, expiryYear: 2027 } })), '0000')
    assert.equal(codeOf(await send(await order(), { ...body, cardInfo: { ...card, expiryYear: '20' } })), '315')
    assert.equal(codeOf(await send(await order(), { ...body, cardInfo: { ...card, cardUniqueId: '4111111111111112' } })), '312')
    assert.equal(codeOf(await send(await order(), { ...body, cardInfo: {} })), '1001')
    assert.equal(codeOf(await send(await order(), { ...body, cardInfo: [card] })), '1001')
  })

  test('the whole of a reply names no card number and no CVV', async () => {
    const running = await service()
    const cardInfo = '|4111111111111111|7391|122032'
    for (const means of [
      { ...CARD, cardInfo },
      { ...CARD, cardInfo, txnRoutingParams: { a: '4111111111111111' } },
    ]) {
      const shown = await order()
      for (const reply of [await pay(running, shown, means), await statusOf(running, shown)])
        assert.ok(!/4111111111111111|7391/.test(reply.text), reply.text)
    }
  })
})

const unescaped = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
