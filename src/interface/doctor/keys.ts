// Finds the key that made a signature, when it was not the given one: docs/checksum.md, "The key". No guess is kept after the search.

import { type OpenedSignature, openSignature } from '../checksum.ts'
import type { CauseName, NamedCause } from './causes.ts'

const AES_128_BYTES = 16
const AES_BYTES: ReadonlySet<number> = new Set([AES_128_BYTES, 24, 32])
const KEY_GUESSED_MAX = 256 // Mohur's choice: a longer text is no key

export interface OpenedBy {
  opened: OpenedSignature
  /** Empty when the given key opened it unchanged. */
  causes: readonly NamedCause[]
}

type Guess = readonly [name: CauseName, detail: string, made: string]
type Chain = readonly Guess[]
const MADE = 2

export interface KeySearch {
  /** The right keys: each may be the one that was meant. */
  keys: readonly string[]
  /** Keys that may have been mistaken for a right one. */
  otherKeys?: readonly string[]
  isTimeUp(): boolean
}

/** The first key that opens the signature. A guess that opens it is certain: 64 digits do not come out by chance. */
export function openingKey(
  signature: string,
  { keys, otherKeys = [], isTimeUp }: KeySearch,
  mid: string | undefined,
): OpenedBy | undefined {
  for (const key of keys) {
    const exact = hasKeyLength(key) ? openSignature(signature, Buffer.from(key)) : undefined
    if (exact) return { opened: exact, causes: [] }
  }
  for (const { key, chain, mayBeCut } of tries(keys, mid, otherKeys)) {
    if (isTimeUp()) return undefined
    const opened = openedBy(signature, chain.at(-1)?.[MADE] ?? key, mayBeCut)
    if (!opened) continue
    const found = chain.length === 0 ? [lengthCause(key)] : chain.map(([name, detail]) => ({ name, detail }))
    return { opened, causes: [...new Map(found.map((cause) => [cause.name, cause])).values()] }
  }
  return undefined
}

interface Try {
  key: string
  chain: Chain
  mayBeCut: boolean
}

/** One guess for every key comes before two guesses for any. Guesses that do not depend on the given keys are tried once. */
function* tries(given: readonly string[], mid: string | undefined, others: readonly string[]): Generator<Try> {
  const keys = given.filter((key) => Buffer.byteLength(key) <= KEY_GUESSED_MAX)
  const [anyKey] = keys
  if (anyKey === undefined) return
  const replaced: Chain[] = [
    ...(mid ? [[['key-length', 'the mid stands in its place', mid] as const]] : []),
    ...others.map((other): Chain => [['key-other', 'it is another known key', other]]),
  ]
  for (const mayBeCut of [false, true]) {
    for (const key of keys) {
      if (mayBeCut) yield { key, chain: [], mayBeCut }
      for (const guess of guessesOf(key)) yield { key, chain: [guess], mayBeCut }
    }
    for (const chain of replaced) yield { key: anyKey, chain, mayBeCut }
  }
  for (const key of keys)
    for (const guess of guessesOf(key)) for (const next of guessesOf(guess[MADE])) yield { key, chain: [guess, next], mayBeCut: true }
}

const hasKeyLength = (key: string) => AES_BYTES.has(Buffer.byteLength(key))

const lengthCause = (key: string): NamedCause => ({
  name: 'key-length',
  detail: hasKeyLength(key) ? 'PHP used its first 16 bytes alone' : `${Buffer.byteLength(key)} bytes were given`,
})

/**
 * Tries the whole key when AES takes its length. With `mayBeCut`, also tries 16 bytes as PHP makes them for AES-128: filled up with NULs,
 * or cut. Other languages fill up with the digit 0 or with spaces.
 */
function openedBy(signature: string, key: string, mayBeCut: boolean): OpenedSignature | undefined {
  const bytes = Buffer.from(key)
  if (bytes.length === 0 || bytes.length > KEY_GUESSED_MAX) return undefined
  const fitted = (filler: number) => Buffer.concat([bytes, Buffer.alloc(AES_128_BYTES, filler)]).subarray(0, AES_128_BYTES)
  const fillers = bytes.length < AES_128_BYTES ? [0, 0x30, 0x20] : [0]
  for (const tried of [...(AES_BYTES.has(bytes.length) ? [bytes] : []), ...(mayBeCut ? fillers.map(fitted) : [])]) {
    const opened = openSignature(signature, tried)
    if (opened) return opened
  }
  return undefined
}

/** The key with each change that may happen between the operator's letter and the signing function. Or the key with that change undone. */
function guessesOf(key: string): Guess[] {
  const guesses: Guess[] = []
  const hash = key.indexOf('#')
  if (hash > 0) {
    guesses.push(['key-hash', 'it ends before the #', key.slice(0, hash)])
    guesses.push(['key-hash', 'it ends before the #', key.slice(0, hash).trimEnd()])
  }
  for (const quote of ['"', "'", '`']) guesses.push(['key-quotes', 'quotes stand around it', quote + key + quote])
  for (const end of ['\n', '\r\n', '\r', ' ', '\t']) guesses.push(['key-quotes', 'a space or a line end follows it', key + end])
  for (const begin of [' ', '\ufeff']) guesses.push(['key-quotes', 'a space or a byte order mark stands before it', begin + key])
  guesses.push([
    'key-quotes',
    'the given key has quotes or spaces around it',
    key
      .trim()
      .replace(/^(["'`])(.*)\1$/s, '$2')
      .trim(),
  ])
  for (const apostrophe of ['&#039;', '&#39;', '&apos;'])
    guesses.push(['key-entity', 'it was escaped as in HTML', entitiesOf(key, apostrophe)])
  guesses.push(['key-entity', 'the given key is escaped as in HTML', withoutEntities(key)])
  guesses.push(['key-entity', 'it was escaped as in an address', encodeURIComponent(key.toWellFormed())])
  guesses.push(['key-entity', 'the given key is escaped as in an address', withoutPercents(key)])
  return guesses.filter(([, , made]) => made !== key && made !== '')
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' } as const
const entitiesOf = (key: string, apostrophe: string) =>
  key.replace(/[&<>"]/g, (char) => ENTITIES[char as keyof typeof ENTITIES]).replaceAll("'", apostrophe)
const withoutEntities = (key: string) =>
  key.replace(/&(?:lt|gt|quot|apos|#0?39|amp);/g, (entity) => {
    const found = Object.entries(ENTITIES).find(([, written]) => written === entity)
    return found?.[0] ?? "'"
  })

function withoutPercents(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** The cause when no key opened the signature. */
export const unopened = (keys: readonly string[]): NamedCause =>
  lengthFault(keys) ?? { name: 'key-other', detail: 'no key that was tried opens the signature' }

/** The cause when no given key has the length of a key. */
export const lengthFault = (keys: readonly string[]): NamedCause | undefined =>
  keys.some(hasKeyLength) ? undefined : lengthCause(keys[0] ?? '')
