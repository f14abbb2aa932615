// Pages of histories that have grown long, at a given size: small on every change, full in test/slow.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { REASON_MAX } from '../../../src/domain/audit/reason.ts'
import { writeAudit } from '../../../src/domain/audit/write-audit.ts'
import type { Looks } from '../../../src/engine/decision.ts'
import type { Store } from '../../../src/engine/store.ts'
import { auditIdAt, hashed } from '../../../src/flows/auditing.ts'
import { orderHistory, wholeOrderHistory } from '../../../src/flows/order-history.ts'
import { subscriptionHistory, subscriptionPortion } from '../../../src/flows/subscription-history.ts'
import { streamKey } from '../../../src/tables/keys.ts'
import { find, look, type Row } from '../../../src/tables/tables.ts'
import { fix } from '../mandates/subscription.ts'
import { consented, moveTo } from '../mandates/timeline.ts'
import { notifiedWorld, receiver } from '../notifications/receiver.ts'
import { paidOrder } from '../paying/refunds.ts'
import { mohurHere } from '../run/process.ts'
import { MID, onBothStores, type Service, startService } from '../run/service.ts'
import { assertHolds } from '../store/verify.ts'
import { ask, type Person, personOf } from './desk.ts'
import { growRefunds, growRenewals, refIdOf } from './grown.ts'
import { noted, plansOf } from './plans.ts'
import { portionAt, walked } from './walks.ts'

const ORDER = 'GROWN'.padEnd(50, 'N') // the longest id
const REF_ID = 50 // docs/interface.md section 8
const [SHOWN, CYCLES, AUDITED] = [100, 100, 30] // docs/console.md
const YEAR_MS = 365 * 24 * 60 * 60_000 // later than all grown renewals
/** Sweeps read their places, merchants and orders there, whichever page is open. */
const READ_BY_A_SWEEP = new Set(['settings', 'settings by a set', 'orders by a set', 'merchants by a set'])

/** `isVerified` runs `verify` on the store, which takes minutes on a large SQLite store. */
export function grownPages({ refunds, renewals, isVerified }: { refunds: number; renewals: number; isVerified: boolean }) {
  onBothStores('pages of long histories', (store) => {
    let service: Service
    let person: Person
    let txnId: string
    let subscriptionId: string
    /** Tables that were read on the connections that decide orders. */
    const readBesideOrders: string[] = []
    const noting = (real: Store): Store => {
      const note = (looks: Looks): Looks => ({
        row(key) {
          readBesideOrders.push(key.table)
          return looks.row(key)
        },
        rows(find) {
          readBesideOrders.push(`${find.find} by a set`)
          return looks.rows(find)
        },
      })
      return {
        concurrency: real.concurrency,
        query: { ...real.query, ...note(real.query), atOneMoment: (work) => real.query.atOneMoment((looks) => work(note(looks))) },
        transaction: (...given) => real.transaction(...given),
        claimTasks: (...given) => real.claimTasks(...given),
        ping: () => real.ping(),
        close: () => real.close(),
      }
    }
    before(async () => {
      const merchant = await receiver(() => 200, { endsWithTest: false })
      after(() => merchant.close())
      service = await startService(store, { world: notifiedWorld(merchant.url, 'json'), store: noting })
      person = await personOf(service, ['admin', 'operations'])
      await paidOrder(service, ORDER)
      const terms = { ...fix('199.00'), subscriptionStartDate: '2026-07-15', userInfo: { custId: 'C9', mobile: '9876500009' } }
      ;({ subscriptionId } = await consented(service, 'GROWN_MANDATE', terms))
      await moveTo(service, '2026-07-15 20:00:00')
      await growRenewals(service, { mid: MID, subscriptionId, day: '2026-07-15', count: renewals })
      ;({ txnId } = await growRefunds(service, { mid: MID, orderId: ORDER, count: refunds, idLength: REF_ID }))
      if (isVerified) await assertHolds(service, { except: ['I26'] }) // the renewals lie a day apart, and the mandate is a monthly one
    })
    after(() => service.close())
    const at = `/console/orders/${MID}/${ORDER}`
    const newest = (from: number, to: number) => Array.from({ length: to - from }, (_, nth) => refIdOf(refunds - 1 - from - nth, REF_ID))

    test(`an order with ${refunds} refunds shows the newest hundred, and a link leads through all of them once`, async (t) => {
      const [first, ...older] = await walked(service, person, at, 'Older refunds')
      assert.deepEqual(first!.refunds, newest(0, SHOWN))
      assert.deepEqual(
        [first!, ...older].flatMap((each) => each.refunds),
        newest(0, refunds),
      )
      t.diagnostic(`${store}: ${Buffer.byteLength(first!.text)} bytes of the first of ${older.length + 1} pages`)
    })

    test('the history is shown once on the way from the newest to the oldest, each page in order', async () => {
      for (const address of [at, `/console/payments/${MID}/${txnId}`]) {
        const portions = await walked(service, person, address, 'Older')
        const instants = portions.map(({ lines }) => lines.map((line) => /datetime="([^"]*)"/.exec(line)![1]!))
        for (const each of instants) assert.deepEqual(each, each.toSorted())
        for (const [nth, each] of instants.slice(1).entries()) assert.ok(each.at(-1)! <= instants[nth]![0]!, 'an older page is older')
        const lines = portions.flatMap((each) => each.lines)
        // Each refund has two events, two of its payment, four ledger lines, two notifications and their deliveries.
        const history = (await wholeOrderHistory(service.ports.query, MID, ORDER))!
        assert.ok(lines.length >= 12 * refunds)
        assert.deepEqual([lines.length, new Set(lines).size], [history.lines.length, lines.length])
        assert.ok(lines.some((line) => line.includes('order created')))
      }
    })

    test('sums, state and what happens next are those of all refunds', async () => {
      const [row] = await service.ports.query.rows(find('transactions', { equals: { mid: MID, orderId: ORDER }, limit: 1 }))
      assert.equal(row!.refundedPaise, refunds)
      const money = (paise: number) => `₹${(paise / 100).toLocaleString('en-IN', { minimumFractionDigits: 2 })}`
      const { text } = await portionAt(service, person, at)
      assert.match(
        text,
        new RegExp(`Refunded ${money(refunds)} \\(done: ${money(refunds)}\\); ${money(row!.capturedPaise - refunds)} is left`),
      )
      assert.match(text, /Nothing is due/)
      // A refund that waits for its bank, and is not among the newest.
      const [oldest] = await service.ports.query.rows(find('refunds', { equals: { mid: MID, refId: refIdOf(0, REF_ID) }, limit: 1 }))
      await assert.doesNotReject(pendingAgain(service, oldest!, row!))
      assert.match((await portionAt(service, person, at)).text, /asked again about refunds of Rs 0\.01 that are not shown here/)
    })

    test('an endpoint that was given up stands below what happens next on every page of the order', async () => {
      const { store: rows, ports } = service
      const key = streamKey(MID, ORDER, 'merchant')
      const stream = (await ports.query.row(key))!
      const set = (row: Row<'notificationStreams'>) =>
        rows.transaction(({ write }) => write({ changes: [{ kind: 'update', key, row }], events: [], tasks: [] }))
      await set({ ...stream, status: 'DEAD', next: stream.last })
      const portions = await walked(service, person, at, 'Older')
      await set(stream)
      assert.ok(portions.length > 1)
      for (const { text } of portions) assert.match(text, /notifications to merchant are given up/)
    })

    test('Show the payer and raw JSON are bounded too, and raw JSON says where it stopped', async () => {
      const shown = await ask(service, `${at}/show`, { cookie: person.cookie, form: { token: person.token } })
      assert.ok(shown.status === 200 && Buffer.byteLength(shown.text) <= 200 * 1024)
      const seen: string[] = []
      for (let next: string | null = `${at}/raw`; next !== null; ) {
        const { status, text } = await ask(service, next, { cookie: person.cookie })
        assert.ok(status === 200 && Buffer.byteLength(text) <= 200 * 1024, `${Buffer.byteLength(text)} bytes`)
        const rows: { refunds: { refId: string }[]; olderRefunds: string | null } = JSON.parse(text)
        seen.push(...rows.refunds.map(({ refId }) => refId))
        next = rows.olderRefunds
      }
      assert.deepEqual(seen, newest(0, refunds))
    })

    test(`a mandate with ${renewals} renewals shows the newest hundred cycles, and a link leads through all of them once`, async (t) => {
      const address = `/console/subscriptions/${MID}/${subscriptionId}`
      const portions = await walked(service, person, address, 'Older')
      const lines = portions.flatMap((each) => each.lines)
      const { events } = await subscriptionHistory(service.ports.query, MID, subscriptionId)
      assert.equal(lines.length, events.length)
      const collected = portions.map((each) => each.lines.filter((line) => line.includes('collection collected')))
      assert.equal(collected[0]!.length, Math.min(CYCLES, renewals + 1))
      const days = collected.flat().map((line) => /class="quiet">([0-9-]{10})/.exec(line)![1]!)
      assert.deepEqual([days.length, new Set(days).size], [renewals + 1, renewals + 1])
      t.diagnostic(`${store}: ${Buffer.byteLength(portions[0]!.text)} bytes of the first of ${portions.length} pages`)
    })

    test("a renewal's page and the consent's have their own notifications, and read no others", async () => {
      const [debit] = await service.ports.query.rows(
        find('transactions', { equals: { mid: MID, txnId: `TXNGROWN${renewals - 1}` }, limit: 1 }),
      )
      const page = await portionAt(service, person, `/console/orders/${MID}/${debit!.orderId}`)
      assert.equal(page.lines.filter((line) => line.includes('notification to')).length, 2)
      const first = await portionAt(service, person, `/console/orders/${MID}/GROWN_MANDATE`)
      assert.equal(first.lines.filter((line) => line.includes('notification to')).length, 1)
    })

    test('each question of a portion is answered by an index, in its order where it has one', async () => {
      const { query, finds } = noted(service.ports.query)
      const { olderLines, olderRefunds } = (await orderHistory(query, MID, ORDER))!
      await orderHistory(query, MID, ORDER, { lines: olderLines, refunds: olderRefunds })
      await subscriptionPortion(query, MID, subscriptionId, (await subscriptionPortion(query, MID, subscriptionId)).older)
      const plans = await plansOf(service, finds, refunds < 1_000)
      assert.ok(plans.length > 20)
      const wholeTables = /^SCAN |Seq Scan on (?!audit_log|orders|transactions|tasks|notification_streams)/m
      for (const [nth, plan] of plans.entries()) {
        assert.doesNotMatch(plan, wholeTables)
        if (finds[nth]!.direction === 'desc') assert.doesNotMatch(plan, /TEMP B-TREE|Sort/)
      }
    })

    test('no page of a history reads a row where orders are decided, but for the person who looks', async () => {
      const mandate = `/console/subscriptions/${MID}/${subscriptionId}`
      readBesideOrders.length = 0
      for (const address of [at, `/console/payments/${MID}/${txnId}`, `${at}/raw`, mandate])
        assert.equal((await ask(service, address, { cookie: person.cookie })).status, 200)
      const read = new Set(readBesideOrders).difference(READ_BY_A_SWEEP)
      assert.deepEqual([...read].toSorted(), ['operatorSessions', 'operators by a set'])
    })

    test('a place that cannot be read is refused', async () => {
      const mandate = `/console/subscriptions/${MID}/${subscriptionId}`
      for (const path of [
        `${at}?refunds=x`,
        `${at}?before=x`,
        `${at}?before=1.2~~&before=1.1~~`,
        `${at}/raw?refunds=~`,
        `${mandate}?before=x`,
      ])
        assert.equal((await ask(service, path, { cookie: person.cookie })).status, 422, path)
    })

    test('mohur order show prints all of it', async () => {
      const { dataFolder, databaseUrl = '' } = service.place
      const { code, out } = await mohurHere(['order', 'show', ORDER], { MOHUR_DATA: dataFolder, DATABASE_URL: databaseUrl })
      assert.equal(code, 0)
      const printed = out
        .split('\n')
        .filter((line) => line.startsWith('refund BACK_'))
        .map((line) => line.split(' ')[1])
      assert.deepEqual(printed, newest(0, refunds).reverse())
    })

    test('beside the longest notes that a portion has, the pages stay as small', async (t) => {
      const { ports, clock } = service
      const text = '<'.repeat(REASON_MAX) // five bytes each in a page
      const write = (subject: string) => {
        const by = { operatorId: person.operatorId, network: '', auditId: auditIdAt(ports), at: clock.now() + 10 * YEAR_MS }
        const act = { action: 'note', mid: MID, subject, outcome: 'done', reason: hashed(ports.vault, text) } as const
        return ports.engine.submit(writeAudit, { by, act })
      }
      const pages = [
        { address: at, subject: `order:${ORDER}` },
        { address: `/console/subscriptions/${MID}/${subscriptionId}`, subject: `subscription:${subscriptionId}` },
      ]
      for (const { address, subject } of pages) {
        const before = await ports.query.rows(find('auditLog', { equals: { subject }, limit: AUDITED }))
        for (let nth = before.length; nth < AUDITED; nth++) await write(subject)
        const { text: page, lines } = await portionAt(service, person, address)
        assert.equal(lines.filter((line) => line.includes('note by')).length, AUDITED - before.length)
        t.diagnostic(`${store}: ${Buffer.byteLength(page)} bytes of ${subject}`)
      }
    })
  })
}

/** Puts a refund back to the state before its bank answered. */
async function pendingAgain({ store }: Service, refund: { refId: string }, transaction: { txnId: string }) {
  await store.transaction(async (writer) => {
    const keys = [look('refunds', MID, refund.refId), look('transactions', MID, transaction.txnId)].map((key) => ({
      ...key,
      mode: 'lock' as const,
    }))
    const rows = await writer.read(keys)
    const changes = keys.map((key) => {
      const row = rows.get(key.name)!
      const back =
        key.table === 'refunds'
          ? { status: 'PENDING', result: 'pending' }
          : { returnedPaise: (row as { returnedPaise: number }).returnedPaise - 1 }
      return { kind: 'update', key, row: { ...row, ...back } } as never
    })
    await writer.write({ changes, events: [], tasks: [] })
  })
}
