// Protects values at rest. Secrets are sealed, and values that need only be recognised are hashed. Both use the master key, which never
// enters the database (docs/interface.md section 5, docs/operating/install.md).

import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes } from 'node:crypto'
import { Unopened } from '../../engine/store.ts'

export const MASTER_KEY_BYTES = 32
const IV_BYTES = 12 // the length that GCM is built for
const TAG_BYTES = 16
const SHORT_HASH_DIGITS = 12 // hexadecimal
const SEALED_FORM = 'v1.' // names the key and the form, so that a later form can live beside it

export class Vault {
  readonly #sealingKey: Buffer
  readonly #hashingKey: Buffer
  readonly #shortHashingKey: string

  constructor(masterKey: Uint8Array) {
    if (masterKey.length !== MASTER_KEY_BYTES) throw new Error(`the master key must be ${MASTER_KEY_BYTES} bytes`)
    this.#sealingKey = Buffer.from(hkdfSync('sha256', masterKey, '', 'mohur sealing', 32))
    this.#hashingKey = Buffer.from(hkdfSync('sha256', masterKey, '', 'mohur hashing', 32))
    this.#shortHashingKey = Buffer.from(hkdfSync('sha256', masterKey, '', 'mohur short hashing', 32)).toString('hex')
  }

  /**
   * AES-256-GCM. `place` (table, column, key) is authenticated, so a value that moved to another row does not open. With an `occasion`,
   * equal inputs are sealed to equal texts. Then the IV is a keyed hash of all inputs, so that no two different values share an IV.
   */
  seal(plain: string, place: string, occasion?: string): string {
    const iv =
      occasion === undefined
        ? randomIv()
        : Buffer.from(this.hash('iv', JSON.stringify([occasion, place, plain])), 'base64url').subarray(0, IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#sealingKey, iv).setAAD(Buffer.from(place))
    return SEALED_FORM + Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
  }

  open(sealed: string, place: string): string {
    if (!sealed.startsWith(SEALED_FORM)) throw new Unopened(`a value of ${columnOf(place)} is sealed in an unknown form`)
    const bytes = Buffer.from(sealed.slice(SEALED_FORM.length), 'base64')
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#sealingKey, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES))
      return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    } catch (cause) {
      throw new Unopened(`a sealed value of ${columnOf(place)} does not open`, { cause })
    }
  }

  /** HMAC-SHA256: `purpose` keeps an OTP's hash from passing for a token's. */
  hash(purpose: string, value: string): string {
    return createHmac('sha256', this.#hashingKey).update(`${purpose}\u0000${value}`).digest('base64url')
  }

  /**
   * 48 bits, which a number holds exactly. Two values may share a hash, so callers also compare the whole values. An order pays for three
   * such hashes, and an HMAC takes five times as long. SHA-256 behind a key lets others extend a whole hash, but not a hash that is cut
   * off.
   */
  shortHash(purpose: string, value: string): number {
    const digits = hash('sha256', `${this.#shortHashingKey}${purpose}\u0000${value}`)
    return Number.parseInt(digits.slice(0, SHORT_HASH_DIGITS), 16)
  }
}

/** The place without the row's key: the log gets this text, and a key may be a number that a person typed. */
const columnOf = (place: string) => place.split('|', 1)[0]

let pool = Buffer.alloc(0)
/** A random IV is safe for 2^32 values under one key. IVs come from a pool, because every order needs one. */
function randomIv(): Buffer {
  if (pool.length < IV_BYTES) pool = randomBytes(IV_BYTES * 256)
  const iv = pool.subarray(0, IV_BYTES)
  pool = pool.subarray(IV_BYTES)
  return iv
}
