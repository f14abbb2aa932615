// A store with rows of every kind, altered by hand. Each alteration is made and judged in a transaction that is rolled back.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { cancelAttempt } from '../../../src/flows/cancel-payment.ts'
import type { Found, Snapshot } from '../../../src/verify/snapshot.ts'
import { manage } from '../mandates/mandates.ts'
import { initiated, subscription } from '../mandates/subscription.ts'
import { consented, moveTo } from '../mandates/timeline.ts'
import { receiver, SECRET } from '../notifications/receiver.ts'
import { CARD, createOrder, pay, script } from '../paying/paying.ts'
import { promotionWorld } from '../paying/promotions.ts'
import { paidOrder, refund } from '../paying/refunds.ts'
import { fromCheckout } from '../run/checkout.ts'
import { MID, type Service, type StoreName, startService } from '../run/service.ts'
import { refreshed, revoke, signIn } from '../signin/tokens.ts'

const { invariants, judge } = await fromCheckout<typeof import('../../../src/verify/verify.ts')>('src/verify/verify.ts')

const DAY_MS = 24 * 60 * 60_000
const PENDING = { paymentMode: 'UPI', payerAccount: 'pending@upi' }

/** A service with some history. If making it fails, the service is closed. */
export async function withHistory(store: StoreName): Promise<Service> {
  const { url } = await receiver(({ path }) => (path === '/peon-down' ? 500 : 200))
  const world = promotionWorld([
    { promocode: 'OFF10', flat: '10.00', budget: '1000.00', maxPerCustomer: 5, fundedBy: 'bank' },
    { promocode: 'BACK5', kind: 'CASHBACK', flat: '5.00' },
  ])
  world.merchants![0] = { ...world.merchants![0]!, fee: '2', notification: { url, form: 'json', secret: SECRET } }
  world.customers = [...world.customers!, { mobile: '9999900003', walletBalance: '100.00' }]
  const service = await startService(store, { world })
  try {
    await makeHistory(service, url)
    return service
  } catch (error) {
    await service.close()
    throw error
  }
}

/** Rows of every kind: paid, failed, in flight, late, refunded in part and whole, promotions, wallets, sign-ins, notifications. */
async function makeHistory(service: Service, url: string) {
  const { clock, tasks } = service
  await makeMandates(service)

  const late = await createOrder(service, 'LATE')
  await script(service, late, 'late')
  await pay(service, late, CARD)
  await tasks.advance(clock.now() + 5 * DAY_MS, async (instant) => clock.advance(Math.max(0, instant - clock.now())))

  const { ssoToken, refreshToken } = await signIn(service, '9999900001')
  await refreshed(service, refreshToken)
  await revoke(service, (await signIn(service, '9999900002')).ssoToken)
  const payer = { paytmSsoToken: ssoToken, userInfo: { custId: 'C1' } }

  const modified = await createOrder(service, 'MODIFIED', { peonUrl: `${url}/peon` })
  const amount = { txnAmount: { value: '200.00', currency: 'INR' } }
  await service.signed(`/aoa-acquiring-biz/v2/modifyOrder?mid=${MID}&orderId=MODIFIED`, amount, {
    head: { tokenType: 'TXN_TOKEN', token: modified.txnToken },
  })
  await pay(service, modified, { ...CARD, cardInfo: '|4000000000000002|123|122032' })
  const paid = await pay(service, modified, { ...CARD, promoCode: 'OFF10' })
  await refund(service, { orderId: 'MODIFIED', txnId: paid.body.txnId }, 'PART', '50.00')
  await tasks.runDue()
  await script(service, modified, 'declined')
  await refund(service, { orderId: 'MODIFIED', txnId: paid.body.txnId }, 'NOT', '50.00')

  const whole = await paidOrder(service, 'WHOLE', { order: payer, means: { ...CARD, promoCode: 'BACK5' } })
  await refund(service, whole, 'WHOLE', '100.00')
  const open = await paidOrder(service, 'OPEN', { order: { peonUrl: `${url}/peon-down` } })
  await script(service, open, 'slow')
  await refund(service, open, 'OPEN', '30.00')
  await paidOrder(service, 'KEPT', { order: payer, means: { ...CARD, promoCode: 'BACK5' } })

  const wide = { ...payer, txnAmount: { value: '6000.00', currency: 'INR' } }
  await pay(service, await createOrder(service, 'FLIGHT', wide), { ...PENDING, paymentFlow: 'HYBRID', promoCode: 'OFF10' })
  await service.post('/sandbox/bank/script', JSON.stringify({ mid: MID, orderId: 'FLIGHT', call: 'cancel', outcomes: ['declined'] }))
  await cancelAttempt(service.ports, { mid: MID, orderId: 'FLIGHT', attempt: 1 })
  await initiated(service, subscription('MANDATE', { subscriptionStartDate: '2026-08-01' }))
  await createOrder(service, 'RECURRING', { requestType: 'SUBSCRIPTION' })
  await tasks.runDue()
}

/** Four mandates: one pays its first week at once and goes on, one has no money, one is paused and one has ended. */
async function makeMandates(service: Service) {
  const weekly = {
    txnAmount: { value: '200.00', currency: 'INR' },
    renewalAmount: '200.00',
    subscriptionFrequencyUnit: 'WEEK',
    subscriptionRetryCount: '1',
  }
  await consented(service, 'WEEKLY', weekly)
  await consented(service, 'FAILING', { ...weekly, payerAccount: 'debit-insufficient@upi' })
  const paused = await consented(service, 'PAUSED', weekly)
  await consented(service, 'OVER', { ...weekly, subscriptionExpiryDate: '2026-06-23' })
  await moveTo(service, '2026-06-23 12:00:00')
  await manage(service, '/subscription/subscription/status/modify', { subsId: paused.subscriptionId, status: 'SUSPENDED' })
  await moveTo(service, '2026-06-28 12:00:00')
}
export const subscriptionOf = (orderId: string) => anyOf('subscriptions', 'subscription_id', `order_id = '${orderId}'`)
/** A condition for the rows of a mandate's cycle with this number. */
export const cycleOf = (orderId: string, number: number) => `subscription_id = ${subscriptionOf(orderId)} and number = ${number}`
/** A condition for the attempts at it. */
export const ofCycle = (orderId: string, number: number) =>
  `collection_id = ${anyOf('collections', 'collection_id', cycleOf(orderId, number))}`

/** An alteration, and the invariants that it must be found to break: `id` alone, unless `also` has more. */
export interface Tampering {
  id: string
  /** Tables that first lose their keys, indexes and CHECKs, as in a database that was repaired by hand. */
  loses?: readonly string[]
  does: readonly string[]
  /** Other invariants that the same row breaks. */
  also?: readonly string[]
}
export const anyOf = (table: string, id: string, where: string) => `(select min(${id}) from ${table} where ${where})`
export const ofOrder = (orderId: string) => anyOf('transactions', 'txn_id', `order_id = '${orderId}' and status = 'SUCCESS'`)
export const paid = ofOrder('MODIFIED')
export const twin = (table: string, where: string) => `insert into ${table} select * from ${table} where ${where}`

/** Alters, checks all invariants or one, and rolls back. */
export async function named(service: Service, { loses = [], does }: Pick<Tampering, 'loses' | 'does'>, id?: string): Promise<string[]> {
  const asked = id === undefined ? invariants : invariants.filter((one) => one.id === id)
  const { databaseUrl, dataFolder } = service.place
  const statements = [
    ...loses.flatMap((table) => [
      `create table copied as select * from ${table}`,
      `drop table ${table}`,
      `alter table copied rename to ${table}`,
    ]),
    ...does,
  ]
  const look = async (run: (statement: string) => Promise<Found[]>, snapshot: Omit<Snapshot, 'ask'>) => {
    try {
      for (const statement of statements) await run(statement)
      const verdicts = await judge({ ...snapshot, ask: run }, asked)
      return verdicts.filter(({ breaches }) => breaches > 0).map(({ id }) => id)
    } finally {
      await run('rollback')
    }
  }
  if (!databaseUrl) {
    const database = new DatabaseSync(join(dataFolder, 'mohur.sqlite'), { timeout: 5_000 })
    try {
      database.exec('begin immediate')
      return await look(async (statement) => database.prepare(statement).all() as Found[], { engine: 'sqlite' })
    } finally {
      database.close()
    }
  }
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query('begin')
    return await look(async (statement) => (await client.query(statement)).rows, { engine: 'postgres' })
  } finally {
    await client.end()
  }
}
