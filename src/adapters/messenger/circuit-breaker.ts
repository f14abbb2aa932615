// For a while, sends nothing to a provider that does not answer. Meanwhile messages wait for their next attempt
// (domain/signin/apply-otp-delivery.ts), instead of each taking a place for the time-out of a call.

import type { Clock } from '../../engine/clock.ts'
import type { Message, MessageDelivery, Messenger } from './messenger.ts'

const FAILURES_MAX = 20 // docs/interface.md section 8 (Mohur): in a row
const TRY_EVERY_MS = 5_000 // docs/interface.md section 8 (Mohur): of real time

/** `held`: the provider was not called. */
export type MessageOutcome = MessageDelivery | 'held'

export interface BreakerEvents {
  /** One message was handed over, or held. */
  delivered(outcome: MessageOutcome): void
  leftAlone(isLeftAlone: boolean): void
}

export class CircuitBreaker implements Messenger {
  readonly #messenger: Messenger
  readonly #clock: Pick<Clock, 'realNow'>
  readonly #events: BreakerEvents
  /** Failures in a row. A refusal is an answer, so it is no failure: it is about the message, not about the provider. */
  #failures = 0
  #asked = 0
  /** How many calls had begun when the last answer came. A call that began before that answer and fails after it says nothing new. */
  #answered = 0
  #triedAt = 0

  constructor(messenger: Messenger, clock: Pick<Clock, 'realNow'>, events: BreakerEvents) {
    this.#messenger = messenger
    this.#clock = clock
    this.#events = events
  }

  async deliver(message: Message): Promise<MessageDelivery> {
    if (this.#isLeftAlone() && !this.#isTimeToTry()) {
      this.#events.delivered('held')
      return 'unknown'
    }
    this.#triedAt = this.#clock.realNow()
    const number = ++this.#asked
    const delivery = await this.#messenger.deliver(message)
    const before = this.#isLeftAlone()
    if (delivery !== 'unknown') {
      this.#failures = 0
      this.#answered = this.#asked
    } else if (number > this.#answered) this.#failures++
    this.#events.delivered(delivery)
    if (this.#isLeftAlone() !== before) this.#events.leftAlone(!before)
    return delivery
  }

  #isLeftAlone = () => this.#failures >= FAILURES_MAX

  /** One try at a time, and the next only `TRY_EVERY_MS` after the last. After the clock was set back, the next try comes at once. */
  #isTimeToTry() {
    const since = this.#clock.realNow() - this.#triedAt
    return since >= TRY_EVERY_MS || since < 0
  }
}
