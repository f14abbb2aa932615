// Promotions of a world file (docs/sandbox.md). An existing promotion keeps the members that the file leaves out.

import Type, { type Static } from 'typebox'
import { amount, bankCode, date, mid, ORDER_PAYMENT_MODES } from '../interface/fields.ts'
import { toPaise } from '../interface/money.ts'
import type { Row } from '../tables/tables.ts'

const optional = Type.Optional
const LIST_MAX = 1_000 // Mohur's choice: bounds the search of one evaluation

/** The first and last date that four digits of a year can name. */
const ALWAYS = { validFrom: '0001-01-01', validUpto: '9999-12-31' }

/** Up to two decimals: hundredths of a percent. */
export const percent = Type.String({ pattern: '^(100(\\.0{1,2})?|[1-9]?[0-9](\\.[0-9]{1,2})?)$' })

export const promotion = Type.Object(
  {
    mid,
    promocode: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
    kind: optional(Type.Enum(['DISCOUNT', 'CASHBACK'])),
    /** Shown to the customer as `promotext`, which is plain ASCII. */
    title: optional(Type.String({ pattern: '^[ -~]{1,255}$' })),
    flat: optional(amount),
    percent: optional(percent),
    upTo: optional(amount),
    minAmount: optional(amount),
    payMethods: optional(Type.Array(Type.Enum([...ORDER_PAYMENT_MODES]))),
    banks: optional(Type.Array(bankCode, { maxItems: LIST_MAX })),
    bins: optional(Type.Array(Type.String({ pattern: '^([0-9]{6}|[0-9]{8})$' }), { maxItems: LIST_MAX })),
    skus: optional(Type.Array(Type.String({ minLength: 1, maxLength: 255, format: 'text' }), { maxItems: LIST_MAX })),
    validFrom: optional(date),
    validUpto: optional(date),
    budget: optional(amount),
    fundedBy: optional(Type.String({ minLength: 1, maxLength: 64, format: 'text' })),
    maxPerCustomer: optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    visible: optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type GivenPromotion = Static<typeof promotion>

export function promotionRow(given: GivenPromotion, before: Row<'promotions'> | undefined): Row<'promotions'> {
  return {
    mid: given.mid,
    promocode: given.promocode,
    kind: given.kind ?? before?.kind ?? 'DISCOUNT',
    title: given.title ?? before?.title ?? given.promocode,
    ...benefit(given, before),
    minAmountPaise: paise(given.minAmount) ?? before?.minAmountPaise ?? 0,
    payMethods: given.payMethods ?? before?.payMethods ?? [],
    banks: given.banks ?? before?.banks ?? [],
    bins: given.bins ?? before?.bins ?? [],
    skus: given.skus ?? before?.skus ?? [],
    validFrom: given.validFrom ?? before?.validFrom ?? ALWAYS.validFrom,
    validUpto: given.validUpto ?? before?.validUpto ?? ALWAYS.validUpto,
    budgetPaise: paise(given.budget) ?? before?.budgetPaise ?? null,
    fundedBy: given.fundedBy ?? before?.fundedBy ?? 'merchant',
    maxPerCustomer: given.maxPerCustomer ?? before?.maxPerCustomer ?? null,
    visible: given.visible ?? before?.visible ?? true,
  }
}

/** A flat amount replaces a percentage with its cap, and the other way round. */
function benefit(given: GivenPromotion, before: Row<'promotions'> | undefined) {
  if (given.flat !== undefined) return { flatPaise: toPaise(given.flat), percentHundredths: null, upToPaise: null }
  if (given.percent !== undefined)
    return { flatPaise: null, percentHundredths: toPaise(given.percent), upToPaise: paise(given.upTo) ?? null }
  return {
    flatPaise: before?.flatPaise ?? null,
    percentHundredths: before?.percentHundredths ?? null,
    upToPaise: paise(given.upTo) ?? before?.upToPaise ?? null,
  }
}

const paise = (value: string | undefined) => (value === undefined ? undefined : toPaise(value))

/** The fault of a promotion's row, for the person who wrote the file. The table's CHECKs refuse the same faults. */
export function promotionMistake(given: GivenPromotion, row: Row<'promotions'>): string | undefined {
  if (given.flat !== undefined && given.percent !== undefined) return '"flat" or "percent", not both'
  if (row.flatPaise === null && row.percentHundredths === null) return '"flat" or "percent" is needed'
  if (row.flatPaise === 0 || row.percentHundredths === 0 || row.upToPaise === 0) return 'the offer is zero'
  if (row.flatPaise !== null && (given.upTo !== undefined || row.upToPaise !== null)) return '"upTo" belongs to "percent"'
  if (row.validFrom > row.validUpto) return '"validFrom" is after "validUpto"'
  return undefined
}
