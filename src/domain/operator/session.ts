// Keeps a session alive, steps it up for acts that need it, or ends it.

import { type Change, NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { operatorKey, operatorSessionKey, sessionsOfOperator } from '../../tables/keys.ts'
import { type AuditBy, audited } from '../audit/audit.ts'
import { type Caller, cleared, failed, isWritten, networkTries, ownTries, waits } from './failures.ts'
import { endOf, isSeenAnew, type NewSession, seenUntil } from './operator.ts'
import { factorOf, type SecondFactor } from './sign-in-operator.ts'

const seenCodes = ownCodes('seeSession', 'seen', 'same')

/** The person acted, so the session is idle no longer. */
export const seeSession = operation({
  name: 'seeSession',
  codes: seenCodes,
  reads: ({ sessionHash, emailHash }: { sessionHash: string; emailHash: string; now: number }) => ({
    session: operatorSessionKey(sessionHash),
    operator: operatorKey(emailHash),
  }),
  decide({ emailHash, now }, { session, operator }) {
    if (!session || !operator || endOf(session, operator, now) !== undefined || !isSeenAnew(session, now))
      return { ...NOTHING, reply: { result: seenCodes.same } }
    return {
      ...NOTHING,
      reply: { result: seenCodes.seen },
      changes: [
        { kind: 'update', key: operatorSessionKey(session.sessionHash), row: { ...session, seenAt: seenUntil(session, now) } },
        { kind: 'update', key: operatorKey(emailHash), row: { ...operator, seenAt: now } },
      ],
    }
  },
})

const provenCodes = ownCodes('stepUp', 'proven', 'wrong', 'waits', 'over')

export interface StepUp {
  emailHash: string
  sessionHash: string
  version: number
  isRight: boolean
  second: SecondFactor
  /** The session goes on under another name, because a thief of the old cookie has not stepped up. */
  session: NewSession
  caller: Caller
  by: AuditBy
}

export const stepUp = operation({
  name: 'stepUp',
  codes: provenCodes,
  reads: ({ emailHash, sessionHash, caller }: StepUp) => ({
    operator: operatorKey(emailHash),
    session: operatorSessionKey(sessionHash),
    own: ownTries(emailHash, caller),
    network: networkTries(caller),
  }),
  decide({ emailHash, version, isRight, second, session: next, caller, by }, { operator, session, ...tries }) {
    const now = by.at
    if (!operator || !session || endOf(session, operator, now) !== undefined || operator.version !== version)
      return { ...NOTHING, reply: { result: provenCodes.over } }
    if (waits(tries, now)) return { ...NOTHING, reply: { result: provenCodes.waits } }
    const act = { action: 'operator.step-up', subject: `operator:${operator.operatorId}` } as const
    const factor = isRight ? factorOf(operator, second, now) : undefined
    if (!factor) {
      const { changes, nth } = failed({ emailHash, caller, now, tries })
      const row = isWritten(nth) ? [audited(by, { ...act, outcome: 'refused', data: { failures: nth } })] : []
      return { ...NOTHING, reply: { result: provenCodes.wrong }, changes: [...changes, ...row] }
    }
    return {
      ...NOTHING,
      reply: { result: provenCodes.proven },
      changes: [
        { kind: 'update', key: operatorKey(emailHash), row: { ...operator, ...factor, seenAt: now } },
        { kind: 'delete', key: operatorSessionKey(session.sessionHash) },
        {
          kind: 'insert',
          key: operatorSessionKey(next.sessionHash),
          row: { ...session, sessionHash: next.sessionHash, seenAt: seenUntil(session, now), steppedUpAt: now },
        },
        ...cleared(caller, tries.own),
        audited(by, { ...act, outcome: 'done' }),
      ],
    }
  },
})

const endedCodes = ownCodes('endSessions', 'ended')

/** Ends one session, or all of a person's. */
export const endSessions = operation({
  name: 'endSessions',
  codes: endedCodes,
  reads: ({ operatorId, sessionHash }: { operatorId: string; sessionHash?: string; by: AuditBy }) => ({
    sessions: sessionHash === undefined ? sessionsOfOperator(operatorId) : undefined,
    own: sessionHash === undefined ? undefined : operatorSessionKey(sessionHash),
  }),
  readsNext: (_command, { sessions }) => ({ rows: (sessions ?? []).map(({ sessionHash }) => operatorSessionKey(sessionHash)) }),
  decide({ operatorId, by }, { own, rows }) {
    const ended = [own, ...rows].filter((row) => row?.operatorId === operatorId)
    const act = {
      action: 'operator.sign-out',
      subject: `operator:${operatorId}`,
      outcome: 'done',
      data: { sessions: ended.length },
    } as const
    return {
      ...NOTHING,
      reply: { result: endedCodes.ended },
      changes: [
        ...ended.map((row): Change => ({ kind: 'delete', key: operatorSessionKey(row!.sessionHash) })),
        ...(ended.length > 0 ? [audited(by, act)] : []),
      ],
    }
  },
})
