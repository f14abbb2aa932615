// A signed-in person gives their password for an act that needs it. A wrong password counts as at a sign-in, because the thief of a session
// must not try all passwords.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { operatorKey } from '../../tables/keys.ts'
import { type AuditBy, audited } from '../audit/audit.ts'
import { type Caller, cleared, failed, isWritten, networkTries, ownTries, waits } from './failures.ts'

const codes = ownCodes('provePassword', 'proven', 'wrong', 'waits', 'over')

export interface ProvePassword {
  emailHash: string
  /** The person's version when the password was compared. */
  version: number
  isRight: boolean
  caller: Caller
  by: AuditBy
}

export const provePassword = operation({
  name: 'provePassword',
  codes,
  reads: ({ emailHash, caller }: ProvePassword) => ({
    operator: operatorKey(emailHash),
    own: ownTries(emailHash, caller),
    network: networkTries(caller),
  }),
  decide({ emailHash, version, isRight, caller, by }, { operator, ...tries }) {
    if (operator?.status !== 'ACTIVE' || operator.version !== version) return { ...NOTHING, reply: { result: codes.over } }
    if (waits(tries, by.at)) return { ...NOTHING, reply: { result: codes.waits } }
    if (isRight) return { ...NOTHING, reply: { result: codes.proven }, changes: cleared(caller, tries.own) }
    const { changes, nth } = failed({ emailHash, caller, now: by.at, tries })
    const act = {
      action: 'operator.password',
      subject: `operator:${operator.operatorId}`,
      outcome: 'refused',
      data: { failures: nth },
    } as const
    return { ...NOTHING, reply: { result: codes.wrong }, changes: [...changes, ...(isWritten(nth) ? [audited(by, act)] : [])] }
  },
})
