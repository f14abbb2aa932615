// All the work that is due without anybody asking: tasks by their kind, and deadlines that rows hold themselves.

import type { FastifyBaseLogger } from 'fastify'
import { transactionDue } from '../acquirer/ask.ts'
import { refundDue } from '../acquirer/refund-due.ts'
import { deliveryLane } from '../delivery/deliver.ts'
import type { Egress } from '../delivery/egress.ts'
import type { Lane, Sweep } from '../engine/tasks.ts'
import type { Messenger } from '../messenger/messenger.ts'
import { otpMessage } from '../messenger/otp-message.ts'
import type { Edge } from './edge.ts'
import { keyForgetting, orderExpiry, signatureForgetting, signInForgetting } from './sweeps.ts'

const PLACES = 64 // tasks that run side by side, those that call merchants' endpoints apart

export interface DueParts {
  messenger: Messenger | undefined
  egress: Egress
  logger: FastifyBaseLogger
}

export function dueWork(edge: Edge, { messenger, egress, logger }: DueParts): { lanes: Lane[]; sweeps: Sweep[] } {
  const unsent = (message: string) => logger.error({ message }, 'a one-time password could not be sent')
  const dead = (notification: string) => logger.error({ notification }, 'a notification could not be delivered and is kept as dead')
  const handlers = {
    'otp-message.due': otpMessage({ ...edge, messenger, givenUp: unsent }),
    'transaction.due': transactionDue(edge),
    'refund.due': refundDue(edge, ({ mid, refundId }, what) => logger.error({ mid, refundId }, what)),
  }
  return {
    lanes: [{ places: PLACES, handlers }, deliveryLane({ edge, egress, givenUp: dead })],
    sweeps: [orderExpiry(edge), signatureForgetting(edge), keyForgetting(edge), signInForgetting(edge)],
  }
}
