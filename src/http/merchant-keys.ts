// Merchants' keys for checking and making signatures. They are kept for five seconds, because every request needs one;
// two generations of a key overlap while a merchant rotates, so that no process refuses a key that another accepts.

import type { Clock } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import type { Fresh } from '../engine/fresh.ts'
import { sign, verify } from '../interface/checksum.ts'
import type { Signed } from '../interface/wire.ts'
import { merchantKeysOf, type Row } from '../tables.ts'

const KEPT_MS = 5_000 // docs/operating.md
const KEPT_MAX = 10_000 // merchants
/** An unknown merchant costs the same time as a wrong signature. */
const NOBODYS_KEY = '0000000000000000'

interface Kept {
  keys: readonly Row<'merchantKeys'>[]
  until: number
}

export class MerchantKeys {
  readonly #kept = new Map<string, Kept>()
  readonly #query: Query
  readonly #clock: Clock
  readonly #fresh: Fresh

  constructor(query: Query, clock: Clock, fresh: Fresh) {
    this.#query = query
    this.#clock = clock
    this.#fresh = fresh
  }

  /** What the signature over `data` is worth: any living key of the named clientId, else of the merchant's first, may have made it. */
  async check(mid: string, clientId: string | undefined, data: string, signature: unknown): Promise<Signed['signature']> {
    const keys = choose(await this.#keysOf(mid), clientId)
    if (signature === undefined) return 'absent'
    if (keys.length > 0) return keys.some(({ key }) => verify(data, signature, key)) ? 'valid' : 'invalid'
    verify(data, signature, NOBODYS_KEY) // for the time it takes: what it says counts for nobody
    return 'invalid'
  }

  /** Whether the merchant is known, and has a key that could have signed. */
  async knows(mid: string): Promise<boolean> {
    return (await this.#keysOf(mid)).length > 0
  }

  /** A signature over `data` with the newest of those keys, and whose it is; undefined when the merchant is unknown. */
  async sign(
    mid: string,
    clientId: string | undefined,
    data: string,
    salt = this.#fresh.salt(),
  ): Promise<{ clientId: string; signature: string } | undefined> {
    const keys = await this.#keysOf(mid)
    const key = choose(keys, clientId).at(-1) ?? choose(keys, undefined).at(-1)
    return key && { clientId: key.clientId, signature: sign(data, key.key, salt) }
  }

  /** After a change in this process nobody need wait the five seconds. */
  forget() {
    this.#kept.clear()
  }

  async #keysOf(mid: string): Promise<readonly Row<'merchantKeys'>[]> {
    const now = this.#clock.realNow()
    const kept = this.#kept.get(mid)
    if (kept && now < kept.until) return kept.keys
    const keys = (await this.#query.rows(merchantKeysOf(mid)))
      .filter((key) => key.retiresAt === null || now < key.retiresAt)
      .sort((a, b) => a.position - b.position || Number(a.generation) - Number(b.generation))
    this.#kept.delete(mid)
    if (keys.length === 0) return keys // an unknown mid is not kept: anybody can make one up
    if (this.#kept.size >= KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value!)
    this.#kept.set(mid, { keys, until: now + KEPT_MS })
    return keys
  }
}

/** The keys of one clientId, oldest first; without a clientId those of the merchant's first. */
function choose(keys: readonly Row<'merchantKeys'>[], clientId: string | undefined) {
  const wanted = clientId ?? keys[0]?.clientId
  return keys.filter((key) => key.clientId === wanted)
}
