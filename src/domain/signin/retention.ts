// What sign-ins and payment pages need not remember any longer: docs/interface.md section 8 and docs/console.md say how long each is kept.

import { type Change, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { refreshTokenKey } from '../../tables/keys.ts'
import { find, lock, type Row } from '../../tables/tables.ts'
import { FAILURES_KEPT_MS } from '../operator/failures.ts'
import { DAY_MS, HOUR_MS, REFRESH_TOKEN_VALIDITY_MS } from './signin.ts'

const SSO_VALIDITY_MAX_MS = 30 * DAY_MS // src/settings.ts: the longest that it may be set to
const PORTION = 500 // rows of one table that are looked for at once

interface Rule<T extends Forgettable> {
  /** The instant that the row is found by, and how long after it the row is still needed. */
  column: keyof Row<T> & string
  keepMs: number
  /** Of the operator's people, whose times the sandbox does not move. */
  isReal?: true
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
  // As long as the tokens that came of it, so that each can be traced to the OTP it came from.
  otpChallenges: { column: 'expiresAt', keepMs: REFRESH_TOKEN_VALIDITY_MS + DAY_MS },
  otpSends: { column: 'lastAt', keepMs: DAY_MS },
  otpFailures: { column: 'lastAt', keepMs: HOUR_MS },
  // A whole family expires at one instant, and until then a used token is how its copy is found out.
  refreshTokens: { column: 'expiresAt', keepMs: 0 },
  // A payer who signs out with a token that is over still ends the family.
  ssoTokens: { column: 'expiresAt', keepMs: REFRESH_TOKEN_VALIDITY_MS },
  // The last SSO token of a family may be given just before its refresh token is over.
  tokenFamilies: { column: 'createdAt', keepMs: REFRESH_TOKEN_VALIDITY_MS + SSO_VALIDITY_MAX_MS },
  // Its sends are counted for as long as a payment page of the order may be open.
  checkoutOtps: { column: 'expiresAt', keepMs: DAY_MS },
  checkoutOtpSends: { column: 'lastAt', keepMs: DAY_MS },
  // For so long a payer who comes back to it reads that its time is over, and finds the way back to the shop.
  pages: { column: 'until', keepMs: DAY_MS },
  mandatePages: { column: 'until', keepMs: DAY_MS },
  mandateCodeSends: { column: 'lastAt', keepMs: DAY_MS },
  operatorTokens: { column: 'until', keepMs: 0, isReal: true },
  operatorSessions: { column: 'until', keepMs: 0, isReal: true },
  signInFailures: { column: 'lastAt', keepMs: FAILURES_KEPT_MS, isReal: true },
}
/** By which clock a table's rows grow old. */
export const isByRealTime = (table: Forgettable): boolean => (rules[table] as { isReal?: true }).isReal === true
export const forgettables = Object.keys(rules) as Forgettable[]

/** Rows of one table that may go, the oldest first. */
export function forgettableUntil(table: Forgettable, now: number) {
  const { column, keepMs }: { column: string; keepMs: number } = rules[table]
  return find(table, { atMost: { [column]: now - keepMs }, orderBy: [column as never], limit: PORTION, unopened: true })
}

const codes = ownCodes('forget', 'forgotten', 'kept')

export interface Forget {
  table: Forgettable
  id: readonly string[]
  now: number
}

export const forget = operation({
  name: 'forget',
  codes,
  reads: ({ table, id }: Forget) => ({ row: lock(table, ...id) }),
  decide({ table, id, now }, { row }) {
    const { column, keepMs }: { column: string; keepMs: number } = rules[table]
    const isOver = row !== undefined && now >= Number((row as Readonly<Record<string, unknown>>)[column]) + keepMs // it may have been used again since it was found
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

/** Once it is not given again, no token lies in the store but as a hash. */
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
