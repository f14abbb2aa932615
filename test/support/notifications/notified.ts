// A service, the merchant's server that it notifies, and the state of its notifications.

import { after } from 'node:test'
import { find } from '../../../src/tables/tables.ts'
import { type Service, type StoreName, startService } from '../run/service.ts'
import { type Behaviour, notifiedWorld, type Received, read, receiver } from './receiver.ts'

/** A service that notifies its demo merchant at a receiver's /merchant, and that receiver. */
export async function notified(store: StoreName, form: 'json' | 'classic', behave?: (received: Received) => Behaviour) {
  const { journal, url } = await receiver(behave)
  const service = await startService(store, { world: notifiedWorld(`${url}/merchant`, form) })
  after(() => service.close())
  const run = () => service.tasks.runDue()
  const advance = (ms: number) => advanceBy(service, ms)
  return { service, journal, url, run, advance }
}

/** Moves the clock through every instant at which work is due, as the sandbox does. */
export const advanceBy = ({ tasks, clock }: Service, ms: number) =>
  tasks.advance(clock.now() + ms, async (instant) => clock.advance(instant - clock.now()))

export const statusesOf = async (service: Service) => {
  const rows = await service.store.query.rows(find('notifications', { orderBy: ['orderId', 'endpoint', 'sequence'], limit: 1_000 }))
  return rows.map(({ status }) => status)
}
export const placesOf = (journal: readonly Received[]) =>
  journal.map((received) => {
    const notification = read(received)
    return typeof notification === 'string' ? notification : notification.place
  })
