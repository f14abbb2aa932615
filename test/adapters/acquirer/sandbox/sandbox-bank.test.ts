// The sandbox's bank books calls that arrive together in one transaction. Each call sees the rows of those before it, and a failing call
// spoils no other.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kysely } from 'kysely'
import type { BankRequest } from '../../../../src/adapters/acquirer/sandbox/bank-request.ts'
import { SandboxAcquirer } from '../../../../src/adapters/acquirer/sandbox/sandbox.ts'
import { SandboxBank } from '../../../../src/adapters/acquirer/sandbox/sandbox-bank.ts'
import { SystemRandom } from '../../../../src/engine/random.ts'
import { TestClock, whereSqlDiffers } from '../../../support/run/service.ts'
import { openStore } from '../../../support/store/stores.ts'

const authorize = (key: string, orderId = key, amountPaise = 100_00) => ({
  ...{ key, mid: 'M', merchantName: 'M', mcc: '5999', orderId, amountPaise, returnUrl: '' },
  ...{ means: { kind: 'account' as const }, keepCard: false, directOtp: false },
})
const refund = (key: string, authorizeKey: string, amountPaise: number) => ({
  key,
  logged: key,
  authorizeKey,
  mid: 'M',
  orderId: authorizeKey,
  amountPaise,
})

whereSqlDiffers('the calls of one moment', 'the bank writes tables of its own', (storeName) => {
  async function within(work: (given: Awaited<ReturnType<typeof open>>) => Promise<void>) {
    const given = await open()
    try {
      await work(given)
    } finally {
      await given.acquirer.close()
      await given.close()
    }
  }
  async function open() {
    const { database, close } = await openStore(storeName)
    const clock = new TestClock()
    const commits = { count: 0 }
    const commit = database.writing.commitTransaction.bind(database.writing)
    database.writing.commitTransaction = (session: Parameters<typeof commit>[0]) => {
      commits.count++
      return commit(session)
    }
    const onEvent: string[] = []
    const openBank = () => SandboxBank.open(database.writer as Kysely<unknown>, storeName === 'postgres')
    const acquirerOf = (bank: SandboxBank) =>
      new SandboxAcquirer({ bank, clock, fresh: new SystemRandom(), publicUrl: () => '', onEvent: (key) => void onEvent.push(key) })
    const bank = await openBank()
    return { bank, acquirer: acquirerOf(bank), openBank, acquirerOf, clock, commits, onEvent, close }
  }

  test('share a commit, 64 at a time, and each has its own answer and its line in the journal', () =>
    within(async ({ bank, acquirer, commits, clock }) => {
      const keys = Array.from({ length: 100 }, (_, at) => `k${at}`)
      commits.count = 0
      const answers = await Promise.all(keys.map((key, at) => acquirer.authorize(authorize(key, key, at + 1))))
      assert.equal(commits.count, 2)
      assert.deepEqual(
        answers.map((answer) => answer.outcome === 'success' && answer.amountPaise),
        keys.map((_, at) => at + 1),
      )
      const journal = await bank.journal(0, clock.now())
      assert.deepEqual(
        journal.map(({ key, amount_paise }) => `${key} ${amount_paise}`).sort(),
        keys.map((key, at) => `${key} ${at + 1}`).sort(),
      )
      assert.equal(new Set(journal.map(({ reference }) => reference)).size, 100)
    }))

  test('that have one key are one request: the same answer each, one line in the journal', () =>
    within(async ({ bank, acquirer, clock }) => {
      const answers = await Promise.all([...Array(5)].map(() => acquirer.authorize(authorize('twice'))))
      const asked = acquirer.status('twice')
      for (const answer of [...answers, await asked]) assert.deepEqual(answer, answers[0])
      assert.equal((await bank.journal(0, clock.now())).length, 1)
    }))

  test('see a status and a refund of what the call before them took, and no more is given back than was paid', () =>
    within(async ({ bank, acquirer, clock }) => {
      const [paid, status, ...refunds] = await Promise.all([
        acquirer.authorize(authorize('pay')),
        acquirer.status('pay'),
        ...[1, 2, 3].map((each) => acquirer.refund(refund(`r${each}`, 'pay', 40_00))),
      ])
      assert.deepEqual(status, { ...paid, refundedPaise: 80_00 }, 'what was given back is asked for after the batch')
      assert.deepEqual(
        refunds.map(({ outcome }) => outcome),
        ['success', 'success', 'failure'],
      )
      assert.equal((await acquirer.refund(refund('r4', 'pay', 40_00))).outcome, 'failure', 'and of refunds that are in the books already')
      assert.equal((await acquirer.refund(refund('r5', 'pay', 20_00))).outcome, 'success')
      assert.equal((await bank.journal(0, clock.now())).length, 6)
    }))

  test('play a script in order, each of its words once, and its end leaves no script', () =>
    within(async ({ bank, acquirer, onEvent }) => {
      await bank.script('M:o', ['declined', 'lost', 'duplicate'])
      await bank.script(':any', ['insufficient'])
      const answers = await Promise.all([
        ...['a', 'b', 'c', 'd'].map((key) => acquirer.authorize(authorize(key, 'o'))),
        acquirer.authorize(authorize('e', 'any')),
      ])
      const words = answers.map((answer) => (answer.outcome === 'failure' ? answer.failure : answer.outcome))
      assert.deepEqual(words, ['declined', 'unknown', 'success', 'success', 'insufficientFunds'])
      assert.deepEqual(onEvent, ['c', 'c'])
      assert.equal((await acquirer.status('b')).outcome, 'success', 'lost, but taken')
      assert.equal((await acquirer.authorize(authorize('f', 'any'))).outcome, 'success')
    }))

  test('are not spoilt by one that throws, nor by one whose row the database refuses', () =>
    within(async ({ bank, acquirer, clock }) => {
      let runs = 0
      const [before, thrown, refused, after] = await Promise.allSettled([
        acquirer.authorize(authorize('before')),
        bank.call({
          keys: [],
          now: clock.now(),
          run() {
            runs++
            throw new Error('broken')
          },
        }),
        bank.call({
          keys: [],
          now: clock.now(),
          run: (books) => books.take({ key: 'bad', kind: 'authorize', state: 'success', amount_paise: 1 } as BankRequest),
        }),
        acquirer.authorize(authorize('after')),
      ])
      assert.equal(runs, 2, 'with the others, and then alone')
      assert.deepEqual([thrown.status, refused.status], ['rejected', 'rejected'])
      assert.deepEqual(
        [before, after].map((each) => each.status === 'fulfilled' && each.value.outcome),
        ['success', 'success'],
      )
      const journal = await bank.journal(0, clock.now())
      assert.deepEqual(journal.map(({ key }) => key).sort(), ['after', 'before'], 'each once, and nothing of what was undone')
    }))

  test('end a waiting payment once, whichever call ends it', () =>
    within(async ({ bank, acquirer, clock }) => {
      await bank.script('M:wait', ['pending'])
      assert.equal((await acquirer.authorize(authorize('wait'))).outcome, 'pending')
      const acted = await Promise.all([
        acquirer.payerActs({ key: 'wait' }, 'approve'),
        acquirer.payerActs({ key: 'wait' }, 'decline'),
        acquirer.payerActs({ mid: 'M', orderId: 'wait' }, 'decline'),
      ])
      assert.equal(acted.filter((each) => each !== undefined).length, 1)
      assert.equal((await bank.journal(0, clock.now())).length, 1)
      await bank.script('M:slow', ['slow'])
      assert.equal((await acquirer.authorize(authorize('slow'))).outcome, 'pending')
      clock.advance(3 * 60_000)
      const [late, again] = await Promise.all([acquirer.status('slow'), acquirer.status('slow')])
      assert.deepEqual([late.outcome, again.outcome], ['success', 'success'])
      assert.equal((await bank.journal(0, clock.now())).length, 2)
    }))

  if (storeName === 'postgres')
    test('from two processes with the same keys in another order are each done once, and every reply agrees', () =>
      within(async ({ bank, acquirer, openBank, acquirerOf, clock }) => {
        const other = acquirerOf(await openBank())
        const keys = Array.from({ length: 40 }, (_, at) => `both${at}`)
        const [ours, theirs] = await Promise.all([
          Promise.all(keys.map((key) => acquirer.authorize(authorize(key)))),
          Promise.all(keys.toReversed().map((key) => other.authorize(authorize(key)))),
        ])
        const said = await Promise.all(keys.map((key) => acquirer.status(key)))
        for (const [at, truth] of said.entries()) {
          assert.equal(truth.outcome, 'success')
          for (const answer of [ours[at]!, theirs.toReversed()[at]!])
            if (answer.outcome !== 'unknown') assert.deepEqual(answer, truth, 'who did not hear how it ended asks again')
        }
        assert.equal((await bank.journal(0, clock.now())).length, keys.length)
      }))
})
