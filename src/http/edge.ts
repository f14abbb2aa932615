// What a route may reach: the engine, committed rows, the clock, chance, and the keys of merchants.

import type { Clock } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import type { Engine } from '../engine/engine.ts'
import type { Fresh } from '../engine/fresh.ts'
import type { Vault } from '../store/vault.ts'
import type { MerchantKeys } from './merchant-keys.ts'
import type { PromotionCache } from './promotion-cache.ts'

export interface Edge {
  engine: Engine
  query: Query
  clock: Clock
  fresh: Fresh
  vault: Vault
  merchantKeys: MerchantKeys
  promotions: PromotionCache
}
