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

/**
 * The time to store as last use: at most the session's end less the idle time. So an ended session is idle too. It is deleted as an idle
 * session is, and no clock revives it.
 */
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
 * The used steps, with this step added. Undefined when the code of this step, or of a later step, was used before. A used step too far
 * ahead bars no earlier code. It stays in the list, so that its own code is never accepted twice.
 */
export function withTotpStep(taken: readonly number[], step: number, now: number): readonly number[] | undefined {
  // A code is accepted from one step before its own step begins.
  const believed = taken.filter((each) => !isTooFarAhead((each - 1) * TOTP_STEP_MS, now))
  return taken.includes(step) || believed.some((each) => each > step) ? undefined : [...taken, step].slice(-TOTP_STEPS_MAX)
}

/** True when `own` covers `mids`. People can grant or manage only access that they have. */
export const isWithin = (mids: Operator['mids'], own: Operator['mids']): boolean =>
  own === null || (mids?.every((mid) => own.includes(mid)) ?? false)

/** The hashes of the person's passwords, the newest first. */
const formerOf = ({ passwordHash, formerHashes }: Operator) => [...(passwordHash === null ? [] : [passwordHash]), ...formerHashes]

/** Sets a new password, and keeps the hashes of the three before it. So the next change can refuse the last four passwords. */
export const withPassword = (operator: Operator, passwordHash: string): Operator => ({
  ...operator,
  version: operator.version + 1,
  status: 'ACTIVE',
  passwordHash,
  passwordVersion: operator.passwordVersion + 1,
  formerHashes: formerOf(operator).slice(0, FORMER_MAX - 1),
})

/** Removes the password, the authenticator app and the recovery codes. The person needs a link, and sets up an app again. */
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

/** Without an app, the password also counts as the session's step-up, because a step-up would ask for no other proof. */
export const sessionOf = ({ operatorId, version, totp }: Operator, { sessionHash, network, now }: NewSession): OperatorSession => ({
  ...{ sessionHash, operatorId, operatorVersion: version, network, createdAt: now, seenAt: now, until: now + SESSION_MAX_MS },
  steppedUpAt: totp === null ? now : null,
})
