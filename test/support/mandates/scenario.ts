// The stage of scenarios: a service, a merchant's server that keeps every notification, and the whole life of one mandate as all parties
// saw it. A scenario compares events with an exact list.

import assert from 'node:assert/strict'
import { after } from 'node:test'
import { dateTimeInIndia } from '../../../src/engine/clock.ts'
import { toRupees } from '../../../src/interface/money.ts'
import { collectionKey, subscriptionKey } from '../../../src/tables/keys.ts'
import { find, type Row } from '../../../src/tables/tables.ts'
import { notifiedWorld, type Received, read, receiver } from '../notifications/receiver.ts'
import { bankJournal } from '../paying/paying.ts'
import { MID, type Service, type StoreName, startService } from '../run/service.ts'
import { inbox } from '../signin/signin.ts'
import { consented as agreed, type Consent, events } from './timeline.ts'

export const rupees = (value: string) => ({ value, currency: 'INR' })

export interface Mandate {
  subscriptionId: string
  orderId: string
  txnToken: string
  /** The payer's number, which no other mandate has. */
  mobile: string
}

export interface Stage extends Service {
  heard: readonly Received[]
  /** A mandate that Mohur collects, and whose payer is notified of everything. */
  consented(orderId: string, consent: Consent): Promise<Mandate>
}

/** One service for all the tests of a `describe`. Its clock only goes forward. */
export function stage(store: StoreName): () => Promise<Stage> {
  let opened: Promise<{ service: Service; heard: readonly Received[]; close(): void }> | undefined
  after(async () => {
    const { service, close } = (await opened) ?? {}
    await service?.close()
    close?.()
  })
  const open = async () => {
    const { journal: heard, url, close } = await receiver(undefined, { endsWithTest: false })
    return { service: await startService(store, { world: notifiedWorld(`${url}/merchant`, 'json') }), heard, close }
  }
  let mobile = 9_810_000_000
  return async () => {
    opened ??= open()
    const { service, heard } = await opened
    return {
      ...service,
      heard,
      async consented(orderId, consent) {
        const own = String(mobile++)
        const userInfo = { custId: 'C1', mobile: own }
        return { ...(await agreed(service, orderId, { userInfo, communicationManager: true, ...consent })), mobile: own }
      },
    }
  }
}

/** A mandate's life: its events and its cycles', the bank's work, and the notifications of merchant and payer. */
export interface Life {
  events: string[]
  bank: string[]
  merchant: string[]
  payer: string[]
}

export async function lifeOf(
  stage: Stage,
  { subscriptionId, mobile }: Pick<Mandate, 'subscriptionId'> & { mobile?: string },
): Promise<Life> {
  await stage.tasks.runDue()
  return {
    events: await events(stage, subscriptionId),
    bank: await bankOf(stage, subscriptionId),
    merchant: heardOf(stage, subscriptionId),
    payer: mobile === undefined ? [] : await reportedOf(stage, mobile),
  }
}

export async function assertLife(stage: Stage, mandate: Pick<Mandate, 'subscriptionId'> & { mobile?: string }, expected: Life) {
  assert.deepEqual(await lifeOf(stage, mandate), expected)
}

/** `at kind outcome rupees`: every line about the mandate, its first payment and their refunds. */
async function bankOf(stage: Service, subscriptionId: string): Promise<string[]> {
  const orders = await stage.ports.query.rows(find('orders', { equals: { mid: MID, subscriptionId }, limit: 100 }))
  const transactions = await Promise.all(
    orders.map(({ orderId }) => stage.ports.query.rows(find('transactions', { equals: { mid: MID, orderId }, limit: 10 }))),
  )
  const ids = transactions.flat().map(({ txnId }) => txnId)
  const lines = await bankJournal(stage)
  return lines
    .filter(({ key }) => key.includes(`:${subscriptionId}:`) || ids.some((txnId) => key.includes(txnId)))
    .map(({ at, kind, outcome, amountPaise }) => `${dateTimeInIndia(Date.parse(at))} ${kind} ${outcome} ${toRupees(amountPaise)}`)
    .sort() // lines of one instant have no order
}

/** `txnType status orderId`, with S for the subscription's id. */
function heardOf({ heard }: Stage, subscriptionId: string): string[] {
  const reported = heard.map((received) => {
    const notification = read(received)
    assert.notEqual(typeof notification, 'string', String(notification))
    return (notification as { fields: Record<string, string> }).fields
  })
  return reported
    .filter((fields) => fields['subscriptionId'] === subscriptionId)
    .map(({ txnType, status, orderId }) => `${txnType} ${status} ${orderId!.replace(subscriptionId, 'S')}`)
}

/** `at kind: text`, without the common end of every text. Leaves out codes for signing in. */
const reportedOf = async (stage: Service, mobile: string) =>
  (await inbox(stage, mobile))
    .filter(({ kind }) => kind !== 'otp')
    .map(({ at, kind, text }) => `${dateTimeInIndia(Date.parse(at))} ${kind}: ${text.replace(/ Ref .*$/, '')}`)
    .sort()

/** Renew Subscription for ₹499, the amount of most mandates here, unless `more` changes it. */
export const renew = ({ signed }: Service, { subscriptionId }: Pick<Mandate, 'subscriptionId'>, orderId: string, more: object = {}) =>
  signed(`/subscription/renew?mid=${MID}&orderId=${orderId}`, {
    ...{ mid: MID, orderId, subscriptionId, txnAmount: rupees('499.00') },
    ...more,
  })
export const payer = (service: Service, { subscriptionId }: Pick<Mandate, 'subscriptionId'>, action: string, more: object = {}) =>
  service.post('/sandbox/payer', JSON.stringify({ mid: MID, subscriptionId, action, ...more }))
export const scripted = async (service: Service, { subscriptionId }: Pick<Mandate, 'subscriptionId'>, call: string, outcomes: string[]) =>
  assert.equal((await service.post('/sandbox/bank/script', JSON.stringify({ mid: MID, subscriptionId, call, outcomes }))).status, 200)

export const subscriptionOf = async ({ ports }: Service, { subscriptionId }: Pick<Mandate, 'subscriptionId'>) =>
  (await ports.query.row(subscriptionKey(MID, subscriptionId)))!
export const cycleOf = async (
  { ports }: Service,
  { subscriptionId }: Pick<Mandate, 'subscriptionId'>,
  day: string,
): Promise<Row<'collections'>> => (await ports.query.row(collectionKey(MID, `${subscriptionId}.${day}`)))!
