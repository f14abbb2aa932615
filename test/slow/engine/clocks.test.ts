// Clocks differ between processes, are set back, and jump. No call fails for it, no kept time goes back, and nothing waits until a wrong
// clock's time has come (docs/decisions/0013).

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { transactionKey } from '../../../src/tables/keys.ts'
import { find } from '../../../src/tables/tables.ts'
import { initiated, subscription } from '../../support/mandates/subscription.ts'
import { createOrder, pay, script, statusOf } from '../../support/paying/paying.ts'
import { paidOrder, refund, refundStatusOf } from '../../support/paying/refunds.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService, startService } from '../../support/run/service.ts'
import { send, signInWorld } from '../../support/signin/signin.ts'
import { details, refresh, refreshed, revoke, signIn } from '../../support/signin/tokens.ts'
import { sharedPostgres } from '../../support/store/postgres.ts'
import { assertHolds } from '../../support/store/verify.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const YEAR_MS = 366 * 24 * 60 * MINUTE_MS
/** No server listens there, so every notification is retried again and again. */
const SILENT = { peonUrl: 'http://127.0.0.1:9/' }
const ROUNDS = 12

const close = (service: Service, orderId: string) => service.signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId })

/** No event of an aggregate is earlier than the one before it, and no row earlier than its latest event. */
async function timesGoForward({ ports: { query } }: Service) {
  const events = await query.rows(find('events', { orderBy: ['owner', 'aggregate', 'id', 'version'], limit: 10_000 }))
  for (const [name, chain] of Map.groupBy(events, ({ owner, aggregate, id }) => `${owner} ${aggregate} ${id}`)) {
    const times = chain.map(({ at }) => at)
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
      `${name} went back`,
    )
  }
  for (const { mid, orderId, updatedAt } of await query.rows(find('orders', { limit: 10_000 })))
    assert.equal(updatedAt, events.findLast((event) => event.owner === mid && event.aggregate === 'order' && event.id === orderId)?.at)
  for (const { mid, txnId, initiatedAt, orderId } of await query.rows(find('transactions', { limit: 10_000 }))) {
    const [order] = await query.rows(find('orders', { equals: { mid, orderId }, limit: 1 }))
    assert.ok(initiatedAt >= order!.txnTokenIssuedAt, `${txnId} began before its txnToken`)
  }
}

/** `there` does the first half of everything, and `here`, with a clock that is behind, the second. Returns the codes of the second half. */
async function across(there: Service, here: Service, goBack: () => void, comeForward: () => void, round: number) {
  const name = (what: string) => `${what}-${round}`
  const paid = await paidOrder(there, name('REFUND'), { order: SILENT })
  const offered = await createOrder(there, name('OFFER'), { userInfo: { custId: `CUST${round}` } })
  const waiting = await createOrder(there, name('WAIT'), SILENT)
  const failing = await createOrder(there, name('FAIL'), SILENT)
  const closing = name('CLOSE')
  await initiated(there, subscription(closing))
  const consenting = name('CONSENT')
  const reply = await there.signed(`/subscription/create?mid=${MID}&orderId=${consenting}`, subscription(consenting))
  const phone = `98765${String(round).padStart(5, '0')}`
  const tokens = await refreshed(there, (await signIn(there, phone)).refreshToken)
  goBack()
  const codes = {
    refund: codeOf(await refund(here, paid, name('R'), '10.00')),
    rest: codeOf(await refund(here, paid, name('R2'), '90.00')),
    close: codeOf(await close(here, closing)),
    consent: codeOf(
      await pay(here, { orderId: consenting, txnToken: reply.body.txnToken }, { paymentMode: 'UPI', payerAccount: 'success@upi' }),
    ),
    pay: codeOf(await pay(here, offered, { paymentMode: 'UPI', payerAccount: 'success@upi' })),
    wait: codeOf(await pay(here, waiting, { paymentMode: 'UPI', payerAccount: 'lost@upi' })),
    failed: codeOf(await pay(here, failing, { paymentMode: 'UPI', payerAccount: 'declined@upi' })),
    again: codeOf(await pay(here, failing, { paymentMode: 'UPI', payerAccount: 'success@upi' })),
    refresh: (await refresh(here, tokens.refreshToken)).status,
    revoke: (await revoke(here, tokens.ssoToken)).status,
    revoked: (await details(here, tokens.ssoToken)).body.responseCode,
  }
  comeForward()
  return codes
}
const WELL = {
  ...{ refund: '601', rest: '601', close: '0000', consent: '0000', pay: '0000', wait: '0000', failed: '0001', again: '0000' },
  ...{ refresh: 200, revoke: 200 },
}

async function settled(service: Service) {
  for (let step = 0; step < 8; step++) {
    service.clock.advance(MINUTE_MS)
    await service.tasks.runDue()
  }
}

onBothStores('a clock that is set back while the service runs', (store) => {
  const shared = sharedService(store, { world: signInWorld, polls: true })

  test('refuses nothing, and no time that is kept goes back', async () => {
    const service = await shared()
    for (let round = 0; round < ROUNDS; round++) {
      const ms = [1, 300, 10 * SECOND_MS][round % 3]!
      const { revoked, ...codes } = await across(
        service,
        service,
        () => service.clock.set(-ms),
        () => service.clock.set(ms),
        round,
      )
      assert.deepEqual(codes, WELL, `round ${round}`)
      assert.notEqual(revoked, 'success')
    }
    await settled(service)
    await timesGoForward(service)
    await assertHolds(service)
  })
})

describe('two processes on one PostgreSQL, one of them two seconds behind', () => {
  test('refuse nothing, and no time that is kept goes back', async () => {
    const databaseUrl = await (await sharedPostgres()).createDatabase()
    const env = { DATABASE_URL: databaseUrl, MOHUR_MASTER_KEY: Buffer.alloc(32, 5).toString('base64') }
    const ahead = await startService('postgres', { world: signInWorld, env, polls: true })
    const behind = await startService('postgres', { world: signInWorld, env, polls: true })
    try {
      behind.clock.set(-2 * SECOND_MS)
      const none = () => {}
      for (let round = 0; round < ROUNDS; round++) {
        const { revoked, ...codes } = await across(ahead, behind, none, none, round)
        assert.deepEqual(codes, WELL, `round ${round}`)
        assert.notEqual(revoked, 'success')
      }
      await Promise.all([settled(ahead), settled(behind)])
      await timesGoForward(ahead)
      await assertHolds(ahead)
    } finally {
      await ahead.close()
      await behind.close()
    }
  })
})

onBothStores('a clock that was a year ahead for a while', (store) => {
  const shared = sharedService(store, { world: signInWorld, polls: true })
  /** Runs `work` a year ahead. Then the clock is right again, and a minute passes. */
  async function inTheFuture<T>(service: Service, work: () => Promise<T>): Promise<T> {
    service.clock.set(YEAR_MS)
    const done = await work()
    service.clock.set(-YEAR_MS)
    service.clock.pass(MINUTE_MS)
    await service.tasks.runDue()
    return done
  }
  const transactionOf = async ({ ports }: Service, txnId: string) => (await ports.query.row(transactionKey(MID, txnId)))!

  test('keeps no payer from a one-time password who had all that were allowed then', async () => {
    const service = await shared()
    const phone = '9812345678'
    await inTheFuture(service, async () => {
      for (let sent = 0; sent < 5; sent++) assert.equal((await send(service, { phone })).body.responseCode, 'BE1400001')
      assert.notEqual((await send(service, { phone })).body.responseCode, 'BE1400001', 'that was as many as he may')
    })
    assert.equal((await send(service, { phone })).body.responseCode, 'BE1400001')
  })

  test('postpones no query about a payment: one that the bank took is found', async () => {
    const service = await shared()
    const order = await inTheFuture(service, async () => {
      const created = await createOrder(service, 'FUTURE-LOST')
      assert.equal(codeOf(await pay(service, created, { paymentMode: 'UPI', payerAccount: 'lost@upi' })), '0000')
      return created
    })
    service.clock.advance(2 * MINUTE_MS)
    await service.tasks.runDue()
    assert.equal(codeOf(await statusOf(service, order)), '01')
  })

  test('no longer postpones the end of a payment that the bank has never received', async () => {
    const service = await shared()
    const { txnId } = await inTheFuture(service, async () => {
      const created = await createOrder(service, 'FUTURE-NEVER')
      return (await pay(service, created, { paymentMode: 'UPI', payerAccount: 'timeout@upi' })).body
    })
    for (let minute = 0; minute < 4; minute++) {
      service.clock.advance(MINUTE_MS)
      await service.tasks.runDue()
    }
    const { status, result } = await transactionOf(service, txnId)
    assert.deepEqual([status, result], ['FAILURE', 'timedOut'])
  })

  test('keeps no money: what was paid then is refunded now', async () => {
    const service = await shared()
    const paid = await inTheFuture(service, () => paidOrder(service, 'FUTURE-PAID', { order: SILENT }))
    assert.equal(codeOf(await refund(service, paid, 'R1', '40.00')), '601')
    await service.tasks.runDue()
    assert.equal(codeOf(await refundStatusOf(service, paid, 'R1')), '10')
    const asked = await inTheFuture(service, async () => {
      assert.equal(codeOf(await refund(service, paid, 'R2', '60.00')), '601')
      return paid
    })
    // The first run may not have reached the bank when the second asks. Then the next question is a minute later, still not a year.
    await settled(service)
    assert.equal(codeOf(await refundStatusOf(service, asked, 'R2')), '10')
  })

  test('postpones nothing, however much it is', async () => {
    const service = await shared()
    const { clock, store, tasks } = service
    const task = 'nobody-does-it.due'
    const [addedAt, dueAt] = [clock.realNow() + YEAR_MS, clock.now() + YEAR_MS]
    const many = Array.from({ length: 1_001 }, (_, at) => ({ kind: 'add' as const, task, subject: `${at}`, dueAt, addedAt, payload: {} }))
    await store.transaction((transaction) => transaction.write({ changes: [], events: [], tasks: many }))
    clock.pass(MINUTE_MS)
    await tasks.runDue()
    const due = await store.query.rows(find('tasks', { equals: { task }, atMost: { dueAt: clock.now() }, limit: many.length }))
    assert.equal(due.length, many.length)
    await store.transaction((transaction) =>
      transaction.write({ changes: [], events: [], tasks: many.map(({ subject }) => ({ kind: 'cancel' as const, task, subject })) }),
    )
  })

  test('leaves no work leased until that time to a process that is gone', async () => {
    const service = await shared()
    const paid = await paidOrder(service, 'FUTURE-LEASE')
    await script(service, paid, 'pending')
    assert.equal(codeOf(await refund(service, paid, 'R-LEASE', '1.00')), '601')
    await service.tasks.runDue()
    const [task] = await service.ports.query.rows(find('tasks', { equals: { task: 'refund.due', subject: `${MID}:R-LEASE` }, limit: 1 }))
    const leased = { ...task!, kind: 'add' as const, lease: { fence: 7, until: service.clock.realNow() + YEAR_MS } }
    await service.store.transaction((transaction) => transaction.write({ changes: [], events: [], tasks: [leased] }))
    service.clock.pass(MINUTE_MS)
    await settled(service)
    assert.equal(codeOf(await refundStatusOf(service, paid, 'R-LEASE')), '10')
  })

  test('fails no payment whose work another process took over while the bank was being asked', async () => {
    const service = await shared()
    const { ports, clock } = service
    const created = await createOrder(service, 'FUTURE-TAKEN')
    const bank = ports.acquirer()
    const { acquirer } = ports
    ports.acquirer = () => ({
      ...bank,
      async authorize(asked) {
        const [task] = await ports.query.rows(find('tasks', { equals: { task: 'transaction.due', subject: asked.key }, limit: 1 }))
        const leased = { ...task!, kind: 'add' as const, lease: { fence: 7, until: clock.realNow() } }
        await service.store.transaction((transaction) => transaction.write({ changes: [], events: [], tasks: [leased] }))
        return bank.authorize(asked)
      },
    })
    const reply = await pay(service, created, { paymentMode: 'UPI', payerAccount: 'success@upi' })
    ports.acquirer = acquirer
    assert.equal(codeOf(reply), '0000', reply.text)
    await settled(service)
    assert.equal(codeOf(await statusOf(service, created)), '01')
  })

  test('breaks no invariant', async () => {
    const service = await shared()
    await settled(service)
    await timesGoForward(service)
    await assertHolds(service)
  })
})
