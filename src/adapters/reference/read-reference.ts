// Reads and checks the operator's lists of banks, card ranges, EMI plans, merchant categories and UPI handles, once at start. The lists are
// five JSON files of one folder (docs/operating/configure.md). The files that ship are a sample.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Type, { type Static, type TObject } from 'typebox'
import { isObject } from '../../interface/envelope.ts'
import { amount, bankCode, CARD_SCHEMES, name, TENURES } from '../../interface/fields.ts'
import { toPaise } from '../../interface/money.ts'
import { reader } from '../../interface/request.ts'
import { own } from '../../own.ts'
import { CATEGORIES, type EmiPlan, overlap, type Reference, referenceOf } from '../../reference/reference.ts'
import { SettingError } from '../../settings.ts'

const SAMPLE = own('src/adapters/reference/sample')
const BINS_MAX = 200_000 // Mohur's choice: more than all the world's issuers have

const about = Type.Optional(Type.String())
const digits = Type.String({ pattern: '^[0-9]{6,8}$' })
const schemas = {
  'banks.json': Type.Object({
    about,
    banks: Type.Array(
      Type.Object({
        code: bankCode,
        name,
        netBanking: Type.Boolean(),
        ifsc: Type.Optional(Type.String({ pattern: '^[A-Z]{4}$' })),
        cashfree: Type.Optional(Type.Integer({ minimum: 1_000, maximum: 9_999 })),
      }),
    ),
  }),
  'bins.json': Type.Object({
    about,
    bins: Type.Array(
      Type.Object({
        from: digits,
        to: digits,
        scheme: Type.Enum([...CARD_SCHEMES]),
        paymentMode: Type.Enum(['CREDIT_CARD', 'DEBIT_CARD']),
        bank: bankCode,
        emi: Type.Boolean(),
        isIndian: Type.Boolean(),
      }),
      { maxItems: BINS_MAX },
    ),
  }),
  'emi-plans.json': Type.Object({
    about,
    plans: Type.Array(
      Type.Object({
        bank: bankCode,
        tenure: Type.Enum([...TENURES]),
        /** Percent a year, with at most two decimals. */
        annualInterest: Type.String({ pattern: '^(100(\\.0{1,2})?|[1-9]?[0-9](\\.[0-9]{1,2})?)$' }),
        minAmount: amount,
      }),
    ),
  }),
  'merchant-categories.json': Type.Object({
    about,
    categories: Type.Array(Type.Object({ mcc: Type.String({ pattern: '^[0-9]{4}$' }), category: Type.Enum([...CATEGORIES]) })),
  }),
  'vpa-handles.json': Type.Object({ about, handles: Type.Array(Type.String({ pattern: '^[a-z][a-z0-9]{1,31}$' })) }),
}

/** The lists of a folder, or of the sample. Throws a SettingError that names the wrong file and row. */
export function readReference(folder = SAMPLE): Reference {
  const { banks } = readList(folder, 'banks.json', schemas['banks.json'])
  const { bins } = readList(folder, 'bins.json', schemas['bins.json'])
  const { plans: given } = readList(folder, 'emi-plans.json', schemas['emi-plans.json'])
  const { handles } = readList(folder, 'vpa-handles.json', schemas['vpa-handles.json'])
  // A folder may be older than this list. Then every merchant is under the general rules, which ask for more.
  const { categories } = existsSync(join(folder, 'merchant-categories.json'))
    ? readList(folder, 'merchant-categories.json', schemas['merchant-categories.json'])
    : { categories: [] }

  const plans: EmiPlan[] = given.map(({ bank, tenure, annualInterest, minAmount }) => ({
    planId: `${bank}|${tenure}`,
    bank,
    tenure,
    interestHundredths: toPaise(annualInterest),
    minAmountPaise: toPaise(minAmount),
  }))
  once(
    'banks.json',
    banks.map(({ code }) => code),
  )
  once(
    'emi-plans.json',
    plans.map(({ planId }) => planId),
  )
  once(
    'merchant-categories.json',
    categories.map(({ mcc }) => mcc),
  )
  const known = new Set(banks.map(({ code }) => code))
  for (const [file, rows] of [
    ['bins.json', bins],
    ['emi-plans.json', plans],
  ] as const) {
    const stranger = rows.find(({ bank }) => !known.has(bank))
    if (stranger) throw mistake(file, `the bank ${stranger.bank} is not in banks.json`)
  }
  const backwards = bins.find(({ from, to }) => from.length !== to.length || from > to)
  if (backwards) throw mistake('bins.json', `${backwards.from} to ${backwards.to} is not a range`)
  const twice = overlap(bins)
  if (twice) throw mistake('bins.json', `${twice[0].from} to ${twice[0].to} and ${twice[1].from} to ${twice[1].to} overlap`)
  return referenceOf({ banks, bins, plans, handles, categories })
}

function readList<T extends TObject>(folder: string, file: string, schema: T): Static<T> {
  let given: unknown
  try {
    given = JSON.parse(readFileSync(join(folder, file), 'utf8'))
  } catch (error) {
    throw mistake(file, `cannot be read as JSON (${(error as Error).message.slice(0, 80)})`)
  }
  if (!isObject(given)) throw mistake(file, 'is not an object')
  if (folder === SAMPLE) return given as Static<T> // a test checks the sample: to compile five schemas takes a twelfth of a start
  const { value, faults } = reader(schema)(given)
  if (faults) throw mistake(file, `${faults[0]!.path} is ${faults[0]!.kind}`)
  return value as Static<T>
}

function once(file: string, keys: readonly string[]) {
  const twice = keys.find((key, at) => keys.indexOf(key) !== at)
  if (twice !== undefined) throw mistake(file, `${twice} appears twice`)
}

const mistake = (file: string, what: string) => new SettingError(`MOHUR_REFERENCE: ${file}: ${what}`)
