// Rows of active subscriptions, in the states that later moves and cycles leave. Tests pass what they are about.

import { collectionIdOf } from '../../../src/domain/subscription/collection/collection.ts'
import { dayEnds } from '../../../src/engine/clock.ts'
import { collectionKey, orderKey, subscriptionKey, transactionKey } from '../../../src/tables/keys.ts'
import type { Row } from '../../../src/tables/tables.ts'
import { MID, type Reply, type Service } from '../run/service.ts'
import { type Body, initiated, subscription, TODAY } from './subscription.ts'

/** The columns that a consent by UPI leaves. */
export const CONSENTED = {
  status: 'ACTIVE',
  subStatus: 'ACTIVE',
  version: 2,
  paymentMode: 'UPI',
  consentedAt: Date.parse('2026-06-15T10:00:00+05:30'),
  mandate: { instrument: { vpa: 'asha@upi' } },
} as const satisfies Partial<Row<'subscriptions'>>

const write = (
  { store }: Service,
  change: Parameters<Parameters<Parameters<Service['store']['transaction']>[0]>[0]['write']>[0]['changes'][number],
) => store.transaction((transaction) => transaction.write({ changes: [change], events: [], tasks: [] }))

export async function setSubscription(service: Service, subscriptionId: string, more: Partial<Row<'subscriptions'>>) {
  const key = subscriptionKey(MID, subscriptionId)
  await write(service, { kind: 'update', key, row: { ...(await service.ports.query.row(key))!, ...more } })
}

/** A subscription with its customer's consent. `more` changes its request, `row` the row afterwards. */
export async function consented(
  service: Service,
  orderId: string,
  more: object = {},
  row: Partial<Row<'subscriptions'>> = {},
): Promise<string> {
  const subscriptionId = await initiated(service, subscription(orderId, more))
  await setSubscription(service, subscriptionId, { ...CONSENTED, ...row })
  return subscriptionId
}

/** A monthly cycle of at most ₹100 that is due today, unless `more` changes it. */
export const cycle = (subscriptionId: string, more: Partial<Row<'collections'>> = {}): Row<'collections'> => {
  const dueDate = more.dueDate ?? TODAY
  const windowTo = more.windowTo ?? dueDate
  const at = Date.parse(`${TODAY}T00:00:00+05:30`)
  return {
    ...{ mid: MID, collectionId: collectionIdOf(subscriptionId, dueDate), version: 1, subscriptionId, dueDate, number: 0 },
    ...{ status: 'SCHEDULED', windowFrom: dueDate, windowTo, rail: 'UPI', amountType: 'VARIABLE', amountPaise: null, maxPaise: 100_00 },
    ...{ attempts: 0, attemptsMax: 3, noticeNeeded: true, notices: 0, noticedAt: null, noticedPaise: null, authentication: 'NONE' },
    unwanted: 'NO',
    ...{ orderId: null, txnId: null, sentAt: null, nextAt: dayEnds(windowTo), createdAt: at, updatedAt: at },
    ...more,
  }
}

export async function addCycle(
  service: Service,
  subscriptionId: string,
  more: Partial<Row<'collections'>> = {},
): Promise<Row<'collections'>> {
  const row = cycle(subscriptionId, more)
  await write(service, { kind: 'insert', key: collectionKey(MID, row.collectionId), row })
  return row
}

export const cycleRow = ({ ports }: Service, { collectionId }: Pick<Row<'collections'>, 'collectionId'>) =>
  ports.query.row(collectionKey(MID, collectionId))
export const subscriptionRow = ({ ports }: Service, subscriptionId: string) => ports.query.row(subscriptionKey(MID, subscriptionId))
export const orderRow = ({ ports }: Service, orderId: string) => ports.query.row(orderKey(MID, orderId))
export const transactionRow = ({ ports }: Service, txnId: string) => ports.query.row(transactionKey(MID, txnId))

/** Sends an operation of the subscription family as the published clients do. */
export const manage = (
  { signed }: Service,
  path: string,
  body: Body,
  { head, ...options }: NonNullable<Parameters<Service['signed']>[2]> = {},
): Promise<Reply> => signed(path, { mid: MID, ...body }, { head: { tokenType: 'AES', ...head }, ...options })
