// Everything random, drawn at the edge: a decision that is run twice must see the same token twice.

import { randomBytes, randomInt } from 'node:crypto'

export interface Fresh {
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

export class SystemFresh implements Fresh {
  #pool: Buffer = Buffer.alloc(0)

  #take(bytes: number): Buffer {
    if (this.#pool.length < bytes) this.#pool = randomBytes(Math.max(POOL_BYTES, bytes))
    const taken = this.#pool.subarray(0, bytes)
    this.#pool = this.#pool.subarray(bytes)
    return taken
  }
  hex(bytes: number) {
    return this.#take(bytes).toString('hex')
  }
  text(bytes: number) {
    return this.#take(bytes).toString('base64url')
  }
  otp() {
    return String(randomInt(0, 1_000_000)).padStart(6, '0')
  }
  salt() {
    return this.#take(3).toString('base64')
  }
  fraction() {
    return randomInt(0, 2 ** 32) / 2 ** 32
  }
}
