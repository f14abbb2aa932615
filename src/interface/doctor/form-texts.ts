// Texts that may have been signed instead of a form's values: docs/checksum.md, "Forms and callbacks".

import { joinedValues } from '../checksum.ts'
import type { CauseName } from './causes.ts'
import { type Candidate, combined, harmless, howSigned, type Variation } from './combine.ts'
import type { Material } from './material.ts'

type Field = readonly [name: string, value: string | null]
interface FormDraft {
  fields: readonly Field[]
  write: (fields: readonly Field[]) => string
  end: string
}
type FormVariation = Variation<FormDraft>

const STAGE = { changed: 0, trimmed: 1, numbers: 2, hash: 3, write: 4, newline: 5 }
const CHECKSUM = 'CHECKSUMHASH'
const AMOUNT = /^[0-9]{1,15}(\.[0-9]{1,2})?$/

const byRule = (fields: readonly Field[]) => joinedValues(Object.fromEntries(fields))

export function formTexts(
  { fields, text, signature }: Extract<Material, { kind: 'form' }>,
  given: string | undefined,
): Generator<Candidate> {
  const all: readonly Field[] = Object.entries(fields)
  const signed = all.filter(([name]) => name !== CHECKSUM)
  const base: FormDraft = { fields: signed, write: byRule, end: '' }
  // An empty text before the values is a field that a framework dropped, or the checksum's own field. In a callback, which Mohur signed, it
  // is a dropped field, so `gone` comes first.
  const isOurs = 'STATUS' in fields || 'RESPCODE' in fields
  const empties = isOurs ? [gone(signed, 1), hashes(signed, signature ?? given)] : [hashes(signed, signature ?? given), gone(signed, 1)]
  const dimensions = [orders(), texts(text), ...empties, newlines(), numbers(signed), trims(signed), left(signed)]
  return combined(base, dimensions, severalGone(signed), ({ fields, write, end }) => write(fields) + end)
}

const of = (stage: number, name: CauseName, detail: string, change: (draft: FormDraft) => FormDraft): FormVariation => ({
  stage,
  causes: [{ name, detail }],
  change,
})
const ofFields = (stage: number, name: CauseName, detail: string, change: (fields: readonly Field[]) => readonly Field[]) =>
  of(stage, name, detail, (draft) => ({ ...draft, fields: change(draft.fields) }))
const ofWriting = (name: CauseName, detail: string, write: FormDraft['write']) =>
  of(STAGE.write, name, detail, (draft) => ({ ...draft, write }))

const joined = (fields: readonly Field[]) =>
  fields.map(([, value]) => (value === null || value.toLowerCase() === 'null' ? '' : value)).join('|')
const inOrder = (fields: readonly Field[], key: (name: string) => string) =>
  fields.toSorted(([a], [b]) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))

const orders = (): FormVariation[] => [
  ofWriting('order', 'the values were in the order of the form', joined),
  ofWriting('order', 'capitals and small letters were sorted alike', (fields) => joined(inOrder(fields, (name) => name.toLowerCase()))),
  ofWriting('nulls', 'a value that reads null was signed as it is', (fields) =>
    inOrder(fields, (name) => name)
      .map(([, value]) => value ?? 'null')
      .join('|'),
  ),
]

/** The whole form as one text, instead of its values. */
function texts(text: string): FormVariation[] {
  const slashes = (json: string) => json.replaceAll('/', '\\/')
  const python = (fields: readonly Field[]) =>
    `{${fields.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(', ')}}`
  const writings: readonly (readonly [string, FormDraft['write']])[] = [
    ['JSON was signed', (fields) => JSON.stringify(Object.fromEntries(fields))],
    ['JSON as PHP writes it was signed', (fields) => slashes(JSON.stringify(Object.fromEntries(fields)))],
    ['JSON as Python writes it was signed', python],
    ['the form was signed as it is sent', () => withoutChecksum(text)],
    ['names and values were signed', (fields) => fields.map(([name, value]) => `${name}=${value ?? ''}`).join('&')],
    [
      'the values were signed in their escapes',
      (fields) => joined(inOrder(fields, (name) => name).map(([name, value]) => [name, encoded(value)])),
    ],
  ]
  return writings.flatMap(([detail, write]) => [
    ofWriting('json', detail, write),
    ofWriting('json', `${detail}, sorted by the names`, (fields) => write(inOrder(fields, (name) => name))),
  ])
}

const withoutChecksum = (text: string) =>
  text
    .split('&')
    .filter((part) => !part.startsWith(`${CHECKSUM}=`))
    .join('&')
const encoded = (value: string | null) => encodeURIComponent((value ?? '').toWellFormed()).replaceAll('%20', '+')

/** The checksum's own empty field was signed, or a field that holds the checksum under another name was not. */
function hashes(fields: readonly Field[], signature: string | undefined): FormVariation[] {
  const others = fields.filter(([name, value]) => (signature !== undefined && value === signature) || /checksum|signature/i.test(name))
  return [
    // Not the checksum's own name, because `joinedValues` would leave that field out.
    ofFields(STAGE.hash, 'with-hash', 'its empty field was signed', (all) => [...all, [`${CHECKSUM}\0`, '']]),
    ...others.map(([other]) =>
      ofFields(STAGE.hash, 'with-hash', `${harmless(other)} is the checksum and was not signed`, (all) =>
        all.filter(([name]) => name !== other),
      ),
    ),
  ]
}

const newlines = (): FormVariation[] => [
  of(STAGE.newline, 'newline', 'a line end follows it', (draft) => ({ ...draft, end: '\n' })),
  of(STAGE.newline, 'newline', 'CR LF follows it', (draft) => ({ ...draft, end: '\r\n' })),
]

function numbers(fields: readonly Field[]): FormVariation[] {
  const forms = [
    ['as JavaScript writes it', (value) => String(value)],
    ['with one decimal', (value) => (Number.isInteger(value) ? value.toFixed(1) : String(value))],
    ['with two decimals', (value) => value.toFixed(2)],
  ] satisfies [string, (value: number) => string][]
  return forms.flatMap(([how, write]) => {
    const anew = ([name, value]: Field): Field => [
      name,
      /amount|amt/i.test(name) && value !== null && AMOUNT.test(value) ? write(Number(value)) : value,
    ]
    const places = fields.filter((field) => anew(field)[1] !== field[1]).map(([name]) => harmless(name))
    return places.length === 0 ? [] : [ofFields(STAGE.numbers, 'numbers', howSigned(places, how), (all) => all.map(anew))]
  })
}

const SPACES = ['', ' '] as const
/**
 * Spaces around values that a framework took away before sending, or that were sent and not signed. Fields without a value that were not
 * signed.
 */
function* trims(fields: readonly Field[]): Generator<FormVariation> {
  const one = (name: string, change: (value: string) => string) =>
    ofFields(STAGE.trimmed, 'trimmed', `${harmless(name)} had spaces around it`, (all) =>
      all.map((field) => (field[0] === name && field[1] !== null ? [name, change(field[1])] : field)),
    )
  const DETAIL = 'spaces around values were not signed'
  yield ofFields(STAGE.trimmed, 'trimmed', DETAIL, (all) => all.map(([name, value]) => [name, value?.trim() ?? null]))
  yield ofFields(STAGE.trimmed, 'trimmed', 'fields without a value were not signed', (all) => all.filter(([, value]) => value))
  for (const [name] of fields)
    for (const before of SPACES) for (const after of SPACES) if (before || after) yield one(name, (value) => before + value + after)
}

const GONE_MAX = 3 // Mohur's choice: at most so many fields without a value may be missing
function* severalGone(signed: readonly Field[]): Generator<FormVariation> {
  for (let count = 2; count <= GONE_MAX; count++) yield* gone(signed, count)
}

/** Fields without a value that were signed and not sent. The search finds their number and places, and not their names. */
function* gone(signed: readonly Field[], count: number): Generator<FormVariation> {
  for (const places of placesOf(count, signed.length))
    yield of(STAGE.write, 'trimmed', `${count} without a value ${count === 1 ? 'is' : 'are'} gone`, (draft) => ({
      ...draft,
      write: (fields) => {
        const values = inOrder(fields, (name) => name)
        for (const place of places) values.splice(place, 0, ['', ''])
        return joined(values)
      },
    }))
}

/** Every choice of `count` places from `first` to `last`, where a place may repeat. Each choice runs from its last place to its first. */
function* placesOf(count: number, last: number, first = 0): Generator<readonly number[]> {
  if (count === 0) return yield []
  for (let at = first; at <= last; at++) for (const others of placesOf(count - 1, last, at)) yield [...others, at]
}

function* left(fields: readonly Field[]): Generator<FormVariation> {
  for (const [left] of fields)
    yield ofFields(STAGE.changed, 'changed', `${harmless(left)} was not signed`, (all) => all.filter(([name]) => name !== left))
}
