// Reads Cashfree's answers: an order, its payments, its refunds. A missing or malformed member makes the whole answer unreadable, and
// an unreadable answer is `unknown`. Members that nothing here needs are ignored.

import Type, { type Static } from 'typebox'
import { type JsonObject, readJson, utf8Of } from '../../../interface/envelope.ts'
import { instantOf } from '../../../interface/instant.ts'
import { reader } from '../../../interface/request.ts'
import { REFERENCE } from '../remote/remote-answer.ts'
import { paiseOf } from './amounts.ts'
import { REFUND_ID } from './ids.ts'

export interface CashfreeOrder {
  /** Cashfree's word: ACTIVE, PAID, EXPIRED, TERMINATED, TERMINATION_REQUESTED, or one that Mohur does not know. */
  status: string
  /** Undefined unless the amount is whole paise of INR. */
  amountPaise: number | undefined
  createdAt: number
  expiresAt: number
  /** True for an order that only closes a key. Nothing was ever paid under that key. */
  isAbsent: boolean
  /** Opens the payment of this order. Mohur uses only the session of an order that it has just made. */
  session: string | undefined
}

export interface CashfreePayment {
  id: string
  status: string
  isCaptured: boolean
  /** What the payer paid, without a fee on top. Undefined when the numbers do not fit each other. */
  amountPaise: number | undefined
  reference: string | undefined
  completedAt: number | undefined
}

export interface CashfreeRefund {
  status: string
  /** True for a refund that Mohur sent. Others are Cashfree's own, or were made in its dashboard. */
  isOwn: boolean
  amountPaise: number | undefined
  reference: string | undefined
}

export const ABSENT_TAG = 'absent'
const LIST_LIMITS = { membersMax: 5_000, separatorsMax: 5_000 } // Mohur's choice: within 64 KiB

const text = Type.String({ minLength: 1, maxLength: 1_024 })
const optional = Type.Optional(Type.Union([Type.String({ maxLength: 4_096 }), Type.Null()]))
const number = Type.Number()
const id = Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Number()])
const orders = reader(
  Type.Object({
    order_id: text,
    order_status: text,
    order_amount: number,
    order_currency: text,
    created_at: text,
    order_expiry_time: text,
    order_tags: Type.Optional(
      Type.Union([Type.Null(), Type.Object({ key: Type.Optional(Type.String()), state: Type.Optional(Type.String()) })]),
    ),
    payment_session_id: optional,
  }),
)
const surcharge = Type.Union([
  Type.Null(),
  Type.Object({ payment_surcharge_service_charge: Type.Optional(number), payment_surcharge_service_tax: Type.Optional(number) }),
])
const payments = reader(
  Type.Object({
    list: Type.Array(
      Type.Object({
        cf_payment_id: id,
        order_id: text,
        payment_status: text,
        is_captured: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
        order_amount: number,
        payment_amount: number,
        payment_currency: text,
        bank_reference: optional,
        payment_completion_time: optional,
        payment_surcharge: Type.Optional(surcharge),
      }),
    ),
  }),
)
const refund = Type.Object({
  cf_refund_id: id,
  order_id: text,
  refund_id: optional,
  refund_status: text,
  refund_type: optional,
  refund_amount: number,
  refund_currency: optional,
  refund_arn: optional,
})
const refunds = reader(Type.Object({ list: Type.Array(refund) }))
const oneRefund = reader(refund)

/** `isList`: the answer is an array of entities. Undefined when the bytes are not JSON. */
export function jsonOf(bytes: Uint8Array, isList: boolean): JsonObject | undefined {
  const text = utf8Of(bytes)
  return text === undefined ? undefined : readJson(isList ? `{"list":${text}}` : text, LIST_LIMITS)?.root
}

/** Undefined when the answer is malformed, or is another order. */
export function orderIn(json: JsonObject, orderId: string): CashfreeOrder | undefined {
  const { value } = orders(json)
  if (!value || value.order_id !== orderId) return undefined
  const [createdAt, expiresAt] = [instantOf(value.created_at), instantOf(value.order_expiry_time)]
  if (createdAt === undefined || expiresAt === undefined) return undefined
  return {
    status: value.order_status,
    amountPaise: value.order_currency === 'INR' ? paiseOf(value.order_amount) : undefined,
    createdAt,
    expiresAt,
    isAbsent: value.order_tags?.state === ABSENT_TAG,
    session: value.payment_session_id ?? undefined,
  }
}

export function paymentsIn(json: JsonObject, orderId: string): readonly CashfreePayment[] | undefined {
  const { value } = payments(json)
  if (!value || value.list.some(({ order_id }) => order_id !== orderId)) return undefined
  return value.list.map((payment) => ({
    id: String(payment.cf_payment_id),
    status: payment.payment_status,
    isCaptured: payment.is_captured !== false,
    amountPaise: payment.payment_currency === 'INR' ? amountOf(payment) : undefined,
    reference: referenceOf(payment.bank_reference, payment.cf_payment_id),
    completedAt: payment.payment_completion_time ? instantOf(payment.payment_completion_time) : undefined,
  }))
}

const webhook = reader(
  Type.Object({ data: Type.Object({ payment: Type.Object({ cf_payment_id: id, payment_status: text, bank_reference: optional }) }) }),
)

/** The number of the success that a webhook reports, as the list of payments says it. Undefined when it reports no success. */
export function successIn(json: JsonObject): string | undefined {
  const payment = webhook(json).value?.data.payment
  return payment?.payment_status === 'SUCCESS' ? referenceOf(payment.bank_reference, payment.cf_payment_id) : undefined
}

type PaymentEntity = NonNullable<ReturnType<typeof payments>['value']>['list'][number]

/** The order's amount in paise: a payer may pay a fee on top. Undefined for any other difference. */
function amountOf({ order_amount, payment_amount, payment_surcharge: fee }: PaymentEntity): number | undefined {
  const parts = [fee?.payment_surcharge_service_charge, fee?.payment_surcharge_service_tax].map((part) => paiseOf(part ?? 0))
  const [ordered, paid, charge, tax] = [paiseOf(order_amount), paiseOf(payment_amount), ...parts]
  if (ordered === undefined || paid === undefined || charge === undefined || tax === undefined) return undefined
  return paid === ordered || paid === ordered + charge + tax ? ordered : undefined
}

export function refundsIn(json: JsonObject, orderId: string): readonly CashfreeRefund[] | undefined {
  const { value } = refunds(json)
  return value?.list.every(({ order_id }) => order_id === orderId) ? value.list.map(refundOf) : undefined
}

export function refundIn(json: JsonObject, orderId: string, refundId: string): CashfreeRefund | undefined {
  const { value } = oneRefund(json)
  return value?.order_id === orderId && value.refund_id === refundId ? refundOf(value) : undefined
}

const AUTOMATIC = new Set(['PAYMENT_AUTO_REFUND', 'UNRECONCILED_AUTO_REFUND'])

const refundOf = (entity: Static<typeof refund>): CashfreeRefund => ({
  status: entity.refund_status,
  isOwn: !AUTOMATIC.has(entity.refund_type ?? '') && REFUND_ID.test(entity.refund_id ?? ''),
  amountPaise: (entity.refund_currency ?? 'INR') === 'INR' ? paiseOf(entity.refund_amount) : undefined,
  reference: referenceOf(entity.refund_arn, entity.cf_refund_id),
})

/** The first that merchants may see: the bank's number, else Cashfree's own. */
const referenceOf = (...given: readonly (string | number | null | undefined)[]) =>
  given.map((each) => String(each ?? '')).find((each) => REFERENCE.test(each))
