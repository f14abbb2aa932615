// The figures that operators measure: replies by operation and code, their time, the size of batches (docs/operating/watch.md).

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../engine/clock.ts'
import { WorkMetrics } from './work-metrics.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 5, 10, 30] // a payment waits for its bank
/** How often the event loop's delay is measured. With prom-client's 10 ms an idle service would wake a hundred times a second. */
const LAG_EVERY_MS = 1_000
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256]

export class Metrics {
  readonly #registry = new Registry()
  readonly work: WorkMetrics
  /** For all operations together. */
  replies = 0
  #text: Promise<string> | undefined
  readonly #replies: Counter<'operation' | 'code'>
  readonly #seconds: Histogram<'operation'>
  readonly #batches: Histogram
  readonly #connectionsRefused: Counter<'why'>
  readonly #messages: Counter<'outcome'>
  readonly #providerLeftAlone: Gauge
  readonly #pageReports: Counter
  /** Kept because looking labels up costs more than counting. There are as many pairs as rows in the code tables. */
  readonly #bound = new Map<string, { replies: Counter.Internal; seconds: Histogram.Internal<'operation'> }>()

  constructor(clock: Pick<Clock, 'elapsed' | 'every' | 'now'>) {
    const registers = [this.#registry]
    this.work = new WorkMetrics(this.#registry, clock)
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: LAG_EVERY_MS })
    this.#replies = new Counter({
      name: 'mohur_replies_total',
      help: 'Replies by operation and result code',
      labelNames: ['operation', 'code'],
      registers,
    })
    this.#seconds = new Histogram({
      name: 'mohur_reply_seconds',
      help: 'Time from request to reply',
      labelNames: ['operation'],
      buckets: SECONDS,
      registers,
    })
    this.#batches = new Histogram({ name: 'mohur_batch_size', help: 'Commands that shared a commit', buckets: SIZES, registers })
    this.#connectionsRefused = new Counter({
      name: 'mohur_connections_refused_total',
      help: 'Sockets closed unread, because of all that were open or of those of one address',
      labelNames: ['why'],
      registers,
    })
    this.#messages = new Counter({
      name: 'mohur_messages_total',
      help: 'One-time passwords and messages to payers of mandates, by what became of handing them over: delivered, refused, unknown, held; ceiling: refused before',
      labelNames: ['outcome'],
      registers,
    })
    this.#providerLeftAlone = new Gauge({
      name: 'mohur_message_provider_left_alone',
      help: '1 while the message provider does not answer and is tried every 5 seconds only',
      registers,
    })
    this.#pageReports = new Counter({
      name: 'mohur_page_reports_total',
      help: 'Reports of browsers that a payment page tried what its policy forbids',
      registers,
    })
  }

  replied(operation: string, code: string, ms: number) {
    this.replies++
    const key = `${operation} ${code}`
    let bound = this.#bound.get(key)
    if (!bound) {
      bound = { replies: this.#replies.labels(operation, code), seconds: this.#seconds.labels(operation) }
      this.#bound.set(key, bound)
    }
    bound.replies.inc()
    bound.seconds.observe(ms / 1_000)
  }
  message(outcome: 'delivered' | 'refused' | 'unknown' | 'held' | 'ceiling') {
    this.#messages.inc({ outcome })
  }
  providerLeftAlone(isLeftAlone: boolean) {
    this.#providerLeftAlone.set(isLeftAlone ? 1 : 0)
  }
  pageReported() {
    this.#pageReports.inc()
  }
  batch(size: number) {
    this.#batches.observe(size)
  }
  connectionRefused(why: 'all' | 'address') {
    this.#connectionsRefused.inc({ why })
  }
  /** `count` is called at each request for the figures. */
  connections(count: () => number) {
    new Gauge({
      name: 'mohur_connections',
      help: 'Sockets that are open',
      registers: [this.#registry],
      collect() {
        this.set(count())
      },
    })
  }
  /** Callers at the same time share one text. */
  text(): Promise<string> {
    this.#text ??= this.#registry.metrics().finally(() => {
      this.#text = undefined
    })
    return this.#text
  }
  get contentType() {
    return this.#registry.contentType
  }
}
