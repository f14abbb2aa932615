// Codes of authenticator apps (RFC 6238: six digits, 30 seconds), and recovery codes for a lost app.

import { Secret, TOTP } from 'otpauth'
import { TOTP_STEP_MS } from '../../domain/operator/operator.ts'
import type { Random } from '../../engine/random.ts'

const WINDOW = 1 // RFC 6238 section 5.2: one step of delay
const SECRET_BYTES = 20 // RFC 4226 section 4: as long as the hash
const RECOVERY_CODES = 10 // docs/console.md
const RECOVERY_BYTES = 5

const of = (secret: string, label = '') =>
  new TOTP({ issuer: 'Mohur', label, algorithm: 'SHA1', digits: 6, period: TOTP_STEP_MS / 1_000, secret: Secret.fromBase32(secret) })

export const newSecret = (fresh: Pick<Random, 'hex'>): string => Secret.fromHex(fresh.hex(SECRET_BYTES)).base32
/** The address in the QR code that an app reads. */
export const addressOf = (secret: string, email: string): string => of(secret, email).toString()

/** The step of a valid code, by real time. Undefined for a wrong code. */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  if (!/^[0-9]{6}$/.test(code)) return undefined
  const delta = of(secret).validate({ token: code, timestamp: now, window: WINDOW })
  return delta === null ? undefined : Math.floor(now / TOTP_STEP_MS) + delta
}

export const newRecoveryCodes = (fresh: Pick<Random, 'hex'>): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => `${fresh.hex(RECOVERY_BYTES)}`.replace(/^(.{5})/, '$1-'))

/** Reads a recovery code in any form that people type. Undefined for any other text. */
export const recoveryCodeIn = (typed: string): string | undefined => {
  const plain = typed.toLowerCase().replace(/[\s-]/g, '')
  return /^[0-9a-f]{10}$/.test(plain) ? plain.replace(/^(.{5})/, '$1-') : undefined
}
