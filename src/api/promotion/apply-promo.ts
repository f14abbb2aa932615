// How Apply Promo crosses the wire: docs/interface.md section 4.4. Credentials become facts, card numbers lose their middle.

import type { Static } from 'typebox'
import { applyPromo, reply, wire } from '../../domain/promotion/apply-promo.ts'
import { knownCard } from '../../domain/transaction/instrument.ts'
import { dateInIndia } from '../../engine/clock.ts'
import type { Reply } from '../../engine/decision.ts'
import { counting, type RateLimit } from '../../http/rate-limit.ts'
import { replyBody, versionOf } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { applyPromo as codes } from '../../interface/result-codes.ts'
import { BIN_DIGITS, type Reference } from '../../reference/reference.ts'
import { withoutCardNumbers } from '../card/without-card-numbers.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { promo } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { tokenHash } from '../signin/sign-in-client.ts'
import { requestIdOf } from './request-id.ts'

const REQUEST_ID_BYTES = 16

/** The ceiling keeps a visitor with an access token from trying every text until a hidden code answers. */
const route = (wrongCodes: RateLimit): EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof applyPromo.codes)['success']> => ({
  wire,
  translate: ({ head, body }) => ({ head, body: withoutCardNumbers(body) }),
  async perform({ query, head, body, bodyText }, ports) {
    const { query: rows, clock, merchantKeys, promotions, reference } = ports
    const now = clock.now()
    const today = dateInIndia(now)
    const credential =
      head.tokenType === 'ACCESS'
        ? { tokenType: head.tokenType, referenceId: query['referenceId']!, tokenHash: tokenHash(ports, 'accessToken', head.token) }
        : { tokenType: head.tokenType, signature: await merchantKeys.check(body.mid, head.clientId, bodyText, head.token) }
    const counts = credential.tokenType === 'ACCESS' && body.promocode?.trim() ? ([[wrongCodes, credential.tokenHash]] as const) : []
    const answer = async () =>
      applyPromo.answer(
        { request: withBanksOfCards(body, reference), credential, promotions: await promotions.on(body.mid, today), today, now },
        rows,
      )
    return counting(counts, answer, isWrongCode)
  },
  render: (reply, asked, { clock, fresh }) => ({
    head: {
      requestId: requestIdOf(asked) ?? fresh.hex(REQUEST_ID_BYTES),
      responseTimestamp: String(clock.now()),
      version: versionOf(asked),
    },
    body: replyBody(reply),
  }),
})

const isWrongCode = ({ result, body }: Reply) =>
  result.name === 'success' && (body as Static<typeof reply>).paymentOffers.offerBreakup[0]?.promocodeApplied === undefined

/** A payment uses the bank that the card's first digits name. So the offer that is shown before the payment uses that bank too. */
const withBanksOfCards = (body: Static<typeof wire.body>, reference: Reference): typeof body => ({
  ...body,
  paymentOptions: body.paymentOptions.map((option) => {
    const bankCode = option.cardNo === undefined ? undefined : knownCard(option.cardNo.slice(0, BIN_DIGITS), reference)?.bank
    return bankCode === undefined ? option : { ...option, bankCode }
  }),
})

export const operation: Descriptor = {
  name: 'applyPromo',
  section: '4.4',
  resource: 'promotion',
  method: 'POST',
  paths: ['/theia/api/v2/applyPromo'],
  browser: true,
  codes,
  credentials: [['accessToken'], ['checksum']],
  hasCeiling: true,
  signs: {},
  wire,
  reply,
  form: promo,
  sample: {
    query: { mid: sample.mid },
    head: { channelId: 'WEB', ...sample.checksum },
    body: {
      ...{ mid: sample.mid, promocode: 'CARD10', totalTransactionAmount: '499.00' },
      paymentOptions: [{ transactionAmount: '499.00', payMethod: 'CREDIT_CARD', cardNo: '41111111' }],
    },
  },
  handler: ({ ports, promocodes }) => envelopeHandler(route(promocodes), ports),
}
