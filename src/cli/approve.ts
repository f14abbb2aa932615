// `mohur approve`: lists what waits for a second person, and decides about one request. An operator who works alone has no second person
// in the console.

import { approvalRoles } from '../console/kit/permissions.ts'
import { actionWords } from '../domain/audit/actions.ts'
import { APPROVAL_MS, type ApprovalRow } from '../domain/operator/approval.ts'
import { refundablePaise } from '../domain/refund/refund.ts'
import { dateTimeInIndia } from '../engine/clock.ts'
import { askedFor, give, refuse } from '../flows/approvals.ts'
import { UNOPENED } from '../flows/list-audit.ts'
import { toRupees } from '../interface/money.ts'
import { SettingError } from '../settings.ts'
import { approvalKey, operatorById } from '../tables/keys.ts'
import { find } from '../tables/tables.ts'
import { type ActingParts, acting, SHELL, say } from './place.ts'
import { tableOf } from './table.ts'

const LISTED = 100 // Mohur's choice
const HEADER = ['id', 'asked', 'by', 'for', 'mid', 'subject', 'amount', 'left', 'until', 'reason']

export const approve = ({ id, refuse: isRefused = false }: { id?: string; refuse?: boolean }) =>
  acting({ action: isRefused ? 'approval.refuse' : 'approval.give', subject: 'approval:' }, async (place) => {
    if (id === undefined && isRefused) throw new SettingError('approve: --refuse needs the ID of a request')
    return id === undefined ? list(place) : decide(place, id, isRefused)
  })

async function list({ query, clock }: ActingParts) {
  const now = clock.realNow()
  const waiting = await query.rows(
    find('approvals', {
      ...{ equals: { status: 'ASKED' }, atLeast: { askedAt: now - APPROVAL_MS + 1 } },
      ...{ orderBy: ['askedAt', 'approvalId'], limit: LISTED + 1 },
    }),
  )
  if (waiting.length === 0) return say('nothing waits')
  for (const line of tableOf([HEADER, ...(await Promise.all(waiting.slice(0, LISTED).map((each) => columnsOf(query, each))))])) say(line)
  if (waiting.length > LISTED) say(`more wait: these are the first ${LISTED}. Decide about some, and list again`)
}

async function columnsOf(
  query: ActingParts['query'],
  { approvalId, askedAt, askedBy, action, mid, subject, subjectVersion, amountPaise, until }: ApprovalRow,
) {
  const [asker] = await query.rows(operatorById(askedBy))
  const amount = amountPaise === null ? '' : toRupees(amountPaise)
  const txnId = subject.slice(subject.indexOf(':') + 1)
  const [payment] = await query.rows(find('transactions', { equals: { mid: mid ?? '', txnId }, limit: 1, unopened: true }))
  const left = payment ? `${toRupees(refundablePaise(payment))}${payment.version === subjectVersion ? '' : ' (changed since)'}` : ''
  return [
    approvalId,
    dateTimeInIndia(askedAt),
    asker?.email ?? askedBy,
    actionWords(action),
    mid ?? '',
    subject,
    amount,
    left,
    dateTimeInIndia(until),
    (await askedFor(query, { approvalId }))?.reason ?? UNOPENED,
  ]
}

async function decide(place: ActingParts, id: string, isRefused: boolean) {
  const approval = await place.query.row(approvalKey(id))
  if (!approval) throw new SettingError(`nothing with the id ${id} was asked`)
  const { result } = await (isRefused ? refuse : give)(place, SHELL, approval, approvalRoles)
  if (result.name === 'given') return say(`${id} is approved, and the ${actionWords(approval.action)} is made.`)
  if (result.name === 'refused') return say(`${id} is refused.`)
  throw new SettingError(`${id}: ${REFUSED[result.name] ?? `it has changed since (${result.name}): the person has to ask anew`}`)
}

const REFUSED: Readonly<Record<string, string>> = {
  unopened: 'what was asked for cannot be opened: refuse it, and the person asks anew',
  decided: 'a person has decided already',
  over: 'its 72 hours are over: the person has to ask anew',
  askerDisabled: 'the person who asked can no longer sign in',
  askerRole: 'the person who asked has lost the role for this',
  askerMerchant: 'the person who asked may no longer see this merchant',
}
