// The parts that the handlers of all operations share.

import type { SignInLimits } from '../../domain/signin/signin.ts'
import type { Ports } from '../../flows/ports.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import { OtpRateLimit, type OtpRateLimits } from './otp-rate-limit.ts'

const CLIENT_FACTOR = 10 // times an address's ceiling: a client's users come from many addresses
const OF_TOKEN_PER_MINUTE = 60 // docs/interface.md section 8 (Mohur): calls with one token, and its wrong promocodes, in each process

export interface SignInSettings extends SignInLimits {
  ceilingPerMinute: number
  otps: OtpRateLimits
}
export interface SignInParts {
  settings: SignInSettings
  /** False when no messenger can carry an OTP: in production without MOHUR_SMS_URL. */
  canSend: boolean
  /** Wrong codes at the checkout's login from one network address, by API and on the payment page. */
  wrongCheckoutCodes: RateLimit
  /** Sign-in and the checkout's login share this ceiling: one provider sends for both. */
  otpCeiling: OtpRateLimit
}

export interface Ceilings {
  address: RateLimit
  client: RateLimit
}
export const ceilingsOf = (perMinute: number, { clock }: Pick<Ports, 'clock'>): Ceilings => ({
  address: new RateLimit(perMinute, clock),
  client: new RateLimit(perMinute * CLIENT_FACTOR, clock),
})

const WRONG_SHARE = 10 // docs/interface.md section 8 (Mohur): one in this many of a ceiling's requests may be a wrong code
/**
 * The ceilings for wrong codes, for all numbers together. A number's own limits miss a caller who tries a few codes for each of many
 * numbers.
 */
export const wrongCodesOf = (perMinute: number, ports: Pick<Ports, 'clock'>): Ceilings =>
  ceilingsOf(Math.ceil(perMinute / WRONG_SHARE), ports)

/** `refused` is called for each message beyond the ceilings of one-time passwords. */
export const signInParts = (settings: SignInSettings, canSend: boolean, ports: Ports, refused: () => void): SignInParts => ({
  settings,
  canSend,
  otpCeiling: new OtpRateLimit(settings.otps, ports, refused),
  wrongCheckoutCodes: wrongCodesOf(settings.ceilingPerMinute, ports).address,
})

/** A separate count for each token: of its calls, or of its wrong promocodes. */
export const tokenCeiling = ({ clock }: Pick<Ports, 'clock'>) => new RateLimit(OF_TOKEN_PER_MINUTE, clock)

export interface ApiParts {
  ports: Ports
  signIn: SignInParts
  /** One count for all operations of sign-in. */
  ceilings: Ceilings
  /** One count by address, for both operations of the checkout's login. */
  checkoutCeiling: RateLimit
  /** One count of each token's calls about one way to pay. */
  pageCalls: RateLimit
  /** One count of each token's promocodes that earned nothing. */
  promocodes: RateLimit
}

export const apiParts = (ports: Ports, signIn: SignInParts): ApiParts => ({
  ports,
  signIn,
  ceilings: ceilingsOf(signIn.settings.ceilingPerMinute, ports),
  checkoutCeiling: new RateLimit(signIn.settings.ceilingPerMinute, ports.clock),
  pageCalls: tokenCeiling(ports),
  promocodes: tokenCeiling(ports),
})
