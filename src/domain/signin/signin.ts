// Rules on which sign-in rests: docs/interface.md sections 4.1 and 4.7.

import type { TSchema } from 'typebox'
import { lasts } from '../../engine/clock.ts'
import type { Change } from '../../engine/decision.ts'
import type { ResultCode } from '../../interface/result-codes.ts'
import { newCustomerKey } from '../../tables/keys.ts'
import type { AgreedTerms } from '../../tables/subscription.ts'
import type { Row } from '../../tables/tables.ts'

export const HOUR_MS = 60 * 60_000
export const DAY_MS = 24 * HOUR_MS
export const OTP_VALIDITY_MAX_MS = 10 * 60_000 // docs/interface.md section 8: the longest that the setting allows
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

/** A client whose secret was right, and the device for which it asks. */
export interface SignInCaller {
  clientId: string
  deviceHash: string
}

/** An operation's description of its flat request, so that one route can read both operations (api/signin/sign-in.ts). */
export interface SignInWire<Query extends TSchema, Body extends TSchema, Code extends ResultCode> {
  query: Query
  body: Body
  invalidAuthorization: Code
  deviceMissing: Code
  /** Anything missing, wrong or unreadable in the query and the body. */
  badRequest: Code
  systemError: Code
}

/** The instants of the last `spanMs`. An instant exactly that old no longer counts. */
export const within = (spanMs: number, instants: readonly number[], now: number) => instants.filter((at) => lasts(at, spanMs, now))

/** The sends to a number, with one more added. Undefined when one more is too many. Sends for apps and for checkouts are counted apart. */
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

/** The change of a customer whose number has just signed in. The number's first sign-in makes the customer. */
export function signedIn(customer: Row<'customers'> | undefined, mobile: string, userId: string, now: number): Change<'customers'> {
  const row = customer ?? { mobile, userId, walletBalancePaise: 0, pendingVerificationSince: null, signedInAt: null }
  return { kind: customer ? 'update' : 'insert', key: newCustomerKey(mobile), row: { ...row, signedInAt: now } }
}

const LATELY_MS = 90 * DAY_MS // docs/interface.md section 8 (Mohur)
/** True when an OTP to the number was entered lately. So the number's owner is a person who signs in. */
export const signedInLately = (customer: Row<'customers'> | undefined, now: number) =>
  customer !== undefined && customer.signedInAt !== null && now - customer.signedInAt < LATELY_MS

/** While a change of a number's owner is under verification, the number opens no sign-in, and its wallet pays nothing. */
export const isPending = (customer: Row<'customers'> | undefined, now: number) =>
  customer !== undefined && customer.pendingVerificationSince !== null && now < customer.pendingVerificationSince + PENDING_VERIFICATION_MS

/**
 * True for a sign-in or a mandate from before the report of a change of owner, because it may be the former owner's. It stays invalid after
 * the 48 hours, until the operator withdraws the report.
 */
export const isOfFormerOwner = ({ createdAt }: Pick<Row<'tokenFamilies'>, 'createdAt'>, customer: Row<'customers'> | undefined) =>
  createdAt <= (customer?.pendingVerificationSince ?? Number.NEGATIVE_INFINITY)

export const mayAskFor = (client: Row<'signInClients'>, scopes: readonly string[]) => scopes.every((scope) => client.scopes.includes(scope))

/** The purpose of a code that signs no payer in. The message names it, so that no payer is talked into another use of the code. */
export type CodePurpose = { merchant: string } & (
  | { kind: 'mandate' }
  | { kind: 'debit'; amountPaise: number }
  | { kind: 'edit'; terms: AgreedTerms }
)

/** The sealed payload of an `otp-message.due` task. The task's subject is the idempotency key of the message. */
export interface OtpMessage {
  mobile: string
  otp: string
  validityMs: number
  expiresAt: number
  purpose?: CodePurpose
  attempts: number
}
