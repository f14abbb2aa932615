// A number or an amount in another form than it was sent: Python signs 499.0 where JavaScript sends 499.

import { harmless, howSigned } from './combine.ts'
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
  ...NUMBERS.map(([detail, write]): Form => [`as a number, ${detail}`, write]),
  ['as the number that the text is', (_, written) => written],
  ['as a text', (_, written) => JSON.stringify(written)],
  ...NUMBERS.map(([detail, write]): Form => [`as a text, ${detail}`, (value, written) => JSON.stringify(write(value, written))]),
]

/** First all numbers together with all amounts, whether an amount was sent as text or number. Then numbers alone. */
export function amountVariations(stage: number, sent: JsonTree): JsonVariation[] {
  const amounts = [...amountsIn(sent, '', '')]
  const variation = ([how, write]: Form, isMeant: (value: Value, name: string) => boolean): JsonVariation[] => {
    const anew = (value: Value, name: string) => {
      if (!isMeant(value, name)) return value.raw
      const written = value.kind === 'text' ? textOf(value.raw) : value.raw
      return AMOUNT.test(written) ? write(Number(written), written) : value.raw
    }
    const places = amounts.flatMap(({ value, name, place }) => (anew(value, name) === value.raw ? [] : [place]))
    if (places.length === 0) return [] // it changes nothing
    const detail = howSigned(places, how)
    return [
      {
        stage,
        causes: [{ name: 'numbers', detail }],
        change: (draft) => ({
          ...draft,
          asSent: undefined,
          tree: mapValues(draft.tree, (value, name) => {
            const raw = anew(value, name)
            return raw === value.raw ? value : { kind: raw.startsWith('"') ? 'text' : 'number', raw }
          }),
        }),
      },
    ]
  }
  return [
    ...FORMS.flatMap((form) => variation(form, (value, name) => value.kind === 'number' || AMOUNT_NAME.test(name))),
    ...FORMS.flatMap((form) => variation(form, (value) => value.kind === 'number')),
  ]
}

type Value = JsonTree & { raw: string }
interface Amount {
  value: Value
  name: string
  /** `txnAmount.value`. */
  place: string
}

function* amountsIn(tree: JsonTree, name: string, place: string): Generator<Amount> {
  if (tree.kind === 'object') {
    for (const member of tree.members) yield* amountsIn(member.value, member.name, [place, harmless(member.name)].filter(Boolean).join('.'))
  } else if (tree.kind === 'list') {
    for (const [at, item] of tree.items.entries()) yield* amountsIn(item, name, `${place}[${at}]`)
  } else if (place !== '' && (tree.kind === 'number' || AMOUNT_NAME.test(name))) yield { value: tree, name, place }
}
