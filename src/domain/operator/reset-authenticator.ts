// Resets a person who has lost their authenticator app and its recovery codes. Password, app, codes, sessions and links end, because a
// stolen password must open nothing while no app is set up. A new link sets the next password.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { operatorKey, operatorLinks } from '../../tables/keys.ts'
import { type AuditBy, audited } from '../audit/audit.ts'
import { ended, newLink, otherLinks } from './links.ts'
import { isWithin, type Operator, withoutFactors } from './operator.ts'

const codes = ownCodes('resetAuthenticator', 'linked', 'unknown', 'foreign', 'own', 'disabled', 'noApp', 'stale')

export interface ResetAuthenticator {
  emailHash: string
  /** The person's version as the page showed it; absent for the shell. */
  version?: number
  /** The merchants of the person who asks; null: all. */
  within: Operator['mids']
  tokenHash: string
  by: AuditBy
}

export const resetAuthenticator = operation({
  name: 'resetAuthenticator',
  codes,
  reads: ({ emailHash }: ResetAuthenticator) => ({ before: operatorKey(emailHash), links: operatorLinks }),
  readsNext: ({ tokenHash }, { before, links }) => ({ others: otherLinks(links, before, tokenHash) }),
  decide({ version, within, tokenHash, by }, { before, others }) {
    if (!before) return { ...NOTHING, reply: { result: codes.unknown } }
    if (!isWithin(before.mids, within)) return { ...NOTHING, reply: { result: codes.foreign } }
    if (before.operatorId === by.operatorId) return { ...NOTHING, reply: { result: codes.own } }
    if (before.status === 'DISABLED') return { ...NOTHING, reply: { result: codes.disabled } }
    if (before.totp === null) return { ...NOTHING, reply: { result: codes.noApp } }
    if (version !== undefined && version !== before.version) return { ...NOTHING, reply: { result: codes.stale } }
    const act = { action: 'operator.reset-authenticator', subject: `operator:${before.operatorId}`, outcome: 'done' } as const
    return {
      ...NOTHING,
      reply: { result: codes.linked },
      changes: [
        { kind: 'update', key: operatorKey(before.emailHash), row: withoutFactors(before) },
        newLink(before, { tokenHash, kind: 'RESET', at: by.at }),
        ...ended(others),
        audited(by, { ...act, data: { roles: before.roles.join(' ') } }),
      ],
    }
  },
})
