// What a mandate's page says about the payer's last act, about changed terms and about debits that are not made: docs/pages.md, "The
// mandate page".

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manage } from '../../support/mandates/mandates.ts'
import { moveTo } from '../../support/mandates/timeline.ts'
import { type Agreed, codeFrom, opened, upiMandate, walletMandate } from '../../support/pages/mandate-page.ts'
import { ask, formOf, goesTo, type Visitor, wordsOf } from '../../support/pages/pages.ts'
import { onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const asksForTerms = async (service: Service, { subscriptionId }: Agreed, terms: object) => {
  const reply = await manage(service, '/subscription/edit', { subsId: subscriptionId, ...terms })
  assert.equal(reply.body.resultInfo.code, '3006', reply.text)
  await service.tasks.runDue()
}
/** Sends a form, and returns the address with the message. */
async function messageAfter(visitor: Visitor, act: string, typed: Record<string, string> = {}): Promise<string> {
  const { action, fields } = formOf(visitor.last.text, act)
  const address = goesTo(await ask(visitor.service, action, { ...fields, ...typed }))
  await visitor.follow(address)
  return address
}

const SAYS = {
  en: {
    from: 2027,
    approvedDebit: 'You have approved ₹20,000.00 on 5 December 2027.',
    approvedTerms: 'You have approved the new terms.',
    asks: 'Agree to new terms?',
    change: 'How much ₹20,000.00 → ₹1,00,000.00',
    paused: 'Paused.',
    sent: 'An OTP is on its way.',
    past: 'What was not debited',
    ahead: 'What will not be debited',
    notTaken: 'not taken',
    willNotBeTaken: 'will not be taken',
    skipped: 'skipped',
  },
  hi: {
    from: 2031,
    approvedDebit: 'आपने 5 दिसंबर 2031 को ₹20,000.00 काटना मंज़ूर किया है।',
    approvedTerms: 'आपने नई शर्तें मंज़ूर की हैं।',
    asks: 'नई शर्तें मानें?',
    change: 'रकम ₹20,000.00 → ₹1,00,000.00',
    paused: 'रोक दिया गया।',
    sent: 'OTP भेजा जा रहा है।',
    past: 'क्या नहीं काटा गया',
    ahead: 'आगे क्या नहीं काटा जाएगा',
    notTaken: 'नहीं लिया गया',
    willNotBeTaken: 'नहीं लिया जाएगा',
    skipped: 'छोड़ा गया',
  },
} as const

onBothStores('a message on the page of a mandate', (store) => {
  const running = sharedService(store)
  let numbers = 0
  const newMobile = () => `98141${String(++numbers).padStart(5, '0')}`
  async function openedIn(language: keyof typeof SAYS, agreed: Agreed): Promise<Visitor> {
    const visitor = await opened(await running(), agreed)
    await visitor.send('/language', { language })
    return visitor
  }
  const reads = async (visitor: Visitor, address: string) => wordsOf((await visitor.follow(address)).text)

  for (const language of ['en', 'hi'] as const) {
    const says = SAYS[language]

    test(`about a debit names it, outlives a reload, and goes when other terms are asked for: ${language}`, async () => {
      const service = await running()
      const agreed = await walletMandate(service, `MESSAGE_${language}`, newMobile(), says.from)
      await moveTo(service, `${says.from}-12-04 12:00:00`)
      const visitor = await openedIn(language, agreed)
      const { otp } = await codeFrom(service, agreed.mobile, async () => {
        assert.ok((await reads(visitor, await messageAfter(visitor, '/approve'))).includes(says.sent))
      })
      const approved = await messageAfter(visitor, '/approve/code', { code: otp })
      for (let reloads = 0; reloads < 2; reloads++) assert.ok((await reads(visitor, approved)).includes(says.approvedDebit))
      await asksForTerms(service, agreed, { renewalAmount: '100000.00' })
      const asked = await reads(visitor, approved)
      assert.ok(asked.includes(says.asks) && !asked.includes(says.approvedDebit), asked)
      assert.ok(asked.includes(says.change), asked)
      // A page that the debit has left behind says nothing about it either.
      const { otp: second } = await codeFrom(service, agreed.mobile, () => visitor.send('/approve'))
      const terms = await messageAfter(visitor, '/approve/code', { code: second })
      assert.ok((await reads(visitor, terms)).includes(says.approvedTerms))
      await visitor.send('/pause')
      const paused = await reads(visitor, terms)
      assert.ok(!paused.includes(says.approvedTerms), paused)
    })

    test(`about a pause goes with the pause, and one about a code with the code: ${language}`, async () => {
      const service = await running()
      const agreed = await walletMandate(service, `GOES_${language}`, newMobile(), says.from + 1)
      await moveTo(service, `${says.from + 1}-12-04 12:00:00`)
      const visitor = await openedIn(language, agreed)
      const sent = await messageAfter(visitor, '/approve')
      assert.ok((await reads(visitor, sent)).includes(says.sent))
      service.clock.advance(5 * 60_000)
      assert.ok(!(await reads(visitor, sent)).includes(says.sent))
      const paused = await messageAfter(visitor, '/pause')
      assert.ok((await reads(visitor, paused)).includes(says.paused))
      await visitor.send('/resume')
      assert.ok(!(await reads(visitor, paused)).includes(says.paused))
    })

    test(`debits that will not be made stand apart from those that were not: ${language}`, async () => {
      const service = await running()
      const year = says.from + 2
      const agreed = await upiMandate(service, `APART_${language}`, newMobile(), year)
      await moveTo(service, `${year}-12-04 12:00:00`)
      const visitor = await openedIn(language, agreed)
      await visitor.look('?ask=skip')
      await visitor.send('/skip')
      await moveTo(service, `${year + 1}-01-04 12:00:00`)
      const later = await openedIn(language, agreed)
      await later.look('?ask=stop')
      const words = wordsOf((await later.send('/stop')).text)
      const list = (words.split(says.past)[1] ?? '').split(says.ahead)
      assert.equal(list.length, 2, words)
      assert.match(list[0]!, new RegExp(`^ 5 \\S+ ${year} ₹499\\.00 ${says.skipped} $`))
      const willNot = (month: string) => `5 ${month} ${year + 1} ₹499\\.00 ${says.willNotBeTaken} `
      assert.match(list[1]!, new RegExp(`^ ${willNot('(?:January|जनवरी)')}${willNot('(?:February|फ़रवरी)')}`))
      // When its day has passed, it was not debited.
      await moveTo(service, `${year + 1}-01-06 12:00:00`)
      const after = wordsOf((await openedIn(language, agreed)).last.text)
      assert.match(after, new RegExp(`${says.past} 5 (?:January|जनवरी) ${year + 1} ₹499\\.00 ${says.notTaken} `))
      assert.match(after, new RegExp(`${says.ahead} ${willNot('(?:February|फ़रवरी)')}`))
    })
  }
})
