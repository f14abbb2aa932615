// What sign-in rests on: docs/interface.md sections 4.1 and 4.7.

import type { TSchema } from 'typebox'
import type { Event } from '../engine/decision.ts'
import type { ResultCode } from '../interface/result-codes.ts'
import type { Row } from '../tables.ts'

export const HOUR_MS = 60 * 60_000
export const DAY_MS = 24 * HOUR_MS
export const REFRESH_TOKEN_VALIDITY_MS = 30 * DAY_MS // docs/interface.md section 8 (Mohur)

/** Every number here is a setting: docs/interface.md section 8. */
export interface SignInLimits {
  otpValidityMs: number
  triesMax: number
  failuresPerHour: number
  sendsPerHour: number
  sendsPerDay: number
  ssoValidityMs: number
}

/** Who asks: a client whose secret was right, and the device it speaks for. */
export interface SignInCaller {
  clientId: string
  deviceHash: string
}

/** What an operation says of its flat request, so that one route can read both of them (http/signin-routes.ts). */
export interface SignInWire<Query extends TSchema, Body extends TSchema, Code extends ResultCode> {
  query: Query
  body: Body
  invalidAuthorization: Code
  deviceMissing: Code
  /** Anything missing, wrong or unreadable in the query and the body. */
  badRequest: Code
  systemError: Code
}

/** Of some instants those of the last `spanMs`; an instant that old to the millisecond is over. */
export const within = (spanMs: number, instants: readonly number[], now: number) => instants.filter((at) => now - at < spanMs)

export const mayAskFor = (client: Row<'signInClients'>, scopes: readonly string[]) => scopes.every((scope) => client.scopes.includes(scope))

/** The event of a change from one version of a token family to the next. */
export function familyEvent(
  type: `signin.${string}`,
  before: Row<'tokenFamilies'> | undefined,
  after: Row<'tokenFamilies'>,
  at: number,
): Event {
  return {
    type,
    owner: after.clientId,
    id: after.familyId,
    version: after.version,
    from: before?.status ?? '',
    to: after.status,
    at,
    data: {},
  }
}
