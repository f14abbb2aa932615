// The refund of a payment, on a page of its own: docs/console.md, "Refunds". The decision holds the limits of a person, so that refunds at
// once cannot pass them together.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { REASON_MAX, reasonIn } from '../../domain/audit/reason.ts'
import { isSteppedUp } from '../../domain/operator/operator.ts'
import { refundablePaise } from '../../domain/refund/refund.ts'
import type { Transaction } from '../../domain/transaction/transaction.ts'
import type { Reply } from '../../engine/decision.ts'
import { numberAt } from '../../engine/number-at.ts'
import { ask } from '../../flows/approvals.ts'
import { askForRefund, refIdOf, refundCommand } from '../../flows/ask-for-refund.ts'
import { TEXT_LENGTH } from '../../interface/fields.ts'
import { toRupees, typedPaise } from '../../interface/money.ts'
import { html, type Part } from '../../pages/html.ts'
import { formatRupees } from '../../pages/kit/amounts.ts'
import type { Form } from '../../pages/kit/forms.ts'
import { look } from '../../tables/tables.ts'
import { actorOf, portsOf } from '../kit/acting.ts'
import { ConsoleError } from '../kit/console-error.ts'
import { toStepUp } from '../kit/guard.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { formOf, guarded, sendPage } from '../kit/sheet.ts'
import { approvalAddress, orderAddress, paymentAddress } from './addresses.ts'

const SMALL_PAISE = 2_000_00 // docs/console.md
const COMMENT_MAX = Math.min(REASON_MAX, TEXT_LENGTH) // docs/interface.md section 4.14: the reason is the refund's `comments`
const VERSION = /^[1-9][0-9]{0,8}$/

type Named = { Params: { mid: string; id: string } }

export const refundAddress = (mid: string, txnId: string) => `${paymentAddress(mid, txnId)}/refund`

export function addRefund(scope: FastifyInstance, parts: ConsoleParts) {
  const at = '/console/payments/:mid/:id/refund'
  const admitted = { config: { admits: 'refundSmall' } } as const
  scope.get<Named>(at, admitted, async (request, reply) => {
    const viewer = request.viewer!
    const payment = await paymentOf(parts, viewer, request.params)
    // The form may need the proof, and would be lost by it.
    const mayGrow = payment.capturedPaise > aloneWithoutProof(parts)
    if (viewer.may('refund') && mayGrow && !isProved(parts, viewer)) return toStepUp(request, reply)
    return refundPage(reply, parts, { viewer, payment })
  })
  scope.post<Named>(at, admitted, (request, reply) => refund(request, reply, parts))
}

async function paymentOf({ ports }: ConsoleParts, viewer: Viewer, { mid, id }: Named['Params']): Promise<Transaction> {
  const payment = viewer.sees(mid) ? await ports.query.row(look('transactions', mid, id)) : undefined
  if (!payment) throw new ConsoleError('unknown')
  return payment
}

const isProved = ({ ports }: ConsoleParts, { session }: Viewer) => isSteppedUp(session, ports.clock.realNow())
/** Binds a form's number to its person and payment, so that no other refund takes the number of a request. */
const markOf = ({ ports }: ConsoleParts, { operator }: Viewer, { mid, txnId }: Transaction, formId: string) =>
  ports.vault.hash('refund form', JSON.stringify([operator.operatorId, mid, txnId, formId]))
const aloneWithoutProof = ({ approvals }: ConsoleParts) => Math.min(SMALL_PAISE, approvals.abovePaise)

// ------------------------------------------------------------------------------------------------------------------- form

interface Shown {
  viewer: Viewer
  payment: Transaction
  /** The form as it came. */
  typed?: Typed
  fault?: string
}
interface Typed {
  formId: string
  amount: string
  reason: string
}

function refundPage(reply: FastifyReply, parts: ConsoleParts, { viewer, payment, typed, fault }: Shown) {
  const { mid, txnId, orderId, version, capturedPaise, refundedPaise } = payment
  const leftPaise = refundablePaise(payment)
  const { formId, amount, reason } = typed ?? { formId: numberAt(parts.ports.clock.now(), parts.ports.fresh), amount: '', reason: '' }
  const fields = html`<input type="hidden" name="id" value="${formId}"><input type="hidden" name="mark" value="${markOf(parts, viewer, payment, formId)}"><input type="hidden" name="version" value="${version}">
<label for="amount">Amount (₹)</label><input id="amount" name="amount" inputmode="decimal" maxlength="20" value="${amount || toRupees(leftPaise)}" aria-describedby="amount-hint" required><p class="hint" id="amount-hint">At most ${formatRupees(leftPaise)}, which is all that is left. ${limitHint(parts, viewer)}</p>
<label for="reason">Reason</label><input id="reason" name="reason" maxlength="${COMMENT_MAX}" value="${reason}" aria-describedby="reason-hint" required><p class="hint" id="reason-hint">Kept with the refund and in the audit log.</p><button>Refund</button>`
  const facts: readonly (readonly [string, Part])[] = [
    ['Payment', html`<a href="${paymentAddress(mid, txnId)}">${txnId}</a>`],
    ['Order', html`<a href="${orderAddress(mid, orderId)}">${orderId}</a>`],
    ['Taken', formatRupees(capturedPaise)],
    ['Refunded', formatRupees(refundedPaise)],
    ['Left', formatRupees(leftPaise)],
  ]
  const isPossible = payment.status === 'SUCCESS' && leftPaise > 0
  const work = isPossible ? formOf(viewer, refundAddress(mid, txnId), fields) : html`<p>Nothing is left to refund.</p>`
  const body = html`<div class="title"><div><p class="quiet"><bdi>${mid}</bdi></p><h1>Refund</h1></div></div><dl class="facts card">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>${fault !== undefined && html`<p class="notice bad" role="alert">${fault}</p>`}<section class="card">${work}</section>`
  return sendPage(
    fault === undefined ? reply : reply.code(422),
    { assets: parts.assets, viewer },
    { title: `Refund of ${orderId}`, body, chapter: 'payments' },
  )
}

function limitHint(parts: ConsoleParts, viewer: Viewer): string {
  const { approvals } = parts
  if (!viewer.may('refund')) return `You may refund a payment up to ${formatRupees(aloneWithoutProof(parts))} in all.`
  return approvals.isAsked ? `Above ${formatRupees(approvals.abovePaise)} in all, a second person has to approve it.` : ''
}

// ---------------------------------------------------------------------------------------------------------------- refund

async function refund(request: FastifyRequest<Named>, reply: FastifyReply, parts: ConsoleParts) {
  const viewer = request.viewer!
  const payment = await paymentOf(parts, viewer, request.params)
  const { mid, txnId, orderId } = payment
  const form = request.body as Form
  const { id: formId = '', mark, version = '', amount = '', reason: written = '' } = form
  if (mark !== markOf(parts, viewer, payment, formId) || !VERSION.test(version)) throw new ConsoleError('form')
  const again = (fault: string) => refundPage(reply, parts, { viewer, payment, typed: { formId, amount, reason: written }, fault })
  const amountPaise = typedPaise(amount.trim().replace(/^₹/, ''))
  if (!amountPaise) return again('Enter rupees, as 499.00.')
  const reason = reasonIn(written)
  if (reason === undefined || reason.length > COMMENT_MAX) return again(`Write a reason of 1 to ${COMMENT_MAX} characters.`)

  const refId = refIdOf(parts.ports.vault, formId)
  const isSent = (await parts.ports.query.row(look('refunds', mid, refId))) !== undefined
  const { abovePaise } = parts.approvals
  const inAllPaise = payment.refundedPaise + amountPaise
  const isLarge = !isSent && viewer.may('refund') && inAllPaise > aloneWithoutProof(parts)
  if (isLarge && !isProved(parts, viewer)) return toStepUp(request, reply)
  const wanted = { mid, txnType: 'REFUND' as const, orderId, txnId, refId, refundAmount: toRupees(amountPaise), comments: reason }
  const seen = { signature: 'valid' as const, version: Number(version) }
  const subject = `transaction:${txnId}`
  if (isLarge && inAllPaise > abovePaise) {
    const approval = { approvalId: formId, mid, subject, subjectVersion: seen.version, amountPaise }
    const command = refundCommand(parts.ports, wanted, seen)
    const asked = { action: 'payment.refund' as const, approval, command, reason }
    const { result } = await ask(parts.ports, actorOf(request), asked, !parts.approvals.isAsked)
    if (result.name === 'asked' || result.name === 'given') return guarded(reply).redirect(approvalAddress(formId), 303)
    return refused(parts, result, payment, again)
  }
  const mostPaise = isLarge ? abovePaise : aloneWithoutProof(parts)
  const ports = portsOf(request, parts, { action: 'payment.refund', mid, subject, reason, data: { amountPaise, refId } })
  const { result } = await askForRefund(ports, wanted, { ...seen, mostPaise })
  if (result.name === 'success' || result.name === 'again') return guarded(reply).redirect(paymentAddress(mid, txnId), 303)
  return refused(parts, result, payment, again)
}

async function refused(parts: ConsoleParts, { name }: Reply['result'], before: Transaction, again: (fault: string) => unknown) {
  const payment = (await parts.ports.query.row(look('transactions', before.mid, before.txnId)))!
  if (name === 'invalidAmount') return again(`At most ${formatRupees(refundablePaise(payment))} is left.`)
  if (name === 'overMost')
    throw new ConsoleError('role', `You may refund a payment up to ${formatRupees(aloneWithoutProof(parts))} in all. ${standing(payment)}`)
  const why = WHY[name] ?? ''
  throw new ConsoleError(
    'changed',
    html`${why} ${standing(payment)} <a href="${paymentAddress(payment.mid, payment.txnId)}">To the payment.</a>`,
  )
}

const WHY: Readonly<Record<string, string>> = {
  refIdUsed: 'This form made another refund already.',
  known: 'This form made another request already.',
  decided: 'A second person refused this.',
  over: 'Nobody approved this in time. Ask anew.',
  again: 'This refund was made already.',
}

/** How the payment stands now, for a person whose action was refused. */
export function standing(payment: Transaction): string {
  const { status, capturedPaise, refundedPaise } = payment
  if (status !== 'SUCCESS') return `The payment is ${status.toLowerCase()}.`
  return `${formatRupees(refundedPaise)} of ${formatRupees(capturedPaise)} is refunded; ${formatRupees(refundablePaise(payment))} is left.`
}
