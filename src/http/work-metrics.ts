// What operators measure of the work itself: committed payments, refunds and deliveries, calls to the acquirer, and overdue tasks
// (docs/operating/watch.md).

import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Acquirer, Collect, Mandates } from '../adapters/acquirer/acquirer.ts'
import { type Backlog, COUNTED_MAX } from '../adapters/store/backlog.ts'
import { keyNumber } from '../domain/merchant/keys.ts'
import type { AcquirerAnswer } from '../domain/transaction/acquirer-answer.ts'
import type { Clock } from '../engine/clock.ts'
import type { Writes } from '../engine/store.ts'
import type { KeyUse } from '../flows/key-uses.ts'
import type { Row } from '../tables/tables.ts'
import { singleFlightWithin } from './single-flight.ts'

const CALL_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30] // a call times out before a task's lease of 30 seconds
const UP_TO = `, counted up to ${COUNTED_MAX}`
const BACKLOG_WITHIN_MS = 1_000 // the other figures do not wait for a store that stands still
const OUTCOMES: Readonly<Record<string, string>> = { 'transaction.succeeded': 'success', 'transaction.failed': 'failure' }
const REFUND_OUTCOMES: Readonly<Record<string, string>> = { 'refund.succeeded': 'success', 'refund.failed': 'failure' }

export class WorkMetrics {
  readonly #clock: Pick<Clock, 'elapsed' | 'every' | 'now'>
  readonly #payments: Counter<'mode' | 'outcome'>
  readonly #refunds: Counter<'outcome'>
  readonly #deliveries: Counter<'outcome'>
  readonly #calls: Histogram<'call'>
  readonly #answers: Counter<'call' | 'outcome'>
  readonly #registry: Registry

  constructor(registry: Registry, clock: Pick<Clock, 'elapsed' | 'every' | 'now'>) {
    const registers = [registry]
    this.#registry = registry
    this.#clock = clock
    const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers })
    this.#payments = counter('mohur_payments_total', 'Transactions that have ended, by payment mode', 'mode', 'outcome')
    this.#refunds = counter('mohur_refunds_total', 'Refunds that have ended', 'outcome')
    this.#deliveries = counter('mohur_deliveries_total', 'Attempts to deliver a notification', 'outcome')
    this.#answers = counter('mohur_acquirer_answers_total', 'What the acquirer answered; `unknown` when nothing certain', 'call', 'outcome')
    this.#calls = new Histogram({
      name: 'mohur_acquirer_seconds',
      help: 'Time until the acquirer answered',
      labelNames: ['call'],
      buckets: CALL_SECONDS,
      registers,
    })
  }

  /** For one batch, after its COMMIT. Each state change is written once, and so counted once. */
  committed({ changes, events }: Pick<Writes, 'changes' | 'events'>) {
    const modes = new Map<string, string>()
    for (const change of changes)
      if (change.key.table === 'transactions' && 'row' in change) {
        const { txnId, paymentMode } = change.row as Row<'transactions'>
        modes.set(txnId, paymentMode)
      }
    for (const { type, id } of events) {
      if (REFUND_OUTCOMES[type]) this.#refunds.inc({ outcome: REFUND_OUTCOMES[type] })
      if (OUTCOMES[type]) this.#payments.inc({ mode: modes.get(id) ?? '', outcome: OUTCOMES[type] })
    }
    for (const change of changes)
      if (change.key.table === 'deliveryAttempts' && 'row' in change)
        this.#deliveries.inc({ outcome: (change.row as Row<'deliveryAttempts'>).outcome })
  }

  /** Wraps the acquirer, and measures its calls. */
  watching(acquirer: Acquirer): Acquirer {
    const timed = async <T extends { outcome: string }>(call: string, work: Promise<T>): Promise<T> => {
      const began = this.#clock.elapsed()
      try {
        const answer = await work
        this.#answers.inc({ call, outcome: answer.outcome })
        return answer
      } catch (error) {
        this.#answers.inc({ call, outcome: 'unknown' })
        throw error
      } finally {
        this.#calls.observe({ call }, (this.#clock.elapsed() - began) / 1_000)
      }
    }
    const { mandates } = acquirer
    const watched: Mandates | undefined = mandates && {
      modes: () => mandates.modes(),
      register: (of) => timed('register', mandates.register(of)),
      notify: (of) => timed('notify', mandates.notify(of)),
      collect: (of) => timed('collect', mandates.collect(of)),
      takesMany: () => mandates.takesMany(),
      ...(mandates.collectMany && { collectMany: (calls: readonly Collect[]) => this.#many(mandates.collectMany!(calls)) }),
      amend: (of) => timed('amend', mandates.amend(of)),
      revoke: (key, reference) => timed('revoke', mandates.revoke(key, reference)),
      pause: (key, reference) => timed('pause', mandates.pause(key, reference)),
      resume: (key, reference) => timed('resume', mandates.resume(key, reference)),
      status: (key) => timed('mandate', mandates.status(key)),
      noticeStatus: (key) => timed('notice', mandates.noticeStatus(key)),
    }
    return {
      ...(watched && { mandates: watched }),
      ...(acquirer.takes && { takes: acquirer.takes }),
      ...(acquirer.wantsPayer && { wantsPayer: acquirer.wantsPayer }),
      name: acquirer.name,
      authorize: (of) => timed('authorize', acquirer.authorize(of)),
      status: (...asked) => timed('status', acquirer.status(...asked)),
      refund: (of) => timed('refund', acquirer.refund(of)),
      otp: (...asked) => timed('otp', acquirer.otp(...asked)),
      cancel: (key) => timed('cancel', acquirer.cancel(key)),
      close: () => acquirer.close(),
    }
  }

  /** Measures one call, which has one answer for each of its debits. */
  async #many(work: Promise<readonly AcquirerAnswer[]>): Promise<readonly AcquirerAnswer[]> {
    const began = this.#clock.elapsed()
    try {
      const answers = await work
      for (const { outcome } of answers) this.#answers.inc({ call: 'collect', outcome })
      return answers
    } finally {
      this.#calls.observe({ call: 'collectMany' }, (this.#clock.elapsed() - began) / 1_000)
    }
  }

  /** `all` is called at each request for the figures. A key is named by its number, as `mohur merchant show` prints it. */
  signatures(all: () => Iterable<Pick<KeyUse, 'mid' | 'clientId' | 'generation' | 'signatures' | 'wrongSignatures'>>) {
    const counted = (name: string, help: string, count: 'signatures' | 'wrongSignatures') =>
      new Counter({
        name,
        help,
        labelNames: ['mid', 'client_id', 'number'],
        registers: [this.#registry],
        collect() {
          this.reset()
          for (const { mid, clientId, generation, ...use } of all())
            if (use[count] > 0) this.inc({ mid, client_id: clientId, number: keyNumber(generation) }, use[count])
        },
      })
    counted('mohur_signatures_total', 'Requests that a merchant signed, by the key', 'signatures')
    counted('mohur_wrong_signatures_total', 'Wrong signatures of requests, by the key that signed at that time', 'wrongSignatures')
  }

  /**
   * `read` is called once at each request for the figures. If the store does not answer, these figures are left out: /readyz reports it.
   */
  backlog(read: (now: number) => Promise<Backlog>) {
    const clock = this.#clock
    const backlog = singleFlightWithin(() => read(clock.now()), BACKLOG_WITHIN_MS, clock)
    const gauge = <Label extends string>(
      name: string,
      help: string,
      labelNames: Label[],
      set: (gauge: Gauge<Label>, found: Backlog) => void,
    ) =>
      new Gauge<Label>({
        name,
        help,
        labelNames,
        registers: [this.#registry],
        async collect() {
          const found = await backlog()
          this.reset()
          if (found) set(this, found)
          else if (labelNames.length === 0) this.remove()
        },
      })
    gauge('mohur_tasks_waiting', `Tasks that are due and not done${UP_TO}`, ['task'], (waiting, { tasks }) => {
      for (const each of tasks) waiting.set({ task: each.task }, each.waiting)
    })
    gauge('mohur_tasks_oldest_seconds', 'How long the oldest has been due', ['task'], (oldest, { tasks }) => {
      for (const { task, oldestDueAt } of tasks) oldest.set({ task }, Math.max(0, (clock.now() - oldestDueAt) / 1_000))
    })
    gauge(
      'mohur_dead_streams',
      `Streams of notifications that stand still until an operator sends them${UP_TO}`,
      [],
      (dead, { deadStreams }) => dead.set(deadStreams),
    )
    gauge('mohur_debits_undecided', `Debits of mandates that their bank has not decided within 72 hours${UP_TO}`, [], (undecided, found) =>
      undecided.set(found.undecidedDebits),
    )
  }
}
