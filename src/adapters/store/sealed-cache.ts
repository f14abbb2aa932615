// Sealed columns: JSON inside, the vault's text outside. Most values are read and written again unchanged a few times within moments (a
// payment rewrites its order twice). So the latest values are kept with their texts, and an unchanged value is neither opened nor sealed
// again.

import type { Vault } from './vault.ts'

/** Mohur's choice: about what the payments and renewals under way at one moment need, and no more plaintext in memory than that. */
const KEPT_MAX = 4_096
const KEPT_CHARACTERS_MAX = 4_000_000

interface Kept {
  sealed: string
  plain: string
  value?: unknown
}

export class Sealed {
  readonly #vault: Vault
  readonly #max: number
  /** By place. The value that was kept first is in front. */
  readonly #kept = new Map<string, Kept>()
  /** One iterator for ever: a new iterator would pass over all places that were forgotten before. */
  readonly #oldest = this.#kept.keys()
  #characters = 0

  constructor(vault: Vault, max = KEPT_MAX) {
    this.#vault = vault
    this.#max = max
  }

  /**
   * Returns the earlier text if `value` is the object that `open` returned for this place. Any other value is sealed. Without `keeps` the
   * new value is not kept, and its first reader opens it.
   */
  seal(value: unknown, place: string, keeps = true): string {
    const kept = Object.isFrozen(value) ? this.#kept.get(place) : undefined // values from `open` are frozen; a look-up costs a microsecond
    if (kept?.value !== undefined && kept.value === value) return kept.sealed
    const plain = JSON.stringify(value)
    const sealed = this.#vault.seal(plain, place)
    if (keeps) this.#keep(place, { sealed, plain })
    return sealed
  }

  /** Returns the value of a sealed text, frozen. To change the value, a caller writes a new one. */
  open(sealed: string, place: string): unknown {
    const before = this.#kept.get(place)
    const kept = before?.sealed === sealed ? before : this.#keep(place, { sealed, plain: this.#vault.open(sealed, place) })
    if (kept.value === undefined) kept.value = frozen(JSON.parse(kept.plain))
    return kept.value
  }

  #keep(place: string, kept: Kept): Kept {
    this.#forget(place)
    this.#kept.set(place, kept)
    this.#characters += sizeOf(kept)
    while (this.#kept.size > this.#max || this.#characters > KEPT_CHARACTERS_MAX) this.#forget(this.#oldest.next().value!)
    return kept
  }

  #forget(place: string) {
    const kept = this.#kept.get(place)
    if (!kept) return
    this.#kept.delete(place)
    this.#characters -= sizeOf(kept)
  }
}

const sizeOf = ({ sealed, plain }: Kept) => sealed.length + plain.length

/** Several readers share a value. An edit would change the value for all readers, and would not be written. */
function frozen(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}
