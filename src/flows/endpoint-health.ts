// What an operator hears of merchants' endpoints: one line when deliveries to one begin to fail, one when they are taken again. Each process
// counts for itself; the delivery log has every attempt (docs/operating/watch.md).

import type { DeliveryAttempt } from '../domain/notification/notification.ts'
import type { Clock } from '../engine/clock.ts'

const ENDPOINTS_MAX = 10_000 // ours: that are failing at once; what is beyond is not counted

export interface FailingEndpoint {
  mid: string
  /** Without its path and query, which may hold a secret of the merchant's. */
  origin: string
  failures: number
  seconds: number
}

export interface HealthLog {
  fails(endpoint: Pick<FailingEndpoint, 'mid' | 'origin'> & Pick<DeliveryAttempt, 'outcome' | 'httpStatus'>): void
  recovers(endpoint: FailingEndpoint): void
}

export class EndpointHealth {
  readonly #failing = new Map<string, { failures: number; since: number }>()
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #log: HealthLog

  constructor(clock: Pick<Clock, 'elapsed'>, log: HealthLog) {
    this.#clock = clock
    this.#log = log
  }

  /** Of one attempt at one of the merchant's addresses. */
  saw(mid: string, url: string, { outcome, httpStatus }: DeliveryAttempt) {
    const origin = URL.parse(url)?.origin ?? 'an address that cannot be read'
    const key = `${mid} ${origin}`
    const failing = this.#failing.get(key)
    if (outcome === 'delivered') {
      if (!failing) return
      this.#failing.delete(key)
      const { failures, since } = failing
      this.#log.recovers({ mid, origin, failures, seconds: Math.round((this.#clock.elapsed() - since) / 1_000) })
    } else if (failing) failing.failures++
    else if (this.#failing.size < ENDPOINTS_MAX) {
      this.#failing.set(key, { failures: 1, since: this.#clock.elapsed() })
      this.#log.fails({ mid, origin, outcome, httpStatus })
    }
  }
}
