// The checks of `mohur acquirer check` on mandates: docs/acquirer.md, "Mandates". An adapter may have no mandates.

import { readMandate, readNotice } from '../../adapters/acquirer/remote/remote-mandate-answer.ts'
import { AMOUNT_PAISE, Broken, expect, type Subject, same } from './acquirer-subject.ts'
import type { Check, Given } from './check.ts'

const AT_ONCE = 10

/** The check needs an adapter that collects by the means of --paid. */
const ofMandates = (name: string, run: (subject: Subject, given: Given) => Promise<void>): Check => ({
  name,
  async skipped(given, subject) {
    const { modes } = await subject.capabilities()
    const wanted = { upiCollect: ['UPI'], card: ['CREDIT_CARD', 'DEBIT_CARD'] }[given.paid.kind as string] ?? []
    return wanted.some((mode) => modes.includes(mode)) ? undefined : 'it collects no mandates by the means of --paid'
  },
  run,
})

/** A mandate whose payer has been notified of a debit, and the payer's approval as the adapter reports it at once. */
async function noticed(subject: Subject, { paid }: Given, authenticationNeeded = false) {
  const agreed = await subject.agrees(paid)
  const notice = subject.notice(agreed, authenticationNeeded)
  const answer = await subject.says('notify', notice, readNotice)
  expect(answer.outcome === 'success', `the notice is ${answer.outcome}`)
  return { agreed, notice, authentication: answer.outcome === 'success' ? answer.authentication : undefined }
}

export const mandates: readonly Check[] = [
  ofMandates('a mandate that was agreed to with a payment is active, under the reference that came with it', async (subject, { paid }) => {
    const { key, mandateReference } = await subject.agrees(paid)
    const answer = await subject.says('status', { key: `${key}:mandate` }, readMandate)
    expect(answer.outcome === 'active' && answer.mandateReference === mandateReference, `it is ${answer.outcome}, or has another reference`)
  }),
  ofMandates('a notice that comes again is the same notice, and status says what notify said', async (subject, given) => {
    const { notice } = await noticed(subject, given)
    const [again, asked] = [await subject.says('notify', notice, readNotice), await subject.says('status', { key: notice.key }, readNotice)]
    expect(again.outcome === 'success' && JSON.stringify(asked) === JSON.stringify(again), 'notify and status differ')
  }),
  ofMandates('the same debit ten times at once is one debit, and status finds it', async (subject, given) => {
    const { agreed, notice } = await noticed(subject, given)
    const debit = subject.debit(agreed, 1, notice.key)
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => subject.over('collect', debit)))
    const [first] = answers
    expect(first!.outcome === 'success' && first!.amountPaise === AMOUNT_PAISE, `it ended as ${first!.outcome}, or with another amount`)
    for (const answer of [...answers, await subject.status(debit.key)]) same(answer, first!)
  }),
  ofMandates('the key of a debit with another amount is refused with 409, and the first stands', async (subject, given) => {
    const { agreed, notice } = await noticed(subject, given)
    const debit = subject.debit(agreed, 1, notice.key)
    const answer = await subject.over('collect', debit)
    await subject.refuses([409], 'collect', { ...debit, amountPaise: AMOUNT_PAISE - 1 })
    same(await subject.status(debit.key), answer)
  }),
  ofMandates('a debit above the agreed amount fails', async (subject, given) => {
    const { agreed, notice } = await noticed(subject, given)
    const { outcome } = await subject.over('collect', { ...subject.debit(agreed, 1, notice.key), amountPaise: AMOUNT_PAISE + 1 })
    expect(outcome === 'failure', `it ended as ${outcome}`)
  }),
  ofMandates("a debit that needs its payer's approval is not made before it", async (subject, given) => {
    const { agreed, notice, authentication } = await noticed(subject, given, true)
    expect(
      authentication === 'pending' || authentication === 'declined',
      `its payer has not answered, and its approval is ${authentication ?? 'missing'}`,
    )
    for (const [attempt, authenticated] of [false, true].entries()) {
      const answer = await subject.over('collect', { ...subject.debit(agreed, attempt + 1, notice.key), authenticated })
      const isRefused = answer.outcome === 'failure' && answer.failure === 'notAuthenticated'
      expect(isRefused, `it ended as ${answer.outcome}, or its failure is not notAuthenticated`)
    }
  }),
  ofMandates('a debit that was called absent may still be sent, once', async (subject, given) => {
    const { agreed, notice } = await noticed(subject, given)
    const debit = subject.debit(agreed, 1, notice.key)
    const { outcome } = await subject.status(debit.key)
    expect(outcome === 'absent', `it was never sent and is ${outcome}`)
    const answer = await subject.over('collect', debit)
    expect(answer.outcome === 'success', `it ended as ${answer.outcome}`)
  }),
  ofMandates('a paused mandate is not debited and says so, a resumed one is, a revoked one never again', async (subject, given) => {
    const { agreed, notice } = await noticed(subject, given)
    const says = (call: 'pause' | 'resume' | 'revoke') =>
      subject.says(call, { key: `${agreed.key}:${call}`, mandateReference: agreed.mandateReference }, readMandate)
    const ends = (attempt: number) => subject.over('collect', subject.debit(agreed, attempt, notice.key))
    const failed = async (attempt: number, failure: string) => {
      const answer = await ends(attempt)
      expect(
        answer.outcome === 'failure' && answer.failure === failure,
        `a debit on it is ${answer.outcome}, or its failure is not ${failure}`,
      )
    }
    expect((await says('pause')).outcome === 'paused', 'pause does not answer paused')
    await failed(1, 'mandatePaused')
    expect((await says('resume')).outcome === 'active', 'resume does not answer active')
    expect((await ends(2)).outcome === 'success', 'a debit on the resumed mandate did not succeed')
    expect((await says('revoke')).outcome === 'revoked', 'revoke does not answer revoked')
    await failed(3, 'mandateRevoked')
    const { outcome } = await subject.says('status', { key: `${agreed.key}:mandate` }, readMandate)
    expect(outcome === 'revoked', `status says ${outcome}`)
  }),
  {
    ...ofMandates('many debits in one call are answered one by one, and again the same', async (subject, given) => {
      const { agreed, notice } = await noticed(subject, given)
      const debits = [1, 2, 3].map((attempt) => subject.debit(agreed, attempt, notice.key))
      const much = { ...subject.debit(agreed, 4, notice.key), amountPaise: AMOUNT_PAISE + 1 }
      const answers = [await subject.collectMany([...debits, much]), await subject.collectMany([...debits, much])]
      for (const { key } of [...debits, much])
        for (const [at, answer] of answers.entries()) {
          const reading = answer.get(key)!
          if ('doubt' in reading) throw new Broken(reading.doubt)
          const over = await subject.untilOver(key, reading.answer)
          expect(over.outcome === (key === much.key ? 'failure' : 'success'), `one of them ended as ${over.outcome} (call ${at + 1})`)
        }
    }),
    skipped: async (_given, subject) => ((await subject.capabilities()).collectMany ? undefined : 'it takes one debit at a time'),
  },
  ofMandates('an unknown notice and an unknown mandate are absent', async (subject) => {
    const key = subject.newKey()
    expect((await subject.says('status', { key: `${key}:mandate` }, readMandate)).outcome === 'absent', 'the mandate is not absent')
    expect((await subject.says('status', { key: `${key}:20260101:notify:1` }, readNotice)).outcome === 'absent', 'the notice is not absent')
  }),
]
