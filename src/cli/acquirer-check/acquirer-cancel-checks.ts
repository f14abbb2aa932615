// The checks of `mohur acquirer check` on cancelled payments and on links to UPI apps: docs/acquirer.md. An adapter may lack both.

import type { RemoteAnswer } from '../../adapters/acquirer/remote/remote-answer.ts'
import { toRupees } from '../../interface/money.ts'
import { AMOUNT_PAISE, expect, type Subject, same } from './acquirer-subject.ts'
import type { Check, Given } from './check.ts'

const AT_ONCE = 10

const ofCancelling = (name: string, run: Check['run'], needs?: (given: Given) => string | undefined): Check => ({
  name,
  skipped: async (given, subject) => needs?.(given) ?? ((await subject.cancels()) ? undefined : 'it cannot cancel a payment'),
  run,
})
const pendingNamed = ({ pending }: Given) => (pending ? undefined : 'name a means by --pending')

export const cancelling: readonly Check[] = [
  ofCancelling('a key that was never used is absent to cancel, and never paid', async (subject, { paid }) => {
    const payment = subject.payment(paid)
    const { outcome } = await subject.cancel(payment.key)
    expect(outcome === 'absent', `it is ${outcome}`)
    const after = await subject.over('authorize', payment)
    expect(after.outcome === 'failure', `it was called absent and then ended as ${after.outcome}`)
  }),
  ofCancelling('a payment that has ended does not change by cancel', async (subject, { paid, declined }) => {
    for (const means of [paid, declined]) {
      const payment = subject.payment(means)
      const answer = await subject.over('authorize', payment)
      for (const again of [await subject.cancel(payment.key), await subject.status(payment.key)]) same(again, answer)
    }
  }),
  ofCancelling(
    'a payment that waits for its payer and is cancelled has failed, in status too, and is never paid',
    async (subject, { pending }) => {
      const payment = subject.payment(pending!)
      await subject.answer('authorize', payment)
      const answer = await subject.cancel(payment.key)
      expect(answer.outcome !== 'absent', 'it was authorized and is absent')
      const asked = await subject.status(payment.key)
      // The bank may answer that the payment is still open, or that its state is unknown. The bank may not call an ended payment open.
      if (answer.outcome === 'pending') expect(asked.outcome !== 'failure', 'cancel says pending, and status failure')
      if (answer.outcome === 'failure' || answer.outcome === 'success')
        for (const again of [asked, await subject.cancel(payment.key), await subject.answer('authorize', payment)]) same(again, answer)
    },
    pendingNamed,
  ),
  ofCancelling(
    'the same cancel ten times at once ends the payment once',
    async (subject, { pending }) => {
      const payment = subject.payment(pending!)
      await subject.answer('authorize', payment)
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => subject.cancel(payment.key)))
      const ends = answers.filter(({ outcome }) => outcome === 'failure' || outcome === 'success')
      for (const end of ends) same(end, ends[0]!)
      if (ends.length > 0) same(await subject.status(payment.key), ends[0]!)
    },
    pendingNamed,
  ),
]

// ------------------------------------------------------------------------------------------------------------- links

/** The members that an app shows and pays by: docs/acquirer.md. */
const LINK: Readonly<Record<string, RegExp>> = {
  pa: /^[^@\s]+@[^@\s]+$/,
  pn: /\S/,
  mc: /^[0-9]{4}$/,
  tr: /^[A-Za-z0-9._-]{1,35}$/,
  tn: /\S/,
  am: new RegExp(`^${toRupees(AMOUNT_PAISE).replace('.', '\\.')}$`),
  cu: /^INR$/,
}

/** A payment's link to a UPI app. Undefined when the adapter has none for Mohur's payment page. */
async function linked(subject: Subject): Promise<string | undefined> {
  const answer: RemoteAnswer = await subject.answer('authorize', subject.payment({ kind: 'upiIntent' }))
  return answer.outcome === 'pending' && answer.next?.kind === 'deepLink' ? answer.next.deepLink : undefined
}

/** The link's members as written. A form parser would accept encodings that a UPI app does not. */
function writtenIn(link: string): readonly (readonly [name: string, value: string])[] {
  const query = link.includes('?') ? link.slice(link.indexOf('?') + 1) : ''
  return query.split('&').map((part) => {
    const equals = part.indexOf('=')
    return equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]
  })
}

/** Empty when an escape is invalid: no form above allows an empty value. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

const ofLink = (name: string, run: (members: ReturnType<typeof writtenIn>) => void): Check => ({
  name,
  skipped: async (_given, subject) => ((await linked(subject)) === undefined ? 'it gives no link to a UPI app' : undefined),
  run: async (subject) => run(writtenIn((await linked(subject)) ?? '')),
})

export const links: readonly Check[] = [
  ofLink('a link to a UPI app names payee, category, reference, note, amount and currency', (members) => {
    const wrong = Object.entries(LINK).flatMap(([name, form]) => {
      const [value, ...more] = members.flatMap(([each, value]) => (each === name ? [value] : []))
      return value !== undefined && more.length === 0 && form.test(unescaped(value)) ? [] : name
    })
    expect(wrong.length === 0, `missing or wrong: ${wrong.join(', ')}`)
  }),
  ofLink('a link to a UPI app writes @ as it stands and a space as %20', (members) => {
    const wrong = members.flatMap(([name, value]) =>
      ['%40', '+']
        .filter((each) => `${name}${value}`.includes(each))
        .map((each) => `${Object.hasOwn(LINK, name) ? name : 'another member'} has ${each}`),
    )
    expect(wrong.length === 0, wrong.join(', '))
  }),
]
