// A person who is signed in gives their password for what needs it: a wrong one counts as at a sign-in, because a stolen session must not try them all.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { operatorKey } from '../../tables/keys.ts'
import { type AuditBy, audited } from '../audit/audit.ts'
import { cleared, failed, isWritten, ofNetwork, ofPair, waits } from './failures.ts'

const codes = ownCodes('provePassword', 'proven', 'wrong', 'waits', 'over')

export interface ProvePassword {
  emailHash: string
  /** Of the person as the password was compared. */
  version: number
  isRight: boolean
  by: AuditBy
}

export const provePassword = operation({
  name: 'provePassword',
  codes,
  reads: ({ emailHash, by: { network } }: ProvePassword) => ({
    operator: operatorKey(emailHash),
    pair: ofPair(emailHash, network),
    network: ofNetwork(network),
  }),
  decide({ emailHash, version, isRight, by }, { operator, pair, network }) {
    const now = by.at
    if (operator?.status !== 'ACTIVE' || operator.version !== version) return { ...NOTHING, reply: { result: codes.over } }
    if (waits({ pair, network, now })) return { ...NOTHING, reply: { result: codes.waits } }
    if (isRight) return { ...NOTHING, reply: { result: codes.proven }, changes: cleared(pair) }
    const { changes, nth } = failed({ emailHash, at: { network: by.network, now }, rows: { pair, network } })
    const act = { action: 'operator.password', subject: `operator:${operator.operatorId}`, outcome: 'refused', data: { failures: nth } }
    return { ...NOTHING, reply: { result: codes.wrong }, changes: [...changes, ...(isWritten(nth) ? [audited(by, act)] : [])] }
  },
})
