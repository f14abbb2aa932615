// The ports of a route: the engine, committed rows, the clock, chance, and the keys of merchants.

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
  /** Throws when none is connected. The operation then answers its system error. */
  acquirer(): Acquirer
  /** The payment modes whose mandates the acquirer collects. None when no acquirer is connected. Undefined when the modes are not known. */
  collected(): Promise<readonly string[] | undefined>
  /** A wait for all tasks then waits for this work too. */
  follow<T>(work: Promise<T>): Promise<T>
  /** The process is about to stop. Work of many decisions then ends early, and says what is left. */
  isStopping(): boolean
  publicUrl(): string
  /** True when notifications may go to this address, as its name resolves now. */
  allowsUrl(url: string): Promise<boolean>
  reference: Reference
  /** The request was answered before, and its answer still stands. A submitted command changes nothing. */
  isAnswered?: boolean
  /** Names a request that came with an Idempotency-Key. Values drawn from this name are the same when the request is repeated. */
  occasion?: string
}
