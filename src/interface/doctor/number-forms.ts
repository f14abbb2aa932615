// A number or an amount in another form than it was sent: Python signs 499.0 where JavaScript sends 499.

import type { JsonVariation } from './json-draft.ts'
import { type JsonTree, mapValues, textOf } from './json-tree.ts'

const AMOUNT_NAME = /amount|value|amt|price/i
const AMOUNT = /^-?[0-9]{1,15}(\.[0-9]{1,6})?$/

type Form = readonly [detail: string, write: (value: number, written: string) => string]
const NUMBERS: readonly Form[] = [
  ['as JavaScript writes it', (value) => String(value)],
  ['with one decimal', (value) => (Number.isInteger(value) ? value.toFixed(1) : String(value))],
  ['with two decimals', (value) => value.toFixed(2)],
  ['without its decimals', (value) => String(Math.trunc(value))],
]
const FORMS: readonly Form[] = [
  ...NUMBERS.map(([detail, write]): Form => [`it was signed as a number, ${detail}`, write]),
  ['it was signed as the number that the text is', (_, written) => written],
  ['it was signed as a text', (_, written) => JSON.stringify(written)],
  ...NUMBERS.map(
    ([detail, write]): Form => [`it was signed as a text, ${detail}`, (value, written) => JSON.stringify(write(value, written))],
  ),
]

/** Amounts, whether they were sent as text or number; and all numbers. */
export function amountVariations(stage: number): JsonVariation[] {
  const variation = ([detail, write]: Form, isMeant: (value: JsonTree & { raw: string }, name: string) => boolean): JsonVariation => ({
    stage,
    causes: [{ name: 'numbers', detail }],
    change: (draft) => ({
      ...draft,
      asSent: undefined,
      tree: mapValues(draft.tree, (value, name) => {
        const written = value.kind === 'text' ? textOf(value.raw) : value.raw
        if (!isMeant(value, name) || !AMOUNT.test(written)) return value
        const raw = write(Number(written), written)
        return { kind: raw.startsWith('"') ? 'text' : 'number', raw }
      }),
    }),
  })
  return [
    ...FORMS.map((form) => variation(form, (value, name) => value.kind === 'number' || AMOUNT_NAME.test(name))),
    ...FORMS.map((form) => variation(form, (value) => value.kind === 'number')),
  ]
}
