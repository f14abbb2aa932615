// How Apply Promo and Create Access Token cross the wire: credentials become facts, card numbers lose their middle.

import type { Static } from 'typebox'
import { applyPromo, wire as applyPromoWire } from '../../domain/promotion/apply-promo.ts'
import { createAccessToken, wire as createAccessTokenWire } from '../../domain/promotion/create-access-token.ts'
import { type FetchAllPaymentOffers, fetchAllPaymentOffers, wire as offersWire } from '../../domain/promotion/fetch-payment-offers.ts'
import { knownCard } from '../../domain/transaction/instrument.ts'
import { dateInIndia } from '../../engine/clock.ts'
import type { Edge } from '../../flows/edge.ts'
import { replyBody, versionOf } from '../../http/render.ts'
import { type Asked, type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import type { Json, JsonObject } from '../../interface/envelope.ts'
import { isObject } from '../../interface/envelope.ts'
import { BIN_DIGITS, type Reference } from '../../reference/reference.ts'
import { ssoTokenHashOf, tokenHash } from '../signin/sign-in-client.ts'

const ACCESS_TOKEN_BYTES = 32
const REQUEST_ID_BYTES = 16
const REQUEST_ID_LENGTH = 255 // docs/interface.md section 8 (Mohur): any other string

const applyPromoRoute: EnvelopeRoute<typeof applyPromoWire.head, typeof applyPromoWire.body, (typeof applyPromo.codes)['success']> = {
  wire: applyPromoWire,
  translate: ({ head, body }) => ({ head, body: withoutCardNumbers(body) }),
  async perform({ query, head, body, bodyText }, edge) {
    const { query: rows, clock, merchantKeys, promotions, reference } = edge
    const now = clock.now()
    const today = dateInIndia(now)
    const credential =
      head.tokenType === 'ACCESS'
        ? { tokenType: head.tokenType, referenceId: query['referenceId']!, tokenHash: tokenHash(edge, 'accessToken', head.token) }
        : { tokenType: head.tokenType, signature: await merchantKeys.check(body.mid, head.clientId, bodyText, head.token) }
    return applyPromo.answer(
      { request: withBanksOfCards(body, reference), credential, promotions: await promotions.on(body.mid, today), today, now },
      rows,
    )
  },
  render: (reply, asked, { clock, fresh }) => ({
    head: {
      requestId: requestIdOf(asked) ?? fresh.hex(REQUEST_ID_BYTES),
      responseTimestamp: String(clock.now()),
      version: versionOf(asked),
    },
    body: replyBody(reply),
  }),
}

/** Counted as the schema counts: by characters, of which some are two code units long. */
const requestIdOf = ({ head: { requestId } }: Asked) =>
  typeof requestId === 'string' && [...requestId].length <= REQUEST_ID_LENGTH ? requestId : undefined

const createAccessTokenRoute: EnvelopeRoute<
  typeof createAccessTokenWire.head,
  typeof createAccessTokenWire.body,
  (typeof createAccessToken.codes)['success']
> = {
  wire: createAccessTokenWire,
  async perform({ head, body, bodyText }, edge) {
    const { engine, clock, fresh, vault, merchantKeys } = edge
    const accessToken = fresh.text(ACCESS_TOKEN_BYTES)
    return engine.submit(createAccessToken, {
      request: body,
      caller: { signature: await merchantKeys.check(body.mid, head.clientId, bodyText, head.token) },
      ssoTokenHash: ssoTokenHashOf(edge, body.svcSsoToken),
      now: clock.now(),
      fresh: { accessToken, tokenHash: vault.hash('accessToken', accessToken) },
    })
  },
  render: (reply, asked, { clock }) => ({
    head: { responseTimestamp: String(clock.now()), version: versionOf(asked) },
    body: replyBody(reply),
  }),
}

type OffersRoute = EnvelopeRoute<typeof offersWire.head, typeof offersWire.body, (typeof fetchAllPaymentOffers.codes)['success']>
const offersRoute: OffersRoute = {
  wire: offersWire,
  async perform({ query, head, body, bodyText }, edge) {
    const { query: rows, clock, merchantKeys, promotions } = edge
    const now = clock.now()
    const credentials: Record<typeof head.tokenType, () => Promise<FetchAllPaymentOffers['credential']>> = {
      CHECKSUM: async () => ({
        tokenType: 'CHECKSUM',
        signature: await merchantKeys.check(body.mid, head.clientId, bodyText, head.token),
      }),
      SSO: async () => ({ tokenType: 'SSO', tokenHash: tokenHash(edge, 'ssoToken', head.token) }),
      ACCESS: async () => ({
        tokenType: 'ACCESS',
        referenceId: query['referenceId']!,
        tokenHash: tokenHash(edge, 'accessToken', head.token),
      }),
    }
    const credential = await credentials[head.tokenType]()
    return fetchAllPaymentOffers.answer(
      { request: body, credential, promotions: await promotions.on(body.mid, dateInIndia(now)), now },
      rows,
    )
  },
  render: (reply, asked, { clock }) => ({
    head: {
      ...(requestIdOf(asked) !== undefined && { requestId: requestIdOf(asked)! }),
      responseTimestamp: String(clock.now()),
      version: versionOf(asked),
    },
    body: replyBody(reply),
  }),
}

// ------------------------------------------------------------------------------------------------------ card numbers

const CARD_NUMBER = /^[0-9]{6,19}$/
const LAST_DIGITS = 4

/** The first eight and the last four digits stay, which is still a card number's form; what has another form leaves nothing behind. */
function cut(cardNo: Json): Json {
  if (typeof cardNo !== 'string' || !CARD_NUMBER.test(cardNo)) return 'not a card number'
  return cardNo.length <= BIN_DIGITS + LAST_DIGITS ? cardNo : cardNo.slice(0, BIN_DIGITS) + cardNo.slice(-LAST_DIGITS)
}

/** A payment goes by the bank that its card's first digits name, and so does what is promised beforehand. */
const withBanksOfCards = (body: Static<typeof applyPromoWire.body>, reference: Reference): typeof body => ({
  ...body,
  paymentOptions: body.paymentOptions.map((option) => {
    const bankCode = option.cardNo === undefined ? undefined : knownCard(option.cardNo.slice(0, BIN_DIGITS), reference)?.bank
    return bankCode === undefined ? option : { ...option, bankCode }
  }),
})

/** Before anything is validated, logged or handed on: a fault keeps the value that it is about. */
export function withoutCardNumbers(body: JsonObject): JsonObject {
  const options = body['paymentOptions']
  if (!Array.isArray(options)) return body
  return {
    ...body,
    paymentOptions: options.map((option) =>
      isObject(option) && option['cardNo'] !== undefined ? { ...option, cardNo: cut(option['cardNo']) } : option,
    ),
  }
}

export const promotionHandlers = (edge: Edge) => ({
  applyPromo: envelopeHandler(applyPromoRoute, edge),
  createAccessToken: envelopeHandler(createAccessTokenRoute, edge),
  fetchAllPaymentOffers: envelopeHandler(offersRoute, edge),
})
