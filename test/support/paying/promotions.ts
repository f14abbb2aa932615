// A world of promotions, and requests for them.

import type { Store } from '../../../src/engine/store.ts'
import { sign } from '../../../src/interface/checksum.ts'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import { lock, type Row } from '../../../src/tables/tables.ts'
import { KEY, MID, type Reply, type Service } from '../run/service.ts'

export const OTHER_MID = 'OTHER000000000000001'
export const OTHER_KEY = 'BCDEFGHIJKLMNOPQ'
/** A merchant whose promotions have all ended or not begun. */
export const IDLE_MID = 'IDLE0000000000000001'

export type GivenPromotion = NonNullable<World['promotions']>[number]

/** The demo merchant has only the given promotions. The other merchant has one offer, and the idle one has none today. */
export const promotionWorld = (promotions: readonly (Partial<GivenPromotion> & { promocode: string })[]): World => ({
  ...demoWorld,
  merchants: [
    ...demoWorld.merchants!,
    { mid: OTHER_MID, keys: [{ clientId: 'C11', key: OTHER_KEY }] },
    { mid: IDLE_MID, keys: [{ clientId: 'C11', key: KEY }] },
  ],
  promotions: [
    ...promotions.map((given) => ({ mid: MID, ...given })),
    { mid: OTHER_MID, promocode: 'OTHERS', flat: '1.00' },
    { mid: IDLE_MID, promocode: 'ENDED', flat: '1.00', validUpto: '2026-06-14' },
    { mid: IDLE_MID, promocode: 'NOTBEGUN', flat: '1.00', validFrom: '2026-06-16' },
  ],
})

/** A request before it is signed and written. Undefined members are left out. */
export interface Asked {
  query: Record<string, string | undefined>
  head: Record<string, unknown>
  body: Record<string, unknown>
  key: string
}

export const promoAsked = (more: Partial<Asked> = {}): Asked => ({
  query: { mid: MID },
  head: { channelId: 'WEB', tokenType: 'CHECKSUM' },
  body: {
    mid: MID,
    paymentOptions: [{ transactionAmount: '1000.00', payMethod: 'CREDIT_CARD' }],
    totalTransactionAmount: '1000.00',
  },
  key: KEY,
  ...more,
})

export const tokenAsked = (referenceId: string): Asked => ({
  query: { mid: MID, referenceId },
  head: { tokenType: 'CHECKSUM' },
  body: { mid: MID, referenceId },
  key: KEY,
})

/** Sends the request. `head.token` is the signature over the body, unless the request has one, or leaves it out with null. */
export function send({ post }: Service, path: string, { query, head, body, key }: Asked): Promise<Reply> {
  const bodyText = JSON.stringify(body)
  const token = head['token'] === undefined ? sign(bodyText, key, 'a+/9') : head['token']
  const parameters = new URLSearchParams(Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined))
  return post(`${path}?${parameters}`, `{"head":${JSON.stringify({ ...head, token })},"body":${bodyText}}`)
}

export const APPLY = '/theia/api/v2/applyPromo'
export const TOKEN = '/theia/api/v1/token/create'
export const apply = (service: Service, asked: Asked) => send(service, APPLY, asked)

/** The demo merchant's reply to a body that differs from the usual one. */
export const applied = async (service: Service, body: object = {}) => {
  const asked = promoAsked()
  const reply = await apply(service, { ...asked, body: { ...asked.body, ...body } })
  return { ...reply, offers: reply.body.paymentOffers, breakup: reply.body.paymentOffers?.offerBreakup?.[0] }
}

export async function accessTokenOf(service: Service, referenceId: string): Promise<string> {
  return (await send(service, TOKEN, tokenAsked(referenceId))).body.accessToken
}

/** Writes counters as payments leave them. */
export async function count(store: Store, ...counters: Omit<Row<'promotionCounters'>, 'mid'>[]) {
  await store.transaction((transaction) =>
    transaction.write({
      changes: counters.map((counter) => ({
        kind: 'insert',
        key: lock('promotionCounters', MID, counter.promocode, counter.custId),
        row: { mid: MID, ...counter },
      })),
      events: [],
      tasks: [],
    }),
  )
}
