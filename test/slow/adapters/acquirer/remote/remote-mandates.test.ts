// Mandates behind docs/acquirer.md, at three adapters: one that collects, one without mandates, and one that lies.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { COLLECTS_AT_ONCE_MAX, type Collect } from '../../../../../src/adapters/acquirer/acquirer.ts'
import { RemoteAcquirer } from '../../../../../src/adapters/acquirer/remote/remote.ts'
import { applyTransactionResult } from '../../../../../src/domain/transaction/apply-transaction-result.ts'
import { SystemClock } from '../../../../../src/engine/clock.ts'
import { SystemRandom } from '../../../../../src/engine/random.ts'
import { sign } from '../../../../../src/interface/checksum.ts'
import { collectionKey, subscriptionKey } from '../../../../../src/tables/keys.ts'
import { type Able, ADAPTER_SECRET, type Adapter, BREAKS, LIES, type Lie, startAdapter } from '../../../../support/bank/adapter.ts'
import { manage } from '../../../../support/mandates/mandates.ts'
import { initiate, subscription } from '../../../../support/mandates/subscription.ts'
import { consented, events, moveTo } from '../../../../support/mandates/timeline.ts'
import { pay } from '../../../../support/paying/paying.ts'
import { KEY, MID, onBothStores, type Service, type StoreName, startService } from '../../../../support/run/service.ts'
import { assertHolds } from '../../../../support/store/verify.ts'

interface Shop {
  service: Service
  adapter: Adapter
}

async function within(store: StoreName, work: (shop: Shop) => Promise<void>, able?: Able, lies: readonly Lie[] = []) {
  let clock: { now(): number } = { now: () => 0 }
  const adapter = await startAdapter({ now: () => clock.now() }, [], able)
  adapter.lie('capabilities', ...lies)
  const env = { MOHUR_ACQUIRER_URL: adapter.url, MOHUR_ACQUIRER_SECRET: ADAPTER_SECRET }
  const service = await startService(store, { env })
  clock = service.clock
  try {
    await moveTo(service, '2026-11-21 11:00:00')
    await work({ service, adapter })
  } finally {
    await service.close()
  }
}

const DATES = { subscriptionStartDate: '2026-12-05', subscriptionExpiryDate: '2027-02-05' }
const MONTHLY = {
  ...DATES,
  txnAmount: { value: '1.00', currency: 'INR' },
  renewalAmount: '499.00',
  subscriptionGraceDays: '2',
}

const ON_ACCOUNT = {
  ...{ ...DATES, txnAmount: { value: '0.00', currency: 'INR' }, renewalAmount: '499.00', subscriptionMaxAmount: undefined },
  ...{ subscriptionAmountType: 'FIX', subscriptionPaymentMode: 'BANK_MANDATE', mandateType: 'E_MANDATE', autoRenewal: true },
}
const ACCOUNT = {
  ...{ paymentMode: 'BANK_MANDATE', account_number: '123456780001', bankIfsc: 'HDFC0000001' },
  ...{ USER_NAME: 'Asha', ACCOUNT_TYPE: 'SAVINGS' },
}

const codeOf = async ({ service }: Shop, orderId: string, more: object) =>
  (await initiate(service, subscription(orderId, { ...DATES, ...more }))).body.resultInfo.resultCode as string
/** The calls that the adapter accepted, without time and merchant: `call last-part-of-the-key`. */
const heard = ({ adapter }: Shop) => adapter.calls.map(({ call, key }) => `${call} ${key.split(':').slice(2).join(':')}`.trim())

onBothStores('a mandate at an adapter', (store) => {
  test('is agreed to with a payment, noticed and collected by its reference, under keys that keep cycles apart', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const { subscriptionId } = await consented(service, 'MONTHLY', MONTHLY)
      const row = await service.ports.query.row(subscriptionKey(MID, subscriptionId))
      const mandateReference = row!.mandate!.reference!
      assert.deepEqual(adapter.calls[0]!.body['mandate'], {
        key: `${MID}:${subscriptionId}:mandate`,
        amountType: 'FIX',
        maxAmountPaise: 49_900,
        frequencyUnit: 'MONTH',
        frequency: 1,
        startDate: '2026-12-05',
        expiryDate: '2027-02-05',
      })
      await moveTo(service, '2026-12-06 00:00:00')
      assert.deepEqual(heard(shop), ['authorize', 'notify 20261205:notify:1', 'collect 20261205:1'])
      const [, notice, debit] = adapter.calls
      assert.deepEqual(notice!.body, {
        key: `${MID}:${subscriptionId}:20261205:notify:1`,
        mandateReference,
        amountPaise: 49_900,
        debitDate: '2026-12-05',
        reason: 'subscription',
        authenticationNeeded: false,
      })
      assert.deepEqual(debit!.body, {
        key: `${MID}:${subscriptionId}:20261205:1`,
        mid: MID,
        amountPaise: 49_900,
        attempt: 1,
        orderId: `A${subscriptionId}.20261205.1`,
        mandateReference,
        notifyKey: `${MID}:${subscriptionId}:20261205:notify:1`,
        authenticated: false,
      })
      assert.match((await events(service, subscriptionId)).at(-1)!, /20261205 collection\.collected$/)
    }))

  test('goes by the name that the adapter gives it with other terms', () =>
    within(store, async ({ service, adapter }) => {
      const { subscriptionId } = await consented(service, 'AMENDED', MONTHLY)
      await manage(service, '/subscription/edit', { subsId: subscriptionId, renewalAmount: '399.00' })
      await service.tasks.runDue()
      await adapter.acquirer.mandates.payerActs({ mid: MID, subscriptionId }, 'approve')
      adapter.lie('status', 'a mandate by another name')
      await moveTo(service, '2026-12-04 00:00:00')
      const notice = adapter.calls.find(({ call }) => call === 'notify')!
      assert.deepEqual([notice.body['amountPaise'], notice.body['mandateReference']], [39_900, 'MANDATE-OF-ANOTHER-NAME'])
    }))

  test('above the limit gets its approval requested with the notice, and nothing rests on an answer that the adapter does not give', () =>
    within(store, async ({ service, adapter }) => {
      const { subscriptionId } = await consented(service, 'ABOVE', { ...MONTHLY, renewalAmount: '20000.00' })
      const of = async (day: string) => (await events(service, subscriptionId)).filter((line) => line.includes(` ${day} `)).slice(1)
      await moveTo(service, '2026-12-05 05:00:00')
      const notice = adapter.calls.find(({ call }) => call === 'notify')!
      assert.equal(notice.body['authenticationNeeded'], true)
      // The cycle is due, and the adapter does not say whether the payer has approved. No attempt is used, and the service asks again.
      adapter.lie('status', 'HTTP 500', 'an outcome of its own')
      await moveTo(service, '2026-12-05 06:20:00')
      assert.deepEqual(await of('20261205'), ['2026-12-03 18:00:00 20261205 collection.noticed'])
      await adapter.acquirer.mandates.payerActs({ mid: MID, subscriptionId }, 'approve')
      await moveTo(service, '2026-12-05 07:00:00')
      assert.deepEqual((await of('20261205')).slice(1), [
        '2026-12-05 06:30:00 20261205 collection.approved',
        '2026-12-05 06:30:00 20261205 collection.attempted',
        '2026-12-05 06:30:00 20261205 collection.collected',
      ])
      const debit = adapter.calls.find(({ call }) => call === 'collect')!
      assert.deepEqual([debit.body['authenticated'], debit.body['notifyKey']], [true, notice.key])
      // After the adapter's notification the service asks at once.
      await moveTo(service, '2027-01-04 12:00:00')
      const key = (await adapter.acquirer.mandates.payerActs({ mid: MID, subscriptionId }, 'decline'))!
      assert.equal((await adapter.tell(service.url, key)).status, 202)
      await service.tasks.runDue()
      await moveTo(service, '2027-01-04 12:01:00')
      assert.equal((await of('20270105')).at(-1), '2027-01-04 12:00:00 20270105 collection.declined')
      await moveTo(service, '2027-01-05 06:00:00')
      assert.deepEqual((await of('20270105')).slice(-2), [
        '2027-01-05 06:00:00 20270105 collection.attempted',
        '2027-01-05 06:00:00 20270105 collection.failed',
      ])
      assert.equal(adapter.calls.filter(({ call }) => call === 'collect').length, 1)
    }))

  test('is offered by the modes that the adapter collects, and by a wallet always', () =>
    within(
      store,
      async (shop) => {
        assert.equal(await codeOf(shop, 'BY-UPI', { subscriptionPaymentMode: 'UPI' }), '0000')
        assert.equal(await codeOf(shop, 'BY-CARD', { subscriptionPaymentMode: 'CC' }), '2022')
        assert.equal(await codeOf(shop, 'BY-WALLET', { subscriptionPaymentMode: 'PPI' }), '0000')
        assert.equal(await codeOf(shop, 'BY-ANY', {}), '0000')
        const any = await shop.service.ports.query.rows({ find: 'subscriptions', limit: 10 })
        assert.deepEqual(any.find(({ orderId }) => orderId === 'BY-ANY')!.paymentModes.toSorted(), ['BALANCE', 'UPI'])
      },
      { modes: ['UPI', 'TELEPATHY'] },
    ))

  test('is not offered where the adapter is from before there were any, and that adapter gets no calls about them', () =>
    within(
      store,
      async (shop) => {
        assert.equal(await codeOf(shop, 'BY-UPI', { subscriptionPaymentMode: 'UPI' }), '2022')
        assert.equal(await codeOf(shop, 'BY-WALLET', { subscriptionPaymentMode: 'PPI' }), '0000')
        assert.deepEqual(heard(shop), [])
      },
      { modes: undefined },
    ))

  test('is neither offered nor refused for want of a mode as long as the adapter has not said what it collects; a wallet needs no adapter', () =>
    within(
      store,
      async (shop) => {
        const { service } = shop
        const keyed = async (orderId: string, more: object) => {
          const [body, text] = [subscription(orderId, { ...DATES, ...more }), (it: object) => JSON.stringify(it)]
          const head = { signature: sign(text(body), KEY, 'salt') }
          const path = `/subscription/create?mid=${MID}&orderId=${orderId}`
          const reply = await service.post(path, `{"head":${text(head)},"body":${text(body)}}`, { 'idempotency-key': orderId })
          const { resultCode, resultStatus } = reply.body.resultInfo
          return `${resultCode} ${resultStatus}`
        }
        assert.equal(await keyed('BY-UPI', { subscriptionPaymentMode: 'UPI' }), '900 U')
        assert.equal(await keyed('BY-ANY', {}), '900 U', 'the wallet is one of many ways')
        assert.equal(await keyed('BY-WALLET', { subscriptionPaymentMode: 'PPI' }), '0000 S')
        service.clock.pass(60_000)
        assert.equal(await keyed('BY-UPI', { subscriptionPaymentMode: 'UPI' }), '0000 S')
        assert.equal(await keyed('BY-ANY', {}), '0000 S')
      },
      undefined,
      ['HTTP 500'],
    ))

  test('that is named while its payment waits is kept, and no answer after that need name it', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const reply = await initiate(
        service,
        subscription('WAITS', { subscriptionAmountType: 'FIX', subscriptionMaxAmount: undefined, ...MONTHLY }),
      )
      const { subscriptionId, txnToken } = reply.body as { subscriptionId: string; txnToken: string }
      adapter.lie('authorize', 'a pending mandate')
      await pay(service, { orderId: 'WAITS', txnToken }, { paymentMode: 'UPI', payerAccount: 'success@upi' })
      const row = () => service.ports.query.row(subscriptionKey(MID, subscriptionId))
      assert.deepEqual([(await row())!.status, (await row())!.mandate!.reference], ['INIT', 'MANDATE-OF-A-LIE'])
      adapter.lie('status', 'no mandate')
      await moveTo(service, '2026-11-21 11:05:00')
      assert.deepEqual([(await row())!.status, (await row())!.mandate!.reference], ['ACTIVE', 'MANDATE-OF-A-LIE'])
    }))

  test('is queried after any lie about a notice or a debit, its payer is notified and debited once, and the books say so', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const lies = Object.keys(LIES).filter((lie) => lie !== 'a page of no bank' && lie !== 'a link that is a script') as Lie[]
      for (const [at, lie] of lies.entries()) {
        const { subscriptionId } = await consented(service, `LIE${at}`, { ...MONTHLY, subscriptionStartDate: '2026-12-05' })
        assert.ok(subscriptionId, lie)
      }
      adapter.lie('notify', ...lies)
      adapter.lie('collect', ...lies)
      adapter.lie('collectMany', ...lies)
      await moveTo(service, '2026-12-06 00:00:00')
      const journal = await adapter.bank.journal(0, service.clock.now())
      const count = (kind: string) => journal.filter((line) => line.kind === kind && line.outcome === 'success').length
      assert.deepEqual([count('notify'), count('collect')], [lies.length, lies.length])
      const cycles = await service.ports.query.rows({ find: 'collections', limit: 1_000 })
      const due = cycles.filter(({ dueDate }) => dueDate === '2026-12-05')
      assert.deepEqual([...new Set(due.map(({ status }) => status))], ['COLLECTED'])
      assert.equal(adapter.strays, 0)
    }))

  test('on an account that was agreed to twice, because the first was called absent, is withdrawn where no subscription collects by it', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const { subscriptionId, txnToken } = (await initiate(service, subscription('TWICE', ON_ACCOUNT))).body
      adapter.lie('register', 'HTTP 500')
      const first = await pay(service, { orderId: 'TWICE', txnToken }, ACCOUNT)
      adapter.forgive()
      service.clock.advance(150_000)
      await service.ports.engine.submit(applyTransactionResult, {
        ...{ mid: MID, txnId: first.body.txnId, answer: { outcome: 'absent' as const } },
        ...{ reference: service.ports.reference, now: service.clock.now() },
      })
      assert.equal((await pay(service, { orderId: 'TWICE', txnToken }, ACCOUNT)).body.resultInfo.resultStatus, 'S')
      await moveTo(service, '2026-12-07 00:00:00')
      const atBank = async () => {
        const keys = ['mandate', 'mandate:2'].map((what) => `${MID}:${subscriptionId}:${what}`)
        return Promise.all(keys.map(async (key) => (await adapter.acquirer.mandates!.status(key)).outcome))
      }
      assert.deepEqual(await atBank(), ['revoked', 'active'])
      assert.equal((await service.ports.query.row(collectionKey(MID, `${subscriptionId}.20261205`)))?.status, 'COLLECTED')
      const revoked = () => heard(shop).filter((line) => line.startsWith('revoke'))
      assert.deepEqual(revoked(), ['revoke mandate:revoke'])
      await manage(service, '/subscription/cancel', { subsId: subscriptionId })
      await service.tasks.runDue()
      assert.deepEqual(
        [await atBank(), revoked()],
        [
          ['revoked', 'revoked'],
          ['revoke mandate:revoke', 'revoke revoke'],
        ],
      )
    }))

  test('on an account whose registration did not arrive, or whose answer was lost or a lie, is taken once, and debited once', () =>
    within(store, async ({ service, adapter }) => {
      const answers: Lie[] = ['an error in a success', 'breaks off when the work is done', 'is refused']
      const named: string[] = []
      for (const [at, lie] of answers.entries()) {
        const orderId = `ACCOUNT${at}`
        const reply = await initiate(service, subscription(orderId, ON_ACCOUNT))
        const { subscriptionId, txnToken } = reply.body as { subscriptionId: string; txnToken: string }
        named.push(subscriptionId)
        adapter.lie('register', lie)
        await pay(service, { orderId, txnToken }, ACCOUNT)
        adapter.forgive()
        if (lie !== 'is refused') continue
        // When the bank has not received it, the payer may try again.
        await moveTo(service, '2026-11-21 11:05:00')
        const again = await pay(service, { orderId, txnToken }, ACCOUNT)
        assert.equal(again.body.resultInfo.resultStatus, 'S', again.text)
      }
      await moveTo(service, '2026-12-07 00:00:00')
      const journal = await adapter.bank.journal(0, service.clock.now())
      const count = (kind: string) => journal.filter((line) => line.kind === kind && line.outcome === 'success').length
      assert.deepEqual([count('mandate'), count('collect')], [answers.length, answers.length])
      for (const subscriptionId of named) {
        const { status, subStatus } = (await service.ports.query.row(subscriptionKey(MID, subscriptionId)))!
        const cycle = await service.ports.query.row(collectionKey(MID, `${subscriptionId}.20261205`))
        assert.deepEqual([status, subStatus, cycle?.status], ['ACTIVE', 'ACTIVE', 'COLLECTED'])
      }
    }))

  test('that the adapter reports about is queried now, a notice and a debit alike', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const { subscriptionId } = await consented(service, 'TOLD', MONTHLY)
      const key = `${MID}:${subscriptionId}:20261205`
      const cycle = () => service.ports.query.row(collectionKey(MID, `${subscriptionId}.20261205`))
      const steps = [
        ['notify', '2026-12-03 18:00:00', `${key}:notify:1`, 'SCHEDULED', 'NOTIFIED'],
        ['collect', '2026-12-05 06:00:00', `${key}:1`, 'IN_FLIGHT', 'COLLECTED'],
      ] as const
      for (const [call, at, reported, before, after] of steps) {
        adapter.lie(call, 'HTTP 500')
        await moveTo(service, at)
        assert.equal((await cycle())!.status, before)
        assert.equal((await adapter.tell(service.url, reported)).status, 202)
        await service.tasks.runDue()
        assert.equal((await cycle())!.status, after)
        const asked = adapter.calls.filter((each) => each.call === 'status' && each.key === reported).length
        assert.equal((await adapter.tell(service.url, reported)).status, 202)
        await service.tasks.runDue()
        assert.equal(
          adapter.calls.filter((each) => each.call === 'status' && each.key === reported).length,
          // A payer may opt out of a debit after its notice.
          call === 'notify' ? asked + 1 : asked,
          'what is settled is not asked',
        )
      }
      for (const unknown of [
        `${MID}:1:20261205:1`,
        `${key}:2`,
        `${key}:0`,
        `${key}:${'9'.repeat(30)}`,
        key,
        `${MID}:${subscriptionId}:20261206:notify:1`,
        `${MID}:1:mandate`,
      ])
        assert.equal((await adapter.tell(service.url, unknown)).status, 202)
    }))

  test('whose debit was not decided in time is queried when the adapter reports about it, and its money is given back', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const { subscriptionId } = await consented(service, 'UNDECIDED', {
        ...MONTHLY,
        subscriptionGraceDays: '1',
        subscriptionRetryCount: '3',
      })
      const key = `${MID}:${subscriptionId}:20261205:1`
      const asked = () => adapter.calls.filter((each) => each.call === 'status' && each.key === key).length
      const cycle = async () => (await service.ports.query.row(collectionKey(MID, `${subscriptionId}.20261205`)))!.status
      adapter.lie('collect', 'HTTP 500')
      adapter.lie('status', ...Array(100).fill('HTTP 500'))
      await moveTo(service, '2026-12-08 05:00:00')
      assert.equal(await cycle(), 'IN_FLIGHT')
      await moveTo(service, '2026-12-08 06:00:00')
      assert.equal(await cycle(), 'FAILED')
      adapter.forgive()
      const before = asked()
      assert.equal((await adapter.tell(service.url, key)).status, 202)
      await service.tasks.runDue()
      assert.equal(asked(), before + 1)
      assert.deepEqual(await refunded(shop), [49_900])
      assert.equal(adapter.calls.filter((each) => each.call === 'collect').length, 1)
      assert.equal(await cycle(), 'FAILED')
      await assertHolds(service)
    }))

  test('whose debit was called a failure, and was paid all the same, is queried when the adapter reports about it', () =>
    within(store, async (shop) => {
      const { service, adapter } = shop
      const { subscriptionId } = await consented(service, 'FAILED', { ...MONTHLY, subscriptionGraceDays: '0', subscriptionRetryCount: '0' })
      const key = `${MID}:${subscriptionId}:20261205:1`
      adapter.lie('collect', 'a failure')
      adapter.lie('status', ...Array(5).fill('a failure'))
      await moveTo(service, '2026-12-08 12:00:00') // the query a day later is over
      assert.equal((await service.ports.query.row(collectionKey(MID, `${subscriptionId}.20261205`)))!.status, 'FAILED')
      adapter.forgive()
      assert.equal((await adapter.tell(service.url, key)).status, 202)
      await service.tasks.runDue()
      assert.deepEqual(await refunded(shop), [49_900])
      assert.equal((await service.ports.query.row(collectionKey(MID, `${subscriptionId}.20261205`)))!.status, 'FAILED')
      await assertHolds(service)
    }))
})

const refunded = async ({ service, adapter }: Shop) =>
  (await adapter.bank.journal(0, service.clock.now()))
    .filter(({ kind, outcome }) => kind === 'refund' && outcome === 'success')
    .map(({ amount_paise }) => amount_paise)

// --------------------------------------------------------------------------------------------------- one call by itself

const debit = (at: number, more: Partial<Collect> = {}): Collect => ({
  ...{ key: `SHOP:1:20261205:${at}`, mandateReference: 'M-4711', mid: 'SHOP', orderId: `A1.20261205.${at}`, amountPaise: 49_900 },
  ...{ notifyKey: 'SHOP:1:20261205:notify:1', attempt: at, authenticated: false, ...more },
})

async function remote(able?: Able, totalMs = 20_000) {
  const doubts: string[] = []
  const adapter = await startAdapter(new SystemClock(), [], able)
  const doubted = (...reported: string[]) => void doubts.push(reported.join(' '))
  const parts = { url: adapter.url, secret: ADAPTER_SECRET, clock: new SystemClock(), fresh: new SystemRandom(), doubted, totalMs }
  return { adapter, doubts, acquirer: new RemoteAcquirer(parts), patient: new RemoteAcquirer({ ...parts, totalMs: 20_000 }) }
}

/** A mandate at the adapter's bank, agreed with a payment. */
async function agreed(acquirer: RemoteAcquirer, subscriptionId: string): Promise<string> {
  const answer = await acquirer.authorize({
    ...{ key: `SHOP:${subscriptionId}`, mid: 'SHOP', merchantName: 'Shop', mcc: '5999', orderId: subscriptionId, amountPaise: 100 },
    ...{ means: { kind: 'upiCollect', vpa: 'success@bank' }, keepCard: false, directOtp: false, returnUrl: 'https://shop.example/' },
    mandate: {
      ...{ key: `SHOP:${subscriptionId}:mandate`, amountType: 'FIX', maxAmountPaise: 49_900, frequencyUnit: 'MONTH', frequency: 1 },
      ...{ startDate: '2026-12-05', expiryDate: '2027-12-05' },
    },
  })
  assert.ok(answer.outcome === 'success' && answer.mandateReference !== undefined)
  return answer.mandateReference
}

test('every lie about a mandate is unknown, and the report of it has no reference, no secret and no value', async () => {
  const { adapter, doubts, acquirer, patient } = await remote(undefined, 200)
  const mandateReference = await agreed(patient, '1')
  const { mandates } = acquirer
  const lies = [...(Object.keys(LIES) as Lie[]), ...BREAKS].filter(
    // These alter members that answers about mandates lack.
    (lie) =>
      ![
        'no amount',
        'more given back than taken',
        'a broken amount',
        'an amount in a text',
        'no reference',
        'a reference with a pipe',
        'a page of no bank',
        'a link that is a script',
      ].includes(lie),
  )
  for (const lie of lies) {
    const key = `SHOP:1:${lie.replaceAll(' ', '-')}`
    const calls = {
      notify: () =>
        mandates.notify({
          ...{ key: `${key}:notify:1`, mandateReference, amountPaise: 49_900, debitDate: '2026-12-05', reason: 'why' },
          authenticationNeeded: true,
        }),
      collect: () => mandates.collect({ ...debit(1), key, mandateReference }),
      amend: () => mandates.amend({ key: `${key}:amend:1`, mandateReference, maxAmountPaise: 49_900, validUntil: 1 }),
      pause: () => mandates.pause(`${key}:pause`, mandateReference),
      resume: () => mandates.resume(`${key}:resume`, mandateReference),
      status: () => mandates.status(`SHOP:1:mandate`),
    }
    for (const [name, ask] of Object.entries(calls)) {
      if (lie === 'is silent when the work is done' && name !== 'notify') continue
      adapter.lie(name, lie, ...(lie.startsWith('breaks off') ? [lie] : []))
      assert.deepEqual(await ask(), { outcome: 'unknown' }, `${name}: ${lie}`)
      adapter.forgive()
    }
  }
  assert.doesNotMatch(doubts.join('\n'), /sbxm|whsec|49900|why|1\|2|evil|alert/)
  await acquirer.close()
})

test('many debits are one call with an answer each, in the order of the calls', async () => {
  const { adapter, acquirer } = await remote()
  const [first, second] = [await agreed(acquirer, '1'), await agreed(acquirer, '2')]
  const calls = Array.from({ length: COLLECTS_AT_ONCE_MAX }, (_, at) =>
    debit(at, at % 3 === 0 ? { mandateReference: second, key: `SHOP:2:20261205:${at}`, amountPaise: 49_901 } : { mandateReference: first }),
  )
  const answers = await acquirer.mandates.collectMany(calls)
  assert.deepEqual(
    answers.map(({ outcome }) => outcome),
    calls.map((_, at) => (at % 3 === 0 ? 'failure' : 'success')),
    'more than was agreed to is declined',
  )
  assert.deepEqual(
    adapter.calls.map(({ call }) => call),
    ['authorize', 'authorize', 'collectMany'],
  )
  assert.deepEqual(await acquirer.mandates.collectMany(calls), answers, 'the same again is the same')
  assert.equal((await adapter.bank.journal(0, Date.now())).filter(({ kind }) => kind === 'collect').length, COLLECTS_AT_ONCE_MAX)
  await acquirer.close()
})

test('an adapter without the call for many is called one by one', async () => {
  const { adapter, acquirer } = await remote({ modes: ['UPI'], collectMany: false })
  const mandateReference = await agreed(acquirer, '1')
  const answers = await acquirer.mandates.collectMany([1, 2, 3].map((at) => debit(at, { mandateReference })))
  assert.deepEqual(
    answers.map(({ outcome }) => outcome),
    ['success', 'success', 'success'],
  )
  assert.deepEqual(
    adapter.calls.map(({ call }) => call),
    ['authorize', 'collect', 'collect', 'collect'],
  )
  await acquirer.close()
})

test('one of many debits that is answered twice, for another key, in another form or not at all is unknown, and only that one', async () => {
  const { adapter, doubts, acquirer } = await remote()
  const mandateReference = await agreed(acquirer, '1')
  const calls = [1, 2, 3, 4, 5, 6].map((at) => debit(at, { mandateReference }))
  adapter.lie('collectMany', 'a spoilt batch')
  const outcomes = (await acquirer.mandates.collectMany(calls)).map(({ outcome }) => outcome)
  assert.deepEqual(outcomes, ['unknown', 'unknown', 'unknown', 'unknown', 'success', 'success'])
  assert.deepEqual(
    doubts.map((line) => line.replace(/^collectMany SHOP:1:20261205:/, '')),
    ['1 it is answered twice', '2 it is not answered', "3 the answer's amountPaise is wrong", '4 it is not answered'],
  )
  for (const lie of ['HTTP 500', 'no signature', 'the signature of another call', 'half of the JSON', 'breaks off'] as const) {
    adapter.lie('collectMany', lie)
    const all = await acquirer.mandates.collectMany(calls)
    assert.deepEqual([...new Set(all.map(({ outcome }) => outcome))], ['unknown'], lie)
  }
  await acquirer.close()
})

/** An adapter, and a client that asks for its capabilities while time passes. */
async function asking(able: Able) {
  let elapsed = 0
  const adapter = await startAdapter(new SystemClock(), [], able)
  const clock = { realNow: Date.now, elapsed: () => elapsed }
  const acquirer = new RemoteAcquirer({ url: adapter.url, secret: ADAPTER_SECRET, clock, fresh: new SystemRandom(), doubted: () => {} })
  after(() => acquirer.close())
  const passes = (ms: number) => {
    elapsed += ms
  }
  /** The known modes during the query, and after it. */
  const asked = async () => {
    const known = await acquirer.mandates.modes()
    await new Promise((resolve) => setTimeout(resolve, 50))
    return [known, await acquirer.mandates.modes()]
  }
  return { adapter, acquirer, passes, asked }
}

test('the adapter’s capabilities are queried once an hour, and again after a minute where it did not answer', async () => {
  const { adapter, acquirer, passes, asked } = await asking({ modes: ['UPI'], collectMany: true })
  adapter.lie('capabilities', 'no signature')
  assert.deepEqual([await asked(), adapter.asked], [[undefined, undefined], 1], 'not known is not none')
  assert.equal(await acquirer.mandates.takesMany(), false)
  passes(60_000)
  assert.deepEqual([await asked(), adapter.asked], [[['UPI'], ['UPI']], 2])
  assert.equal(await acquirer.mandates.takesMany(), true)
  adapter.lie('capabilities', 'HTTP 500')
  passes(3_600_000)
  assert.deepEqual([await asked(), adapter.asked], [[['UPI'], ['UPI']], 3], 'what was known stands while it is asked')
})

test('an unsigned 404 takes nothing back that was signed, and alone stands for a minute', async () => {
  const { adapter, acquirer, passes, asked } = await asking({ modes: ['UPI'], collectMany: true })
  adapter.lie('capabilities', 'HTTP 404')
  assert.deepEqual(await asked(), [[], []])
  assert.equal(adapter.asked, 1)
  passes(60_000)
  assert.deepEqual(await asked(), [['UPI'], ['UPI']])
  passes(3_600_000)
  adapter.lie('capabilities', 'HTTP 404')
  assert.deepEqual(await asked(), [['UPI'], ['UPI']])
  assert.equal(await acquirer.mandates.takesMany(), true)
  passes(60_000)
  assert.deepEqual([await asked(), adapter.asked], [[['UPI'], ['UPI']], 4], 'and is asked again after a minute')
})
