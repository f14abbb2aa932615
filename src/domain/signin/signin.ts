// What sign-in rests on: docs/interface.md sections 4.1 and 4.7.

import type { TSchema } from 'typebox'
import { lasts } from '../../engine/clock.ts'
import type { Change } from '../../engine/decision.ts'
import type { ResultCode } from '../../interface/result-codes.ts'
import { newCustomerKey } from '../../tables/keys.ts'
import type { AgreedTerms } from '../../tables/subscription.ts'
import type { Row } from '../../tables/tables.ts'

export const HOUR_MS = 60 * 60_000
export const DAY_MS = 24 * HOUR_MS
export const OTP_VALIDITY_MAX_MS = 10 * 60_000 // docs/interface.md section 8: the longest that it may be set to
export const OTP_FORM = /^[0-9]{6}$/ // docs/interface.md section 8
const PENDING_VERIFICATION_MS = 48 * HOUR_MS // docs/interface.md section 8
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

/** What an operation says of its flat request, so that one route can read both of them (api/signin/sign-in.ts). */
export interface SignInWire<Query extends TSchema, Body extends TSchema, Code extends ResultCode> {
  query: Query
  body: Body
  invalidAuthorization: Code
  deviceMissing: Code
  /** Anything missing, wrong or unreadable in the query and the body. */
  badRequest: Code
  systemError: Code
}

/** Those of `instants` that lie in the last `spanMs`; an instant that old to the millisecond is over. */
export const within = (spanMs: number, instants: readonly number[], now: number) => instants.filter((at) => lasts(at, spanMs, now))

/** The sends to a number with one more, or undefined when that is one too many. An app's and a checkout's are counted apart. */
export function mayBeSent(
  sends: Row<'otpSends' | 'checkoutOtpSends'> | undefined,
  mobile: string,
  limits: Pick<SignInLimits, 'sendsPerHour' | 'sendsPerDay'>,
  now: number,
): Row<'otpSends'> | undefined {
  const sentAt = within(DAY_MS, sends?.sentAt ?? [], now)
  if (sentAt.length >= limits.sendsPerDay || within(HOUR_MS, sentAt, now).length >= limits.sendsPerHour) return undefined
  return { mobile, sentAt: [...sentAt, now], lastAt: now }
}

/** The customer of a number that has just been signed in with, made at its first sign-in. */
export function signedIn(customer: Row<'customers'> | undefined, mobile: string, userId: string, now: number): Change<'customers'> {
  const row = customer ?? { mobile, userId, walletBalancePaise: 0, pendingVerificationSince: null, signedInAt: null }
  return { kind: customer ? 'update' : 'insert', key: newCustomerKey(mobile), row: { ...row, signedInAt: now } }
}

const LATELY_MS = 90 * DAY_MS // docs/interface.md section 8 (Mohur)
/** An OTP that was sent to the number came back not long ago: its owner is somebody who signs in. */
export const signedInLately = (customer: Row<'customers'> | undefined, now: number) =>
  customer !== undefined && customer.signedInAt !== null && now - customer.signedInAt < LATELY_MS

/** While a change of a number's owner is being verified, nobody signs in with it and nobody pays from its wallet. */
export const isPending = (customer: Row<'customers'> | undefined, now: number) =>
  customer !== undefined && customer.pendingVerificationSince !== null && now < customer.pendingVerificationSince + PENDING_VERIFICATION_MS

/** A sign-in of before such a change may be the former owner's: it does not come back with the end of the 48 hours, but when the operator takes his word back. */
export const isOfFormerOwner = ({ createdAt }: Row<'tokenFamilies'>, customer: Row<'customers'> | undefined) =>
  createdAt <= (customer?.pendingVerificationSince ?? Number.NEGATIVE_INFINITY)

export const mayAskFor = (client: Row<'signInClients'>, scopes: readonly string[]) => scopes.every((scope) => client.scopes.includes(scope))

/** What a code is for, where it does not sign anybody in: the message says it, so that nobody is talked into another use of it. */
export type CodePurpose = { merchant: string } & (
  | { kind: 'mandate' }
  | { kind: 'debit'; amountPaise: number }
  | { kind: 'edit'; terms: AgreedTerms }
)

/** The sealed payload of an `otp-message.due`; its subject is the idempotency key of the message. */
export interface OtpMessage {
  mobile: string
  otp: string
  validityMs: number
  expiresAt: number
  purpose?: CodePurpose
  /** How often it was tried. */
  attempts: number
}
