// How Process Transaction crosses the wire: docs/interface.md section 4.10. The payment itself is in flows/pay.ts.

import { type processTransaction, wire } from '../../domain/transaction/process-transaction.ts'
import { payablePaise } from '../../domain/transaction/transaction.ts'
import type { Reply } from '../../engine/decision.ts'
import { type Attempt, type Paid, pay } from '../../flows/pay.ts'
import type { Ports } from '../../flows/ports.ts'
import { counting, type RateLimit } from '../../http/rate-limit.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { toRupees } from '../../interface/money.ts'
import { pagePaths } from '../../interface/page-paths.ts'
import { processTransaction as codes } from '../../interface/result-codes.ts'
import { edited, type Schema, text, withValues } from '../kit/as-sent.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { signed } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { reply, tellPayment, translatePayment } from './payment-wire.ts'

type Code = (typeof processTransaction.codes)['success']
type Route = EnvelopeRoute<typeof wire.head, typeof wire.body, Code>

/** The ceiling keeps a payer from trying every text until a hidden offer's code answers. Throws TooManyRequests beyond it. */
export const countingCodes = <T extends object>(
  wrongCodes: RateLimit,
  { promoCode, txnTokenHash }: { promoCode: string | undefined; txnTokenHash: string },
  work: () => Promise<T>,
): Promise<T> =>
  counting(
    promoCode === undefined ? [] : [[wrongCodes, txnTokenHash]],
    work,
    (tried) => 'refusal' in tried && (tried.refusal as Reply).cause === 'noSuchOffer',
  )

const route = (wrongCodes: RateLimit): Route => ({
  wire,
  translate: translatePayment,
  async perform({ head, body, aside }, ports): Promise<Reply> {
    const by = { txnTokenHash: ports.vault.hash('txnToken', head.txnToken) }
    const tried = await countingCodes(wrongCodes, { promoCode: body.promoCode, ...by }, () =>
      pay(ports, { request: body, by, card: aside as Attempt['card'] }),
    )
    if ('refusal' in tried) return tried.refusal
    const { body: members, ...reply } = await tellPayment(tried.paid, ports)
    return { ...reply, body: { ...members, ...waitingPage(tried.paid, head, ports) } }
  },
  render: renderSigned,
})

/** When the payer only has to approve in a UPI app, a browser may wait on Mohur's page: the head's `channelId` is WEB or WAP. */
function waitingPage({ transaction }: Paid, { channelId, txnToken }: { channelId?: string; txnToken: string }, { publicUrl }: Ports) {
  const { mid, orderId, txnId, next, instrument } = transaction
  if (next?.kind !== 'collect' || (channelId !== 'WEB' && channelId !== 'WAP')) return {}
  const actionUrl = `${publicUrl()}${pagePaths.upiPollPage}?${new URLSearchParams({ mid, orderId })}`
  const txnAmount = toRupees(payablePaise(transaction))
  const content = { CHANNEL: channelId, externalSrNo: txnId, payerVpa: instrument.vpa ?? '', txnAmount, txnToken }
  return { bankForm: { redirectForm: { actionUrl, method: 'post', headers: {}, content } } }
}

/** The card may also be an object with a saved card's id. */
const cardInfo: Schema = {
  oneOf: [
    { type: 'string', pattern: '^[^|]*\\|[^|]*\\|[^|]*\\|[^|]*$' },
    {
      type: 'object',
      properties: { cardUniqueId: text, cvv: text, expiryMonth: text, expiryYear: text },
      required: ['cardUniqueId', 'cvv'],
    },
  ],
}

export const operation: Descriptor = {
  name: 'processTransaction',
  section: '4.10',
  resource: 'transaction',
  method: 'POST',
  paths: [pagePaths.payByForm, '/aoa-acquiring-biz/v2/pay'],
  writes: true,
  browser: true,
  byOrder: true,
  codes,
  credentials: [['txnToken']],
  wire,
  asSent: (sent) => edited(sent, { cardInfo: () => cardInfo, paymentMode: withValues('WALLET') }),
  reply,
  form: signed,
  answers: ['success', 'failed'],
  hasCeiling: true,
  sample: { ...sample.byToken, body: { ...sample.order, paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' } },
  handler: ({ ports, promocodes }) => envelopeHandler(route(promocodes), ports),
}
