// A person signs in by a password, and by a code if they have an authenticator app. The caller compares both. This decision says whether
// they count, so a thousand simultaneous guesses get no more tries than permitted.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { operatorKey, operatorSessionKey } from '../../tables/keys.ts'
import { type AuditBy, audited } from '../audit/audit.ts'
import { type Caller, cleared, failed, isWritten, networkTries, ownTries, waits } from './failures.ts'
import { type NewSession, type Operator, sessionOf, withTotpStep } from './operator.ts'

const codes = ownCodes('signInOperator', 'signedIn', 'wrong', 'waits')

/** The caller's finding: the step of the right code, or the hash of the right recovery code. `none` when no second factor is wanted. */
export type SecondFactor = { totpStep: number } | { recoveryHash: string } | 'none' | 'wrong'

export interface SignInOperator {
  emailHash: string
  /** The version of the person whose password was compared. Undefined when there is no person. */
  version: number | undefined
  isPasswordRight: boolean
  second: SecondFactor
  session: NewSession
  caller: Caller
  by: Omit<AuditBy, 'operatorId'>
}

export const signInOperator = operation({
  name: 'signInOperator',
  codes,
  reads: ({ emailHash, caller }: SignInOperator) => ({
    operator: operatorKey(emailHash),
    own: ownTries(emailHash, caller),
    network: networkTries(caller),
  }),
  decide({ emailHash, version, isPasswordRight, second, session, caller, by }, { operator, ...tries }) {
    const now = by.at
    if (waits(tries, now)) return { ...NOTHING, reply: { result: codes.waits } }
    const isRight = operator?.status === 'ACTIVE' && operator.version === version && isPasswordRight
    const factor = isRight ? factorOf(operator, second, now) : undefined
    if (!isRight || !factor) {
      const { changes, nth } = failed({ emailHash, caller, now, tries })
      const act = {
        action: 'operator.sign-in',
        subject: operator ? `operator:${operator.operatorId}` : 'operator:',
        outcome: 'refused',
      } as const
      const row = isWritten(nth) ? [audited({ ...by, operatorId: '' }, { ...act, data: { failures: nth } })] : []
      return { ...NOTHING, reply: { result: codes.wrong }, changes: [...changes, ...row] }
    }
    const after = { ...operator, ...factor, seenAt: now }
    const act = { action: 'operator.sign-in', subject: `operator:${operator.operatorId}`, outcome: 'done' } as const
    return {
      ...NOTHING,
      reply: { result: codes.signedIn },
      changes: [
        { kind: 'update', key: operatorKey(emailHash), row: after },
        { kind: 'insert', key: operatorSessionKey(session.sessionHash), row: sessionOf(after, session) },
        ...cleared(caller, tries.own),
        audited(
          { ...by, operatorId: operator.operatorId },
          { ...act, data: { by: typeof second === 'string' ? 'password' : Object.keys(second)[0]! } },
        ),
      ],
    }
  },
})

/** The columns that the second factor changes. Undefined when the factor is wrong, or was used before. */
export function factorOf(
  { totp, totpSteps, recoveryHashes }: Pick<Operator, 'totp' | 'totpSteps' | 'recoveryHashes'>,
  second: SecondFactor,
  now: number,
): Partial<Pick<Operator, 'totpSteps' | 'recoveryHashes'>> | undefined {
  if (second === 'wrong') return undefined
  if (second === 'none') return totp === null ? {} : undefined
  if ('totpStep' in second) {
    const taken = totp === null ? undefined : withTotpStep(totpSteps, second.totpStep, now)
    return taken && { totpSteps: taken }
  }
  if (!recoveryHashes.includes(second.recoveryHash)) return undefined
  return { recoveryHashes: recoveryHashes.filter((each) => each !== second.recoveryHash) }
}
