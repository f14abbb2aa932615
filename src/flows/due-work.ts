// All work that is due without a request: tasks by their kind, and deadlines that rows hold themselves.

import type { FastifyBaseLogger } from 'fastify'
import type { Egress } from '../adapters/delivery/egress.ts'
import type { Messenger } from '../adapters/messenger/messenger.ts'
import { isHopeless } from '../domain/notification/notification.ts'
import { PAUSE_TASK } from '../domain/subscription/mandate/pause-at-bank.ts'
import { loggedError } from '../engine/logged-error.ts'
import { numberAt } from '../engine/number-at.ts'
import type { Lane, Sweep } from '../engine/tasks.ts'
import { collectionSweep, subscriptionSweep } from './collection-due.ts'
import { EndpointHealth } from './endpoint-health.ts'
import { keyUseWriting } from './key-uses.ts'
import { amendDue, pauseDue, revokeDue } from './mandate-due.ts'
import { deliveryLane } from './notification-due.ts'
import { otpMessage } from './otp-message-due.ts'
import { type Payers, payerMessage } from './payer-message-due.ts'
import type { Ports } from './ports.ts'
import { refundDue } from './refund-due.ts'
import { searchTerms } from './search-terms-due.ts'
import { keyForgetting, misdatedForgetting, misdating, orderExpiry, signatureForgetting, signInForgetting } from './sweeps.ts'
import { transactionDue } from './transaction-due.ts'

/**
 * Mohur's choice: calls under way to one outside party, in one process (docs/operating/watch.md). A party that does not answer occupies
 * only its own places.
 */
const PLACES = { messages: 512, payers: 128, payments: 512, refunds: 256, mandates: 64 }

export interface DueParts {
  messenger: Messenger | undefined
  payers: Payers
  egress: Egress
  logger: FastifyBaseLogger
  /** Looks for due work again. */
  again(): void
  /** True while commands wait for a decision. Work for which no caller waits then pauses. */
  isBusy(): boolean
}

export function dueWork(ports: Ports, { messenger, payers, egress, logger, again, isBusy }: DueParts): { lanes: Lane[]; sweeps: Sweep[] } {
  const unsent = (message: string) => logger.error({ message }, 'a one-time password could not be sent')
  const givenUp = (message: string) => logger.error({ message }, 'a message about a mandate was not delivered')
  const dead = (notification: string) => logger.error({ notification }, 'a notification could not be delivered and is kept as dead')
  const health = new EndpointHealth(ports.clock, {
    fails: (endpoint) =>
      isHopeless(endpoint)
        ? logger.warn(endpoint, 'an endpoint takes no notifications; no retry follows')
        : logger.warn(endpoint, 'an endpoint takes no notifications; they are sent again'),
    recovers: (endpoint) => logger.warn(endpoint, 'an endpoint takes notifications again'),
  })
  const refundNeedsPerson = ({ mid, refundId }: { mid: string; refundId: string }, what: string) => logger.error({ mid, refundId }, what)
  const uncollected = (error: Error) => logger.error({ error: loggedError(error) }, 'a call for a mandate failed; it is made again')
  const unfound = (error: Error) => logger.error({ error: loggedError(error) }, 'orders were not made ready for search; it is tried again')
  const lane = (name: keyof typeof PLACES, handlers: Lane['handlers']): Lane => ({ places: PLACES[name], handlers })
  return {
    lanes: [
      lane('messages', { 'otp-message.due': otpMessage({ ...ports, messenger, givenUp: unsent }) }),
      lane('payers', { 'payer-message.due': payerMessage({ ...ports, payers, givenUp: givenUp }) }),
      lane('payments', { 'transaction.due': transactionDue(ports) }),
      lane('refunds', { 'refund.due': refundDue(ports, refundNeedsPerson) }),
      lane('mandates', { 'mandate-revoke.due': revokeDue(ports), 'mandate-amend.due': amendDue(ports), [PAUSE_TASK]: pauseDue(ports) }),
      deliveryLane({ ports, egress, health, givenUp: dead }),
    ],
    sweeps: [
      orderExpiry(ports),
      collectionSweep({ ...ports, payers, number: () => numberAt(ports.clock.now(), ports.fresh), failed: uncollected, again }),
      subscriptionSweep({ ...ports, failed: uncollected, again }),
      signatureForgetting(ports),
      keyForgetting(ports),
      signInForgetting(ports),
      misdating(ports),
      misdatedForgetting(ports),
      keyUseWriting(ports),
      searchTerms({ ...ports, isBusy, failed: unfound }),
    ],
  }
}
