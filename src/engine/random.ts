// Everything random. Callers draw it before a decision, because a decision that runs twice must see the same token twice.

import { randomBytes, randomInt } from 'node:crypto'

export interface Random {
  /** Lower-case hexadecimal of so many random bytes. */
  hex(bytes: number): string
  /** URL-safe text of so many random bytes. */
  text(bytes: number): string
  /** Six decimal digits, each number as likely as any other. */
  otp(): string
  /** Four characters for a checksum. */
  salt(): string
  /** In [0, 1), for jitter. */
  fraction(): number
}

const POOL_BYTES = 4_096 // one call to the operating system serves about 200 orders

export class SystemRandom implements Random {
  #pool: Buffer = Buffer.alloc(0)
  #taken = 0

  /** Each byte is given out once. */
  #take(bytes: number, encoding: 'hex' | 'base64url' | 'base64'): string {
    if (this.#pool.length - this.#taken < bytes) {
      this.#pool = randomBytes(Math.max(POOL_BYTES, bytes))
      this.#taken = 0
    }
    const from = this.#taken
    this.#taken += bytes
    return this.#pool.toString(encoding, from, this.#taken)
  }
  hex(bytes: number) {
    return this.#take(bytes, 'hex')
  }
  text(bytes: number) {
    return this.#take(bytes, 'base64url')
  }
  otp() {
    return String(randomInt(0, 1_000_000)).padStart(6, '0')
  }
  salt() {
    return this.#take(3, 'base64')
  }
  fraction() {
    return randomInt(0, 2 ** 32) / 2 ** 32
  }
}
