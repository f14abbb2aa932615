// Changes a person: their roles, merchants, authenticator app, or permission to sign in. Each change ends the person's sessions. A person
// who changes their own account keeps the session in which they do so. A person who is disabled loses their links too, because one of them
// would set a password once they are enabled again.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { operatorKey, operatorLinks, operatorSessionKey } from '../../tables/keys.ts'
import { type AuditBy, audited } from '../audit/audit.ts'
import { ended, otherLinks } from './links.ts'
import type { Operator } from './operator.ts'

const codes = ownCodes('changeOperator', 'changed', 'stale', 'unknown')

export interface ChangeOperator {
  emailHash: string
  /** The person's version when the change was requested. */
  version: number
  action: 'operator.roles' | 'operator.disable' | 'operator.enable' | 'operator.totp' | 'operator.codes'
  to: Partial<Pick<Operator, 'roles' | 'mids' | 'status' | 'totp' | 'mustSetUpApp' | 'totpSteps' | 'recoveryHashes'>>
  /** The session that goes on. */
  sessionHash?: string
  by: AuditBy
}

export const changeOperator = operation({
  name: 'changeOperator',
  codes,
  reads: ({ emailHash, sessionHash, to }: ChangeOperator) => ({
    before: operatorKey(emailHash),
    session: sessionHash === undefined ? undefined : operatorSessionKey(sessionHash),
    links: to.status === 'DISABLED' ? operatorLinks : undefined,
  }),
  readsNext: (_, { before, links = [] }) => ({ links: otherLinks(links, before, undefined) }),
  decide({ emailHash, version, action, to, by }, { before, session, links }) {
    if (!before) return { ...NOTHING, reply: { result: codes.unknown } }
    if (before.version !== version) return { ...NOTHING, reply: { result: codes.stale } }
    // A person who never set a password becomes invited, not active, when they are enabled again.
    const status = to.status === 'ACTIVE' && before.passwordHash === null ? 'INVITED' : (to.status ?? before.status)
    const passwordVersion = before.passwordVersion + (status === 'DISABLED' ? 1 : 0)
    const factorsSetAt = to.totp === undefined ? before.factorsSetAt : by.at
    const after: Operator = { ...before, ...to, status, passwordVersion, factorsSetAt, version: before.version + 1 }
    const data = { roles: after.roles.join(' '), mids: after.mids?.length ?? 0, isAllMerchants: after.mids === null }
    return {
      ...NOTHING,
      reply: { result: codes.changed },
      changes: [
        { kind: 'update', key: operatorKey(emailHash), row: after },
        ...(session
          ? [{ kind: 'update', key: operatorSessionKey(session.sessionHash), row: { ...session, operatorVersion: after.version } } as const]
          : []),
        ...ended(links),
        audited(by, { action, subject: `operator:${before.operatorId}`, outcome: 'done', data }),
      ],
    }
  },
})
