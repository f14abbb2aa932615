// The payer's page of a mandate, over HTTP as a browser without script uses it: docs/pages.md, "The mandate page".

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionNames } from '../../../src/pages/mandate/actions.ts'
import { collectionKey } from '../../../src/tables/keys.ts'
import { find, look } from '../../../src/tables/tables.ts'
import { events, journal, moveTo } from '../../support/mandates/timeline.ts'
import { askedFor, codeFrom, formNow, linkOf, opened, upiMandate, walletMandate } from '../../support/pages/mandate-page.ts'
import { ask, formsOf, goesTo, withoutDrawer, wordsOf } from '../../support/pages/pages.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { otherThan } from '../../support/signin/signin.ts'
import { assertHolds } from '../../support/store/verify.ts'

const cycleOf = async ({ ports }: Service, subscriptionId: string, day: string) =>
  (await ports.query.row(collectionKey(MID, `${subscriptionId}.${day}`)))!
const buttonsOf = (text: string) => formsOf(text).map(({ action, button }) => `${action.split('/').at(-1)}: ${button}`)
/** Without ids, hashes and instants, which may contain any digits. */
const named = (text: string) => withoutDrawer(text).replaceAll(/[\w-]{13,}/g, '')

onBothStores('the page of a mandate', (store) => {
  const running = sharedService(store)

  test('shows by its link the merchant’s name alone, and the agreed terms once the code is typed', async () => {
    const service = await running()
    const agreed = await upiMandate(service, 'SHOWN', '9813000001', 2026, { subscriptionPurpose: 'A magazine' })
    const link = await linkOf(service, agreed)
    const page = await ask(service, link)
    assert.equal(page.status, 200)
    assert.match(wordsOf(page.text), /Your mandate for Demo Stores/)
    assert.doesNotMatch(named(page.text), /magazine|499|9813000001|0001|UPI ID|success@upi|2026/)
    assert.ok(!withoutDrawer(page.text).includes(agreed.subscriptionId))
    const { visitor, otp, text } = await askedFor(service, agreed)
    assert.match(text, /^\d{6} is your one-time password to see and change your mandate for Demo Stores\. It is valid for 5 minutes\./)
    const waiting = await visitor.look()
    assert.doesNotMatch(named(waiting.text), /magazine|499|9813000001|success@upi/)
    const shown = await visitor.send('/open', { code: otp })
    const words = wordsOf(shown.text)
    assert.match(words, /This mandate is active\./)
    assert.match(words, /Next debit ₹499\.00 On 5 December 2026/)
    assert.match(
      words,
      /What for A magazine .*₹499\.00 each time .*every month .*5 December 2026 .*5 February 2027 .*UPI, success@upi .*21 November 2026/,
    )
    assert.match(words, /What was debited 21 November 2026 ₹1\.00 when you agreed/)
    assert.equal(shown.headers.get('cache-control'), 'no-store')
    assert.equal(shown.headers.get('referrer-policy'), 'no-referrer')
    assert.match(shown.headers.get('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/)
  })

  test('a wallet’s debit above the limit is approved by a code that names it, and made', async () => {
    const service = await running()
    const agreed = await walletMandate(service, 'APPROVED', '9813000002', 2027)
    const { subscriptionId, mobile } = agreed
    await moveTo(service, '2027-12-04 12:00:00')
    const visitor = await opened(service, agreed)
    assert.match(wordsOf(visitor.last.text), /Approve ₹20,000\.00\? Demo Stores wants to debit this amount on 5 December 2027\./)
    const { otp, text } = await codeFrom(service, mobile, () => visitor.send('/approve'))
    assert.match(text, /^\d{6} is your one-time password to approve a debit of Rs 20,000\.00 by Demo Stores\./)
    assert.equal((await cycleOf(service, subscriptionId, '20271205')).authentication, 'ASKED', 'a code alone approves nothing')
    const done = await visitor.send('/approve/code', { code: otp })
    assert.match(wordsOf(done.text), /You have approved it\. .*You have approved ₹20,000\.00 on 5 December 2027\./)
    await moveTo(service, '2027-12-05 07:00:00')
    assert.deepEqual((await events(service, subscriptionId)).filter((line) => line.includes(' 20271205 ')).slice(1), [
      '2027-12-03 18:00:00 20271205 collection.noticed',
      '2027-12-04 12:00:00 20271205 collection.approved',
      '2027-12-05 06:00:00 20271205 collection.attempted',
      '2027-12-05 06:00:00 20271205 collection.collected',
    ])
    const [wallet] = await service.ports.query.rows(find('customers', { equals: { mobile }, limit: 1 }))
    assert.equal(wallet!.walletBalancePaise, 70_000_00 - 1_00 - 20_000_00)
    await assertHolds(service)
  })

  test('a mandate is stopped after a question to its payer, at its bank too, and stopping it twice is once', async () => {
    const service = await running()
    const agreed = await upiMandate(service, 'STOPPED', '9813000003', 2028)
    const visitor = await opened(service, agreed)
    const other = await opened(service, agreed)
    await visitor.look('?ask=stop')
    assert.match(wordsOf(visitor.last.text), /Stop the mandate\?/)
    const done = await visitor.send('/stop')
    assert.match(wordsOf(done.text), /Stopped\. Nothing more will be debited\. You have stopped it\./)
    assert.deepEqual(buttonsOf(done.text), ['more-time: More time', 'language: Change'].slice(1))
    const again = await ask(service, `${other.page}/stop`, await formNow(other, 'stop'))
    assert.match(goesTo(again), /\?said=changed&/)
    await service.tasks.runDue()
    const row = await service.ports.query.row(look('subscriptions', MID, agreed.subscriptionId))
    assert.deepEqual([row!.status, row!.subStatus], ['REJECT', 'USER_CANCELLED'])
    assert.equal((await journal(service, agreed.subscriptionId)).filter((line) => line.includes(' revoke ')).length, 1)
    await assertHolds(service)
  })

  test('a code that is wrong, too often wrong, over, or of another page opens nothing', async () => {
    const service = await running()
    const agreed = await upiMandate(service, 'CODES', '9813000004', 2029)
    const first = await askedFor(service, agreed)
    for (const code of ['12', 'abcdef', '']) {
      const refused = await first.visitor.send('/open', { code })
      assert.deepEqual([refused.status, /This OTP is not right/.test(refused.text)], [422, true])
      assert.ok(!wordsOf(refused.text).includes('499'))
    }
    // A refusal leaves the browser at the action's address. From there the page's script, and a payer who opens the address again, come
    // back to the page.
    const { page } = first.visitor
    for (const name of actionNames) assert.equal(goesTo(await ask(service, `${page}/${name}`)), page, name)
    for (let n = 0; n < 3; n++) assert.equal((await first.visitor.send('/open', { code: otherThan(first.otp) })).status, 422)
    const spent = await first.visitor.send('/open', { code: first.otp })
    assert.match(wordsOf(spent.text), /The OTP was wrong too often\. Ask for a new one\./)
    const { otp: second } = await codeFrom(service, agreed.mobile, () => first.visitor.send('/resend'))
    const others = await askedFor(service, agreed)
    assert.equal((await first.visitor.send('/open', { code: others.otp })).status, 422, 'the code of another page')
    service.clock.advance(5 * 60_000)
    const late = await ask(service, `${first.visitor.page}/open`, { code: second })
    const over = await ask(service, goesTo(late))
    assert.equal(over.status, 410)
    assert.match(wordsOf(over.text), /Open the link in your message again\./)
    assert.ok(!wordsOf(over.text).includes('499'))
  })
})
