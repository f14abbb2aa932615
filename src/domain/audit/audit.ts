// One row of the audit log. The caller draws `auditId`, so that a decision that runs twice writes the same row.

import type { Change } from '../../engine/decision.ts'
import { auditKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import type { Action } from './actions.ts'

/** The action of a note. Its text is the row's reason. */
export const NOTE: Action = 'note'

/** `at` is real time. */
export interface AuditBy {
  auditId: string
  /** `shell` for a command. Empty when no operator is signed in. */
  operatorId: string
  network: string
  at: number
}

export type AuditedAct = Pick<Row<'auditLog'>, 'subject' | 'outcome'> & {
  action: Action
  mid?: string
  data?: Row<'auditLog'>['data']
  /** What a person wrote, and its keyed hash. The text is sealed. */
  reason?: { text: string; hash: string }
}

export function audited(
  { auditId, operatorId, network, at }: AuditBy,
  { action, subject, outcome, mid, data = {}, reason }: AuditedAct,
): Change {
  const written = { reason: reason?.text ?? null, reasonHash: reason?.hash ?? null, number: null, hash: null }
  const row: Row<'auditLog'> = { auditId, at, operatorId, network, action, mid: mid ?? null, subject, outcome, data, ...written }
  return { kind: 'insert', key: auditKey(auditId), row }
}
