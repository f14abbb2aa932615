// A provider that does not answer is left alone for a while: messages wait for their next attempt (domain/signin/apply-otp-delivery.ts)
// instead of each holding a place for as long as a call may take.

import type { Clock } from '../../engine/clock.ts'
import type { Message, MessageDelivery, Messenger } from './messenger.ts'

const FAILURES_MAX = 20 // docs/interface.md section 8 (Mohur): in a row
const TRY_EVERY_MS = 5_000 // docs/interface.md section 8 (Mohur): of real time

/** What became of one message; `held`: the provider was not asked. */
export type MessageOutcome = MessageDelivery | 'held'

export interface BreakerEvents {
  /** One message was handed over, or held. */
  delivered(outcome: MessageOutcome): void
  /** The provider is left alone, or answers again. */
  leftAlone(isLeftAlone: boolean): void
}

export class CircuitBreaker implements Messenger {
  readonly #messenger: Messenger
  readonly #clock: Pick<Clock, 'realNow'>
  readonly #events: BreakerEvents
  /** In a row. A refusal is an answer: it speaks of its message and not of the provider. */
  #failures = 0
  #asked = 0
  /** How many had been asked when the last answer came: what was asked before it and fails after it says nothing new. */
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

  /** One at a time: the next only when the last is so long ago. A clock that was set back waits for nothing. */
  #isTimeToTry() {
    const since = this.#clock.realNow() - this.#triedAt
    return since >= TRY_EVERY_MS || since < 0
  }
}
