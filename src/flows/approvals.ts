// An action that needs a second person: docs/console.md. One decision asks, another gives. Each writes the approval's row, the action's rows
// and the audit rows together, or none of them.

import type { Action } from '../domain/audit/actions.ts'
import { type AuditBy, type AuditedAct, audited } from '../domain/audit/audit.ts'
import { writeAudit } from '../domain/audit/write-audit.ts'
import { APPROVAL_MS, type ApprovalRow, barOf, decided, isNewerThan, isOpen, type Party, refusalOf } from '../domain/operator/approval.ts'
import type { Operator } from '../domain/operator/operator.ts'
import { refuseApproval } from '../domain/operator/refuse-approval.ts'
import { applyRefund } from '../domain/refund/apply-refund.ts'
import { type Change, type Decision, type Looks, NOTHING, type Operation, type Reads, type Reply } from '../engine/decision.ts'
import { ownCodes, type ResultCode } from '../interface/result-code.ts'
import { approvalCommandKey, approvalKey, approvalNow, operatorById, operatorKey } from '../tables/keys.ts'
import type { OperatorRole } from '../tables/operator.ts'
import { find, type Row } from '../tables/tables.ts'
import { auditIdAt, hashed } from './auditing.ts'
import { openedRows } from './opened-rows.ts'
import type { Ports } from './ports.ts'

type AnyOperation = Operation<Readonly<Record<string, unknown>>>

/** The operation of each action, and its result by which the action is done. */
const ACTIONS = { 'payment.refund': { operation: applyRefund as unknown as AnyOperation, done: 'success' } } as const satisfies Record<
  ApprovalRow['action'],
  { operation: AnyOperation; done: string }
>
const operationOf = (action: ApprovalRow['action']): AnyOperation => ACTIONS[action].operation

/** Names in the decision's state that no operation uses. */
const [APPROVAL, ASKER, GIVER] = ['approval of the console', 'asker of the approval', 'giver of the approval']
const JUST_ASKED = 'approval that the same form has just made'
type State = Readonly<Record<string, unknown>>
const personKey = ({ emailHash }: Party) => (emailHash === undefined ? undefined : operatorKey(emailHash))

type Command = Row<'approvalCommands'>['command']

/** The action's operation with `own` reads in its first round. */
const reading = <C extends { action: ApprovalRow['action']; command: Command }>(own: (command: C) => Reads) => ({
  reads: (command: C): Reads => ({ ...operationOf(command.action).reads(command.command), ...own(command) }),
  readsNext: ({ action, command }: C, state: never): Reads => operationOf(action).readsNext?.(command, state) ?? {},
  readsLast: ({ action, command }: C, state: never): Reads => operationOf(action).readsLast?.(command, state) ?? {},
})

const isDone = (action: ApprovalRow['action'], { reply }: Decision): boolean => reply.result.name === ACTIONS[action].done

/** The person who decides, and the time. `actionId` names the audit row of the action itself. */
export interface Deciding {
  by: AuditBy
  actionId: string
}
type Reason = NonNullable<AuditedAct['reason']>

// ---------------------------------------------------------------------------------------------------------------- asking

const askCodes = ownCodes('askApproval', 'asked', 'given', 'known', 'decided', 'over')

export interface AskApproval {
  action: ApprovalRow['action']
  /** The command of the action's own operation. */
  command: Command
  approval: Pick<ApprovalRow, 'approvalId' | 'mid' | 'subject' | 'subjectVersion' | 'amountPaise'>
  reason: Reason
  by: AuditBy
  /** Set where nobody is asked: the sandbox gives at once. */
  sandbox?: Deciding
}

const readsToAsk = reading<AskApproval>(({ approval: { approvalId } }) => ({ [APPROVAL]: approvalKey(approvalId) }))

/** The action's command is decided. Where it would succeed, the request is kept for 72 hours, and the action's changes are dropped. */
export const askApproval: Operation<AskApproval> = {
  name: 'askApproval',
  codes: askCodes,
  ...readsToAsk,
  // Read while the action's rows are locked. So this decision sees what the same form has just done in another process.
  readsNext: (asking: AskApproval, state: never): Reads => ({
    ...readsToAsk.readsNext(asking, state),
    [JUST_ASKED]: approvalNow(asking.approval.approvalId),
  }),
  decide(asking: AskApproval, state: State): Decision {
    const { action, command, approval, reason, by, sandbox } = asking
    const answer = (result: ResultCode, changes: readonly Change[] = []): Decision => {
      const row = audited(by, { ...actOf('approval.ask', approval), outcome: result.name, reason })
      return { ...NOTHING, reply: { result }, changes: [...changes, row] }
    }
    const before = (state[APPROVAL] ?? (state[JUST_ASKED] as readonly unknown[])[0]) as ApprovalRow | undefined
    if (before) return answer(isSameRequest(before, asking) ? askedAgain(before, by.at) : askCodes.known)
    const decision = operationOf(action).decide(command, state as never)
    if (!isDone(action, decision)) return answer(decision.reply.result)
    const asked: ApprovalRow = {
      ...{ ...approval, version: 1, action, status: 'ASKED' },
      ...{ askedBy: by.operatorId, askedAt: by.at, until: by.at + APPROVAL_MS, decidedBy: null, decidedAt: null },
    }
    const { approvalId } = approval
    const inserts = (row: ApprovalRow): Change[] => [
      { kind: 'insert', key: approvalKey(approvalId), row },
      { kind: 'insert', key: approvalCommandKey(approvalId), row: { approvalId, command, reason: reason.text } },
    ]
    if (!sandbox) return answer(askCodes.asked, inserts(asked))
    const row: ApprovalRow = { ...asked, status: 'GIVEN', decidedBy: sandbox.by.operatorId, decidedAt: sandbox.by.at }
    const { changes, ...kept } = answer(askCodes.given, [...inserts(row), ...givenRows(asked, reason, sandbox, decision)])
    return { ...kept, changes, events: decision.events, tasks: decision.tasks }
  },
}

const isSameRequest = (before: ApprovalRow, { action, approval, by }: AskApproval): boolean =>
  before.action === action &&
  before.mid === approval.mid &&
  before.subject === approval.subject &&
  before.amountPaise === approval.amountPaise &&
  before.askedBy === by.operatorId

/** The same form again. */
function askedAgain(before: ApprovalRow, now: number): ResultCode {
  if (before.status === 'GIVEN') return askCodes.given
  if (before.status === 'REFUSED') return askCodes.decided
  return isOpen(before, now) ? askCodes.asked : askCodes.over
}

// ---------------------------------------------------------------------------------------------------------------- giving

const giveCodes = ownCodes(
  'giveApproval',
  ...(['given', 'unknown', 'unopened', 'own', 'decided', 'over'] as const),
  ...(['askerDisabled', 'askerRole', 'askerMerchant', 'giverDisabled', 'giverRole', 'giverMerchant', 'giverNew'] as const),
)

export interface GiveApproval extends Deciding {
  /** As it was read before. The decision reads its row again, under a lock. */
  approval: ApprovalRow
  action: ApprovalRow['action']
  /** The kept command, at the time of the decision. */
  command: Command
  reason: Reason
  asker: Party
  giver: Party
}

/** The action's command is decided anew, while the approval and both people are locked. */
export const giveApproval: Operation<GiveApproval> = {
  name: 'giveApproval',
  codes: giveCodes,
  ...reading<GiveApproval>(({ approval: { approvalId }, asker, giver }) => ({
    ...{ [APPROVAL]: approvalKey(approvalId), [ASKER]: personKey(asker), [GIVER]: personKey(giver) },
  })),
  decide({ approval, action, command, reason, asker, giver, by, actionId }: GiveApproval, state: State): Decision {
    const refused = (result: ResultCode): Decision => {
      const row = audited(by, { ...actOf('approval.give', approval), outcome: result.name })
      return { ...NOTHING, reply: { result }, changes: [row] }
    }
    const row = state[APPROVAL] as ApprovalRow | undefined
    if (!row) return refused(giveCodes.unknown)
    const refusal = refusalOf(row, giver.operatorId, by.at)
    if (refusal) return refused(giveCodes[refusal])
    const askerBar = barOf(state[ASKER] as Operator | undefined, asker, row.mid)
    if (askerBar || asker.operatorId !== row.askedBy) return refused(giveCodes[`asker${askerBar ?? 'Disabled'}`])
    const giverBar = barOf(state[GIVER] as Operator | undefined, giver, row.mid)
    if (giverBar) return refused(giveCodes[`giver${giverBar}`])
    if (isNewerThan(state[GIVER] as Operator | undefined, row)) return refused(giveCodes.giverNew)
    const decision = operationOf(action).decide(command, state as never)
    if (!isDone(action, decision)) return refused(decision.reply.result)
    const { events, tasks } = decision
    const changes = [decided(row, 'GIVEN', by), ...givenRows(row, reason, { by, actionId }, decision)]
    return { reply: { result: giveCodes.given }, changes, events, tasks }
  },
}

/** The action's rows, the audit row of the second person, and that of the action in the asker's name. */
function givenRows(approval: ApprovalRow, reason: Reason, { by, actionId }: Deciding, { changes, reply }: Decision): Change[] {
  const asker: AuditBy = { ...by, auditId: actionId, operatorId: approval.askedBy, network: '' }
  return [
    ...changes,
    audited(by, { ...actOf('approval.give', approval), outcome: giveCodes.given.name }),
    audited(asker, { ...actOf(approval.action, approval), outcome: reply.result.name, reason }),
  ]
}

const actOf = (action: Action, { approvalId, mid, subject, amountPaise }: AskApproval['approval']) => ({
  ...{ action, subject, data: { approvalId, amountPaise } },
  ...(mid !== null && { mid }),
})

// ------------------------------------------------------------------------------------------------------------ submitting

type Acting = Pick<Ports, 'engine' | 'query' | 'clock' | 'fresh' | 'vault'>

/** The person who acts. Without `emailHash`: the shell, which has every role. */
export interface Actor extends Pick<AuditBy, 'operatorId' | 'network'> {
  emailHash?: string
}

/** The roles that may ask for an action, and those that may give it. */
export type ApprovalRoles = Readonly<Record<ApprovalRow['action'], { asks: readonly OperatorRole[]; gives: readonly OperatorRole[] }>>

const byOf = (ports: Acting, { operatorId, network }: Actor): AuditBy => ({
  ...{ operatorId, network, auditId: auditIdAt(ports), at: ports.clock.realNow() },
})

export interface Wanted extends Pick<AskApproval, 'action' | 'approval'> {
  command: object
  reason: string
}

/** `isGivenAtOnce`: the sandbox asks nobody. */
export function ask(ports: Acting, actor: Actor, { command, reason, ...wanted }: Wanted, isGivenAtOnce: boolean): Promise<Reply> {
  const by = byOf(ports, actor)
  const sandbox = { by: byOf(ports, { operatorId: 'sandbox', network: '' }), actionId: auditIdAt(ports) }
  const asking = { ...wanted, command: command as Command, reason: hashed(ports.vault, reason), by }
  return ports.engine.submit(askApproval, { ...asking, ...(isGivenAtOnce && { sandbox }) })
}

/** Undefined when it cannot be opened. */
export async function askedFor(looks: Looks, { approvalId }: Pick<ApprovalRow, 'approvalId'>) {
  const whole = find('approvalCommands', { equals: { approvalId }, limit: 1 })
  const [row] = await openedRows(looks, whole, () => whole)
  return row?.command ? row : undefined
}

export async function give(ports: Acting, actor: Actor, approval: ApprovalRow, roles: ApprovalRoles): Promise<Reply> {
  const { action, askedBy } = approval
  const [by, kept] = [byOf(ports, actor), await askedFor(ports.query, approval)]
  if (!kept) {
    await ports.engine.submit(writeAudit, { by, act: { ...actOf('approval.give', approval), outcome: giveCodes.unopened.name } })
    return { result: giveCodes.unopened }
  }
  const { asks, gives } = roles[action]
  const [asker] = await ports.query.rows(operatorById(askedBy))
  return ports.engine.submit(giveApproval, {
    ...{ approval, action, command: { ...kept.command, now: ports.clock.now() }, reason: hashed(ports.vault, kept.reason) },
    ...{ asker: { operatorId: askedBy, emailHash: asker?.emailHash ?? '', roles: asks }, giver: partyOf(actor, gives) },
    ...{ by, actionId: auditIdAt(ports) },
  })
}

export const refuse = (ports: Acting, actor: Actor, { approvalId, action }: ApprovalRow, roles: ApprovalRoles): Promise<Reply> =>
  ports.engine.submit(refuseApproval, { approvalId, giver: partyOf(actor, roles[action].gives), by: byOf(ports, actor) })

const partyOf = ({ operatorId, emailHash }: Actor, roles: readonly OperatorRole[]): Party => ({
  ...{ operatorId, roles },
  ...(emailHash !== undefined && { emailHash }),
})
