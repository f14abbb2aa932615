// What waits for a second person, and what one has decided: docs/console.md, "A second person".

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { actionWords } from '../../domain/audit/actions.ts'
import { APPROVAL_MS, type ApprovalRow, isNewerThan, isOpen } from '../../domain/operator/approval.ts'
import { dateTimeInIndia } from '../../engine/clock.ts'
import type { Looks } from '../../engine/decision.ts'
import { askedFor, give, refuse } from '../../flows/approvals.ts'
import { UNOPENED } from '../../flows/list-audit.ts'
import { toRupees } from '../../interface/money.ts'
import { html, type Part } from '../../pages/html.ts'
import { formatRupees } from '../../pages/kit/amounts.ts'
import { approvalKey } from '../../tables/keys.ts'
import { find, look } from '../../tables/tables.ts'
import { actorOf } from '../kit/acting.ts'
import { ConsoleError } from '../kit/console-error.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { approvalRoles } from '../kit/permissions.ts'
import { formOf, guarded, sendPage } from '../kit/sheet.ts'
import { APPROVALS, approvalAddress, paymentAddress, stateOf } from './addresses.ts'
import { addList } from './list.ts'
import { standing } from './refund.ts'
import { namesOf } from './timeline.ts'

const ON_FIRST_PAGE = 10 // Mohur's choice
type Named = { Params: { id: string } }

const STATES = { waiting: 'waiting', given: 'given', refused: 'refused', over: 'over' } as const
const STATUSES: Readonly<Record<string, ApprovalRow['status']>> = { waiting: 'ASKED', given: 'GIVEN', refused: 'REFUSED', over: 'ASKED' }
const stateNow = (approval: ApprovalRow, now: number): keyof typeof STATES => {
  if (approval.status === 'ASKED') return isOpen(approval, now) ? 'waiting' : 'over'
  return approval.status === 'GIVEN' ? 'given' : 'refused'
}

interface Listed extends ApprovalRow {
  asker: string
}

export function addApprovals(scope: FastifyInstance, parts: ConsoleParts) {
  addList<Listed>(scope, parts, {
    ...{ chapter: 'approvals', title: 'Approvals', states: STATES, filters: [], isByRealTime: true },
    columns: [
      { name: 'Asked (IST)', value: ({ askedAt }) => dateTimeInIndia(askedAt) },
      { name: 'By', value: ({ asker }) => asker },
      {
        name: 'For',
        value: ({ action }) => action,
        cell: ({ approvalId, action }) => html`<a href="${approvalAddress(approvalId)}">${actionWords(action)}</a>`,
      },
      { name: 'Merchant', value: ({ mid }) => mid ?? '' },
      {
        name: 'Amount',
        isAmount: true,
        value: ({ amountPaise }) => (amountPaise === null ? '' : Number(toRupees(amountPaise))),
        cell: ({ amountPaise }) => amountPaise !== null && formatRupees(amountPaise),
      },
      { name: 'Until (IST)', value: ({ until }) => dateTimeInIndia(until) },
    ],
    async ask({ viewer, mids, from, to, after, state, limit }) {
      const now = parts.ports.clock.realNow()
      // A request is over 72 hours after it was made. So its time says whether it is.
      const period = {
        from: state === 'waiting' ? Math.max(from, now - APPROVAL_MS + 1) : from,
        to: state === 'over' ? Math.min(to, now - APPROVAL_MS) : to,
      }
      const rows = await approvalsOf(parts.aside, viewer, { status: STATUSES[state]!, mids, ...period, after, limit: limit + 1 })
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      const nameOf = await namesOf(
        parts.aside,
        shown.map(({ askedBy }) => askedBy),
      )
      return {
        rows: shown.map((row) => ({ ...row, asker: nameOf(row.askedBy) })),
        isCut: false,
        ...(last && { next: { at: last.askedAt, mid: '', id: last.approvalId } }),
      }
    },
    empty: 'Nothing waits.',
  })
  scope.get<Named>(`${APPROVALS}/:id`, { config: { admits: 'see' } }, async (request, reply) =>
    approvalPage(reply, parts, request.viewer!, await seen(parts, request)),
  )
  scope.post<Named>(`${APPROVALS}/:id/give`, { config: { admits: 'approve', wantsStepUp: true } }, (request, reply) =>
    decide(request, reply, parts, give),
  )
  scope.post<Named>(`${APPROVALS}/:id/refuse`, { config: { admits: 'approve' } }, (request, reply) => decide(request, reply, parts, refuse))
}

interface Asked {
  status: ApprovalRow['status']
  mids: readonly string[] | null
  from: number
  to: number
  after?: { at: number; id: string } | undefined
  limit: number
}

/** A person without `approve` sees their own requests. */
function approvalsOf(looks: Looks, viewer: Viewer, { status, mids, from, to, after, limit }: Asked): Promise<readonly ApprovalRow[]> {
  return looks.rows(
    find('approvals', {
      equals: { status, ...(!viewer.may('approve') && { askedBy: viewer.operator.operatorId }) },
      atLeast: { askedAt: from },
      atMost: { askedAt: after ? Math.min(to, after.at) : to },
      ...(mids && { in: { column: 'mid', values: mids.length > 0 ? mids : [''] } }),
      ...(after && { beyond: [after.at, after.id] }),
      ...{ orderBy: ['askedAt', 'approvalId'], direction: 'desc', limit },
    }),
  )
}

/** An approval without a merchant is for people who see all merchants. */
const sees = (viewer: Viewer, { mid, askedBy }: ApprovalRow) =>
  (mid === null ? viewer.mids === null : viewer.sees(mid)) && (viewer.may('approve') || askedBy === viewer.operator.operatorId)

async function seen({ ports }: ConsoleParts, request: FastifyRequest<Named>): Promise<ApprovalRow> {
  const approval = await ports.query.row(approvalKey(request.params.id))
  if (!approval || !sees(request.viewer!, approval)) throw new ConsoleError('unknown')
  return approval
}

// ------------------------------------------------------------------------------------------------------------------- page

/** The payment that a refund is about. */
const paymentOf = ({ ports }: ConsoleParts, { mid, subject }: ApprovalRow) =>
  ports.query.row(look('transactions', mid ?? '', subject.slice(subject.indexOf(':') + 1)))

async function approvalPage(reply: FastifyReply, parts: ConsoleParts, viewer: Viewer, approval: ApprovalRow) {
  const { approvalId, action, amountPaise, askedBy, askedAt, until, decidedBy, decidedAt, subjectVersion } = approval
  const state = stateNow(approval, parts.ports.clock.realNow())
  const [payment, kept, nameOf] = await Promise.all([
    paymentOf(parts, approval),
    askedFor(parts.ports.query, approval),
    namesOf(parts.ports.query, decidedBy === null ? [askedBy] : [askedBy, decidedBy]),
  ])
  const facts: readonly (readonly [string, Part])[] = [
    ['Asked (IST)', dateTimeInIndia(askedAt)],
    ['By', nameOf(askedBy)],
    ['Reason', kept?.reason ?? UNOPENED],
    ...(payment ? ([['Payment', html`<a href="${paymentAddress(payment.mid, payment.txnId)}">${payment.txnId}</a>`]] as const) : []),
    ...(payment ? ([['The payment now', standing(payment)]] as const) : []),
    ['Until (IST)', dateTimeInIndia(until)],
    ...(decidedBy === null ? [] : ([['Decided (IST)', `${dateTimeInIndia(decidedAt!)} by ${nameOf(decidedBy)}`]] as const)),
  ]
  const button = (does: string, says: string, kind?: 'second') =>
    formOf(viewer, `${approvalAddress(approvalId)}/${does}`, html`<button${kind && html` class="${kind}"`}>${says}</button>`)
  const isGiver = viewer.operator.roles.some((role) => approvalRoles[action].gives.includes(role))
  const isOwn = askedBy === viewer.operator.operatorId
  const isNew = isGiver && !isOwn && isNewerThan(viewer.operator, approval)
  const acts = html`<section class="card acts">${!isNew && button('give', 'Approve')}${button('refuse', 'Refuse', 'second')}</section>`
  const isChanged = state === 'waiting' && payment && payment.version !== subjectVersion
  const changed = isChanged && html`<p class="notice wait">The payment was changed since. Refuse this, and ask anew.</p>`
  const waits = isOwn && html`<p class="notice wait">Another person has to approve this.</p>`
  const newer = isNew && html`<p class="notice wait">${NEW}</p>`
  const body = html`<div class="title"><div><p class="quiet"><bdi>${approval.mid ?? ''}</bdi></p><h1>${actionWords(action)} ${amountPaise !== null && formatRupees(amountPaise)} ${stateOf(state)}</h1></div></div>${changed}${state === 'waiting' && waits}${state === 'waiting' && newer}<dl class="facts card">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>${state === 'waiting' && isGiver && !isOwn && acts}`
  return sendPage(reply, { assets: parts.assets, viewer }, { title: 'Approval', body, chapter: 'approvals' })
}

async function decide(request: FastifyRequest<Named>, reply: FastifyReply, parts: ConsoleParts, by: typeof give | typeof refuse) {
  const approval = await seen(parts, request)
  const { result } = await by(parts.ports, actorOf(request), approval, approvalRoles)
  if (result.name === 'given' || result.name === 'refused') return guarded(reply).redirect(approvalAddress(approval.approvalId), 303)
  const [why, says] = SAYS[result.name] ?? ['changed', 'What was asked for has changed. Ask anew.']
  const payment = why === 'changed' ? await paymentOf(parts, approval) : undefined
  throw new ConsoleError(why, html`${says} ${payment && standing(payment)}`)
}

const NEW = 'Your password or app was set after this was asked for. Another person has to approve it.'
const SAYS: Readonly<Record<string, readonly ['role' | 'changed', string]>> = {
  unopened: ['changed', 'What was asked for cannot be opened. Refuse this, and ask anew.'],
  own: ['role', 'You asked for this. Another person has to decide.'],
  decided: ['changed', 'A person has decided already.'],
  over: ['changed', 'Its 72 hours are over. Ask anew.'],
  askerDisabled: ['role', 'The person who asked can no longer sign in.'],
  askerRole: ['role', 'The person who asked has lost the role for this.'],
  askerMerchant: ['role', 'The person who asked may no longer see this merchant.'],
  giverDisabled: ['role', 'You can no longer sign in.'],
  giverRole: ['role', 'This needs the role finance or operations.'],
  giverMerchant: ['role', 'You may not see this merchant.'],
  giverNew: ['role', NEW],
}

// ------------------------------------------------------------------------------------------------------------- first page

/** What waits for a second person, the newest first. Undefined when nothing waits. */
export async function waitingApprovals({ aside, ports }: ConsoleParts, viewer: Viewer): Promise<Part> {
  const now = ports.clock.realNow()
  const period = { from: now - APPROVAL_MS + 1, to: Number.MAX_SAFE_INTEGER }
  const rows = await approvalsOf(aside, viewer, { status: 'ASKED', mids: viewer.mids, ...period, limit: ON_FIRST_PAGE + 1 })
  if (rows.length === 0) return undefined
  const lines = rows
    .slice(0, ON_FIRST_PAGE)
    .map(
      ({ approvalId, action, amountPaise, mid, until }) =>
        html`<li><a href="${approvalAddress(approvalId)}">${actionWords(action)} ${amountPaise !== null && formatRupees(amountPaise)}</a> of <bdi>${mid ?? ''}</bdi>, until ${dateTimeInIndia(until)} (IST)</li>`,
    )
  const more = rows.length > ON_FIRST_PAGE && html`<p><a href="${APPROVALS}">All</a></p>`
  return html`<section class="card"><h2>Waiting for a second person</h2><ul>${lines}</ul>${more}</section>`
}
