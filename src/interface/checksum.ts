// The checksum (signature, CHECKSUMHASH): docs/interface.md section 5.
// base64(AES-CBC(key, fixed IV, hex(SHA-256(data + '|' + salt)) + salt)). The scheme is the interface's, not ours:
// what it can and cannot prove is in SECURITY.md.

import { createCipheriv, createDecipheriv, hash, timingSafeEqual } from 'node:crypto'

const IV = Buffer.from('@@@@&&&&####$$$$', 'latin1') // constant in every client library
const SALT_LENGTH = 4
const HASH_LENGTH = 64 // SHA-256 in hexadecimal
const PADDING = '\x0c'.repeat(12) // PKCS#7: 68 bytes in 80, twelve bytes of twelve
export const SIGNATURE_LENGTH = 108 // docs/interface.md section 4.2: string(108)
/** Canonical base64 of 80 bytes: the last character before the padding holds four bits and two zeros, so that one signature has one spelling. */
const SIGNATURE_FORM = /^[A-Za-z0-9+/]{106}[AEIMQUYcgkosw048]=$/
/** Keys of 16, 24 or 32 bytes choose AES-128, 192 or 256, as the server SDKs do. */
const CIPHERS = new Map([
  [16, 'aes-128-cbc'],
  [24, 'aes-192-cbc'],
  [32, 'aes-256-cbc'],
])

export const isChecksumKey = (key: string) => CIPHERS.has(Buffer.byteLength(key))

/** Signs `data` (the exact text of a `body`, or `joinedValues`) with a merchant key and a salt of four characters. */
export function sign(data: string, key: string, salt: string): string {
  const bytes = Buffer.from(key)
  const cipher = createCipheriv(CIPHERS.get(bytes.length)!, bytes, IV).setAutoPadding(false)
  return cipher.update(hash('sha256', `${data}|${salt}`) + salt + PADDING, 'latin1').toString('base64') // whole blocks: `final` has nothing to add
}

/** True when `signature` is the checksum of `data` under `key`. Anything malformed is false, never an error. */
export function verify(data: string, signature: unknown, key: string): boolean {
  if (typeof signature !== 'string' || !SIGNATURE_FORM.test(signature)) return false
  const bytes = Buffer.from(key)
  const cipher = CIPHERS.get(bytes.length)
  if (!cipher) return false
  const decipher = createDecipheriv(cipher, bytes, IV).setAutoPadding(false)
  const padded = decipher.update(signature, 'base64') // whole blocks and no padding to remove: `final` has nothing to add
  const salt = padded.toString('latin1', HASH_LENGTH, HASH_LENGTH + SALT_LENGTH)
  return timingSafeEqual(padded, Buffer.from(hash('sha256', salted(data, salt)) + salt + PADDING, 'latin1'))
}

/** A salt may be any four bytes; only when they are ASCII are they the same as text. */
const salted = (data: string, salt: string): string | Buffer =>
  /^[\0-\x7f]*$/.test(salt) ? `${data}|${salt}` : Buffer.concat([Buffer.from(`${data}|`), Buffer.from(salt, 'latin1')])

/** The map form: values only, in the order of their keys, joined by a pipe; null and "null" are empty, and the signature itself is left out (section 5.1). */
export function joinedValues(parameters: Readonly<Record<string, string | null>>): string {
  return Object.keys(parameters)
    .filter((key) => key !== 'CHECKSUMHASH')
    .sort()
    .map((key) => parameters[key] ?? '')
    .map((value) => (value.toLowerCase() === 'null' ? '' : value))
    .join('|')
}
