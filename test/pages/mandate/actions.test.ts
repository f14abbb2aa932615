// A payer's actions on the page of their mandate, each on its own mandate. All mandates were agreed on one day, and it is the day before
// their first debit. docs/pages.md, "The mandate page".

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectionKey } from '../../../src/tables/keys.ts'
import { find, look } from '../../../src/tables/tables.ts'
import { manage } from '../../support/mandates/mandates.ts'
import { events, journal, moveTo } from '../../support/mandates/timeline.ts'
import { type Agreed, approve, codeFrom, formNow, linkOf, opened, upiMandate, walletMandate } from '../../support/pages/mandate-page.ts'
import { ask, formOf, goesTo, Visitor, wordsOf } from '../../support/pages/pages.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { inbox } from '../../support/signin/signin.ts'
import { assertHolds } from '../../support/store/verify.ts'

const subscriptionOf = async ({ ports }: Service, { subscriptionId }: Agreed) =>
  (await ports.query.row(look('subscriptions', MID, subscriptionId)))!
const cycleOf = async ({ ports }: Service, { subscriptionId }: Agreed, day = '20261205') =>
  (await ports.query.row(collectionKey(MID, `${subscriptionId}.${day}`)))!
const own = async (service: Service, { subscriptionId }: Agreed) =>
  (await events(service, subscriptionId)).filter((line) => line >= '2026-12-04' && !line.endsWith('scheduled'))
const edit = async (service: Service, { subscriptionId }: Agreed, more: object) => {
  const reply = await manage(service, '/subscription/edit', { subsId: subscriptionId, ...more })
  assert.equal(reply.body.resultInfo.code, '3006', reply.text)
  await service.tasks.runDue()
}

onBothStores('on the page of their mandate a payer', (store) => {
  const running = sharedService(store)
  let mandates: Promise<Record<string, Agreed>> | undefined
  /** By its name. Names with a `W` are wallets' mandates. */
  const ready = async (name: string): Promise<{ service: Service; agreed: Agreed }> => {
    const service = await running()
    mandates ??= (async () => {
      const made: Record<string, Agreed> = {}
      let mobile = 9_814_000_000
      const names = [
        'W_DECLINES',
        'W_RACES',
        'W_PAUSES',
        'W_EDITS',
        'W_LATE',
        'W_OTHER',
        'SKIPS',
        'PAUSES',
        'HOLDS',
        'BANK',
        'LATER',
        'VARIES',
      ]
      for (const each of names) {
        const large = each === 'BANK' ? { renewalAmount: '20000.00' } : {}
        const varying =
          each === 'VARIES'
            ? { subscriptionAmountType: 'VARIABLE', renewalAmount: undefined, subscriptionMaxAmount: '900.00', autoRenewal: false }
            : {}
        const make = each.startsWith('W_') ? walletMandate : upiMandate
        made[each] = await make(service, each, String(++mobile), 2026, { ...large, ...varying })
      }
      await moveTo(service, '2026-12-04 12:00:00')
      return made
    })()
    return { service, agreed: (await mandates)[name]! }
  }

  test('declines a wallet’s debit, and may approve it after all', async () => {
    const { service, agreed } = await ready('W_DECLINES')
    const visitor = await opened(service, agreed)
    const declined = await visitor.send('/decline')
    assert.match(
      wordsOf(declined.text),
      /You have declined ₹20,000\.00 on 5 December 2026\. .*You have declined it\. You can still approve it until the end of that day\./,
    )
    assert.equal((await cycleOf(service, agreed)).authentication, 'DECLINED')
    assert.match(wordsOf(await approve(visitor, agreed.mobile)), /You have approved it\./)
    assert.deepEqual(await own(service, agreed), [
      '2026-12-04 12:00:00 20261205 collection.declined',
      '2026-12-04 12:00:00 20261205 collection.approved',
    ])
  })

  test('approves a debit once, however often they press, and never one that was ended beside it', async () => {
    const { service, agreed } = await ready('W_RACES')
    const [visitor, other] = [await opened(service, agreed), await opened(service, agreed)]
    const { otp } = await codeFrom(service, agreed.mobile, () => visitor.send('/approve'))
    const form = formOf(visitor.last.text, '/approve/code')
    const send = () => ask(service, form.action, { ...form.fields, code: otp })
    // One page's code does not open another page, which has requested none.
    const ofOther = await formNow(other, 'approve/code', form.fields['of'])
    const elsewhere = await ask(service, `${other.page}/approve/code`, { ...ofOther, code: otp })
    assert.match(elsewhere.text, /This OTP has expired/)
    assert.equal((await cycleOf(service, agreed)).authentication, 'ASKED')
    const stop = await formNow(other, 'stop')
    const answers = await Promise.all([send(), send(), ask(service, `${other.page}/stop`, stop), send()])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303, 303, 303],
    )
    const { status, subStatus } = await subscriptionOf(service, agreed)
    assert.deepEqual([status, subStatus], ['REJECT', 'USER_CANCELLED'])
    const approvals = (await own(service, agreed)).filter((line) => line.endsWith('.approved'))
    assert.ok(approvals.length <= 1, String(approvals))
    assert.equal((await cycleOf(service, agreed)).status, 'MISSED')
    const [said] = answers.map(goesTo).filter((to) => to.includes('?said=approved&'))
    assert.equal(said !== undefined, approvals.length === 1, 'he is told that he has approved it only when he has')
    const late = await send()
    assert.match(goesTo(late), /\?said=stale&/, 'nothing waits any more')
  })

  test('pauses a wallet’s mandate and resumes it', async () => {
    const { service, agreed } = await ready('W_PAUSES')
    const visitor = await opened(service, agreed)
    const paused = await visitor.send('/pause')
    assert.match(wordsOf(paused.text), /Next debit None Nothing is debited while it is paused\. .*You have paused it\./)
    assert.equal((await subscriptionOf(service, agreed)).subStatus, 'USER_PAUSED')
    const resumed = await visitor.send('/resume')
    assert.match(wordsOf(resumed.text), /Resumed\. This mandate is active\./)
    assert.equal((await subscriptionOf(service, agreed)).status, 'ACTIVE')
  })

  test('answers changed terms of a wallet’s mandate: the old ones stay until a code that names the amount approves the new ones', async () => {
    const { service, agreed } = await ready('W_EDITS')
    const visitor = await opened(service, agreed)
    await edit(service, agreed, { renewalAmount: '900.00', subscriptionExpiryDate: '2028-01-05' })
    const link = await linkOf(service, agreed, 'edit-asked')
    const message = (await inbox(service, agreed.mobile)).find(({ kind }) => kind === 'edit-asked')!
    assert.match(
      message.text,
      /^Demo Stores asks you to allow debits of Rs 900\.00 every month until 05-01-2028\. Nothing changes unless you approve it within 24 hours\. /,
    )
    assert.equal(link, await linkOf(service, agreed), 'every message has the same link')
    const shown = await visitor.look()
    assert.match(
      wordsOf(shown.text),
      /Agree to new terms\? .*How much ₹20,000\.00 → ₹900\.00 Last day 5 February 2027 → 5 January 2028 How often every month, unchanged Answer until 5 December 2026, 12:00 pm/,
    )
    const declined = await visitor.send('/decline')
    assert.match(wordsOf(declined.text), /You have declined the new terms\. The old ones stay\./)
    await edit(service, agreed, { renewalAmount: '800.00' })
    await visitor.look()
    const { otp, text } = await codeFrom(service, agreed.mobile, () => visitor.send('/approve'))
    assert.match(text, /^\d{6} is your one-time password to allow Demo Stores debits of Rs 800\.00 every month until 05-02-2027\./)
    assert.equal((await subscriptionOf(service, agreed)).maxAmountPaise, 20_000_00)
    const wrong = await visitor.send('/approve/code', { code: String((Number(otp) + 1) % 1_000_000).padStart(6, '0') })
    assert.equal(wrong.status, 422)
    const done = await visitor.send('/approve/code', { code: otp })
    assert.match(wordsOf(done.text), /You have approved the new terms\. .*₹800\.00 each time/)
    const { maxAmountPaise, renewalAmountPaise, edit: left, expiryDate } = await subscriptionOf(service, agreed)
    assert.deepEqual([maxAmountPaise, renewalAmountPaise, left, expiryDate], [800_00, 800_00, null, '2027-02-05'])
    assert.deepEqual(
      (await own(service, agreed)).map((line) => line.split(' ').at(-1)),
      [
        ...['subscription.edit-requested', 'subscription.edit-declined', 'subscription.edit-requested', 'subscription.edited'],
        'collection.terms-changed', // of the next cycle: the payer got the notice of the first one before
      ],
    )
    assert.deepEqual(await journal(service, agreed.subscriptionId), [], 'no bank was asked')
  })

  test('skips the next debit, announced or not, and the mandate goes on', async () => {
    const announced = await ready('SKIPS')
    const { service } = announced
    const visitor = await opened(service, announced.agreed)
    for (const [ask, yes] of [
      ['stop', 'Yes, stop it'],
      ['skip', 'Yes, skip it'],
    ] as const) {
      const { text } = await visitor.look(`?ask=${ask}`)
      assert.match(text, /<a class="button" href="[^"?]*">No, keep it as it is<\/a>/, 'what stands out changes nothing')
      assert.ok(text.includes(`<button class="second">${yes}</button>`), ask)
    }
    const asked = await visitor.look('?ask=skip')
    assert.match(wordsOf(asked.text), /Skip the next debit\? The debit of 5 December 2026 will not be made, now or later\./)
    const form = formOf(visitor.last.text, '/skip')
    const skipped = await visitor.send('/skip')
    assert.match(wordsOf(skipped.text), /Next debit ₹499\.00 On 5 January 2027 .*Skipped\. .*5 December 2026 ₹499\.00 skipped/)
    // Pressed again it does not skip another.
    assert.match(goesTo(await ask(service, form.action, form.fields)), /said=stale&/)
    // No notice of the next cycle was sent yet.
    await visitor.look('?ask=skip')
    const next = await visitor.send('/skip')
    assert.match(
      wordsOf(next.text),
      /On 5 February 2027 .*What will not be debited 5 December 2026 ₹499\.00 skipped 5 January 2027 ₹499\.00 skipped/,
    )
    assert.deepEqual(await own(service, announced.agreed), [
      '2026-12-04 12:00:00 20261205 collection.skipped',
      '2026-12-04 12:00:00 20270105 collection.skipped',
    ])
    const varies = await ready('VARIES')
    const merchants = await opened(service, varies.agreed)
    assert.match(wordsOf(merchants.last.text), /Next debit None At most ₹900\.00, when the shop asks\./)
  })

  test('pauses a mandate at its bank too, whose word does not lift the pause, and is debited again after resuming it', async () => {
    const { service, agreed } = await ready('PAUSES')
    const visitor = await opened(service, agreed)
    await visitor.send('/pause')
    await service.tasks.runDue()
    const paused = await subscriptionOf(service, agreed)
    assert.deepEqual([paused.subStatus, paused.mandate?.isPauseAtBank, paused.mandate?.isPausedHere], ['USER_PAUSED', true, true])
    const merchant = await manage(service, '/subscription/status/modify', { subsId: agreed.subscriptionId, status: 'ACTIVE' })
    assert.equal(merchant.body.resultInfo.code, '3901', 'a payer’s pause is not the merchant’s to lift')
    const said = await service.post('/sandbox/payer', JSON.stringify({ mid: MID, subscriptionId: agreed.subscriptionId, action: 'resume' }))
    assert.equal(said.status, 200)
    assert.equal((await subscriptionOf(service, agreed)).subStatus, 'USER_PAUSED', 'the bank has resumed what was paused here')
    const resumed = await visitor.send('/resume')
    assert.match(wordsOf(resumed.text), /Resumed\./)
    await service.tasks.runDue()
    const after = await subscriptionOf(service, agreed)
    assert.deepEqual([after.status, after.mandate?.isPauseAtBank, after.mandate?.isPausedHere], ['ACTIVE', undefined, undefined])
    const kinds = (await journal(service, agreed.subscriptionId)).map((line) => line.split(' ').slice(2, 4).join(' '))
    assert.deepEqual(kinds, ['notify success', 'pause success', 'resume success', 'resume success'])
  })

  test('reads that a pause at the bank is lifted at the bank', async () => {
    const { service, agreed } = await ready('HOLDS')
    const act = (action: string) =>
      service.post('/sandbox/payer', JSON.stringify({ mid: MID, subscriptionId: agreed.subscriptionId, action }))
    assert.equal((await act('pause')).status, 200)
    const visitor = await opened(service, agreed)
    assert.match(wordsOf(visitor.last.text), /You have paused it in your UPI app\. Resume it there\./)
    assert.throws(() => formOf(visitor.last.text, '/resume'))
    assert.match(goesTo(await ask(service, `${visitor.page}/resume`, await formNow(visitor, 'resume'))), /said=changed&/)
    assert.equal((await subscriptionOf(service, agreed)).subStatus, 'USER_PAUSED')
    assert.equal((await act('resume')).status, 200)
    assert.match(wordsOf((await visitor.look()).text), /This mandate is active\./)
  })

  test('is sent to the bank for an answer that only the bank takes, and cannot give it here', async () => {
    const { service, agreed } = await ready('BANK')
    await edit(service, agreed, { renewalAmount: '21000.00' })
    const visitor = await opened(service, agreed)
    const words = wordsOf(visitor.last.text)
    assert.match(
      words,
      /The debit of ₹20,000\.00 on 5 December 2026 needs your approval\. You cannot give it here: your UPI app asks you\./,
    )
    assert.match(words, /Demo Stores asks you to agree to new terms\. You cannot do so here/)
    const [notice] = await service.ports.query.rows(
      find('notices', { equals: { mid: MID, subscriptionId: agreed.subscriptionId, status: 'SUCCESS' }, limit: 1 }),
    )
    const { editId } = (await subscriptionOf(service, agreed)).edit!
    for (const waits of [`debit:${notice!.noticeId}`, `edit:${editId}`])
      for (const name of ['approve', 'decline', 'approve/code'] as const) {
        const form = { ...(await formNow(visitor, name, waits)), code: '123456' }
        assert.doesNotMatch(goesTo(await ask(service, `${visitor.page}/${name}`, form)), /said=(?!changed)/, `${name} ${waits}`)
      }
    assert.equal((await cycleOf(service, agreed)).authentication, 'ASKED')
    assert.equal((await subscriptionOf(service, agreed)).edit?.editId, editId)
    assert.equal((await inbox(service, agreed.mobile)).filter(({ kind }) => kind === 'otp').length, 1, 'only the one that opened it')
  })

  test('approves nothing with a code that was sent for something else', async () => {
    const { service, agreed } = await ready('W_OTHER')
    const visitor = await opened(service, agreed)
    await edit(service, agreed, { renewalAmount: '700.00' })
    const { otp } = await codeFrom(service, agreed.mobile, async () => {
      await visitor.look()
      await visitor.send('/approve')
    })
    const [notice] = await service.ports.query.rows(
      find('notices', { equals: { mid: MID, subscriptionId: agreed.subscriptionId, status: 'SUCCESS' }, limit: 1 }),
    )
    const form = await formNow(visitor, 'approve/code', `debit:${notice!.noticeId}`)
    const refused = await ask(service, `${visitor.page}/approve/code`, { ...form, code: otp })
    assert.equal(refused.status, 422)
    assert.equal((await cycleOf(service, agreed)).authentication, 'ASKED')
  })

  test('is too late when the days of the debit are over, and reads so', async () => {
    const { service, agreed } = await ready('W_LATE')
    const { agreed: later } = await ready('LATER')
    const visitor = await opened(service, agreed)
    await visitor.send('/approve')
    const form = formOf(visitor.last.text, '/approve/code')
    await moveTo(service, '2026-12-04 13:00:00')
    const over = await ask(service, goesTo(await ask(service, form.action, { ...form.fields, code: '123456' })))
    assert.equal(over.status, 410)
    await moveTo(service, '2026-12-08 00:00:01')
    assert.equal((await ask(service, visitor.page)).status, 404, 'forgotten a day later')
    const again = await opened(service, agreed)
    assert.match(wordsOf(again.last.text), /5 December 2026 ₹20,000\.00 failed, not taken/)
    for (const name of ['approve', 'decline'] as const)
      assert.match(goesTo(await ask(service, `${again.page}/${name}`, await formNow(again, name, form.fields['of']))), /said=changed&/)
    assert.deepEqual((await cycleOf(service, agreed)).status, 'FAILED')
    // The debit that needed no approval was made too, and so was the approved one.
    assert.match(wordsOf((await opened(service, later)).last.text), /What was debited 5 December 2026 ₹499\.00 taken/)
    const { agreed: declines } = await ready('W_DECLINES')
    assert.equal((await cycleOf(service, declines)).status, 'COLLECTED')
    const { agreed: skips } = await ready('SKIPS')
    assert.deepEqual(
      (await journal(service, skips.subscriptionId)).filter((line) => line.includes(' collect ')),
      [],
    )
    await assertHolds(service)
  })

  test('of another mandate, of none, or after its end opens nothing by a link', async () => {
    const { service, agreed } = await ready('LATER')
    const { agreed: another } = await ready('SKIPS')
    const link = await linkOf(service, agreed)
    assert.notEqual(link, await linkOf(service, another))
    for (const path of ['/m/AAAAAAAAAAAAAAAAAAAAAA', '/m/short', `${link.slice(0, -1)}!`, `/m/${'A'.repeat(2_000)}`]) {
      const answer = await ask(service, path)
      assert.equal(answer.status, 404, path)
      assert.ok(!answer.text.includes('Demo Stores'))
      assert.equal((await ask(service, `${path}/code`, {})).status, 404, path)
      assert.equal((await ask(service, `${path}/code`)).status, 404, path)
    }
    assert.equal(goesTo(await ask(service, `${link}/code`)), link)
    const visitor = await opened(service, agreed)
    const elsewhere = await ask(service, visitor.page, undefined, { 'user-agent': 'another browser' })
    assert.equal(elsewhere.status, 404)
    assert.equal((await ask(service, `/mandate/${'0'.repeat(32)}`)).status, 404)
    await visitor.look('?ask=stop')
    await visitor.send('/stop')
    assert.equal((await ask(service, link)).status, 200, 'what was debited is still to be seen')
    service.clock.advance(30 * 24 * 60 * 60_000 + 1)
    assert.equal((await ask(service, link)).status, 404)
    assert.equal((await ask(service, `${link}/code`, {})).status, 404)
  })

  test('reads it in their language, has more time, and gets no more codes than a sign-in', async () => {
    const { service, agreed } = await ready('VARIES')
    const link = await linkOf(service, agreed)
    const hindi = await ask(service, `${link}?language=hi`)
    assert.match(hindi.text, /lang="hi-IN"/)
    assert.match(wordsOf(hindi.text), /Demo Stores के लिए आपका ऑटोपे/)
    let page = ''
    const { otp } = await codeFrom(service, agreed.mobile, async () => {
      page = goesTo(await ask(service, `${link}/code`, { language: 'hi' }))
    })
    const visitor = new Visitor(service, page)
    await visitor.look()
    const shown = await visitor.send('/open', { code: otp })
    assert.match(wordsOf(shown.text), /यह ऑटोपे चालू है।/)
    service.clock.advance(10 * 60_000)
    await visitor.look()
    const more = await visitor.send('/more-time')
    assert.doesNotMatch(more.text, /more-time/)
    service.clock.advance(14 * 60_000)
    assert.equal((await visitor.send('/language', { language: 'en' })).status, 200)
    assert.match(wordsOf(visitor.last.text), /This mandate is active\./)
    for (const [of, path, form] of [
      [page, 'language', { ...(await formNow(visitor, 'language')), language: 'xx' }],
      [link, 'code', 'language=en&language=hi'],
    ] as const) {
      const wrong = await ask(service, `${of}/${path}`, form)
      assert.deepEqual([wrong.status, wrong.text.includes(`href="${of}"`)], [400, true], 'the way back')
    }
    for (let n = 0; n < 4; n++) assert.equal((await ask(service, `${link}/code`, {})).status, 303)
    const refused = await ask(service, `${link}/code`, {})
    assert.equal(refused.status, 422)
    assert.match(wordsOf(refused.text), /No more OTPs can be sent to this number now\./)
    service.clock.advance(2 * 60_000)
    assert.equal((await ask(service, visitor.page)).status, 410)
  })
})
