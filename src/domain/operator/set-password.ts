// A person sets their password by a link, which is then used up. While they are signed in, the old password serves instead. Their sessions
// and other links end.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { operatorKey, operatorLinks, operatorSessionKey, operatorTokenKey } from '../../tables/keys.ts'
import { type AuditBy, audited } from '../audit/audit.ts'
import { ended, otherLinks } from './links.ts'
import { isLinkGood, type NewSession, sessionOf, withPassword } from './operator.ts'

const codes = ownCodes('setPassword', 'set', 'over', 'changed')

export interface SetPassword {
  emailHash: string
  /** The person's version when the password was compared with their former ones. */
  version: number
  passwordHash: string
  /** The link's token. Undefined when the person is signed in and has given the old password. */
  tokenHash?: string
  /** Absent when the person has to give a code before they are signed in. */
  session?: NewSession
  by: Omit<AuditBy, 'operatorId'>
}

export const setPassword = operation({
  name: 'setPassword',
  codes,
  reads: ({ emailHash, tokenHash }: SetPassword) => ({
    operator: operatorKey(emailHash),
    token: tokenHash === undefined ? undefined : operatorTokenKey(tokenHash),
    links: operatorLinks,
  }),
  readsNext: ({ tokenHash }, { operator, links }) => ({
    others: otherLinks(links, operator, tokenHash),
  }),
  decide({ emailHash, version, passwordHash, tokenHash, session, by }, { operator, token, others }) {
    if (!operator || operator.version !== version || operator.status === 'DISABLED') return { ...NOTHING, reply: { result: codes.changed } }
    const isGood = token?.operatorId === operator.operatorId && isLinkGood(token, by.at)
    if (tokenHash !== undefined && !isGood) return { ...NOTHING, reply: { result: codes.over } }
    const after = { ...withPassword(operator, passwordHash), factorsSetAt: by.at }
    const act = { action: 'operator.password', subject: `operator:${operator.operatorId}`, outcome: 'done' } as const
    return {
      ...NOTHING,
      reply: { result: codes.set },
      changes: [
        { kind: 'update', key: operatorKey(emailHash), row: after },
        ...(token ? [{ kind: 'update', key: operatorTokenKey(token.tokenHash), row: { ...token, usedAt: by.at } } as const] : []),
        ...ended(others),
        ...(session ? [{ kind: 'insert', key: operatorSessionKey(session.sessionHash), row: sessionOf(after, session) } as const] : []),
        audited({ ...by, operatorId: operator.operatorId }, { ...act, data: { byLink: tokenHash !== undefined } }),
      ],
    }
  },
})
