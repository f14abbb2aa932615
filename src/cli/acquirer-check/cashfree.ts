// `mohur acquirer check --cashfree`: Mohur's own adapter to Cashfree, and payers who pay by Cashfree's simulation. Only Cashfree's test
// host has a simulation.

import type { Authorize, Means } from '../../adapters/acquirer/acquirer.ts'
import { CashfreeCalls, type CashfreeQuestion, HOSTS } from '../../adapters/acquirer/cashfree/calls.ts'
import { CashfreeAcquirer } from '../../adapters/acquirer/cashfree/cashfree.ts'
import { paymentsIn } from '../../adapters/acquirer/cashfree/entities.ts'
import { orderIdOf } from '../../adapters/acquirer/cashfree/ids.ts'
import { methodOf } from '../../adapters/acquirer/cashfree/requests.ts'
import { SystemClock } from '../../engine/clock.ts'
import { SystemRandom } from '../../engine/random.ts'
import { type CashfreeSettings, SettingError } from '../../settings.ts'
import { serveAcquirer } from './serve-acquirer.ts'

const PHONE = '9999999999' // Cashfree allows a dummy number
const ENDS_WITHIN_MS = 90_000 // Cashfree's limits are for a minute
const LISTED_FIRST_AFTER_MS = 50
const LISTED_EVERY_MAX_MS = 4_000 // Cashfree allows 100 of these calls a minute
const SECRET_BYTES = 32

type Banks = Parameters<typeof methodOf>[1]
/** How a payment ends. Without a value the payer does nothing. */
type Simulated = 'SUCCESS' | 'FAILED'
/** The adapter ignores `simulated`. */
export type SimulatedMeans = Means & { simulated?: Simulated }

/** `banks` are the banks that have a number at Cashfree. */
export function simulatedMeans(option: string, means: Means, banks: Banks, simulated?: Simulated): SimulatedMeans {
  if (!methodOf(means, banks))
    throw new SettingError(`${option} must be upi, or bank:CODE of a bank with a number at Cashfree (docs/acquirer-cashfree.md)`)
  return { ...means, ...(simulated && { simulated }) }
}

/**
 * Serves the adapter by the contract. `say` takes a line for each answer that the adapter did not understand, or that a person has to
 * check.
 */
export async function serveCashfree(account: CashfreeSettings, banks: Banks, say: (line: string) => void) {
  const clock = new SystemClock()
  const conflicts = new Map<string, string>()
  const conflict = (key: string, why: string) => {
    conflicts.set(key, conflicts.get(key) ?? why)
    say(`${key}: ${why}`)
  }
  const { clientId, clientSecret, phone = PHONE, url = HOSTS.sandbox } = account
  const doubted = (call: string, key: string, why: string) => say(`${call} ${key}: ${why}`)
  const parts = { url, clientId, clientSecret, clock, doubted, conflict }
  const acquirer = new CashfreeAcquirer({ ...parts, phone, banks, publicUrl: () => '' })
  const payers = new SimulatedPayers(new CashfreeCalls(parts), clock, conflict)
  const secret = `whsec_${Buffer.from(new SystemRandom().hex(SECRET_BYTES), 'hex').toString('base64')}`
  const served = await serveAcquirer(acquirer, secret, (call) => void payers.act(call))
  return {
    subject: { url: served.url, secret, endsWithinMs: ENDS_WITHIN_MS, conflictOf: (key: string) => conflicts.get(key) },
    async close() {
      served.close()
      payers.close()
      await acquirer.close()
    },
  }
}

class SimulatedPayers {
  readonly #calls: CashfreeCalls
  readonly #clock: SystemClock
  readonly #unpaid: (key: string, why: string) => void
  #isClosed = false

  constructor(calls: CashfreeCalls, clock: SystemClock, unpaid: (key: string, why: string) => void) {
    this.#calls = calls
    this.#clock = clock
    this.#unpaid = unpaid
  }

  /** Ends every payment that waits under the key, so a payment that began twice is paid twice. */
  async act({ key, means }: Authorize): Promise<void> {
    const { simulated } = means as SimulatedMeans
    if (simulated === undefined) return
    const asking = { call: 'authorize' as const, key, until: this.#calls.elapsed() + ENDS_WITHIN_MS }
    let waitMs = LISTED_FIRST_AFTER_MS
    while (!this.#isClosed && this.#calls.elapsed() < asking.until) {
      const waiting = await this.#waiting(asking)
      await Promise.all(waiting.map((id) => this.#simulate(asking, id, simulated)))
      if (waiting.length > 0) return
      await this.#clock.sleep(waitMs)
      waitMs = Math.min(waitMs * 2, LISTED_EVERY_MAX_MS)
    }
    if (!this.#isClosed) this.#unpaid(key, 'Cashfree lists no payment that its simulation could end')
  }

  async #waiting(asking: CashfreeQuestion): Promise<readonly string[]> {
    const orderId = orderIdOf(asking.key)
    const list = await this.#calls.get(asking, `orders/${orderId}/payments`, true)
    const payments = (list?.status === 200 && list.json && paymentsIn(list.json, orderId)) || []
    return payments.flatMap(({ id, status }) => (status === 'PENDING' || status === 'NOT_ATTEMPTED' ? [id] : []))
  }

  async #simulate(asking: CashfreeQuestion, id: string, simulated: Simulated) {
    const error = simulated === 'FAILED' ? 'ISSUER_NOT_AVAILABLE' : ''
    const entity_simulation = { payment_status: simulated, payment_error_code: error }
    const done = await this.#calls.post(asking, 'simulate', { entity: 'PAYMENTS', entity_id: id, entity_simulation })
    const isRefused = done !== undefined && done.status !== 200
    if (isRefused && (await this.#waiting(asking)).includes(id))
      this.#unpaid(asking.key, `Cashfree refused the simulation with HTTP ${done.status}`)
  }

  close() {
    this.#isClosed = true
    this.#calls.close()
  }
}
