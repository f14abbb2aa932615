// Drawn histories of orders. The page of each shows every event, ledger line, notification, delivery and audit row that the store has of
// it, once. The seed is fixed.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { find, type Row } from '../../../src/tables/tables.ts'
import { ask, type Person, personOf } from '../../support/console/desk.ts'
import { give, refundBy, refuse } from '../../support/console/refunds.ts'
import { notifiedWorld, receiver } from '../../support/notifications/receiver.ts'
import { createOrder, pay, script } from '../../support/paying/paying.ts'
import { refund } from '../../support/paying/refunds.ts'
import { MID, onBothStores, type Service, startService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { Random } from '../../support/text/random.ts'

const HISTORIES = sized(60, 200)
const SEED = 20_261_124
const ALL = 100_000 // more rows than there are
const MINUTE_MS = 60_000
const OUTCOMES = ['success', 'success', 'success', 'declined', 'insufficient', 'pending', 'slow', 'lost', 'timeout', 'wrongAmount'] as const
const MEANS = [
  { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' },
  { paymentMode: 'NET_BANKING', channelCode: 'HDFC' },
  { paymentMode: 'UPI', payerAccount: 'payer@bank' },
] as const
const OF_ORDERS = new Set(['order', 'transaction', 'redemption', 'refund', 'collection'])
const ITEM = /<li class="[^"]*"><time[^>]*>[^<]*<\/time><div><b>([^<]*)<\/b>/g

onBothStores('the page of an order', (store) => {
  test(`of ${HISTORIES} drawn histories shows each row of the store once`, async (t) => {
    const random = new Random(SEED)
    const merchant = await receiver(() => (random.below(4) === 0 ? 500 : 200), { endsWithTest: false })
    const env = { MOHUR_CONSOLE_APPROVALS: 'on', MOHUR_CONSOLE_APPROVE_ABOVE: '20' }
    const service = await startService(store, { world: notifiedWorld(merchant.url, 'json'), env })
    after(async () => {
      await service.close()
      merchant.close()
    })
    const person = await personOf(service, ['admin', 'operations'])
    const second = await personOf(service, ['finance'])
    const orderIds = Array.from({ length: HISTORIES }, (_, at) => `DRAWN_${at}`)
    for (const orderId of orderIds) await lived(service, { random, orderId, person, second })

    const rows = await rowsOf(service)
    let [shown, notes] = [0, 0]
    for (const orderId of orderIds) {
      const expected = expectedOf(rows, orderId)
      const items = await itemsOf(service, person, orderId)
      assert.deepEqual(items, expected, `${orderId} of seed ${SEED}`)
      notes += await notesOf(service, { rows, person, orderId })
      shown += Object.values(items).reduce((sum, each) => sum + each, 0)
    }
    const kept = rows.events.length + rows.ledger.length + rows.notifications.length + rows.deliveries.length + rows.audit.length
    assert.equal(shown, kept, 'and no row of the store is on no page')
    const acts = Object.entries(Object.groupBy(rows.audit, ({ action }) => action)).map(([action, all]) => `${action} ${all!.length}`)
    for (const action of ['note', 'payment.refund', 'approval.ask', 'approval.give', 'approval.refuse'])
      assert.ok(
        acts.some((each) => each.startsWith(`${action} `)),
        action,
      )
    t.diagnostic(
      `${store}: ${HISTORIES} histories, ${kept} rows in the store, ${shown} items shown; ${notes} notes, each with its text (${acts.join(', ')})`,
    )
  })
})

/**
 * An order that is paid at the first try, at the second or not at all. It is refunded in parts, viewed by staff, and notified to a merchant
 * who does not always answer.
 */
async function lived(
  service: Service,
  { random, orderId, person, second }: { random: Random; orderId: string; person: Person; second: Person },
) {
  const order = await createOrder(service, orderId)
  for (let attempt = random.below(3); attempt > 0; attempt--) {
    await script(service, order, random.pick(OUTCOMES))
    await pay(service, order, random.pick(MEANS))
    service.clock.advance(random.below(30) * MINUTE_MS)
    await service.tasks.runDue()
  }
  const payments = await service.ports.query.rows(find('transactions', { equals: { mid: MID, orderId }, limit: 10 }))
  for (const { txnId, status } of payments)
    for (let part = random.below(4); status === 'SUCCESS' && part > 0; part--) {
      await refund(service, { orderId, txnId }, `REFUND_${orderId}_${part}`, `${random.pick([10, 25, 40])}.00`)
      service.clock.advance(random.below(90) * MINUTE_MS)
      await service.tasks.runDue()
    }
  for (const { txnId, status } of payments)
    if (status === 'SUCCESS' && random.below(2) === 0) await backByStaff(service, { random, txnId, person, second })
  const at = `/console/orders/${MID}/${orderId}`
  if (random.below(3) === 0) await ask(service, `${at}/show`, { cookie: person.cookie, form: { token: person.token } })
  if (random.below(3) === 0) await ask(service, `${at}/raw`, { cookie: person.cookie })
  const [payment] = payments
  const ofPayment = payment && `/console/payments/${MID}/${payment.txnId}`
  if (ofPayment && random.below(3) === 0) await ask(service, `${ofPayment}/raw`, { cookie: person.cookie })
  for (let nth = random.below(4); nth > 0; nth--) {
    const form = { token: person.token, once: `${orderId}_${nth}`.padEnd(22, '_'), reason: `NOTE ${nth} OF ${orderId}.` }
    const { status } = await ask(service, `${random.pick([at, ofPayment ?? at])}/note`, { cookie: person.cookie, form })
    assert.equal(status, 303)
  }
}

/** A refund by staff. The large ones wait for a second person, who gives, refuses or leaves them. */
async function backByStaff(
  service: Service,
  { random, txnId, person, second }: { random: Random; txnId: string; person: Person; second: Person },
) {
  const { location } = await refundBy(service, person, txnId, random.pick(['5', '15', '60']))
  const id = /^\/console\/approvals\/([0-9]+)$/.exec(location ?? '')?.[1]
  if (id !== undefined) await random.pick([give, refuse, async () => {}])(service, second, id)
  service.clock.advance(random.below(90) * MINUTE_MS)
  await service.tasks.runDue()
}

interface Rows {
  transactions: readonly Row<'transactions'>[]
  refunds: readonly Row<'refunds'>[]
  events: readonly Row<'events'>[]
  ledger: readonly Row<'ledgerEntries'>[]
  notifications: readonly Row<'notifications'>[]
  deliveries: readonly Row<'deliveryAttempts'>[]
  audit: readonly Row<'auditLog'>[]
}

/** All rows of the merchant, of every order. */
async function rowsOf({ ports: { query } }: Service): Promise<Rows> {
  const own = { equals: { mid: MID }, limit: ALL } as const
  const events = await query.rows(find('events', { equals: { owner: MID }, limit: ALL }))
  return {
    transactions: await query.rows(find('transactions', own)),
    refunds: await query.rows(find('refunds', own)),
    events: events.filter(({ aggregate }) => OF_ORDERS.has(aggregate)),
    ledger: await query.rows(find('ledgerEntries', { equals: { owner: MID }, limit: ALL })),
    notifications: await query.rows(find('notifications', own)),
    deliveries: await query.rows(find('deliveryAttempts', own)),
    audit: await query.rows(find('auditLog', own)),
  }
}

const KINDS = ['events', 'ledger', 'notifications', 'deliveries', 'audit'] as const
type Items = Record<(typeof KINDS)[number], number>

function expectedOf(rows: Rows, orderId: string): Items {
  const txnIds = new Set(rows.transactions.filter((row) => row.orderId === orderId).map(({ txnId }) => txnId))
  const refIds = new Set(rows.refunds.filter((row) => row.orderId === orderId).map(({ refId }) => refId))
  const reported = rows.notifications.filter((row) => row.orderId === orderId)
  const reportedIds = new Set(reported.map(({ notificationId }) => notificationId))
  return {
    events: rows.events.filter(({ id }) => id === orderId || txnIds.has(id) || refIds.has(id)).length,
    ledger: rows.ledger.filter(({ subject }) => txnIds.has(subject)).length,
    notifications: reported.length,
    deliveries: rows.deliveries.filter(({ notificationId }) => reportedIds.has(notificationId)).length,
    audit: rows.audit.filter(({ subject }) => subject === `order:${orderId}` || txnIds.has(subject.replace('transaction:', ''))).length,
  }
}

async function itemsOf(service: Service, { cookie }: Person, orderId: string): Promise<Items> {
  const { status, text } = await ask(service, `/console/orders/${MID}/${orderId}`, { cookie })
  assert.equal(status, 200)
  const items: Items = { events: 0, ledger: 0, notifications: 0, deliveries: 0, audit: 0 }
  for (const [, title] of text.matchAll(ITEM)) items[kindOf(title!)]++
  return items
}

/** Each note of the store stands on the page with its text, once. */
async function notesOf(service: Service, { rows, person, orderId }: { rows: Rows; person: Person; orderId: string }): Promise<number> {
  const texts = rows.audit.flatMap(({ reason }) => (reason?.endsWith(`OF ${orderId}.`) ? [reason] : []))
  const { text } = await ask(service, `/console/orders/${MID}/${orderId}`, { cookie: person.cookie })
  for (const each of texts) assert.equal(text.split(each).length, 2, each)
  return texts.length
}

function kindOf(title: string): keyof Items {
  if (title.startsWith('ledger: ')) return 'ledger'
  if (title.startsWith('notification to ')) return 'notifications'
  if (title.startsWith('delivery to ')) return 'deliveries'
  return / by Person \d+$/.test(title) ? 'audit' : 'events'
}
