// An engine that adds one row of the audit log to each decision that it submits, refusals included. The row is in the decision's own
// commit, so neither is there without the other. The outcome is the name of the decision's result.

import type { Vault } from '../adapters/store/vault.ts'
import { type AuditBy, type AuditedAct, audited } from '../domain/audit/audit.ts'
import type { Clock } from '../engine/clock.ts'
import type { Operation } from '../engine/decision.ts'
import type { ResultCode } from '../interface/result-codes.ts'
import type { Ports } from './ports.ts'

const CHANCE_BYTES = 4
export const AUDIT_TIME_DIGITS = 13

type Drawing = { clock: Pick<Clock, 'realNow'>; fresh: Pick<Ports['fresh'], 'hex'> }

/** 13 digits of time and 8 of chance. */
export const auditIdAt = ({ clock, fresh }: Drawing): string =>
  String(clock.realNow()).padStart(AUDIT_TIME_DIGITS, '0') + fresh.hex(CHANCE_BYTES)

/** What is done, before its outcome is known. */
export type Act = Omit<AuditedAct, 'outcome' | 'reason'> & { reason?: string }
/** The act of each decision, for an action of several decisions. Takes the operation's name and its command. */
export type ActOf = (operation: string, command: never) => Act

export type Auditing = Drawing & Pick<Ports, 'engine'> & { vault: Pick<Vault, 'hash'> }

/**
 * A decision that runs twice writes the same row, because its id is drawn before. What is submitted under a lease gets no row: it is a
 * bank's answer, not a person's act.
 */
export function auditing(ports: Auditing, who: Pick<AuditBy, 'operatorId' | 'network'>, act: Act | ActOf): Ports['engine'] {
  const { engine, vault, clock } = ports
  return {
    submit(of, command, lease) {
      if (lease) return engine.submit(of, command, lease)
      const { reason, ...done } = typeof act === 'function' ? act(of.name, command as never) : act
      const by = { ...who, auditId: auditIdAt(ports), at: clock.realNow() }
      return engine.submit(withAuditRow(of, by, { ...done, ...(reason !== undefined && { reason: hashed(vault, reason) }) }), command)
    },
  }
}

export const hashed = (vault: Pick<Vault, 'hash'>, text: string): NonNullable<AuditedAct['reason']> => ({
  text,
  hash: vault.hash('audit reason', text),
})

/** A decision that writes a row of the audit log itself gets no second one. */
export function withAuditRow<Command, Code extends ResultCode, Body extends object>(
  of: Operation<Command, Code, Body>,
  by: AuditBy,
  act: Omit<AuditedAct, 'outcome'>,
): Operation<Command, Code, Body> {
  return {
    ...of,
    decide(command, state) {
      const decision = of.decide(command, state)
      if (decision.changes.some(({ key }) => key.table === 'auditLog')) return decision
      return { ...decision, changes: [...decision.changes, audited(by, { ...act, outcome: decision.reply.result.name })] }
    },
  }
}
