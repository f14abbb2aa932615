// What a route may reach: the engine, committed rows, the clock, chance, and the keys of merchants.

import type { Acquirer } from '../adapters/acquirer/acquirer.ts'
import type { Vault } from '../adapters/store/vault.ts'
import type { Clock } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import type { Engine } from '../engine/engine.ts'
import type { Random } from '../engine/random.ts'
import type { Reference } from '../reference/reference.ts'
import type { Keys } from './merchant-keys.ts'
import type { PromotionCache } from './promotion-cache.ts'

export interface Ports {
  engine: Pick<Engine, 'submit'>
  query: Query
  clock: Clock
  fresh: Random
  vault: Vault
  merchantKeys: Keys
  promotions: PromotionCache
  /** Throws where none is connected: the operation then answers its system error. */
  acquirer(): Acquirer
  /** The payment modes whose mandates it collects; none where none is connected, undefined where that is not known. */
  collected(): Promise<readonly string[] | undefined>
  /** Makes a wait for all tasks wait for this work too. */
  follow<T>(work: Promise<T>): Promise<T>
  /** Where browsers and banks reach this service. */
  publicUrl(): string
  /** Whether notifications may go to this address, by what its name resolves to now. */
  allowsUrl(url: string): Promise<boolean>
  /** Banks, card ranges, EMI plans, UPI handles. */
  reference: Reference
  /** The request was answered before, and its answer still stands: a command that is submitted does nothing again. */
  isAnswered?: boolean
  /** Names the request, which came with an Idempotency-Key: for what has to come out the same when it comes again. */
  occasion?: string
}
