// Fixed chance: the same draws in the same order in every run.

import { createHash } from 'node:crypto'
import type { Random } from '../../../src/engine/random.ts'

export class StillRandom implements Random {
  #drawn = 0
  #bytes(bytes: number): Buffer {
    const parts: Buffer[] = []
    for (let length = 0; length < bytes; length += 32)
      parts.push(
        createHash('sha256')
          .update(`draw ${this.#drawn++}`)
          .digest(),
      )
    return Buffer.concat(parts).subarray(0, bytes)
  }
  hex(bytes: number) {
    return this.#bytes(bytes).toString('hex')
  }
  text(bytes: number) {
    return this.#bytes(bytes).toString('base64url')
  }
  otp() {
    return String(this.#bytes(4).readUInt32BE() % 1_000_000).padStart(6, '0')
  }
  salt() {
    return this.#bytes(3).toString('base64')
  }
  fraction() {
    return this.#bytes(4).readUInt32BE() / 2 ** 32
  }
}
