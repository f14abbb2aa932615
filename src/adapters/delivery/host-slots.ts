// Limits the deliveries under way to one host of a merchant, and for one merchant. A merchant may take as many places, with any hosts, as
// stay free for all others. So one merchant with silent endpoints has half of all places. Five such merchants have a sixth each, and a
// sixth is left.
// A delivery without a place waits here for a moment if the host is quick. Otherwise the delivery is sent away until a later time, so that
// a long queue returns one after another. A quick answer recalls two deliveries of the host's queue before their time. So a host that was
// slow for a while is soon notified as fast as it answers. A host that is still slow loses nothing.

import type { Postponed } from '../../domain/notification/postpone-delivery.ts'
import type { Clock } from '../../engine/clock.ts'

const PER_HOST = 16 // docs/interface.md section 8 (Mohur), like the next two
export const PER_QUICK_HOST = 64
const QUICK_MS = 250
const WAIT_HERE_MS = 1_000 // Mohur's choice: a delivery that is expected to wait longer is sent away
const WAITS_MAX = 5 // Mohur's choice: waits in a row while the host is quick; they and the delivery end well within the task's lease
const OWN_MS = 500 // Mohur's choice: how long an answer may lie unread here while this process decides hundreds of renewals
const COME_BACK_MIN_MS = 100
const COME_BACK_MAX_MS = 5 * 60_000 // Mohur's choice: an endpoint that has recovered is not left alone for long
const ASSUMED_MS = 20 // how long a delivery is assumed to take before the first answer
const RECALLED = 2 // by each quick answer
const AWAY_MAX = 10_000 // Mohur's choice: deliveries remembered in all, a few hundred bytes each; all others return only at their time
const RESTING_MAX = 1_000 // Mohur's choice: remembered hosts that are known to be quick and have no delivery
const FORGETS_EVERY_MS = 1_000 // Mohur's choice: how often all hosts' deliveries are checked while `AWAY_MAX` are remembered

export interface TakenSlot {
  release(): void
}

interface Begun {
  at: number
}

/** How fast a host or a merchant answers, and when the queue that was sent away will have had its turn. */
class Pace {
  /** Deliveries under way, the oldest first. */
  readonly began = new Set<Begun>()
  #tookMs = ASSUMED_MS
  #freeAt = 0

  /** Deliveries under way show soon enough that a host is slow. Only an answer shows that the host is quick again. */
  took(ms: number) {
    this.#tookMs = Math.min((3 * this.#tookMs + ms) / 4, ms)
  }
  /** The longer a delivery under way takes, the more it says about the pace. `ownMs` of its time may be this process's own delay. */
  expectedMs(now: number, ownMs = 0) {
    const [first] = this.began
    return first ? Math.max(this.#tookMs, now - first.at - ownMs) : this.#tookMs
  }
  /** How long a delivery is sent away, in milliseconds. Deliveries return in the order in which they were sent away, `places` at a time. */
  comeBackIn(now: number, places: number) {
    this.#freeAt = Math.min(Math.max(this.#freeAt, now) + this.expectedMs(now) / places, now + COME_BACK_MAX_MS)
    return Math.ceil(Math.max(this.#freeAt - now, COME_BACK_MIN_MS))
  }
  queueIsOver() {
    this.#freeAt = 0
  }
}

/** All hosts of a merchant together. */
class Merchant extends Pace {
  /** Deliveries under way, and those that wait here for a moment. */
  taken = 0
}

class Host extends Pace {
  readonly line: (() => void)[] = []
  /** Deliveries that were sent away, the oldest first. */
  readonly away: Postponed[] = []
  /** Recalled deliveries that `recall` has not made due yet. */
  called = 0
  #isKnown = false

  get isIdle() {
    return this.began.size + this.line.length + this.away.length + this.called === 0
  }
  override took(ms: number) {
    this.#isKnown = true
    super.took(ms)
  }
  isQuick(now: number) {
    return (this.expectedMs(now, OWN_MS) * (this.line.length + 1)) / PER_HOST <= WAIT_HERE_MS
  }
  /** How many may be under way. Sixty-four requests load a fast host less than sixteen load a slow one. */
  most(now: number) {
    return this.#isKnown && this.expectedMs(now, OWN_MS) <= QUICK_MS ? PER_QUICK_HOST : PER_HOST
  }
  /** True when the host has answered before, and fast. A delivery that waits for it takes a place only for a moment. */
  isTrusted(now: number) {
    return this.#isKnown && this.expectedMs(now, OWN_MS) <= WAIT_HERE_MS && this.isQuick(now)
  }
  /** The deliveries to call now. */
  next(now: number): readonly Postponed[] {
    if (this.expectedMs(now) > WAIT_HERE_MS || this.line.length + this.called >= PER_HOST) return []
    const next = this.away.splice(0, RECALLED)
    if (this.away.length === 0) this.queueIsOver()
    return next
  }
}

export class HostSlots {
  readonly #clock: Pick<Clock, 'now' | 'elapsed' | 'sleep'>
  readonly #hosts = new Map<string, Host>()
  /** Hosts without a delivery, the one that rested longest first. */
  readonly #resting = new Set<string>()
  readonly #merchants = new Map<string, Merchant>()
  readonly #places: number
  readonly #recall: (postponed: Postponed) => Promise<void>
  /** Deliveries under way, and those that wait here for a moment. */
  #taken = 0
  #underWay = 0
  #away = 0
  #forgotAt = 0

  /** `places` is for all merchants together. `recall` makes a sent-away delivery due, and does not fail. */
  constructor(clock: Pick<Clock, 'now' | 'elapsed' | 'sleep'>, places: number, recall: (postponed: Postponed) => Promise<void>) {
    this.#clock = clock
    this.#places = places
    this.#recall = recall
  }

  /**
   * Returns a place that the caller releases, or the time when the task is due again. Two merchants of one host do not wait for each other.
   */
  async take(hostname: string, mid: string, task: Pick<Postponed, 'task' | 'subject'>): Promise<TakenSlot | { dueAt: number }> {
    const name = `${hostname} ${mid}`
    const host = this.#hosts.get(name) ?? new Host()
    this.#hosts.set(name, host)
    this.#resting.delete(name)
    const merchant = this.#merchants.get(mid) ?? new Merchant()
    const now = this.#clock.elapsed()
    const isFull = !this.#hasRoom(host, now)
    const hasHisShare = merchant.taken >= this.#places - this.#taken
    if (isFull && !host.isQuick(now)) return this.#sendAway(name, host, task, host.comeBackIn(now, PER_HOST))
    // The merchant's own pace spreads the returns. So the deliveries to a merchant's thousand hosts do not all return in every instant.
    if (hasHisShare && !host.isTrusted(now)) return this.#sendAway(name, host, task, merchant.comeBackIn(now, Math.max(1, merchant.taken)))
    this.#merchants.set(mid, merchant)
    merchant.taken++
    this.#taken++
    const delivery = isFull ? await this.#turn(host) : this.#begin(host)
    if (!delivery) {
      this.#leave(name, host, mid)
      return this.#sendAway(name, host, task, host.comeBackIn(this.#clock.elapsed(), PER_HOST))
    }
    merchant.began.add(delivery)
    return {
      release: () => {
        this.#underWay--
        const tookMs = this.#clock.elapsed() - delivery.at
        for (const pace of [host, merchant]) {
          pace.began.delete(delivery)
          pace.took(tookMs)
        }
        while (host.line.length > 0 && this.#hasRoom(host, this.#clock.elapsed())) host.line.shift()!()
        this.#callNext(name, host)
        this.#leave(name, host, mid)
      },
    }
  }

  #sendAway(name: string, host: Host, { task, subject }: Pick<Postponed, 'task' | 'subject'>, forMs: number): { dueAt: number } {
    const [now, elapsed] = [this.#clock.now(), this.#clock.elapsed()]
    const dueAt = now + forMs
    this.#forgetWhoCame(host, now)
    if (this.#away >= AWAY_MAX && elapsed >= this.#forgotAt + FORGETS_EVERY_MS) {
      this.#forgotAt = elapsed
      // Copied first: `#dropIdle` moves a resting host to the map's end, so a loop over the map itself would never finish.
      const waitedFor = [...this.#hosts].filter(([, { away }]) => away.length > 0)
      for (const [other, of] of waitedFor) {
        this.#forgetWhoCame(of, now)
        this.#dropIdle(other, of)
      }
    }
    if (this.#away < AWAY_MAX) {
      host.away.push({ task, subject, dueAt })
      this.#away++
      this.#hosts.set(name, host)
    } else this.#dropIdle(name, host)
    return { dueAt }
  }

  /** Forgets deliveries whose time has come: they return by themselves, or have come to another process. */
  #forgetWhoCame({ away }: Host, now: number) {
    const waiting = away.findIndex(({ dueAt }) => dueAt > now)
    this.#away -= away.splice(0, waiting < 0 ? away.length : waiting).length
  }

  #callNext(name: string, host: Host) {
    this.#forgetWhoCame(host, this.#clock.now())
    const next = host.next(this.#clock.elapsed())
    this.#away -= next.length
    host.called += next.length
    for (const postponed of next)
      void this.#recall(postponed).then(() => {
        host.called--
        this.#dropIdle(name, host)
      })
  }

  /** Beyond half of all places, each host has at most sixteen. Otherwise quick hosts that fall silent together would take every place. */
  #hasRoom(host: Host, now: number) {
    return host.began.size < (this.#underWay < this.#places / 2 ? host.most(now) : PER_HOST)
  }

  #begin({ began }: Host): Begun {
    this.#underWay++
    const delivery = { at: this.#clock.elapsed() }
    began.add(delivery)
    return delivery
  }

  /** Waits in line for a place. Undefined when the wait is too long after all. */
  #turn(host: Host): Promise<Begun | undefined> {
    return new Promise((resolve) => {
      const called = () => resolve(this.#begin(host)) // at once, so that no other delivery slips in between
      host.line.push(called)
      const wait = async (waits: number): Promise<void> => {
        await this.#clock.sleep(WAIT_HERE_MS)
        const at = host.line.indexOf(called)
        if (at < 0) return
        // The host is quick enough, so the delay is this process's own.
        if (waits < WAITS_MAX && host.isQuick(this.#clock.elapsed())) return wait(waits + 1)
        host.line.splice(at, 1)
        resolve(undefined)
      }
      void wait(1)
    })
  }

  #leave(name: string, host: Host, mid: string) {
    this.#taken--
    const merchant = this.#merchants.get(mid)!
    merchant.taken--
    if (merchant.taken === 0) this.#merchants.delete(mid)
    this.#dropIdle(name, host)
  }

  /** Forgets an idle host, but remembers one that has answered fast. Beyond `RESTING_MAX`, the host that rested longest is forgotten. */
  #dropIdle(name: string, host: Host) {
    if (!host.isIdle || this.#hosts.get(name) !== host) return
    this.#hosts.delete(name)
    this.#resting.delete(name)
    if (!host.isTrusted(this.#clock.elapsed())) return
    this.#hosts.set(name, host)
    this.#resting.add(name)
    const [longest] = this.#resting
    if (this.#resting.size <= RESTING_MAX || longest === undefined) return
    this.#hosts.delete(longest)
    this.#resting.delete(longest)
  }
}
