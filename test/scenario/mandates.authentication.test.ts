// Debits above the limit, which payers must approve: the times, the bank's work, and the notifications of payers and merchants.
// docs/interface.md section 3, docs/decisions/0017.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { advanceCollection } from '../../src/domain/subscription/collection/advance-collection.ts'
import { dateTimeInIndia } from '../../src/engine/clock.ts'
import { collectionKey } from '../../src/tables/keys.ts'
import { find } from '../../src/tables/tables.ts'
import { manage } from '../support/mandates/mandates.ts'
import { renew, rupees } from '../support/mandates/scenario.ts'
import { initiate, subscription } from '../support/mandates/subscription.ts'
import { consented, events, journal, moveTo } from '../support/mandates/timeline.ts'
import { notifiedWorld, receiver } from '../support/notifications/receiver.ts'
import { pay, statusOf } from '../support/paying/paying.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'
import { changeWorld, inbox } from '../support/signin/signin.ts'
import { signIn } from '../support/signin/tokens.ts'
import { assertHolds } from '../support/store/verify.ts'

const MONTHLY = {
  ...{ txnAmount: rupees('1.00'), renewalAmount: '20000.00', subscriptionGraceDays: '2', subscriptionRetryCount: '2' },
  ...{ communicationManager: true, subscriptionEnableRetry: '1' },
}
const STOP = 'See, skip, pause or stop it: LINK'
const PLEASE = 'if you approve it: please do so in your UPI app'

const payer = (service: Service, subscriptionId: string, action: string, more: object = {}) =>
  service.post('/sandbox/payer', JSON.stringify({ mid: MID, subscriptionId, action, ...more }))
const reported = async (service: Service, mobile: string) =>
  (await inbox(service, mobile)).map(({ kind, text }) => `${kind}: ${text.replace(LINK, 'LINK')}`).reverse()
const LINK = /http:\/\/[^ ]*\/m\/[A-Za-z0-9_-]{22}/

onBothStores('a debit above the limit', (store) => {
  const merchant = receiver(() => 200, { endsWithTest: false })
  let starting: Promise<Service> | undefined
  const service = () => {
    starting ??= merchant.then(({ url }) => startService(store, { world: notifiedWorld(url, 'json') }))
    return starting
  }
  after(async () => {
    await (await starting)?.close()
    ;(await merchant).close()
  })
  let people = 9812000000

  /** Due on 5 December of its own year, agreed a fortnight before. */
  const agreed = async (orderId: string, year: number, more: Record<string, unknown> = {}) => {
    const running = await service()
    await moveTo(running, `${year}-11-21 11:00:00`)
    const mobile = String(++people)
    const dates = { subscriptionStartDate: `${year}-12-05`, subscriptionExpiryDate: `${year + 1}-02-05` }
    const terms = { ...MONTHLY, ...dates, userInfo: { custId: 'C1', mobile }, ...more }
    return { running, mobile, ...(await consented(running, orderId, terms)) }
  }
  /** The notifications of a subscription to the merchant's endpoint, in order. Their time of arrival is not compared. */
  const heard = async (orderId: string) => {
    const equals = { mid: MID, orderId, endpoint: 'merchant' } as const
    const rows = await (await service()).ports.query.rows(find('notifications', { equals, orderBy: ['sequence'], limit: 100 }))
    return rows
      .map(({ content }) => content)
      .filter((content) => content['txnType'] !== 'SALE')
      .map(({ txnType, status, respCode, authentication }) => [txnType, status, respCode, authentication].filter(Boolean).join(' '))
  }
  const own = (lines: readonly string[], day: string) => lines.filter((line) => line.includes(` ${day} `))

  test('is asked for with its notice, and made once its payer has approved it', async () => {
    const { running, subscriptionId, mobile } = await agreed('APPROVED', 2026)
    await moveTo(running, '2026-12-04 12:00:00')
    const asked = await manage(running, '/subscription/checkStatus', { subsId: subscriptionId })
    assert.equal(asked.body.currentCycle.authentication, 'ASKED', asked.text)
    assert.equal((await payer(running, subscriptionId, 'approve')).status, 200)
    assert.equal((await payer(running, subscriptionId, 'approve')).status, 404, 'he has said it')
    const said = await manage(running, '/subscription/checkStatus', { subsId: subscriptionId })
    assert.equal(said.body.currentCycle.authentication, 'APPROVED', said.text)
    await moveTo(running, '2026-12-05 07:00:00')
    assert.deepEqual(await events(running, subscriptionId), [
      '2026-11-21 11:00:00 subscription.activated',
      '2026-11-21 11:00:00 20261205 collection.scheduled',
      '2026-12-03 18:00:00 20261205 collection.noticed',
      '2026-12-03 18:00:00 20270105 collection.scheduled',
      '2026-12-04 12:00:00 20261205 collection.approved',
      '2026-12-05 06:00:00 20261205 collection.attempted',
      '2026-12-05 06:00:00 20261205 collection.collected',
    ])
    assert.deepEqual(await journal(running, subscriptionId), [
      '2026-12-03 18:00:00 notify success 20000.00',
      '2026-12-04 12:00:00 approve success 20000.00',
      '2026-12-05 06:00:00 collect success 20000.00',
    ])
    const ref = `Ref ${subscriptionId}.20261205.`
    assert.deepEqual((await reported(running, mobile)).slice(1), [
      `pre-debit: Demo Stores will debit Rs 20,000.00 on 05-12-2026 ${PLEASE}. ${ref} ${STOP}`,
      `debited: Demo Stores has debited Rs 20,000.00 on 05-12-2026. ${ref} ${STOP} Complaints: Demo Stores`,
    ])
    assert.deepEqual(await heard('APPROVED'), [
      'SUBSCRIPTION_INIT TXN_SUCCESS 01',
      'SUBSCRIPTION_NOTIFY TXN_SUCCESS 01 ASKED',
      'SUBSCRIPTION_APPROVE TXN_SUCCESS 01 APPROVED',
      'SUBSCRIPTION_DEBIT TXN_SUCCESS 01',
    ])
    await assertHolds(running)
  })

  test('that is approved late in its window is made with the next try, and the first has failed with nothing sent', async () => {
    const { running, subscriptionId, mobile } = await agreed('LATE', 2027)
    await moveTo(running, '2027-12-05 15:00:00')
    assert.equal((await payer(running, subscriptionId, 'approve')).status, 200)
    await moveTo(running, '2027-12-06 07:00:00')
    assert.deepEqual(own(await events(running, subscriptionId), '20271205').slice(1), [
      '2027-12-03 18:00:00 20271205 collection.noticed',
      '2027-12-05 06:00:00 20271205 collection.attempted',
      '2027-12-05 06:00:00 20271205 collection.attempt-failed',
      '2027-12-05 15:00:00 20271205 collection.approved',
      '2027-12-06 06:00:00 20271205 collection.attempted',
      '2027-12-06 06:00:00 20271205 collection.collected',
    ])
    assert.deepEqual(await journal(running, subscriptionId), [
      '2027-12-03 18:00:00 notify success 20000.00',
      '2027-12-05 15:00:00 approve success 20000.00',
      '2027-12-06 06:00:00 collect success 20000.00',
    ])
    const first = await statusOf(running, { orderId: `A${subscriptionId}.20271205.1` })
    assert.deepEqual([first.body.resultInfo.resultStatus, first.body.resultInfo.resultCode], ['TXN_FAILURE', '141'], first.text)
    const failed = `debit-failed: Demo Stores could not debit Rs 20,000.00 on 05-12-2027, because you have not approved it. Ref ${subscriptionId}.20271205. ${STOP}`
    assert.equal((await reported(running, mobile))[2], failed)
    assert.deepEqual((await heard('LATE')).slice(2), [
      'SUBSCRIPTION_DEBIT TXN_FAILURE 141',
      'SUBSCRIPTION_APPROVE TXN_SUCCESS 01 APPROVED',
      'SUBSCRIPTION_DEBIT TXN_SUCCESS 01',
    ])
  })

  test('without an approval fails as often as it is tried, is never sent, and its approval is requested anew in its next cycle', async () => {
    const { running, subscriptionId } = await agreed('NEVER', 2028)
    await moveTo(running, '2029-01-05 07:00:00')
    assert.deepEqual(await events(running, subscriptionId), [
      '2028-11-21 11:00:00 subscription.activated',
      '2028-11-21 11:00:00 20281205 collection.scheduled',
      '2028-12-03 18:00:00 20281205 collection.noticed',
      '2028-12-03 18:00:00 20290105 collection.scheduled',
      '2028-12-05 06:00:00 20281205 collection.attempted',
      '2028-12-05 06:00:00 20281205 collection.attempt-failed',
      '2028-12-06 06:00:00 20281205 collection.attempted',
      '2028-12-06 06:00:00 20281205 collection.attempt-failed',
      '2028-12-07 06:00:00 20281205 collection.attempted',
      '2028-12-07 06:00:00 20281205 collection.failed',
      '2029-01-03 18:00:00 20290105 collection.noticed',
      '2029-01-03 18:00:00 20290205 collection.scheduled',
      '2029-01-05 06:00:00 20290105 collection.attempted',
      '2029-01-05 06:00:00 20290105 collection.attempt-failed',
    ])
    assert.deepEqual(await journal(running, subscriptionId), [
      '2028-12-03 18:00:00 notify success 20000.00',
      '2029-01-03 18:00:00 notify success 20000.00',
    ])
    assert.deepEqual((await heard('NEVER')).slice(1), [
      'SUBSCRIPTION_NOTIFY TXN_SUCCESS 01 ASKED',
      ...Array(3).fill('SUBSCRIPTION_DEBIT TXN_FAILURE 141'),
      'SUBSCRIPTION_NOTIFY TXN_SUCCESS 01 ASKED',
      'SUBSCRIPTION_DEBIT TXN_FAILURE 141',
    ])
    // The payer's answer to the new notice counts for it, whatever they left unanswered before.
    assert.equal((await payer(running, subscriptionId, 'approve')).status, 200)
    await moveTo(running, '2029-01-06 07:00:00')
    assert.equal((await events(running, subscriptionId)).at(-1), '2029-01-06 06:00:00 20290105 collection.collected')
    await assertHolds(running)
  })

  test('that its payer declines fails in the same way, unless the payer approves after all before a later try', async () => {
    const declines = await agreed('DECLINES', 2030, { subscriptionGraceDays: '0', subscriptionRetryCount: '1' })
    const { running } = declines
    const repents = await agreed('REPENTS', 2030)
    await moveTo(running, '2030-12-04 12:00:00')
    for (const { subscriptionId } of [declines, repents]) {
      assert.equal((await payer(running, subscriptionId, 'decline')).status, 200)
      assert.equal((await payer(running, subscriptionId, 'decline')).status, 404, 'he has said it')
    }
    await moveTo(running, '2030-12-05 20:00:00')
    assert.equal((await payer(running, repents.subscriptionId, 'approve')).status, 200)
    await moveTo(running, '2030-12-06 07:00:00')
    assert.deepEqual(own(await events(running, declines.subscriptionId), '20301205').slice(2), [
      '2030-12-04 12:00:00 20301205 collection.declined',
      '2030-12-05 06:00:00 20301205 collection.attempted',
      '2030-12-05 06:00:00 20301205 collection.attempt-failed',
      '2030-12-05 13:00:00 20301205 collection.attempted',
      '2030-12-05 13:00:00 20301205 collection.failed',
    ])
    assert.deepEqual(await journal(running, declines.subscriptionId), [
      '2030-12-03 18:00:00 notify success 20000.00',
      '2030-12-04 12:00:00 approve cancelled 20000.00',
    ])
    assert.deepEqual((await heard('DECLINES')).slice(1), [
      'SUBSCRIPTION_NOTIFY TXN_SUCCESS 01 ASKED',
      'SUBSCRIPTION_APPROVE TXN_FAILURE 227 DECLINED',
      ...Array(2).fill('SUBSCRIPTION_DEBIT TXN_FAILURE 141'),
    ])
    assert.deepEqual(await journal(running, repents.subscriptionId), [
      '2030-12-03 18:00:00 notify success 20000.00',
      '2030-12-04 12:00:00 approve cancelled 20000.00',
      '2030-12-05 20:00:00 approve success 20000.00',
      '2030-12-06 06:00:00 collect success 20000.00',
    ])
    await assertHolds(running)
  })

  test('whose approval is not reported is queried when the debit is due, on a card as by UPI', async () => {
    const { running, subscriptionId } = await agreed('UNTOLD', 2031, { card: '4111111111111111' })
    await moveTo(running, '2031-12-04 12:00:00')
    assert.equal((await payer(running, subscriptionId, 'approve', { isReported: false })).status, 200)
    await moveTo(running, '2031-12-05 07:00:00')
    assert.deepEqual(own(await events(running, subscriptionId), '20311205').slice(2), [
      '2031-12-05 06:00:00 20311205 collection.approved',
      '2031-12-05 06:00:00 20311205 collection.attempted',
      '2031-12-05 06:00:00 20311205 collection.collected',
    ])
    assert.deepEqual(await journal(running, subscriptionId), [
      '2031-12-03 18:00:00 notify success 20000.00',
      '2031-12-04 12:00:00 approve success 20000.00',
      '2031-12-05 06:00:00 collect success 20000.00',
    ])
  })

  test('of a listed category needs no approval up to a lakh, and no payer is asked', async () => {
    const running = await service()
    await changeWorld(running, { merchants: [{ mid: MID, mcc: '6012' }] })
    const { subscriptionId, mobile } = await agreed('LISTED', 2032, { renewalAmount: '100000.00' })
    await moveTo(running, '2032-12-05 07:00:00')
    await changeWorld(running, { merchants: [{ mid: MID, mcc: '5411' }] })
    assert.deepEqual(await journal(running, subscriptionId), [
      '2032-12-03 18:00:00 notify success 100000.00',
      '2032-12-05 06:00:00 collect success 100000.00',
    ])
    assert.equal((await events(running, subscriptionId)).at(-1), '2032-12-05 06:00:00 20321205 collection.collected')
    const ref = `Ref ${subscriptionId}.20321205.`
    assert.equal((await reported(running, mobile))[1], `pre-debit: Demo Stores will debit Rs 1,00,000.00 on 05-12-2032. ${ref} ${STOP}`)
    assert.deepEqual((await heard('LISTED')).slice(1), ['SUBSCRIPTION_NOTIFY TXN_SUCCESS 01', 'SUBSCRIPTION_DEBIT TXN_SUCCESS 01'])
  })

  test('that a merchant requests is refused until it is approved, waits for its hour meanwhile, and stands on the notice that was approved', async () => {
    const varying = { subscriptionAmountType: 'VARIABLE', renewalAmount: undefined, subscriptionMaxAmount: '40000.00', autoRenewal: false }
    const { running, subscriptionId } = await agreed('VARYING', 2033, varying)
    const notify = (txnAmount: string, day: string) =>
      manage(running, '/subscription/preNotify', { subsId: subscriptionId, txnAmount, subscriptionScheduledExecutionDate: day })
    const consult = async (amount: string, debitDate?: string) => {
      const { body } = await manage(running, '/subscription/consult', { subsId: subscriptionId, amount, ...(debitDate && { debitDate }) })
      return [body.permitted, body.rule, body.nextPermittedTime, body.authenticationNeeded]
    }
    await moveTo(running, '2033-12-04 09:00:00')
    // The first notice never arrives, so its payer's answer counts for nothing.
    await running.post('/sandbox/bank/script', JSON.stringify({ mid: MID, subscriptionId, call: 'notify', outcomes: ['pending'] }))
    assert.equal((await notify('20000.00', '2033-12-05')).body.resultInfo.code, '3006')
    await running.tasks.runDue()
    assert.equal((await payer(running, subscriptionId, 'approve')).status, 200)
    await moveTo(running, '2033-12-05 10:00:00')
    const again = await notify('30000.00', '2033-12-06')
    assert.equal(again.body.resultInfo.code, '3006', again.text)
    await running.tasks.runDue()
    const { referenceId } = again.body
    const of = await manage(running, '/subscription/preNotify/status', { subsId: subscriptionId, referenceId })
    assert.deepEqual([of.body.notificationStatus, of.body.authentication], ['SUCCESS', 'ASKED'], of.text)
    assert.equal((await notify('20000.00', '2033-12-06')).body.resultInfo.code, '3903', 'one notice stands')
    // A whole day after the notice, outside forbidden hours: 13:00. Until then the payer may still approve it.
    assert.deepEqual(await consult('30000.00'), [false, 'noticeTooShort', '2033-12-06 13:00:00', true])
    assert.deepEqual(await consult('30000.00', '2033-12-06 14:00:00'), [false, 'notAuthenticated', undefined, true])
    assert.deepEqual(await consult('10000.00', '2033-12-06 14:00:00'), [false, 'notAuthenticated', undefined, true], 'asked, for less too')
    const waits = await renew(running, { subscriptionId }, 'VARYING-1', { txnAmount: rupees('30000.00') })
    assert.deepEqual(
      [waits.body.resultInfo.resultCode, waits.body.rule, waits.body.nextAttemptTime],
      ['0000', 'noticeTooShort', '2033-12-06 13:00:00'],
    )
    await moveTo(running, '2033-12-06 13:05:00')
    const first = await statusOf(running, { orderId: 'VARYING-1' })
    assert.equal(first.body.resultInfo.resultCode, '141', first.text)
    const refused = await renew(running, { subscriptionId }, 'VARYING-2', { txnAmount: rupees('30000.00') })
    assert.deepEqual(refused.body.resultInfo, { resultStatus: 'F', resultCode: '3908', resultMsg: 'A rule forbids it: notAuthenticated' })
    // The bank does not notify Mohur, which asks the bank within the hour.
    assert.equal((await payer(running, subscriptionId, 'approve', { isReported: false })).status, 200)
    await moveTo(running, '2033-12-06 14:10:00')
    assert.deepEqual(await consult('30000.00'), [true, undefined, undefined, false])
    assert.equal(
      (await renew(running, { subscriptionId }, 'VARYING-3', { txnAmount: rupees('30000.00') })).body.resultInfo.resultCode,
      '0000',
    )
    await running.tasks.runDue()
    assert.deepEqual(own(await events(running, subscriptionId), '20331205').slice(1), [
      '2033-12-05 09:00:00 20331205 collection.notice-failed',
      '2033-12-05 10:00:00 20331205 collection.noticed',
      '2033-12-05 10:00:00 20331205 collection.attempted',
      '2033-12-06 13:00:00 20331205 collection.attempt-failed',
      '2033-12-06 14:00:00 20331205 collection.approved',
      '2033-12-06 14:10:00 20331205 collection.attempted',
      '2033-12-06 14:10:00 20331205 collection.collected',
    ])
    const lines = await journal(running, subscriptionId)
    assert.deepEqual(lines.at(-1), '2033-12-06 14:10:00 collect success 30000.00')
    assert.equal(lines.filter((line) => line.includes(' collect ')).length, 1)
    await assertHolds(running)
  })

  test('from a wallet is made when its payer has approved it, and moves nothing without the approval', async () => {
    const running = await service()
    await changeWorld(running, { customers: [{ mobile: '9812999999', walletBalance: '70000.00' }] })
    await moveTo(running, '2034-11-21 11:00:00')
    const { ssoToken } = await signIn(running, '9812999999')
    const body = subscription('WALLET', {
      ...{
        subscriptionAmountType: 'FIX',
        subscriptionMaxAmount: undefined,
        ...MONTHLY,
        subscriptionGraceDays: '1',
        subscriptionRetryCount: '1',
      },
      ...{
        autoRenewal: true,
        autoRetry: true,
        subscriptionPaymentMode: 'PPI',
        subscriptionStartDate: '2034-12-05',
        subscriptionExpiryDate: '2035-02-05',
      },
      userInfo: { custId: 'CWALLET', svcSsoToken: ssoToken },
    })
    const reply = await initiate(running, body)
    assert.equal(reply.body.resultInfo.resultCode, '0000', reply.text)
    const { subscriptionId, txnToken } = reply.body as { subscriptionId: string; txnToken: string }
    const paid = await pay(running, { orderId: 'WALLET', txnToken }, { paymentMode: 'BALANCE' })
    assert.equal(paid.body.resultInfo.resultStatus, 'S', paid.text)
    await moveTo(running, '2034-12-05 12:00:00')
    assert.equal((await payer(running, subscriptionId, 'approve')).status, 200)
    assert.equal((await payer(running, subscriptionId, 'approve')).status, 404, 'he has said it')
    await moveTo(running, '2035-01-04 12:00:00')
    assert.equal((await payer(running, subscriptionId, 'decline')).status, 200)
    // A renewal that waits for its hour reserves nothing. It is withdrawn when the payer declines the debit after all.
    await moveTo(running, '2035-01-05 12:00:00')
    assert.equal((await payer(running, subscriptionId, 'approve')).status, 200)
    const renewal = await renew(running, { subscriptionId }, 'WALLET-2', {
      ...{ txnAmount: rupees('20000.00'), debitDate: '2035-01-05 18:00:00' },
    })
    assert.deepEqual([renewal.body.resultInfo.resultCode, renewal.body.rule], ['0000', 'debitDate'], renewal.text)
    await assertHolds(running)
    assert.equal((await payer(running, subscriptionId, 'skip')).status, 200)
    const withdrawn = await statusOf(running, { orderId: 'WALLET-2' })
    assert.equal(withdrawn.body.resultInfo.resultStatus, 'TXN_FAILURE', withdrawn.text)
    await moveTo(running, '2035-01-08 00:00:00')
    assert.deepEqual(
      (await events(running, subscriptionId)).filter((line) => !line.endsWith('scheduled')),
      [
        '2034-11-21 11:00:00 subscription.activated',
        '2034-12-03 18:00:00 20341205 collection.noticed',
        '2034-12-05 06:00:00 20341205 collection.attempted',
        '2034-12-05 06:00:00 20341205 collection.attempt-failed',
        '2034-12-05 12:00:00 20341205 collection.approved',
        '2034-12-06 06:00:00 20341205 collection.attempted',
        '2034-12-06 06:00:00 20341205 collection.collected',
        '2035-01-03 18:00:00 20350105 collection.noticed',
        '2035-01-04 12:00:00 20350105 collection.declined',
        '2035-01-05 06:00:00 20350105 collection.attempted',
        '2035-01-05 06:00:00 20350105 collection.attempt-failed',
        '2035-01-05 12:00:00 20350105 collection.approved',
        '2035-01-05 12:00:00 20350105 collection.attempted',
        '2035-01-05 12:00:00 20350105 collection.skipped',
      ],
    )
    assert.deepEqual(await journal(running, subscriptionId), [], 'no bank has a part in it')
    const [wallet] = await running.ports.query.rows(find('customers', { equals: { mobile: '9812999999' }, limit: 1 }))
    assert.equal(wallet!.walletBalancePaise, 70_000_00 - 1_00 - 20_000_00)
    const notice = (await reported(running, '9812999999')).find((line) => line.startsWith('pre-debit'))
    assert.match(
      notice!,
      /^pre-debit: Demo Stores will debit Rs 20,000\.00 on 05-12-2034 if you approve it\. Ref \S+ Approve, skip, pause or stop it: LINK$/,
    )
    await assertHolds(running)
  })

  test('is made once, whatever step between the approval and the bank’s answer a crash falls into', async () => {
    const { running, subscriptionId } = await agreed('CRASHES', 2036)
    const { clock } = running
    const { engine, reference } = running.ports
    const collectionId = `${subscriptionId}.20361205`
    await moveTo(running, '2036-12-05 05:59:59')
    clock.advance(1_000)
    const fresh = { txnId: 'crashed', noticeId: 'crashed' }
    const look = async (asked?: { until: number; isAnswered: boolean }) => {
      const command = { mid: MID, collectionId, reference, now: clock.now(), fresh, ...(asked && { asked }) }
      const { body } = await engine.submit(advanceCollection, command)
      return (body as { work?: { kind: string; until?: number } } | undefined)?.work
    }
    const attempts = async () => (await running.ports.query.row(collectionKey(MID, collectionId)))!.attempts
    // The process has decided to ask, and dies before the question. No other process takes the cycle over until the time is over.
    const first = await look()
    assert.deepEqual([first!.kind, dateTimeInIndia(first!.until!)], ['askPayer', '2036-12-05 06:01:30'])
    assert.equal(await look(), undefined)
    clock.advance(90_000)
    const second = await look()
    assert.equal(second!.until, first!.until! + 90_000)
    // An answer to the first question is too late, and uses no attempt.
    assert.equal(await look({ until: first!.until!, isAnswered: true }), undefined)
    assert.equal(await attempts(), 0)
    // The process knows the approval, begins the debit, and dies before the bank has received it.
    assert.equal((await payer(running, subscriptionId, 'approve')).status, 200)
    assert.equal((await look({ until: second!.until!, isAnswered: true }))!.kind, 'collect')
    assert.equal(await attempts(), 1)
    await moveTo(running, '2036-12-05 06:10:00')
    assert.deepEqual(own(await events(running, subscriptionId), '20361205').slice(2), [
      '2036-12-05 06:01:30 20361205 collection.approved',
      '2036-12-05 06:01:30 20361205 collection.attempted',
      '2036-12-05 06:03:00 20361205 collection.collected',
    ])
    assert.deepEqual((await journal(running, subscriptionId)).slice(1), [
      '2036-12-05 06:01:30 approve success 20000.00',
      '2036-12-05 06:03:00 collect success 20000.00',
    ])
    await assertHolds(running)
  })
})
