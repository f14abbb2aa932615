// Merchants' keys for checking and making signatures. A process keeps them for five seconds, because every request needs one. Two
// generations of a key overlap while a merchant rotates, so that no process refuses a key that another accepts. A prepared key is accepted,
// and signs only the answer to a request that was signed with it.

import type { Vault } from '../adapters/store/vault.ts'
import type { Clock } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import type { Random } from '../engine/random.ts'
import { sign, verify } from '../interface/checksum.ts'
import type { Signed } from '../interface/wire.ts'
import { merchantKeysOf } from '../tables/keys.ts'
import type { KeyName } from '../tables/merchant.ts'
import type { Row } from '../tables/tables.ts'
import { KeyUses } from './key-uses.ts'

const KEPT_MS = 5_000 // docs/operating/install.md
const KEPT_MAX = 10_000 // merchants
/** An unknown merchant costs the same time as a wrong signature. */
const NOBODYS_KEY = '0000000000000000'

const SALT_LENGTH = 4 // docs/interface.md section 5.1
/** Derives the salt from `text`, not from chance. So a repeated signature is byte for byte the same. */
export const saltOf = (vault: Pick<Vault, 'hash'>, text: string): string =>
  vault.hash('salt', text).slice(0, SALT_LENGTH).replaceAll('-', '+').replaceAll('_', '/')

interface Kept {
  keys: readonly Row<'merchantKeys'>[]
  /** In monotonic time, which cannot be set back. */
  until: number
}

/** Routes use these: the keys of all merchants, or the keys as one request meets them. */
export type Keys = Pick<MerchantKeys, 'check' | 'checkReadings' | 'holds' | 'knows' | 'sign' | 'newest' | 'forget' | 'ofRequest' | 'uses'>
export interface RequestKeys extends Keys {
  verifiedBy(mid: string): KeyName | undefined
}

interface Judged extends Signed {
  by?: KeyName
  /** The place of the signed text among the readings. */
  reading?: number
}

export class MerchantKeys {
  readonly #kept = new Map<string, Kept>()
  readonly #query: Query
  readonly #clock: Clock
  readonly #fresh: Random
  readonly uses = new KeyUses()

  constructor(query: Query, clock: Clock, fresh: Random) {
    this.#query = query
    this.#clock = clock
    this.#fresh = fresh
  }

  /** Any living key that the clientId selects may have made the signature over `data`. */
  async check(mid: string, clientId: string | undefined, data: string, signature: unknown): Promise<Signed['signature']> {
    return (await this.#judge(mid, clientId, [data], signature)).signature
  }

  /**
   * The place of the first text that the signature covers. Undefined when it covers none. For requests whose text can be read in several
   * ways.
   */
  async checkReadings(mid: string, readings: readonly string[], signature: unknown): Promise<number | undefined> {
    return (await this.#judge(mid, undefined, readings, signature)).reading
  }

  /** True when one of the merchant's keys made this signature. For texts that Mohur signed itself; their uses are not counted. */
  async holds(mid: string, data: string, signature: unknown): Promise<boolean> {
    const living = this.#keptOf(mid) ?? (await this.#keysOf(mid))
    return makerOf(keysOfClient(living, undefined), data, signature) !== undefined
  }

  async #judge(mid: string, clientId: string | undefined, readings: readonly string[], signature: unknown): Promise<Judged> {
    const living = this.#keptOf(mid) ?? (await this.#keysOf(mid))
    if (signature === undefined) return { signature: 'absent' }
    const keys = keysOfClient(living, clientId)
    for (const [reading, data] of readings.entries()) {
      const by = makerOf(keys, data, signature)
      if (!by) continue
      this.uses.signed(by, this.#clock.realNow())
      return { signature: 'valid', by, reading }
    }
    const signing = newest(living, clientId)
    if (signing) this.uses.wrong(signing)
    return { signature: 'invalid' }
  }

  /** True when the merchant is known, and has a key that could have signed. */
  async knows(mid: string): Promise<boolean> {
    return (this.#keptOf(mid) ?? (await this.#keysOf(mid))).length > 0
  }

  /**
   * A signature over `data`, and the clientId of its key. Undefined when the merchant is unknown. The key `by` signs while it lives.
   * Otherwise the newest signing key that the clientId selects signs, else that of the merchant's first clientId.
   */
  async sign(
    mid: string,
    clientId: string | undefined,
    data: string,
    salt = this.#fresh.salt(),
    by?: KeyName,
  ): Promise<{ clientId: string; signature: string } | undefined> {
    const keys = this.#keptOf(mid) ?? (await this.#keysOf(mid))
    const key = keys.find((each) => isSame(each, by)) ?? newest(keys, clientId)
    return key && { clientId: key.clientId, signature: sign(data, key.key, salt) }
  }

  /** The key that signs an answer to an unsigned request, never a prepared key. */
  async newest(mid: string, clientId: string | undefined): Promise<KeyName | undefined> {
    return newest(this.#keptOf(mid) ?? (await this.#keysOf(mid)), clientId)
  }

  /** The keys for one request. The returned object remembers which key signed the request. */
  ofRequest(): RequestKeys {
    let verified: (KeyName & { mid: string }) | undefined
    return {
      check: async (mid, clientId, data, signature) => {
        const { signature: worth, by } = await this.#judge(mid, clientId, [data], signature)
        if (by) verified = { mid, clientId: by.clientId, generation: by.generation }
        return worth
      },
      verifiedBy: (mid) => (verified?.mid === mid ? verified : undefined),
      checkReadings: (...asked) => this.checkReadings(...asked),
      holds: (...asked) => this.holds(...asked),
      uses: this.uses,
      knows: (mid) => this.knows(mid),
      sign: (...asked) => this.sign(...asked),
      newest: (mid, clientId) => this.newest(mid, clientId),
      forget: () => this.forget(),
      ofRequest: () => this.ofRequest(),
    }
  }

  /** Called after a change in this process, so that no request waits the five seconds for the change. */
  forget() {
    this.#kept.clear()
  }

  /** Nearly every request finds its keys here, and need not wait. */
  #keptOf(mid: string): readonly Row<'merchantKeys'>[] | undefined {
    const kept = this.#kept.get(mid)
    return kept && this.#clock.elapsed() < kept.until ? kept.keys : undefined
  }

  async #keysOf(mid: string): Promise<readonly Row<'merchantKeys'>[]> {
    const keys = livingKeys(await this.#query.rows(merchantKeysOf(mid)), this.#clock.realNow())
    this.#kept.delete(mid)
    if (keys.length === 0) return keys // an unknown mid is not kept: any caller can make one up
    if (this.#kept.size >= KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value!)
    this.#kept.set(mid, { keys, until: this.#clock.elapsed() + KEPT_MS })
    return keys
  }
}

type MerchantKey = Row<'merchantKeys'>

/** The keys that a request may be signed with now. Those of the first clientId come first, and for each clientId the oldest. */
export const livingKeys = (keys: readonly MerchantKey[], now: number): readonly MerchantKey[] =>
  keys
    .filter(({ retiresAt }) => retiresAt === null || now < retiresAt)
    .sort((a, b) => a.position - b.position || Number(a.generation) - Number(b.generation))

/**
 * The living keys that a clientId selects: its own, oldest first. Without a clientId, the keys of the merchant's first clientId. When all
 * keys have one clientId there is nothing to select, and the signature decides: docs/interface.md section 5.
 */
export function keysOfClient(living: readonly MerchantKey[], clientId: string | undefined): readonly MerchantKey[] {
  const first = living[0]?.clientId
  if (living.every((key) => key.clientId === first)) return living
  const wanted = clientId ?? first
  return living.filter((key) => key.clientId === wanted)
}

function makerOf(keys: readonly MerchantKey[], data: string, signature: unknown): MerchantKey | undefined {
  if (keys.length === 0) verify(data, signature, NOBODYS_KEY) // only for the time that it takes: the result does not count
  return keys.find(({ key }) => verify(data, signature, key))
}

const isSame = (key: KeyName, name: KeyName | undefined) => key.clientId === name?.clientId && key.generation === name.generation

/** The living key that was activated last: of the keys that a clientId selects, else of the merchant's first clientId. */
function newest(living: readonly MerchantKey[], clientId: string | undefined): MerchantKey | undefined {
  const isSigning = (key: MerchantKey) => !key.isPrepared
  return keysOfClient(living, clientId).findLast(isSigning) ?? keysOfClient(living, undefined).findLast(isSigning)
}
