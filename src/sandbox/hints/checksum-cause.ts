// What the checksum doctor says of a refused request, as the end of `Mohur-Hint`: docs/sandbox.md, "Hints". Words of ours alone.

import { signedLists } from '../../api/operations.ts'
import { type Clock, timeUpAfter } from '../../engine/clock.ts'
import { causes, ENDED_EARLY } from '../../interface/doctor/causes.ts'
import { diagnose, REQUEST_SEARCH_MS, REQUEST_TEXTS_MAX } from '../../interface/doctor/diagnose.ts'
import type { Material } from '../../interface/doctor/material.ts'
import { demoWorld } from '../world.ts'

export const HINT_LENGTH_MAX = 512 // ours: no proxy refuses a header of this length

export interface KeysInQuestion {
  /** That the signature may be made with now, by its clientId. */
  own: readonly string[]
  /** Of the same merchant: another clientId's, or rotated away. */
  others: readonly string[]
}

/** Adds what the doctor found, where a key or a damaged form of one opens the signature; else, that its search ended at its bounds. */
export function withCause(hint: string, material: Material, { own, others }: KeysInQuestion, clock: Clock): string {
  if (own.length === 0) return hint
  const otherKeys = [...others, ...demoWorld.merchants!.flatMap(({ keys }) => keys!.map(({ key }) => key))].filter(
    (key) => !own.includes(key),
  )
  const isTimeUp = timeUpAfter(clock, REQUEST_SEARCH_MS)
  const signed = signedLists.values()
  const diagnosis = diagnose(material, { keys: own, otherKeys, signed, isRequest: true, textsMax: REQUEST_TEXTS_MAX, isTimeUp })
  if (diagnosis.outcome !== 'named' && diagnosis.outcome !== 'unknown') return hint
  const names = diagnosis.outcome === 'named' && diagnosis.text !== 'unsought' ? diagnosis.causes.map(({ name }) => name) : []
  const ended = diagnosis.endedEarly ? [ENDED_EARLY] : []
  if (names.length === 0) return [hint, ...ended].join('. ')
  const sentences = [...ended, ...names.map((name) => causes[name])]
  const write = (said: readonly string[]) =>
    `${hint}; cause=${names.join(',')}; say="${said.join(' ')}"; see="/docs/guide/checksum#${names[0]}"`
  const whole = sentences.map((_, at) => write(sentences.slice(0, sentences.length - at)))
  return whole.find(({ length }) => length <= HINT_LENGTH_MAX) ?? hint
}
