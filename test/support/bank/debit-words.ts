// Notes what the service asked a bank about each debit and what the bank answered, in order. The rule: while the bank may still make a
// debit, no later one of its cycle is sent. This file wraps the bank beside the service, and knows none of its rows.

import type { Acquirer } from '../../../src/adapters/acquirer/acquirer.ts'

/** The bank refuses a signed call that arrives later: docs/acquirer.md. */
const CALL_ARRIVES_WITHIN_MS = 5 * 60_000

type Said = 'success' | 'failure' | 'pending' | 'unknown' | 'absent'

export interface Word {
  key: string
  at: number
  what: 'sent' | 'given back' | Said
}

/** Notes every call and answer from now on. */
export function listen(bank: Acquirer, now: () => number): Word[] {
  const words: Word[] = []
  const refunded = new Map<string, string>()
  const mandates = bank.mandates!
  const heard = <T extends { outcome: string }>(key: string, answer: T): T => {
    const debit = refunded.get(key)
    if (debit === undefined) words.push({ key, at: now(), what: answer.outcome as Said })
    else if (answer.outcome === 'success') words.push({ key: debit, at: now(), what: 'given back' })
    return answer
  }
  const [collect, collectMany, status, refund] = [mandates.collect, mandates.collectMany, bank.status, bank.refund]
  Object.assign(mandates, {
    collect: async (call: Parameters<typeof collect>[0]) => {
      words.push({ key: call.key, at: now(), what: 'sent' })
      return heard(call.key, await collect.call(mandates, call))
    },
    ...(collectMany && {
      collectMany: async (calls: Parameters<typeof collectMany>[0]) => {
        for (const { key } of calls) words.push({ key, at: now(), what: 'sent' })
        const answers = await collectMany.call(mandates, calls)
        calls.forEach(({ key }, place) => void heard(key, answers[place] ?? { outcome: 'unknown' }))
        return answers
      },
    }),
  })
  Object.assign(bank, {
    status: async (...asked: Parameters<typeof status>) => heard(asked[0], await status.apply(bank, asked)),
    refund: async (call: Parameters<typeof refund>[0]) => {
      refunded.set(call.key, call.authorizeKey)
      return heard(call.key, await refund.call(bank, call))
    },
  })
  return words
}

interface Heard {
  sentAt: number
  last: Word['what']
  at: number
  /** The last word before that instant. Words of one instant have no known order. */
  before: { last: Word['what']; at: number } | undefined
}

/** Yields a sentence for each debit that was sent while the bank might still make an earlier one of its cycle. */
export function* sentBeside(words: readonly Word[]): Generator<string> {
  const cycles = new Map<string, Map<number, Heard>>()
  for (const { key, at, what } of words) {
    const found = /^(.+:.+:\d{8}):(\d+)$/.exec(key)
    if (!found) continue
    const [stem, attempt] = [found[1]!, Number(found[2])]
    const attempts = cycles.get(stem) ?? new Map<number, Heard>()
    cycles.set(stem, attempts)
    const own = attempts.get(attempt)
    if (what !== 'sent') {
      if (own) attempts.set(attempt, { ...own, last: what, at, before: own.at < at ? own : own.before })
      continue
    }
    for (const [earlier, heard] of attempts)
      if (earlier < attempt && mayStillBeMade(heard, at))
        yield `${stem}:${attempt} was sent when the bank had said ${heard.last} of attempt ${earlier}`
    attempts.set(attempt, { sentAt: at, last: 'sent', at, before: undefined })
  }
}

function mayStillBeMade({ last, at, sentAt, before }: Heard, now: number): boolean {
  const isOver = ({ last, at }: Pick<Heard, 'last' | 'at'>) =>
    last === 'failure' || last === 'given back' || (last === 'absent' && at >= sentAt + CALL_ARRIVES_WITHIN_MS)
  return !isOver({ last, at }) && !(at === now && before !== undefined && isOver(before))
}
