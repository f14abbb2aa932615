// Texts that may have been signed instead of the right one. Texts with the fewest causes come first, so the first hit names as few causes
// as possible.

import type { NamedCause } from './causes.ts'

const CAUSES_TOGETHER_MAX = 3 // Mohur's choice: with two for the key and the signature's form, more than any caller has been seen to make

/** One way in which a draft may differ from the text that was sent. */
export interface Variation<Draft> {
  /** Changes are made in the order of their stages, in any order of trying. */
  stage: number
  causes: readonly NamedCause[]
  change(draft: Draft): Draft
}

export interface Candidate {
  /** Undefined when the draft cannot be written. */
  text: string | undefined
  causes: readonly NamedCause[]
}

/**
 * `dimensions` exclude each other within, and combine between. The search tries each of `alone` with nothing beside it. Each step makes one
 * candidate and yields it, even if its text is not new. So the caller's bound sees all the work.
 */
export function* combined<Draft>(
  base: Draft,
  dimensions: readonly Iterable<Variation<Draft>>[],
  alone: Iterable<Variation<Draft>>,
  write: (draft: Draft) => string | undefined,
): Generator<Candidate> {
  const made = (variations: readonly Variation<Draft>[]) =>
    write(variations.toSorted((a, b) => a.stage - b.stage).reduce((draft, { change }) => change(draft), base))
  const plain = made([])
  yield { text: plain, causes: [] }
  const living: (readonly Variation<Draft>[])[] = []
  for (const dimension of dimensions) living.push(yield* different(dimension))
  for (const variation of alone) yield candidate(made([variation]), [variation])
  for (let together = 2; together <= CAUSES_TOGETHER_MAX; together++)
    for (const variations of choices(living, together)) yield candidate(made(variations), variations)

  /** Drops a variation when its text equals the plain text, or an earlier variation's text. The other variations get the room. */
  function* different(dimension: Iterable<Variation<Draft>>): Generator<Candidate, readonly Variation<Draft>[]> {
    const seen = new Set([plain])
    const kept: Variation<Draft>[] = []
    for (const variation of dimension) {
      const text = made([variation])
      if (text === undefined || !seen.has(text)) kept.push(variation) // a draft that cannot be written alone may be written in other spaces
      seen.add(text)
      yield candidate(text, [variation])
    }
    return kept
  }

  function candidate(text: string | undefined, variations: readonly Variation<Draft>[]): Candidate {
    const causes = variations.flatMap((variation) => variation.causes)
    return { text, causes: [...new Map(causes.map((cause) => [cause.name, cause])).values()] }
  }
}

/** Every choice of `count` variations, each from a different dimension. */
function* choices<T>(dimensions: readonly (readonly T[])[], count: number, from = 0): Generator<readonly T[]> {
  if (count === 0) return yield []
  for (let at = from; at <= dimensions.length - count; at++)
    for (const variation of dimensions[at]!) for (const rest of choices(dimensions, count - 1, at + 1)) yield [variation, ...rest]
}

/** The caller's own name for a member, in letters that break no line. */
export const harmless = (name: string) => name.replace(/[^A-Za-z0-9_.[\]-]/g, '?').slice(0, NAME_LENGTH)
const NAME_LENGTH = 40 // Mohur's choice: enough to recognise a member

const PLACES_SHOWN_MAX = 3 // Mohur's choice: three places lead a developer to the others

/** `txnAmount.value was signed as a text`. The places are harmless already. */
export function howSigned(places: readonly string[], how: string): string {
  const shown = places.slice(0, PLACES_SHOWN_MAX).join(', ')
  const others = places.length > PLACES_SHOWN_MAX ? ` and ${places.length - PLACES_SHOWN_MAX} more` : ''
  return `${shown}${others} ${places.length > 1 ? 'were' : 'was'} signed ${how}`
}
