// Every payment mode is in each of its places: docs/contributing/new-payment-mode.md. The compiler asks for the others.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PAYMENT_MODES, paymentMode } from '../../src/interface/payment-modes.ts'

const root = join(import.meta.dirname, '../..')

interface Mode {
  name: string
  shortName?: string
  rail?: string
}
interface Place {
  file: string
  what: string
  /** For a place that only some modes have. */
  isFor?: (mode: Mode) => boolean
  /** The part of the file in which a mode is sought: from here to the next heading, or to the end of the statement. */
  part: RegExp
  says: (mode: Mode) => readonly string[]
}

const hasRail = ({ rail }: Mode) => rail !== undefined
const quoted = ({ rail }: Mode) => [`'${rail}'`]
/** The names that documents may use for a mode. */
const IN_WORDS: Readonly<Record<string, readonly string[]>> = {
  UPI: ['| UPI id'],
  CREDIT_CARD: ['| card 4'],
  DEBIT_CARD: ['a debit card'],
  EMI: ['a credit card with EMI'],
  BALANCE: ['`PPI`'],
  SVC_DIGITAL_CREDIT: ['`PDC`'],
}
const inDocument = ({ name, shortName = name }: Mode) => [`\`${name}\``, `\`${shortName}\``, ...(IN_WORDS[name] ?? [])]

const PLACES: readonly Place[] = [
  {
    file: 'docs/interface.md',
    what: 'a row of section 2, PaymentMode',
    part: /^### PaymentMode$.*?(?=^#)/ms,
    says: ({ name }) => [`\n| \`${name}\``],
  },
  {
    file: 'docs/sandbox.md',
    what: 'what the bank of the sandbox does with it',
    part: /^## What the bank does$.*?(?=^## )/ms,
    says: inDocument,
  },
  {
    file: 'docs/pages.md',
    what: 'the names by which the loader may show or hide it',
    isFor: ({ name }) => name !== 'BANK_MANDATE', // a mandate's consent has only one way
    part: /^\| `payMode\.filter\.include`.*$/m,
    says: inDocument,
  },
  {
    file: 'docs/openapi.json',
    what: 'the document, written anew',
    part: /^\{.*\}$/ms,
    says: ({ name }) => [`"${name}"`],
  },
  {
    file: 'src/pages/loader/shop-view.ts',
    what: "the loader's view, by its short name",
    isFor: ({ name, shortName = name }) => shortName !== name,
    part: /const MODES\b.*?\n\}/s,
    says: ({ name, shortName }) => [`\n  ${shortName}: ['${name}']`],
  },
  {
    file: 'src/pages/payment/view/panels.ts',
    what: 'its panel',
    part: /function panelsOf\b.*?\n\}/s,
    says: ({ name }) => [`has('${name}')`],
  },
  {
    file: 'src/domain/subscription/collection/rail-rules.ts',
    what: 'the rules of its rail',
    isFor: hasRail,
    part: /^const (?:framework|bankMandates)\b.*\n(?:const bankMandates\b.*\n)?/m,
    says: quoted,
  },
  {
    file: 'src/tables/subscription.ts',
    what: 'the CHECK of its rail',
    isFor: hasRail,
    part: /\brail: oneOf\(.*\)/,
    says: quoted,
  },
]

const missing = (mode: Mode, textOf: (file: string) => string) =>
  PLACES.filter(({ isFor }) => isFor?.(mode) ?? true).flatMap(({ file, what, part, says }) => {
    const [text] = part.exec(textOf(file)) ?? []
    assert.ok(text, `${file} has no ${part}`)
    return says(mode).some((said) => text.includes(said)) ? [] : [`${mode.name} is not in ${file}: ${what}`]
  })

const texts = new Map(PLACES.map(({ file }) => [file, readFileSync(join(root, file), 'utf8')]))
const committed = (file: string) => texts.get(file)!

test('each payment mode stands in each of its places', () => {
  const found = PAYMENT_MODES.flatMap((name) => missing({ name, ...paymentMode(name)! }, committed))
  assert.deepEqual(found, [])
})

const PLANTED: Mode = { name: 'CRYPTO_COIN', shortName: 'COIN', rail: 'CHAIN' }

test('a planted mode that stands nowhere is missed in every place', () => assert.equal(missing(PLANTED, committed).length, PLACES.length))

for (const left of PLACES)
  test(`a planted mode that stands everywhere but in ${left.file} is missed there: ${left.what}`, () => {
    const planted = (file: string) => {
      const { part, says } = PLACES.find((place) => place.file === file)!
      return file === left.file
        ? committed(file)
        : committed(file).replace(part, (text) => text.slice(0, -1) + says(PLANTED)[0] + text.at(-1))
    }
    assert.deepEqual(missing(PLANTED, planted), [`${PLANTED.name} is not in ${left.file}: ${left.what}`])
  })

test('the guide for contributors names each of these places', () => {
  const recipe = readFileSync(join(root, 'docs/contributing/new-payment-mode.md'), 'utf8')
  const unnamed = [...texts.keys()].filter((file) => !recipe.includes(file))
  assert.deepEqual(unnamed, [])
})
