// The checks of `mohur acquirer check`: docs/acquirer.md, line by line. Each check makes its own payments and needs no other check.

import { cancelling, links } from './acquirer-cancel-checks.ts'
import { mandates } from './acquirer-mandate-checks.ts'
import { AMOUNT_PAISE, Broken, expect, type Subject, same } from './acquirer-subject.ts'
import type { Check } from './check.ts'

const ANOTHER_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const LONG_AGO_MS = 10 * 60_000
const AT_ONCE = 10
const LOST_AFTER_MS = 20
const PART_PAISE = 435 // 4.35 × 100 is less than 435 in binary fractions, so an adapter that cuts the product is found

const signatures: readonly Check[] = [
  { name: 'a call that is not signed is refused with 401', run: refused({ headers: 'none' }) },
  { name: 'a call signed with another secret is refused with 401', run: refused({ secret: ANOTHER_SECRET }) },
  { name: 'a call that was signed for another path is refused with 401', run: refused({ signedFor: 'refund' }) },
  { name: 'a call signed ten minutes ago is refused with 401', run: refused({ agoMs: LONG_AGO_MS }) },
  { name: 'a call signed ten minutes ahead is refused with 401', run: refused({ agoMs: -LONG_AGO_MS }) },
  {
    name: 'a payment whose amount was changed after it was signed is refused with 401 and never made',
    async run(subject, { paid }) {
      const payment = subject.payment(paid)
      await subject.refuses([401], 'authorize', payment, { sent: JSON.stringify({ ...payment, amountPaise: AMOUNT_PAISE + 1 }) })
      const { outcome } = await subject.status(payment.key)
      expect(outcome === 'absent', `its status is ${outcome}, not absent`)
    },
  },
  {
    // Some libraries read the JSON while they check the signature.
    name: 'a signed text that is no call is refused with 400 or 401',
    async run(subject) {
      for (const text of ['{"key":', '[]', '{}']) await subject.refuses([400, 401], 'status', text)
    },
  },
]

function refused(wrong: Parameters<Subject['refuses']>[3]): Check['run'] {
  return (subject) => subject.refuses([401], 'status', { key: subject.newKey() }, wrong)
}

const payments: readonly Check[] = [
  {
    name: 'a key that was never used is absent',
    async run(subject) {
      const { outcome } = await subject.status(subject.newKey())
      expect(outcome === 'absent', `its status is ${outcome}`)
      const otp = await subject.answer('otp', { key: subject.newKey(), action: 'cancel' })
      expect(otp.outcome === 'absent', `its one-time password is ${otp.outcome}`)
    },
  },
  {
    name: 'a key that was called absent is never paid',
    async run(subject, { paid }) {
      const payment = subject.payment(paid)
      await subject.status(payment.key)
      const answer = await subject.over('authorize', payment)
      expect(answer.outcome === 'failure', `it was called absent and then ended as ${answer.outcome}`)
    },
  },
  {
    name: 'a payment takes the requested amount',
    async run(subject, { paid }) {
      const { answer } = await subject.pays(paid)
      expect(answer.amountPaise === AMOUNT_PAISE, 'amountPaise is another amount')
    },
  },
  {
    name: 'status gives the answer of authorize at once',
    async run(subject, { paid, declined }) {
      for (const means of [paid, declined]) {
        const payment = subject.payment(means)
        const said = await subject.answer('authorize', payment)
        const asked = await subject.status(payment.key)
        expect(asked.outcome !== 'absent', `authorize said ${said.outcome} and status says absent`)
        if (said.outcome === 'success' || said.outcome === 'failure') same(asked, said)
      }
    },
  },
  {
    name: 'a payment that the bank refuses is a failure with a reason',
    async run(subject, { declined }) {
      const { outcome } = await subject.over('authorize', subject.payment(declined))
      expect(outcome === 'failure', `the means of --declined ended as ${outcome}`)
    },
  },
  {
    name: 'the same call again is the same payment',
    async run(subject, { paid }) {
      const { payment, answer } = await subject.pays(paid)
      same(await subject.over('authorize', payment), answer)
    },
  },
  {
    name: 'the same call ten times at once is one payment',
    async run(subject, { paid }) {
      const payment = subject.payment(paid)
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => subject.over('authorize', payment)))
      for (const answer of answers) same(answer, answers[0]!)
      same(await subject.status(payment.key), answers[0]!)
    },
  },
  {
    name: 'the same key with another amount is refused with 409, and the first payment stands',
    async run(subject, { paid }) {
      const { payment, answer } = await subject.pays(paid)
      await subject.refuses([409], 'authorize', { ...payment, amountPaise: AMOUNT_PAISE + 1 })
      same(await subject.status(payment.key), answer)
    },
  },
  {
    name: 'a lost answer is found by status',
    async run(subject, { paid }) {
      const payment = subject.payment(paid)
      await subject.send('authorize', payment, { lostAfterMs: LOST_AFTER_MS })
      const found = await subject.untilOver(payment.key, await subject.status(payment.key))
      const again = await subject.over('authorize', payment)
      if (found.outcome === 'absent') expect(again.outcome === 'failure', `it was called absent and then ended as ${again.outcome}`)
      else same(again, found)
    },
  },
  {
    name: 'an unknown member is ignored',
    async run(subject, { paid }) {
      await subject.pays(paid, { aMemberOfTomorrow: { of: 'any kind' } })
    },
  },
]

const refunds: readonly Check[] = [
  {
    name: 'a part is refunded, and the same call again is the same refund',
    async run(subject, { paid }) {
      const { payment } = await subject.pays(paid)
      const refund = subject.refundOf(payment, PART_PAISE)
      const answer = await subject.over('refund', refund)
      expect(
        answer.outcome === 'success' && answer.amountPaise === PART_PAISE,
        `the refund ended as ${answer.outcome}, or with another amount`,
      )
      same(await subject.over('refund', refund), answer)
      same(await subject.status(refund.key, payment.key), answer)
      const paidThen = await subject.status(payment.key)
      const said = paidThen.outcome === 'success' ? (paidThen.refundedPaise ?? PART_PAISE) : paidThen.outcome
      expect(said === PART_PAISE, `the status of its payment says refundedPaise ${said}`)
    },
  },
  {
    name: 'a refund above the rest fails, and a refund of the rest succeeds',
    async run(subject, { paid }) {
      const { payment } = await subject.pays(paid)
      await subject.over('refund', subject.refundOf(payment, PART_PAISE))
      const much = await subject.over('refund', subject.refundOf(payment, AMOUNT_PAISE - PART_PAISE + 1))
      expect(much.outcome === 'failure', `the refund above the rest ended as ${much.outcome}`)
      const rest = await subject.over('refund', subject.refundOf(payment, AMOUNT_PAISE - PART_PAISE))
      expect(rest.outcome === 'success', `the refund of the rest ended as ${rest.outcome}`)
    },
  },
  {
    name: 'two refunds at once do not exceed the payment',
    async run(subject, { paid }) {
      const { payment } = await subject.pays(paid)
      const both = [1, 2].map(() => subject.over('refund', subject.refundOf(payment, AMOUNT_PAISE - PART_PAISE)))
      const given = (await Promise.all(both)).filter(({ outcome }) => outcome === 'success')
      expect(given.length === 1, `${given.length} of two succeeded`)
    },
  },
  {
    name: 'a refund that was called absent may still be sent, once',
    async run(subject, { paid }) {
      const { payment } = await subject.pays(paid)
      const refund = subject.refundOf(payment, PART_PAISE)
      const { outcome } = await subject.status(refund.key, payment.key)
      expect(outcome === 'absent', `its status is ${outcome} before it was sent`)
      const answer = await subject.over('refund', refund)
      expect(answer.outcome === 'success', `it was called absent and then ended as ${answer.outcome}`)
      same(await subject.over('refund', refund), answer)
    },
  },
  {
    name: 'a refund of an unpaid payment fails',
    async run(subject, { declined }) {
      const never = subject.payment(declined)
      const failed = subject.payment(declined)
      await subject.over('authorize', failed)
      for (const payment of [never, failed]) {
        const { outcome } = await subject.over('refund', subject.refundOf(payment, PART_PAISE))
        expect(outcome === 'failure', `the refund ended as ${outcome}`)
      }
    },
  },
  {
    name: 'the key of a refund with another amount, or of a payment, is refused with 409',
    async run(subject, { paid }) {
      const { payment } = await subject.pays(paid)
      const refund = subject.refundOf(payment, PART_PAISE)
      await subject.over('refund', refund)
      await subject.refuses([409], 'refund', { ...refund, amountPaise: PART_PAISE + 1 })
      await subject.refuses([409], 'refund', { ...refund, key: payment.key })
    },
  },
]

const otpNamed: Check['skipped'] = ({ otp, noCards }) =>
  otp ? undefined : (noCards ?? 'name a means by --otp and its password by --otp-value')

const steps: readonly Check[] = [
  {
    name: 'a payment that waits for its payer is pending, in status too',
    skipped: ({ pending }) => (pending ? undefined : 'name a means by --pending'),
    async run(subject, { pending }) {
      const payment = subject.payment(pending!)
      for (const answer of [await subject.answer('authorize', payment), await subject.status(payment.key)])
        expect(answer.outcome === 'pending', `it is ${answer.outcome}`)
    },
  },
  {
    name: 'a wrong one-time password does not pay, the right one does',
    skipped: otpNamed,
    async run(subject, { otp }) {
      const { means, value } = otp!
      const payment = { ...subject.payment(means), directOtp: true }
      const asked = await subject.answer('authorize', payment)
      expect(asked.outcome === 'pending' && asked.next?.kind === 'otp', 'authorize did not ask for a one-time password')
      const first = await subject.answer('otp', { key: payment.key, action: 'submit', otp: wrongFor(value) })
      expect(first.outcome === 'wrongOtp', `a wrong one is ${first.outcome}`)
      const second = await subject.answer('otp', { key: payment.key, action: 'submit', otp: value })
      const { outcome } = await subject.untilOver(payment.key, second)
      expect(outcome === 'success', `the right one ended as ${outcome}`)
    },
  },
  {
    name: 'a wrong one-time password that arrives ten times uses up one try',
    skipped: otpNamed,
    async run(subject, { otp }) {
      const { means, value } = otp!
      const payment = { ...subject.payment(means), directOtp: true }
      await subject.answer('authorize', payment)
      const answers = await subject.answers(AT_ONCE, 'otp', { key: payment.key, action: 'submit', otp: wrongFor(value) })
      for (const { outcome } of answers) expect(outcome === 'wrongOtp', `it is ${outcome}`)
      const { outcome } = await subject.untilOver(
        payment.key,
        await subject.answer('otp', { key: payment.key, action: 'submit', otp: value }),
      )
      expect(outcome === 'success', `the right one ended as ${outcome}`)
    },
  },
  {
    name: 'a payment whose one-time password is cancelled fails',
    skipped: otpNamed,
    async run(subject, { otp }) {
      const payment = { ...subject.payment(otp!.means), directOtp: true }
      await subject.answer('authorize', payment)
      const answer = await subject.untilOver(payment.key, await subject.answer('otp', { key: payment.key, action: 'cancel' }))
      expect(answer.outcome === 'failure', `it ended as ${answer.outcome}`)
    },
  },
  {
    name: 'a saved card pays by its token',
    skipped: ({ paid, noCards }) => (paid.kind === 'card' ? undefined : (noCards ?? 'name a card by --paid')),
    async run(subject, { paid }) {
      if (paid.kind !== 'card') return
      const { answer } = await subject.pays(paid, { keepCard: true })
      const token = answer.cardToken
      if (token === undefined) throw new Broken('there is no cardToken')
      expect(!token.includes(paid.number), 'the cardToken holds the number of the card')
      await subject.pays({ kind: 'savedCard', token, cvv: paid.cvv })
    },
  },
]

export const checks: readonly Check[] = [...signatures, ...payments, ...refunds, ...mandates, ...steps, ...cancelling, ...links]

/** Another password of the same length. */
const wrongFor = (otp: string) => (otp[0] === '0' ? '1' : '0') + otp.slice(1)
