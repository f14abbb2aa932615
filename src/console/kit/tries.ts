// Tries of one caller run one after the other: each try is counted before the next is compared.

import { PasswordsBusy } from './passwords.ts'

const WAITING_MAX = 10 // Mohur's choice: as many tries of one caller as may fail

export class Tries {
  readonly #waiting = new Map<string, Promise<unknown>[]>()

  async inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#waiting.get(name) ?? []
    if (before.length >= WAITING_MAX) throw new PasswordsBusy('too many tries of one caller are waiting')
    const turn = (before.at(-1) ?? Promise.resolve()).then(work, work)
    this.#waiting.set(name, [...before, turn])
    try {
      return await turn
    } finally {
      const left = this.#waiting.get(name)!.filter((each) => each !== turn)
      if (left.length > 0) this.#waiting.set(name, left)
      else this.#waiting.delete(name)
    }
  }
}
