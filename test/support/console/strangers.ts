// Strangers who guess passwords of the console, and the pace of its comparisons. Time passes only in the rests between comparisons.

import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Passwords } from '../../../src/console/kit/passwords.ts'
import { fromCheckout } from '../run/checkout.ts'
import { QUICK, type Service } from '../run/service.ts'
import { type Answer, ask, PASSWORD } from './desk.ts'

const module = await fromCheckout<typeof import('../../../src/console/kit/passwords.ts')>('src/console/kit/passwords.ts')
const EVERY_MS = 100 // docs/console.md: ten in a second
const WRONG = 422
const [REFUSED_FOR_MS, LOOKED_EVERY_MS] = [1_000, 20]

/** Compares as in service. Each rest between two comparisons passes at once, on the service's clock too. */
export class PacedPasswords extends module.Passwords {
  readonly #time: { now: number }
  readonly compared: { line: string | undefined; password: string; waitedMs: number }[] = []
  service: Service | undefined

  constructor() {
    const time = { now: 0 }
    const clock = {
      elapsed: () => time.now,
      sleep: async (ms: number) => {
        time.now += ms
        this.service?.clock.set(ms)
        this.service?.clock.pass(ms)
        await setImmediate()
      },
    }
    super(clock, { ...QUICK, everyMs: EVERY_MS })
    this.#time = time
  }
  now() {
    return this.#time.now
  }
  override async isRight(...given: Parameters<Passwords['isRight']>) {
    const [password, , line] = given
    const from = this.now()
    const isRight = await super.isRight(...given)
    this.compared.push({ line, password, waitedMs: this.now() - from })
    return isRight
  }
}

let networks = 0
export const newNetwork = () => {
  const nth = ++networks
  return { 'x-forwarded-for': `11.${(nth >> 16) & 255}.${(nth >> 8) & 255}.${nth & 255}` }
}
export const guess = (service: Service, email: string, known?: string): Promise<Answer> =>
  ask(service, '/console/sign-in', { known, form: { email, password: 'not their 9 horse' }, headers: newNetwork() })
export const enter = (service: Service, email: string, more: { known?: string | undefined; headers?: Record<string, string> } = {}) =>
  ask(service, '/console/sign-in', { known: more.known, form: { email, password: PASSWORD }, headers: more.headers ?? newNetwork() })

/** `count` callers guess until they are stopped: again as soon as they get an answer, and a second after a refusal. */
export function guessing(passwords: PacedPasswords, count: number, one: () => Promise<Answer>) {
  const statuses = new Map<number, number>()
  let isOver = false
  const loops = Array.from({ length: count }, async () => {
    while (!isOver) {
      const { status } = await one()
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const from = passwords.now()
      while (!isOver && status !== WRONG && passwords.now() < from + REFUSED_FOR_MS) await setTimeout(LOOKED_EVERY_MS)
    }
  })
  return {
    async stop() {
      isOver = true
      await Promise.all(loops)
      return [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ')
    },
  }
}
