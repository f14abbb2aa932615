// The checksum doctor's cause for a refused request, as the end of `Mohur-Hint`: docs/sandbox.md, "Hints". The cause quotes nothing of the
// request.

import { signedLists } from '../../api/operations.ts'
import { type Clock, timeUpAfter } from '../../engine/clock.ts'
import { type CauseName, ENDED_EARLY } from '../../interface/doctor/causes.ts'
import { diagnose, REQUEST_SEARCH_MS, REQUEST_TEXTS_MAX } from '../../interface/doctor/diagnose.ts'
import type { Material } from '../../interface/doctor/material.ts'
import { demoWorld } from '../world.ts'

export const HINT_LENGTH_MAX = 512 // Mohur's choice: no proxy refuses a header of this length

export interface KeysInQuestion {
  /** The keys that may sign now, by the request's clientId. */
  own: readonly string[]
  /** The same merchant's keys under another clientId, and rotated keys. */
  others: readonly string[]
}

/** Adds the doctor's causes if a key, or a damaged form of a key, opens the signature. Otherwise the hint only names a page to read. */
export function withCause(hint: string, material: Material, { own, others }: KeysInQuestion, clock: Clock): string {
  if (own.length === 0) return hint
  const otherKeys = [...others, ...demoWorld.merchants!.flatMap(({ keys }) => keys!.map(({ key }) => key))].filter(
    (key) => !own.includes(key),
  )
  const isTimeUp = timeUpAfter(clock, REQUEST_SEARCH_MS)
  const signed = signedLists.values()
  const diagnosis = diagnose(material, { keys: own, otherKeys, signed, isRequest: true, textsMax: REQUEST_TEXTS_MAX, isTimeUp })
  if (diagnosis.outcome !== 'named' && diagnosis.outcome !== 'unknown') return hint
  const found = diagnosis.outcome === 'named' ? diagnosis.causes : []
  const isOpened = diagnosis.outcome === 'named' && diagnosis.text !== 'unsought'
  const names = isOpened ? found.map(({ name }) => name) : []
  const ended = diagnosis.endedEarly ? [ENDED_EARLY] : []
  if (names.length === 0) return `${[hint, ...ended].join('. ')}${found.some(({ name }) => name === 'key-other') ? seeOf('key-other') : ''}`
  const sentences = [...ended, ...found.map(({ say }) => say)]
  const write = (said: readonly string[]) => `${hint}; cause=${names.join(',')}; say="${said.join(' ')}"${seeOf(names[0]!)}`
  const whole = sentences.map((_, at) => write(sentences.slice(0, sentences.length - at)))
  return whole.find(({ length }) => length <= HINT_LENGTH_MAX) ?? hint
}

const seeOf = (name: CauseName) => `; see="/docs/guide/checksum#${name}"`
