// Texts that are longer than their members, as the payment host's clients send them: docs/interface.md section 4.9. These texts describe
// payers and goods, so their length is no reason to refuse a sale.

import type { TSchema } from 'typebox'
import type { JsonObject } from '../../interface/envelope.ts'
import { formats, NAME_LENGTH, TEXT_LENGTH, URL_LENGTH } from '../../interface/fields.ts'

type Members = Readonly<Record<string, TSchema>>

/** Cuts a text with a name's limit. Any other text that is too long counts as absent, and so does an invalid URL. */
export const fitted = (given: JsonObject, members: Members): JsonObject =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const fit = typeof value === 'string' && Object.hasOwn(members, name) ? fittedText(value, members[name]!) : value
      return fit === undefined ? [] : [[name, fit]]
    }),
  )

function fittedText(value: string, schema: TSchema): string | undefined {
  const { format, maxLength } = schema as { format?: string; maxLength?: number }
  if (format === 'httpUrl') return value.length <= URL_LENGTH && formats.httpUrl(value) ? value : undefined
  if (format !== 'text') return value
  if (maxLength === NAME_LENGTH) return cutAtLetter(value)
  return maxLength === TEXT_LENGTH && isLonger(value, TEXT_LENGTH) ? undefined : value
}

/** Characters are counted as the schemas count them: a surrogate pair is one. */
const isLonger = (value: string, length: number) => value.length > length && firstOf(value, length + 1).length > length
const firstOf = (value: string, length: number) => [...value.slice(0, 2 * length)].slice(0, length)

/** Cuts a long name between letters as a reader sees them. A single letter that is longer than the limit is cut inside. */
function cutAtLetter(name: string): string {
  if (!isLonger(name, NAME_LENGTH)) return name
  const kept = firstOf(name, NAME_LENGTH).join('')
  const letters = new Intl.Segmenter('und', { granularity: 'grapheme' }) // not at a start: the first one takes seven milliseconds
  const { index } = letters.segment(firstOf(name, NAME_LENGTH + 1).join('')).containing(kept.length)!
  return index === 0 ? kept : kept.slice(0, index)
}
