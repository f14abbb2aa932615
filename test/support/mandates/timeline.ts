// Subscriptions with their customer's consent, and their events by the clock.

import assert from 'node:assert/strict'
import { dateTimeInIndia } from '../../../src/engine/clock.ts'
import { toRupees } from '../../../src/interface/money.ts'
import { find } from '../../../src/tables/tables.ts'
import { bankJournal, pay } from '../paying/paying.ts'
import { MID, type Service } from '../run/service.ts'
import { initiate, subscription } from './subscription.ts'

export const at = (text: string) => Date.parse(`${text.replace(' ', 'T')}+05:30`)

/** Moves business time, and runs all work that becomes due on the way. */
export async function moveTo(service: Service, text: string) {
  await service.tasks.advance(at(text), async (instant) => service.clock.advance(Math.max(0, instant - service.clock.now())))
}

export interface Consent extends Record<string, unknown> {
  payerAccount?: string
  card?: string
  /** The payer whose SSO token the terms hold pays by wallet. */
  byWallet?: boolean
}

/** A subscription that Mohur collects, active by its first payment. */
export async function consented(service: Service, orderId: string, { payerAccount = 'success@upi', card, byWallet, ...more }: Consent) {
  const body = subscription(orderId, {
    subscriptionAmountType: 'FIX',
    subscriptionMaxAmount: undefined,
    autoRenewal: true,
    autoRetry: true,
    ...more,
  })
  const reply = await initiate(service, body)
  assert.equal(reply.body.resultInfo.resultCode, '0000', reply.text)
  const { subscriptionId, txnToken } = reply.body as { subscriptionId: string; txnToken: string }
  const cardInfo = `|${card}|123|122032`
  const means = byWallet
    ? { paymentMode: 'BALANCE' }
    : card
      ? { paymentMode: 'CREDIT_CARD', cardInfo }
      : { paymentMode: 'UPI', payerAccount }
  const paid = await pay(service, { orderId, txnToken }, means)
  assert.equal(paid.body.resultInfo.resultStatus, 'S', paid.text)
  return { subscriptionId, orderId, txnToken }
}

/** `at what` for the subscription and its cycles, in order. In one instant the subscription comes first, then its cycles by day. */
export async function events(service: Service, subscriptionId: string): Promise<string[]> {
  const rows = await service.ports.query.rows(find('events', { equals: { owner: MID }, limit: 100_000 }))
  const own = rows.filter(
    ({ id, aggregate, type }) =>
      (id === subscriptionId || id.startsWith(`${subscriptionId}.`)) && aggregate !== 'link' && type !== 'subscription.created',
  )
  own.sort(
    (a, b) =>
      a.at - b.at ||
      Number(a.aggregate === 'collection') - Number(b.aggregate === 'collection') ||
      (a.id < b.id ? -1 : a.id > b.id ? 1 : a.version - b.version),
  )
  return own.map(({ at, id, type }) =>
    [dateTimeInIndia(at), ...(id === subscriptionId ? [] : [id.slice(id.indexOf('.') + 1)]), type].join(' '),
  )
}
/** The bank's work on the mandate, in order. */
export async function journal(service: Service, subscriptionId: string): Promise<string[]> {
  const lines = await bankJournal(service)
  return lines
    .filter(({ key, kind }) => key.includes(`:${subscriptionId}:`) && kind !== ('mandate' as string))
    .map(({ at, kind, outcome, amountPaise }) => `${dateTimeInIndia(Date.parse(at))} ${kind} ${outcome} ${toRupees(amountPaise)}`)
}
