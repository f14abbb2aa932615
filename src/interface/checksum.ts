// The checksum (signature, CHECKSUMHASH): docs/interface.md section 5.
// base64(AES-CBC(key, fixed IV, hex(SHA-256(data + '|' + salt)) + salt)).
// The interface gives this scheme. SECURITY.md says what it can and cannot prove.

import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv, hash, timingSafeEqual } from 'node:crypto'

const IV = Buffer.from('@@@@&&&&####$$$$', 'latin1') // constant in every client library
const BLOCK = IV.length
const SALT_LENGTH = 4
const HASH_LENGTH = 64 // SHA-256 in hexadecimal
const PADDING = '\x0c'.repeat(12) // PKCS#7: 68 bytes in 80, twelve bytes of twelve
const PADDED_LENGTH = HASH_LENGTH + SALT_LENGTH + PADDING.length
export const SIGNATURE_LENGTH = 108 // docs/interface.md section 4.2: string(108)
/** Keys of 16, 24 or 32 bytes choose AES-128, 192 or 256, as the server SDKs do. */
const CIPHERS = new Map([
  [16, 'aes-128-cbc'],
  [24, 'aes-192-cbc'],
  [32, 'aes-256-cbc'],
])
const KEPT_MAX = 1_000 // Mohur's choice: so many keys keep their ciphers

export const isChecksumKey = (key: string) => CIPHERS.has(Buffer.byteLength(key))

/** Canonical base64 of the right length: one signature has one spelling. */
export function isSignatureForm(signature: string): boolean {
  if (signature.length !== SIGNATURE_LENGTH) return false
  const encrypted = Buffer.from(signature, 'base64')
  return encrypted.length === PADDED_LENGTH && encrypted.toString('base64') === signature
}

/** Signs `data` (the exact text of a `body`, or `joinedValues`) with a merchant key and a salt of four characters. */
export function sign(data: string, key: string, salt: string): string {
  return ciphersOf(key)
    .encrypt(hash('sha256', `${data}|${salt}`) + salt + PADDING)
    .toString('base64')
}

/** True when `signature` is the checksum of `data` under `key`. Anything malformed is false, never an error. */
export function verify(data: string, signature: unknown, key: string): boolean {
  if (typeof signature !== 'string' || signature.length !== SIGNATURE_LENGTH || !isChecksumKey(key)) return false
  const encrypted = Buffer.from(signature, 'base64')
  if (encrypted.length !== PADDED_LENGTH || encrypted.toString('base64') !== signature) return false // one signature has one spelling
  const padded = ciphersOf(key).decrypt(encrypted)
  const salt = padded.toString('latin1', HASH_LENGTH, HASH_LENGTH + SALT_LENGTH)
  return timingSafeEqual(padded, Buffer.from(hash('sha256', salted(data, salt)) + salt + PADDING, 'latin1'))
}

/**
 * Both directions under one key, for texts of PADDED_LENGTH alone. Making a cipher costs more than using it, so both are kept. CBC chains
 * each text to the one before. `encrypt` and `decrypt` undo the chain, so each text comes out as if only the IV preceded it.
 */
class Ciphers {
  readonly #cipher: Cipheriv
  readonly #decipher: Decipheriv
  #last = IV

  constructor(key: string) {
    const bytes = Buffer.from(key)
    const name = CIPHERS.get(bytes.length)!
    this.#cipher = createCipheriv(name, bytes, IV).setAutoPadding(false)
    this.#decipher = createDecipheriv(name, bytes, IV).setAutoPadding(false)
  }

  encrypt(text: string): Buffer {
    const plain = Buffer.alloc(PADDED_LENGTH)
    plain.write(text, 'latin1')
    // The cipher XORs its last output block into this input. The loop cancels that block and applies the IV.
    for (let at = 0; at < BLOCK; at++) plain[at]! ^= this.#last[at]! ^ IV[at]!
    const encrypted = this.#cipher.update(plain)
    this.#last = encrypted.subarray(-BLOCK)
    return encrypted
  }

  decrypt(encrypted: Buffer): Buffer {
    return this.#decipher.update(Buffer.concat([IV, encrypted])).subarray(BLOCK)
  }
}

const kept = new Map<string, Ciphers>()
function ciphersOf(key: string): Ciphers {
  let ciphers = kept.get(key)
  if (!ciphers) {
    ciphers = new Ciphers(key)
    if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value!)
    kept.set(key, ciphers)
  }
  return ciphers
}

/** A salt may be any four bytes. Only ASCII bytes are the same as text. */
const salted = (data: string, salt: string): string | Buffer =>
  /^[\0-\x7f]*$/.test(salt) ? `${data}|${salt}` : Buffer.concat([Buffer.from(`${data}|`), Buffer.from(salt, 'latin1')])

export interface OpenedSignature {
  hash: string
  salt: string
}

/** Returns the signature's hash and salt when these 16, 24 or 32 bytes are its key. The key may be a guess, so its cipher is not kept. */
export function openSignature(signature: string, key: Uint8Array): OpenedSignature | undefined {
  const decipher = createDecipheriv(CIPHERS.get(key.length)!, key, IV).setAutoPadding(false)
  const plain = decipher.update(signature, 'base64').toString('latin1')
  const [, hash, salt] = OPENED.exec(plain) ?? []
  return hash === undefined || salt === undefined ? undefined : { hash, salt }
}
const OPENED = /^([0-9a-f]{64})(.{4})\f{12}$/s

export const isHashOf = (data: string, { hash: expected, salt }: OpenedSignature) => hash('sha256', salted(data, salt)) === expected

/**
 * The map form: only values, in the order of their keys, joined by a pipe. The value null is empty, and so is the text "null" in any case.
 * The signature itself is left out (section 5.1).
 */
export function joinedValues(parameters: Readonly<Record<string, string | null>>): string {
  return Object.keys(parameters)
    .filter((key) => key !== 'CHECKSUMHASH')
    .sort()
    .map((key) => parameters[key] ?? '')
    .map((value) => (value.toLowerCase() === 'null' ? '' : value))
    .join('|')
}
