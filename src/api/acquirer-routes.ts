// The address at which the connected acquirer reports that a payment has changed: the contract's own, or Cashfree's webhook.

import type { FastifyInstance } from 'fastify'
import type { Settings } from '../settings.ts'
import { type AcquirerEventParts, addAcquirerEvents } from './acquirer-events.ts'
import { addCashfreeEvents } from './cashfree-events.ts'

export function addAcquirerRoutes(server: FastifyInstance, settings: Settings, parts: Omit<AcquirerEventParts, 'secret'>) {
  const { acquirer, cashfree } = settings
  if (acquirer) addAcquirerEvents(server, { ...parts, secret: acquirer.secret })
  if (cashfree) addCashfreeEvents(server, { ...parts, secret: cashfree.clientSecret })
}
