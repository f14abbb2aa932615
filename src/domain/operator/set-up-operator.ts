// Gives a person a link by which they set their password. The person is new, is invited again, or has forgotten the password. Only a person
// who has never had a password takes the details of a second invitation.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { operatorKey } from '../../tables/keys.ts'
import { type AuditBy, audited } from '../audit/audit.ts'
import { newLink } from './links.ts'
import { isWithin, type Operator } from './operator.ts'

const codes = ownCodes('setUpOperator', 'made', 'linked', 'known', 'unknown', 'disabled', 'foreign')

export interface SetUpOperator {
  emailHash: string
  /** `SETUP` makes the person if there is none. `RESET` needs an existing person. */
  kind: 'SETUP' | 'RESET'
  person: Pick<Operator, 'email' | 'name' | 'roles' | 'mids'>
  /** The merchants of the person who asks; null: all. */
  within: Operator['mids']
  fresh: { operatorId: string; tokenHash: string }
  by: AuditBy
}

export const setUpOperator = operation({
  name: 'setUpOperator',
  codes,
  reads: ({ emailHash }: SetUpOperator) => ({ before: operatorKey(emailHash) }),
  decide({ emailHash, kind, person, within, fresh, by }, { before }) {
    if (!isWithin(person.mids, within) || (before && !isWithin(before.mids, within)))
      return { ...NOTHING, reply: { result: codes.foreign } }
    if (!before && kind === 'RESET') return { ...NOTHING, reply: { result: codes.unknown } }
    if (before?.status === 'DISABLED') return { ...NOTHING, reply: { result: codes.disabled } }
    const hasHadPassword = before && (before.passwordHash !== null || before.formerHashes.length > 0)
    if (hasHadPassword && kind === 'SETUP') return { ...NOTHING, reply: { result: codes.known } }
    const made: Operator = {
      ...{ emailHash, operatorId: fresh.operatorId, version: 1, ...person, status: 'INVITED', passwordHash: null, passwordVersion: 0 },
      ...{
        formerHashes: [],
        totp: null,
        mustSetUpApp: false,
        totpSteps: [],
        recoveryHashes: [],
        createdAt: by.at,
        factorsSetAt: by.at,
        seenAt: 0,
      },
    }
    const invited = before && kind === 'SETUP' ? { ...before, ...person, version: before.version + 1 } : undefined
    const operator = invited ?? before ?? made
    const act = {
      action: kind === 'SETUP' ? 'operator.invite' : 'operator.reset',
      subject: `operator:${operator.operatorId}`,
      outcome: 'done',
    } as const
    return {
      ...NOTHING,
      reply: { result: before ? codes.linked : codes.made, body: { operatorId: operator.operatorId } },
      changes: [
        ...(before ? [] : [{ kind: 'insert', key: operatorKey(emailHash), row: made } as const]),
        ...(invited ? [{ kind: 'update', key: operatorKey(emailHash), row: invited } as const] : []),
        newLink(operator, { tokenHash: fresh.tokenHash, kind, at: by.at }),
        audited(by, { ...act, data: { roles: operator.roles.join(' ') } }),
      ],
    }
  },
})
