// What staff do about an order, a payment or a refund: ask the bank now, close the order. Each runs the operation that the interface or a
// command runs.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { closeOrder } from '../../domain/order/close-order.ts'
import { recheckRefund } from '../../domain/refund/recheck-refund.ts'
import { mayBeAskedAbout } from '../../domain/transaction/recheck-transaction.ts'
import { askPayment } from '../../flows/ask-payment.ts'
import { html, type Part } from '../../pages/html.ts'
import type { Form } from '../../pages/kit/forms.ts'
import { look, type Row } from '../../tables/tables.ts'
import { portsOf, reasonOf } from '../kit/acting.ts'
import {
  actionForm,
  carriedMerchant,
  forSameMerchant,
  leadBack,
  requireSameMerchant,
  rowButton,
  rowsForm,
  versionIn,
} from '../kit/action-form.ts'
import { ConsoleError } from '../kit/console-error.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { CONSOLE } from '../kit/sheet.ts'
import { orderAddress, paymentAddress, stateOf } from './addresses.ts'

type Named = { Params: { mid: string; id: string } }

export function addOrderActions(scope: FastifyInstance, parts: ConsoleParts) {
  const admitted = { config: { admits: 'orders' } } as const
  scope.post<Named>(`${CONSOLE}/payments/:mid/:id/ask`, admitted, (request, reply) => askOfPayment(request, reply, parts))
  scope.post<Named>(`${CONSOLE}/refunds/:mid/:id/ask`, admitted, (request, reply) => askOfRefund(request, reply, parts))
  scope.post<Named>(`${CONSOLE}/orders/:mid/:id/close`, admitted, (request, reply) => close(request, reply, parts))
}

/** The row that a form is about. A foreign merchant's row is as unknown as one that does not exist. */
async function rowOf<T extends 'orders' | 'transactions' | 'refunds'>(
  table: T,
  { viewer, params: { mid, id } }: FastifyRequest<Named>,
  { ports }: ConsoleParts,
): Promise<Row<T>> {
  const row = viewer!.sees(mid) ? await ports.query.row(look(table, mid, id)) : undefined
  if (!row) throw new ConsoleError('unknown')
  return row as Row<T>
}

const standsAt = (what: string, status: string): Part => html`The ${what} is now: ${stateOf(status)}.`

// ------------------------------------------------------------------------------------------------------------ asking the bank

async function askOfPayment(request: FastifyRequest<Named>, reply: FastifyReply, parts: ConsoleParts) {
  const { mid, txnId } = await rowOf('transactions', request, parts)
  const reason = reasonOf(request.body as Form)
  requireBank(parts)
  const ports = portsOf(request, parts, { action: 'payment.ask', mid, subject: `transaction:${txnId}`, reason })
  const asked = await ports.follow(askPayment(ports, { mid, txnId }))
  switch (asked) {
    case 'asked':
    case 'debit':
      return leadBack(reply, paymentAddress(mid, txnId), asked === 'debit' ? 'debitAsked' : 'asked')
    case 'busy':
      throw new ConsoleError('changed', BUSY)
    case 'ended':
    case 'unknown':
      throw new ConsoleError('changed', standsAt('payment', (await rowOf('transactions', request, parts)).status))
    default:
      return asked satisfies never
  }
}
const BUSY = 'Another process is asking the bank now.'
const SENDING = 'No call about this refund has had an answer yet. "What happens next" says when the service calls the bank.'

/** Production may have payments and no bank: the operator has disconnected it. */
function requireBank({ ports }: ConsoleParts) {
  try {
    ports.acquirer()
  } catch {
    throw new ConsoleError('noBank')
  }
}

async function askOfRefund(request: FastifyRequest<Named>, reply: FastifyReply, parts: ConsoleParts) {
  const { mid, refId, txnId, refundId } = await rowOf('refunds', request, parts)
  const reason = reasonOf(request.body as Form)
  requireBank(parts)
  const { engine, clock } = portsOf(request, parts, {
    ...{ action: 'refund.ask', mid, subject: `transaction:${txnId}`, data: { refundId }, reason },
  })
  const { result } = await engine.submit(recheckRefund, { mid, refId, now: clock.now(), realNow: clock.realNow() })
  if (result.name === 'asking') return leadBack(reply, paymentAddress(mid, txnId), 'refundAsked')
  if (result.name === 'busy') throw new ConsoleError('changed', BUSY)
  if (result.name === 'sending') throw new ConsoleError('changed', SENDING)
  const { status } = await rowOf('refunds', request, parts)
  throw new ConsoleError('changed', standsAt('refund', status === 'SUCCESS' ? 'done' : status))
}

// ---------------------------------------------------------------------------------------------------------- closing the order

async function close(request: FastifyRequest<Named>, reply: FastifyReply, parts: ConsoleParts) {
  const { mid, orderId } = await rowOf('orders', request, parts)
  const form = request.body as Form
  const [reason, version] = [reasonOf(form), versionIn(form)]
  const { engine, clock } = portsOf(request, parts, { action: 'order.close', mid, subject: `order:${orderId}`, reason })
  const command = { request: { requestType: 'CLOSE', mid, orderId }, caller: { signature: 'valid' }, version, now: clock.now() } as const
  const done = await engine.submit(forSameMerchant(closeOrder, mid, form), command)
  requireSameMerchant(done)
  const { result } = done
  if (result.name === 'success') return leadBack(reply, orderAddress(mid, orderId), 'orderClosed')
  const { status } = await rowOf('orders', request, parts)
  const sent = result.name === 'transactionInProcess' && html` Its debit was sent, and only the bank can end it.`
  throw new ConsoleError('changed', html`${standsAt('order', status)}${sent}`)
}

// --------------------------------------------------------------------------------------------------------------------- forms

interface Acted {
  order: Row<'orders'>
  /** The payment that the page is about. Undefined when the page is about the order. */
  payment: Row<'transactions'> | undefined
  merchant: Row<'merchants'> | undefined
}

/** The forms of a page about an order or a payment. */
export function orderActions(viewer: Viewer, { order, payment, merchant }: Acted): Part {
  if (!viewer.may('orders')) return undefined
  if (payment) {
    const at = `${paymentAddress(payment.mid, payment.txnId)}/ask`
    return mayBeAskedAbout(payment) && section('Ask the bank', actionForm(viewer, { id: 'ask', at, says: 'Ask the bank now' }))
  }
  if (order.status === 'PAID' || order.status === 'CLOSED') return undefined
  const carries = { version: order.version, ...carriedMerchant(merchant) }
  const at = `${orderAddress(order.mid, order.orderId)}/close`
  return section('Close the order', actionForm(viewer, { id: 'close', at, says: 'Close the order', carries }))
}

const section = (title: string, form: Part) => html`<section class="card"><h2>${title}</h2>${form}</section>`

const ASK_REFUND = 'ask-refund'
const ASKABLE_MAX = 20 // Mohur's choice: on one page about an order, whose size is bounded (docs/console.md)
type Refund = Pick<Row<'refunds'>, 'mid' | 'refId' | 'status'>

/** Refunds of a portion that have a button. The list of refunds has one for each. */
export const askable = (refunds: readonly Refund[]): ReadonlySet<string> =>
  new Set(
    refunds
      .filter(({ status }) => status === 'PENDING')
      .slice(0, ASKABLE_MAX)
      .map(({ refId }) => refId),
  )

/** The form that the buttons of pending refunds belong to. */
export const askRefundForm = (viewer: Viewer, refunds: readonly Refund[]): Part =>
  viewer.may('orders') && refunds.some(({ status }) => status === 'PENDING') && rowsForm(viewer, { id: ASK_REFUND })

export const askRefundButton = ({ mid, refId, status }: Refund): Part =>
  status === 'PENDING' &&
  rowButton({
    ...{ id: ASK_REFUND, says: 'Ask the bank', about: `about ${refId}` },
    at: `${CONSOLE}/refunds/${encodeURIComponent(mid)}/${encodeURIComponent(refId)}/ask`,
  })
