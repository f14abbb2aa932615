// How much is under way to one host of a merchant's, and for one merchant. A merchant may have as many as are free for everybody else, whatever
// hosts he names: of those whose endpoints are silent one has half of all places, five have a sixth each, and as much as each
// of them has is left. What finds no place waits here for a moment where the host is quick, and is told when to come back where
// it is not, so that a long queue comes back one after another and not all at once.

import type { Clock } from '../engine/clock.ts'

const PER_HOST = 16 // docs/interface.md section 8 (Mohur)
const WAIT_HERE_MS = 1_000 // ours: with a delivery's own time well within the lease of its task
const COME_BACK_MIN_MS = 100
const COME_BACK_MAX_MS = 5 * 60_000 // ours: an endpoint that has recovered is not left alone for long
const ASSUMED_MS = 20 // how long a delivery takes, before any was seen

export interface Taken {
  release(): void
}

interface Begun {
  at: number
}

class Host {
  /** When each of those under way began. */
  readonly began = new Set<Begun>()
  readonly line: (() => void)[] = []
  #tookMs = ASSUMED_MS
  #isKnown = false
  /** When the queue that was sent away will have had its turn. */
  #freeAt = 0

  get isIdle() {
    return this.began.size === 0 && this.line.length === 0
  }
  took(ms: number) {
    this.#isKnown = true
    this.#tookMs = (3 * this.#tookMs + ms) / 4
  }
  /** One that is not over yet says the more, the longer it takes. */
  #expectedMs(now: number) {
    return Math.max(this.#tookMs, ...[...this.began].map(({ at }) => now - at))
  }
  isQuick(now: number) {
    return (this.#expectedMs(now) * (this.line.length + 1)) / PER_HOST <= WAIT_HERE_MS
  }
  /** It has answered before, and fast: whoever waits for it takes a place for a moment only. */
  isTrusted(now: number) {
    return this.#isKnown && this.isQuick(now)
  }
  /** Whoever is sent away comes back after those who were sent away before him. */
  comeBackIn(now: number) {
    this.#freeAt = Math.min(Math.max(this.#freeAt, now) + this.#expectedMs(now) / PER_HOST, now + COME_BACK_MAX_MS)
    return Math.ceil(Math.max(this.#freeAt - now, COME_BACK_MIN_MS))
  }
}

export class Places {
  readonly #clock: Pick<Clock, 'elapsed' | 'sleep'>
  readonly #hosts = new Map<string, Host>()
  readonly #merchants = new Map<string, number>()
  readonly #places: number
  #taken = 0

  /** `places` are those of all merchants together. */
  constructor(clock: Pick<Clock, 'elapsed' | 'sleep'>, places: number) {
    this.#clock = clock
    this.#places = places
  }

  /** A place that is to be given back, or how many milliseconds later to ask again. Two merchants of one host do not wait for each other. */
  async take(hostname: string, mid: string): Promise<Taken | { waitMs: number }> {
    const name = `${hostname} ${mid}`
    const host = this.#hosts.get(name) ?? new Host()
    const used = this.#merchants.get(mid) ?? 0
    const now = this.#clock.elapsed()
    const isFull = host.began.size >= PER_HOST
    const hasHisShare = used >= this.#places - this.#taken
    if ((hasHisShare && !host.isTrusted(now)) || (isFull && !host.isQuick(now))) return { waitMs: host.comeBackIn(now) }
    this.#hosts.set(name, host)
    this.#merchants.set(mid, used + 1)
    this.#taken++
    const delivery = isFull ? await this.#turn(host) : this.#begin(host)
    if (!delivery) {
      this.#leave(name, host, mid)
      return { waitMs: host.comeBackIn(this.#clock.elapsed()) }
    }
    return {
      release: () => {
        host.began.delete(delivery)
        host.took(this.#clock.elapsed() - delivery.at)
        host.line.shift()?.()
        this.#leave(name, host, mid)
      },
    }
  }

  #begin({ began }: Host): Begun {
    const delivery = { at: this.#clock.elapsed() }
    began.add(delivery)
    return delivery
  }

  /** Stands in line; undefined when it takes too long after all. */
  #turn(host: Host): Promise<Begun | undefined> {
    return new Promise((resolve) => {
      const called = () => resolve(this.#begin(host)) // at once, so that nobody slips in between
      host.line.push(called)
      void this.#clock.sleep(WAIT_HERE_MS).then(() => {
        const at = host.line.indexOf(called)
        if (at < 0) return
        host.line.splice(at, 1)
        resolve(undefined)
      })
    })
  }

  #leave(name: string, host: Host, mid: string) {
    this.#taken--
    const used = this.#merchants.get(mid)! - 1
    if (used > 0) this.#merchants.set(mid, used)
    else this.#merchants.delete(mid)
    if (host.isIdle) this.#hosts.delete(name)
  }
}
