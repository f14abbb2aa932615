// Logs one line when deliveries to a merchant's endpoint begin to fail, and one when it accepts them again. Each process counts for itself;
// the delivery log has every attempt (docs/operating/watch.md).

import type { DeliveryAttempt } from '../domain/notification/notification.ts'
import type { Clock } from '../engine/clock.ts'

const ENDPOINTS_MAX = 10_000 // Mohur's choice: endpoints that fail at the same time; further endpoints are not counted

export interface FailingEndpoint {
  mid: string
  /** Without its path and query, which may contain a secret of the merchant. */
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
