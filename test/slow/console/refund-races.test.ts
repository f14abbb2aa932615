// Two acts on one payment at the same moment, in the console and beside it. One is done; the other changes nothing, and its answer says what
// is left. On PostgreSQL the two acts come to two processes.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { refIdOf } from '../../../src/flows/ask-for-refund.ts'
import { find } from '../../../src/tables/tables.ts'
import { type Answer, type Person, personOf } from '../../support/console/desk.ts'
import {
  APPROVALS_ON,
  approvalOf,
  askedBy,
  changed,
  give,
  opened,
  paidAnew,
  paymentAt,
  post,
  refundBy,
  refundsOf,
  refuse,
  returned,
} from '../../support/console/refunds.ts'
import { type Paid, refund, transactionOf } from '../../support/paying/refunds.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, type Service, startService, storeNames } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { sharedPostgres } from '../../support/store/postgres.ts'
import { assertHolds } from '../../support/store/verify.ts'
import { Random } from '../../support/text/random.ts'

const RACES = sized(10, 100)
const APART_MS_MAX = 4
const random = new Random(20_261_128)

/** Begins both acts, either first, the other a moment later. */
async function atOnce<A, B>([a, b]: readonly [() => Promise<A>, () => Promise<B>]): Promise<[A, B]> {
  const [isFirst, apartMs] = [random.below(2) === 0, random.below(APART_MS_MAX)]
  const later = async <T>(act: () => Promise<T>, waits: boolean) => {
    if (waits) await sleep(apartMs)
    return act()
  }
  return Promise.all([later(a, !isFirst), later(b, isFirst)])
}

const LEFT = /; ₹[\d,.]+ is left\./

for (const store of storeNames)
  describe(`two acts on one payment at once (${store})`, { timeout: 1_200_000 }, () => {
    const env: Record<string, string> = {}
    let services: Service[] = []
    let finance: Person
    let operations: Person
    before(async () => {
      if (store === 'postgres') {
        env['DATABASE_URL'] = await (await sharedPostgres()).createDatabase()
        env['MOHUR_MASTER_KEY'] = Buffer.alloc(32, 5).toString('base64')
      }
      const start = () => startService(store, { env: { ...env, ...APPROVALS_ON } })
      services = store === 'postgres' ? [await start(), await start()] : [await start()]
      finance = await personOf(services[0]!, ['finance'])
      operations = await personOf(services[0]!, ['operations'])
    })
    after(() => Promise.all(services.map((service) => service.close())))
    const first = () => services[0]!
    const second = () => services.at(-1)!

    const paid = (rupees: number) => paidAnew(first(), rupees)
    const asked = (rupees: number) => askedBy(first(), finance, rupees)
    const loggedOf = async ({ txnId }: Paid): Promise<string[]> => {
      const equals = { subject: `transaction:${txnId}` }
      return (await first().ports.query.rows(find('auditLog', { equals, limit: 10 })))
        .map(({ action, outcome }) => `${action} ${outcome}`)
        .sort()
    }
    const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted()

    /** Races, each on a payment of its own, and then the bank's journal: each refund once, and none beyond the books. */
    async function raced(t: { diagnostic(text: string): void }, race: () => Promise<{ payment: Paid; rupees: number; won: string }>) {
      const wins: Record<string, number> = {}
      let [twice, otherwise] = [0, 0]
      for (let round = 0; round < RACES; round++) {
        const { payment, rupees, won } = await race()
        wins[won] = (wins[won] ?? 0) + 1
        const refunds = await refundsOf(first(), payment)
        // A process runs the tasks that it has committed.
        await second().tasks.runDue()
        const { paise, times } = await returned(first(), refunds)
        assert.equal((await transactionOf(first(), payment)).refundedPaise, rupees * 100, won)
        if (times > refunds.length) twice++
        if (paise !== rupees * 100) otherwise++
      }
      assert.deepEqual({ twice, otherwise }, { twice: 0, otherwise: 0 })
      t.diagnostic(`${store}: ${RACES} races, given back twice ${twice}, otherwise than in the books ${otherwise}; ${JSON.stringify(wins)}`)
    }
    const tellsWhatIsLeft = (answers: readonly Answer[]) => {
      for (const { status, text } of answers) if (status === 409) assert.match(text, LEFT)
    }

    test('two refunds', async (t) => {
      await raced(t, async () => {
        const payment = await paid(10_000)
        const forms = [await opened(first(), finance, payment.txnId, '6000'), await opened(first(), operations, payment.txnId, '5000')]
        const answers = await atOnce([
          () => post(first(), finance, payment.txnId, forms[0]!),
          () => post(second(), operations, payment.txnId, forms[1]!),
        ])
        assert.deepEqual(statusesOf(answers), [303, 409])
        tellsWhatIsLeft(answers)
        const isFirst = answers[0]!.status === 303
        return { payment, rupees: isFirst ? 6_000 : 5_000, won: isFirst ? 'the first' : 'the second' }
      })
    })

    test('one form, sent twice', async (t) => {
      await raced(t, async () => {
        const payment = await paid(10_000)
        const form = await opened(first(), finance, payment.txnId, '4000')
        const answers = await Promise.all([first(), second()].map((service) => post(service, finance, payment.txnId, form)))
        assert.deepEqual(statusesOf(answers), [303, 303])
        assert.equal((await refundsOf(first(), payment)).length, 1)
        assert.deepEqual(await loggedOf(payment), ['payment.refund again', 'payment.refund success'])
        return { payment, rupees: 4_000, won: 'one refund' }
      })
    })

    test('one large form, sent twice', async (t) => {
      await raced(t, async () => {
        const payment = await paid(15_000)
        const form = await opened(first(), finance, payment.txnId)
        const answers = await Promise.all([first(), second()].map((service) => post(service, finance, payment.txnId, form)))
        assert.deepEqual(answers.map(approvalOf), [form.id, form.id])
        assert.deepEqual(await loggedOf(payment), ['approval.ask asked', 'approval.ask asked'])
        return { payment, rupees: 0, won: 'one request' }
      })
    })

    if (store === 'postgres')
      test('one large form, sent twice where nobody is asked', async (t) => {
        const alone = [await startService(store, { env }), await startService(store, { env })]
        try {
          await raced(t, async () => {
            const payment = await paid(15_000)
            const form = await opened(first(), finance, payment.txnId)
            const answers = await Promise.all(alone.map((service) => post(service, finance, payment.txnId, form)))
            assert.deepEqual(statusesOf(answers), [303, 303])
            // A press that comes a little later finds the refund.
            const repeat = answers.some(({ location }) => location === paymentAt(payment.txnId))
              ? 'payment.refund again'
              : 'approval.ask given'
            const once = ['approval.ask given', 'approval.give given', 'payment.refund success']
            assert.deepEqual(await loggedOf(payment), [...once, repeat].sort())
            for (const service of alone) await service.tasks.runDue()
            return { payment, rupees: 15_000, won: repeat }
          })
        } finally {
          for (const service of alone) await service.close()
        }
      })

    test('a refund and the approval of another', async (t) => {
      await raced(t, async () => {
        const { payment, id } = await asked(15_000)
        const form = await opened(first(), finance, payment.txnId, '1000')
        const answers = await atOnce([() => give(first(), operations, id), () => post(second(), finance, payment.txnId, form)])
        assert.deepEqual(statusesOf(answers), [303, 409])
        tellsWhatIsLeft(answers)
        const isGiven = answers[0]!.status === 303
        return { payment, rupees: isGiven ? 15_000 : 1_000, won: isGiven ? 'the approval' : 'the refund' }
      })
    })

    test('two approvers', async (t) => {
      const another = await personOf(first(), ['finance'])
      await raced(t, async () => {
        const { payment, id } = await asked(15_000)
        const answers = await atOnce([() => give(first(), operations, id), () => give(second(), another, id)])
        assert.deepEqual(statusesOf(answers), [303, 409])
        tellsWhatIsLeft(answers)
        return { payment, rupees: 15_000, won: answers[0]!.status === 303 ? 'the first' : 'the second' }
      })
    })

    test('an approval and a refusal', async (t) => {
      const another = await personOf(first(), ['finance'])
      await raced(t, async () => {
        const { payment, id } = await asked(15_000)
        const answers = await atOnce([() => give(first(), operations, id), () => refuse(second(), another, id)])
        assert.deepEqual(statusesOf(answers), [303, 409])
        const isGiven = answers[0]!.status === 303
        return { payment, rupees: isGiven ? 15_000 : 0, won: isGiven ? 'the approval' : 'the refusal' }
      })
    })

    test('an approval and a change of the asker’s roles', async (t) => {
      await raced(t, async () => {
        const payment = await paid(15_000)
        const asker = await personOf(first(), ['finance'])
        const id = approvalOf(await refundBy(first(), asker, payment.txnId))
        const [answer] = await atOnce([() => give(first(), operations, id), () => changed(second(), asker, { roles: ['support'] })])
        const [row] = await first().ports.query.rows(find('approvals', { equals: { approvalId: id }, limit: 1 }))
        assert.deepEqual([answer.status, row!.status], answer.status === 303 ? [303, 'GIVEN'] : [403, 'ASKED'])
        return { payment, rupees: answer.status === 303 ? 15_000 : 0, won: answer.status === 303 ? 'the approval' : 'the change' }
      })
    })

    test('the merchant’s Apply Refund and the console’s', async (t) => {
      await raced(t, async () => {
        const payment = await paid(10_000)
        const form = await opened(first(), finance, payment.txnId, '6000')
        const [merchants, answer] = await atOnce([
          () => refund(second(), payment, `M_${payment.orderId}`, '5000.00'),
          () => post(first(), finance, payment.txnId, form),
        ])
        assert.deepEqual([codeOf(merchants), answer.status], answer.status === 303 ? ['619', 303] : ['601', 409])
        tellsWhatIsLeft([answer])
        return { payment, rupees: answer.status === 303 ? 6_000 : 5_000, won: answer.status === 303 ? 'the console' : 'the merchant' }
      })
    })

    test('small parts by one person, in a row and at once', async (t) => {
      const support = await personOf(first(), ['support'])
      const figures: string[] = []
      for (const [person, part, rupees, most] of [
        [finance, '9999', 50_000, 10_000],
        [support, '1999', 50_000, 2_000],
      ] as const)
        for (const isAtOnce of [false, true]) {
          const payment = await paid(rupees)
          if (isAtOnce) {
            const forms = await Promise.all(Array.from({ length: 10 }, () => opened(first(), person, payment.txnId, part)))
            await Promise.all(forms.map((form, at) => post(at % 2 ? first() : second(), person, payment.txnId, form)))
          } else for (let nth = 0; nth < 5; nth++) await refundBy(first(), person, payment.txnId, part)
          await second().tasks.runDue()
          const { paise } = await returned(first(), await refundsOf(first(), payment))
          assert.ok(paise > 0 && paise <= most * 100, `${paise}`)
          figures.push(`₹${part} ${isAtOnce ? 'ten at once' : 'five in a row'}: ₹${paise / 100}`)
        }
      t.diagnostic(`${store}: given back without a second person: ${figures.join(', ')}`)
    })

    test('leaves the books whole', async () => {
      for (const service of services) await service.tasks.runDue()
      await assertHolds(first())
      const given = await first().ports.query.rows(find('approvals', { equals: { status: 'GIVEN' }, limit: 10_000 }))
      const refunds = await first().ports.query.rows(find('refunds', { equals: { mid: MID }, limit: 10_000 }))
      const [made, wanted] = [
        new Set(refunds.map(({ refId }) => refId)),
        given.map(({ approvalId }) => refIdOf(first().ports.vault, approvalId)),
      ]
      assert.deepEqual(
        wanted.filter((refId) => !made.has(refId)),
        [],
      )
    })
  })
