// Random values from a seed that the test prints. A seed always gives the same values.

export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }
  /** From 0 up to, and without, 1: mulberry32. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor(this.fraction() * below)
  }
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!
  }
  text(lengthMax: number, from: readonly string[]): string {
    return Array.from({ length: this.below(lengthMax + 1) }, () => this.pick(from)).join('')
  }
}
