// Rules for people and their sessions: docs/console.md.

import { isTooFarAhead, lasts, lastsUntil } from '../../engine/clock.ts'
import type { OperatorRole } from '../../tables/operator.ts'
import type { Row } from '../../tables/tables.ts'

export type Operator = Row<'operators'>
export type OperatorSession = Row<'operatorSessions'>

export const ROLES = ['admin', 'finance', 'operations', 'support', 'developer', 'auditor'] as const satisfies readonly OperatorRole[]

const MINUTE_MS = 60_000
export const LINK_VALIDITY_MS = 15 * MINUTE_MS // docs/console.md
export const IDLE_MS = 15 * MINUTE_MS // PCI DSS 8.2.8
export const SESSION_MAX_MS = 12 * 60 * MINUTE_MS // docs/console.md
export const STEP_UP_MS = 5 * MINUTE_MS // docs/console.md
export const APP_SHOWN_MS = 15 * MINUTE_MS // docs/console.md
export const KNOWN_BROWSER_MS = 90 * 24 * 60 * MINUTE_MS // docs/console.md
const SEEN_EVERY_MS = MINUTE_MS // Mohur's choice: a session is written no more often
const FORMER_MAX = 4 // PCI DSS 8.3.7

export type SessionEnd = 'unknown' | 'idle' | 'over' | 'changed'

/** Why a session has ended; undefined while it lasts. */
export function endOf(session: OperatorSession | undefined, operator: Operator | undefined, now: number): SessionEnd | undefined {
  if (!session || !operator || session.operatorId !== operator.operatorId) return 'unknown'
  if (operator.status !== 'ACTIVE' || session.operatorVersion !== operator.version) return 'changed'
  if (!lastsUntil(session.until, SESSION_MAX_MS, now)) return 'over'
  return lasts(session.seenAt, IDLE_MS, now) ? undefined : 'idle'
}

/** At most the session's end less the idle time. So a session that is over is deleted as an idle one is, and no clock revives it. */
export const seenUntil = ({ until }: OperatorSession, now: number): number => Math.min(now, until - IDLE_MS)
/** True when a use of the session is worth a write. */
export const isSeenAnew = (session: OperatorSession, now: number): boolean => seenUntil(session, now) >= session.seenAt + SEEN_EVERY_MS

export const isSteppedUp = ({ steppedUpAt }: OperatorSession, now: number): boolean =>
  steppedUpAt !== null && lasts(steppedUpAt, STEP_UP_MS, now)

export const isLinkGood = ({ usedAt, until }: Row<'operatorTokens'>, now: number): boolean =>
  usedAt === null && lastsUntil(until, LINK_VALIDITY_MS, now)

export const TOTP_STEP_MS = 30_000 // RFC 6238 section 4
const TOTP_STEPS_MAX = 100 // Mohur's choice: more codes than a person enters in a day

/**
 * The steps whose codes were taken, and this step. Undefined where its code was taken before, or a later one. A step too far ahead bars no
 * other code. It stays in the list, so that its own code is never taken twice.
 */
export function withTotpStep(taken: readonly number[], step: number, now: number): readonly number[] | undefined {
  // A code counts one step before its step begins.
  const believed = taken.filter((each) => !isTooFarAhead((each - 1) * TOTP_STEP_MS, now))
  return taken.includes(step) || believed.some((each) => each > step) ? undefined : [...taken, step].slice(-TOTP_STEPS_MAX)
}

/** True when `own` covers `mids`. People can grant or manage only access that they have. */
export const isWithin = (mids: Operator['mids'], own: Operator['mids']): boolean =>
  own === null || (mids?.every((mid) => own.includes(mid)) ?? false)

/** The hashes of the person's passwords, the newest first. */
const formerOf = ({ passwordHash, formerHashes }: Operator) => [...(passwordHash === null ? [] : [passwordHash]), ...formerHashes]

/** Sets another password. None of the last four may come again. */
export const withPassword = (operator: Operator, passwordHash: string): Operator => ({
  ...operator,
  version: operator.version + 1,
  status: 'ACTIVE',
  passwordHash,
  passwordVersion: operator.passwordVersion + 1,
  formerHashes: formerOf(operator).slice(0, FORMER_MAX - 1),
})

/** The person then needs a link and another app. */
export const withoutFactors = (operator: Operator): Operator => ({
  ...operator,
  version: operator.version + 1,
  status: 'INVITED',
  passwordHash: null,
  passwordVersion: operator.passwordVersion + 1,
  formerHashes: formerOf(operator).slice(0, FORMER_MAX),
  ...{ totp: null, mustSetUpApp: true, totpSteps: [], recoveryHashes: [] },
})

export const needsApp = ({ totp, mustSetUpApp }: Operator, isSandbox: boolean): boolean => totp === null && (mustSetUpApp || !isSandbox)

export interface NewSession {
  sessionHash: string
  network: string
  now: number
}

/** Without an app, the password that begins the session also counts as its step-up: no other proof would be asked for. */
export const sessionOf = ({ operatorId, version, totp }: Operator, { sessionHash, network, now }: NewSession): OperatorSession => ({
  ...{ sessionHash, operatorId, operatorVersion: version, network, createdAt: now, seenAt: now, until: now + SESSION_MAX_MS },
  steppedUpAt: totp === null ? now : null,
})
