// What the checksum doctor says of a refused request, as the end of `Mohur-Hint`: docs/sandbox.md, "Hints". Words of ours alone.

import { causes } from '../../interface/doctor/causes.ts'
import { diagnose } from '../../interface/doctor/diagnose.ts'
import { demoWorld } from '../world.ts'

const TRIED_LENGTH_MAX = 2 * 1024 * 1024 // ours: some milliseconds, in which the sandbox answers nobody else
export const HINT_LENGTH_MAX = 512 // ours: no proxy refuses a header of this length

export interface KeysInQuestion {
  /** That the signature may be made with now, by its clientId. */
  own: readonly string[]
  /** Of the same merchant: another clientId's, or rotated away. */
  others: readonly string[]
}

/** The hint as it is, unless one of the keys, or what becomes of one on its way, opens the signature. */
export function withCause(hint: string, bytes: Uint8Array, { own, others }: KeysInQuestion): string {
  const otherKeys = [...others, ...demoWorld.merchants!.flatMap(({ keys }) => keys!.map(({ key }) => key))].filter(
    (key) => !own.includes(key),
  )
  for (const key of own) {
    const diagnosis = diagnose({ bytes, key, otherKeys, isRequest: true, triedLengthMax: TRIED_LENGTH_MAX })
    if (diagnosis.outcome !== 'named' || diagnosis.text === 'unsought') continue
    const names = diagnosis.causes.map(({ name }) => name)
    const write = (said: readonly (typeof names)[number][]) =>
      `${hint}; cause=${names.join(',')}; say="${said.map((name) => causes[name]).join(' ')}"; see="/docs/guide/checksum#${names[0]}"`
    const whole = names.map((_, at) => write(names.slice(0, names.length - at)))
    return whole.find(({ length }) => length <= HINT_LENGTH_MAX) ?? hint
  }
  return hint
}
