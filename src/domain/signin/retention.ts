// Deletes rows of sign-ins, payers' pages and the console that are no longer needed. Section 8 of docs/interface.md and docs/console.md say
// how long each is kept.

import { AHEAD_MAX_MS, isTooFarAhead } from '../../engine/clock.ts'
import { type Change, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { refreshTokenKey } from '../../tables/keys.ts'
import { find, lock, type Row } from '../../tables/tables.ts'
import { FAILURES_KEPT_MS } from '../operator/failures.ts'
import { IDLE_MS, LINK_VALIDITY_MS } from '../operator/operator.ts'
import { DAY_MS, HOUR_MS, REFRESH_TOKEN_VALIDITY_MS } from './signin.ts'

const SSO_VALIDITY_MAX_MS = 30 * DAY_MS // src/settings.ts: the longest that the setting allows
const PAGE_VALIDITY_MS = 15 * 60_000 // docs/pages.md, "The mandate page"
const PORTION = 500 // rows of one table that one query finds

interface Rule<T extends Forgettable> {
  /** The column of a time, and how long after that time the row is still needed. */
  column: keyof Row<T> & string
  keepMs: number
  /** For rows of the operator's people, whose times the sandbox does not move. */
  isReal?: true
  /**
   * For rows that a clock far ahead wrote, and that must not become valid when that time has come. `aheadMs`: how far ahead a right clock
   * writes the column. `keptMs`: how long the row is kept, in monotonic time. After that the row is over, whichever clock was right.
   */
  misdated?: { aheadMs: number; keptMs: number }
}
export type Forgettable =
  | 'otpChallenges'
  | 'otpSends'
  | 'otpFailures'
  | 'refreshTokens'
  | 'ssoTokens'
  | 'tokenFamilies'
  | 'checkoutOtps'
  | 'checkoutOtpSends'
  | 'pages'
  | 'mandatePages'
  | 'mandateCodeSends'
  | 'operatorTokens'
  | 'operatorSessions'
  | 'signInFailures'

const rules: { readonly [T in Forgettable]: Rule<T> } = {
  // Kept as long as the OTP's tokens, so that each token can be traced to its OTP.
  otpChallenges: { column: 'expiresAt', keepMs: REFRESH_TOKEN_VALIDITY_MS + DAY_MS },
  otpSends: { column: 'lastAt', keepMs: DAY_MS },
  otpFailures: { column: 'lastAt', keepMs: HOUR_MS },
  // A whole family expires at one instant. Until then the row of a used token reveals a copy of that token.
  refreshTokens: { column: 'expiresAt', keepMs: 0 },
  // A payer who signs out with an expired token still ends the family.
  ssoTokens: { column: 'expiresAt', keepMs: REFRESH_TOKEN_VALIDITY_MS },
  // A family may get its last SSO token just before its refresh token expires.
  tokenFamilies: { column: 'createdAt', keepMs: REFRESH_TOKEN_VALIDITY_MS + SSO_VALIDITY_MAX_MS },
  // The sends of an order's OTPs count for as long as a payment page of the order may be open.
  checkoutOtps: { column: 'expiresAt', keepMs: DAY_MS },
  checkoutOtpSends: { column: 'lastAt', keepMs: DAY_MS },
  // For a day a payer who comes back reads that the page has expired, and finds the way back to the shop.
  pages: { column: 'until', keepMs: DAY_MS },
  mandatePages: { column: 'until', keepMs: DAY_MS, misdated: { aheadMs: PAGE_VALIDITY_MS, keptMs: PAGE_VALIDITY_MS } },
  mandateCodeSends: { column: 'lastAt', keepMs: DAY_MS },
  operatorTokens: { column: 'until', keepMs: 0, isReal: true, misdated: { aheadMs: LINK_VALIDITY_MS, keptMs: LINK_VALIDITY_MS } },
  // The last use in a session's row is at least fifteen minutes before the session's end. So an ended session is idle too.
  operatorSessions: { column: 'seenAt', keepMs: IDLE_MS, isReal: true, misdated: { aheadMs: 0, keptMs: IDLE_MS } },
  signInFailures: { column: 'lastAt', keepMs: FAILURES_KEPT_MS, isReal: true, misdated: { aheadMs: 0, keptMs: FAILURES_KEPT_MS } },
}
export const isByRealTime = (table: Forgettable): boolean => (rules[table] as { isReal?: true }).isReal === true
export const forgettables = Object.keys(rules) as Forgettable[]

/** The tables in which a misdated row could become valid, and how long that row is kept in monotonic time. */
export const misdatables = Object.entries(rules as Readonly<Record<string, Rule<Forgettable>>>).flatMap(([table, { misdated }]) =>
  misdated ? [{ table: table as Forgettable, keptMs: misdated.keptMs }] : [],
)

/** Rows of one table that a clock far ahead wrote. */
export function misdatedIn(table: Forgettable, now: number) {
  const { column, misdated }: { column: string; misdated?: Rule<Forgettable>['misdated'] } = rules[table]
  return find(table, {
    ...{ orderBy: [column as never], beyond: [now + (misdated?.aheadMs ?? 0) + AHEAD_MAX_MS], limit: PORTION, unopened: true },
  })
}

export function forgettableUntil(table: Forgettable, now: number) {
  const { column, keepMs }: { column: string; keepMs: number } = rules[table]
  return find(table, { atMost: { [column]: now - keepMs }, orderBy: [column as never], limit: PORTION, unopened: true })
}

const codes = ownCodes('forget', 'forgotten', 'kept')

export interface Forget {
  table: Forgettable
  id: readonly string[]
  now: number
  /** True when the row has been kept long enough. The row goes if it is still misdated. */
  isMisdated?: true
}

export const forget = operation({
  name: 'forget',
  codes,
  reads: ({ table, id }: Forget) => ({ row: lock(table, ...id) }),
  decide({ table, id, now, isMisdated }, { row }) {
    const { column, keepMs, misdated }: { column: string; keepMs: number; misdated?: Rule<Forgettable>['misdated'] } = rules[table]
    const at = Number((row as Readonly<Record<string, unknown>> | undefined)?.[column])
    // The row may have been used again since the sweep found it.
    const isOver = row !== undefined && (isMisdated ? isTooFarAhead(at - (misdated?.aheadMs ?? 0), now) : now >= at + keepMs)
    return {
      reply: { result: isOver ? codes.forgotten : codes.kept },
      changes: isOver ? [{ kind: 'delete', key: lock(table, ...id) } as Change] : [],
      events: [],
      tasks: [],
    }
  },
})

// ------------------------------------------------------------------------------------------------- an answer, kept for a minute

export const successorsUntil = (now: number) =>
  find('refreshTokens', { atMost: { successorUntil: now }, orderBy: ['successorUntil'], limit: PORTION, unopened: true })

export interface ForgetSuccessor {
  tokenHash: string
  now: number
}

/** After this the store has every token only as a hash. */
export const forgetSuccessor = operation({
  name: 'forgetSuccessor',
  codes,
  reads: ({ tokenHash }: ForgetSuccessor) => ({ token: refreshTokenKey(tokenHash) }),
  decide({ tokenHash, now }, { token }) {
    const isOver = token !== undefined && token.successorUntil !== null && now >= token.successorUntil
    return {
      reply: { result: isOver ? codes.forgotten : codes.kept },
      changes: isOver
        ? [{ kind: 'update', key: refreshTokenKey(tokenHash), row: { ...token, successor: null, successorUntil: null } }]
        : [],
      events: [],
      tasks: [],
    }
  },
})
