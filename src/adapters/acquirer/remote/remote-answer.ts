// Reads an adapter's answer (docs/acquirer.md, "Answers"). Anything but an exact answer to the call is a doubt, and a doubt is never a
// success.

import Type, { type TObject } from 'typebox'
import { type AcquirerAnswer, FAILURES } from '../../../domain/transaction/acquirer-answer.ts'
import { type JsonObject, readRequest } from '../../../interface/envelope.ts'
import { reader } from '../../../interface/request.ts'
import { isHttpsOrLoopback } from '../../../interface/url.ts'
import type { NextStep } from '../../../tables/transaction.ts'
import { type AdapterCall, answerId, signatureDoubt } from './signature.ts'

/** Calls that move a payment. remote-mandate-answer.ts reads the answers to the other calls. */
export type MoneyCall = 'authorize' | 'status' | 'refund' | 'otp' | 'cancel' | 'register' | 'collect'
/** The outcomes of each call, as docs/acquirer.md has them. */
const OUTCOMES: Readonly<Record<MoneyCall, readonly string[]>> = {
  authorize: ['success', 'failure', 'pending', 'unknown'],
  status: ['success', 'failure', 'pending', 'unknown', 'absent'],
  refund: ['success', 'failure', 'pending', 'unknown'],
  otp: ['success', 'failure', 'pending', 'unknown', 'absent', 'wrongOtp'],
  cancel: ['success', 'failure', 'pending', 'unknown', 'absent'],
  register: ['failure', 'pending', 'unknown'],
  collect: ['success', 'failure', 'pending', 'unknown'],
}

/**
 * Merchants see references, and signed texts contain them. So a reference has no pipe, and is not `null`, which merchants' libraries read
 * as nothing.
 */
export const REFERENCE = /^(?![nN][uU][lL][lL]$)[A-Za-z0-9][A-Za-z0-9._/:-]{0,63}$/
export const reference = Type.String({ pattern: REFERENCE.source })
const printable = (maxLength: number) => Type.String({ maxLength, pattern: '^[ -~]+$' })
export const mandateReference = printable(255)
export const FIELDS_MAX = 50 // of a bank's form
export const FIELD_LENGTH = 4_096
export const URL_LENGTH = 2_048
export const DEEP_LINK = /^upi:\/\/[!-~]+$/

const paise = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const answers = {
  success: Type.Object({
    reference,
    amountPaise: paise,
    refundedPaise: Type.Optional(paise),
    cardToken: Type.Optional(printable(255)),
    mandateReference: Type.Optional(mandateReference),
  }),
  failure: Type.Object({ failure: Type.Enum([...FAILURES]), reference: Type.Optional(reference) }),
  pending: Type.Object({
    next: Type.Optional(Type.Object({ kind: Type.Enum(['bankForm', 'deepLink', 'collect', 'otp']) })),
    mandateReference: Type.Optional(mandateReference),
  }),
  unknown: Type.Object({}),
  absent: Type.Object({}),
  wrongOtp: Type.Object({}),
} as const
const steps = {
  bankForm: Type.Object({
    actionUrl: Type.String({ maxLength: URL_LENGTH, format: 'httpUrl' }),
    content: Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: FIELDS_MAX,
      additionalProperties: { type: 'string', maxLength: FIELD_LENGTH, format: 'text' },
    }),
  }),
  deepLink: Type.Object({ deepLink: Type.String({ maxLength: URL_LENGTH, pattern: DEEP_LINK.source }) }),
  collect: Type.Object({}),
  otp: Type.Object({}),
} as const
const about = Type.Object({ key: Type.String(), outcome: Type.Enum(Object.keys(answers) as (keyof typeof answers)[]) })

const readers = { about: reader(about), ...readersOf(answers), ...readersOf(steps) }
type Readers<T extends Record<string, TObject>> = { [Name in keyof T]: ReturnType<typeof reader<T[Name]>> }
function readersOf<T extends Record<string, TObject>>(schemas: T): Readers<T> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, reader(schema)])) as Readers<T>
}

export type RemoteAnswer = AcquirerAnswer | { outcome: 'wrongOtp' }
/** For calls without a password. `answerIn` has refused `wrongOtp` for them already, but the compiler cannot know that. */
export const plain = (answer: RemoteAnswer): AcquirerAnswer => (answer.outcome === 'wrongOtp' ? { outcome: 'unknown' } : answer)
export type Reading = { answer: RemoteAnswer } | { doubt: string }

export interface ReceivedAnswer {
  httpStatus: number
  contentType: string | undefined
  id: string | undefined
  timestamp: string | undefined
  signature: string | undefined
  /** Seconds until the bank takes more calls. */
  rateLimitRetry: string | undefined
  bytes: Uint8Array
}

/** The call that is answered. */
export interface AskedCall {
  call: AdapterCall
  id: string
  key: string
}
interface Bounds {
  membersMax: number
  separatorsMax: number
}

/** The object that the adapter signed as the answer to this call. A doubt names members, never their values. */
export function signedRoot(
  { id }: Pick<AskedCall, 'id'>,
  received: ReceivedAnswer,
  secret: string,
  realNow: number,
  bounds?: Bounds,
): { root: JsonObject } | { doubt: string } {
  if (received.httpStatus !== 200) return { doubt: `the answer has HTTP status ${received.httpStatus}` }
  if (!/^application\/json\s*(;|$)/i.test(received.contentType ?? '')) return { doubt: 'the answer is not application/json' }
  const unsigned = signatureDoubt(secret, received, received.bytes, realNow)
  if (unsigned) return { doubt: `the answer ${unsigned}` }
  if (received.id !== answerId(id)) return { doubt: 'the answer is signed for another call' }
  const read = readRequest(received.bytes, bounds)
  return read ? { root: withoutNulls(read.root) } : { doubt: 'the answer is not a JSON object' }
}

/** Some libraries write an absent member as null. */
export const withoutNulls = (root: JsonObject): JsonObject => Object.fromEntries(Object.entries(root).filter(([, value]) => value !== null))

export function readAnswer(asked: AskedCall & { call: MoneyCall }, received: ReceivedAnswer, secret: string, realNow: number): Reading {
  const signed = signedRoot(asked, received, secret, realNow)
  return 'doubt' in signed ? signed : answerIn(asked, signed.root)
}

export function answerIn({ call, key }: { call: MoneyCall; key: string }, root: JsonObject): Reading {
  const { value, faults } = readers.about(root)
  if (faults) return doubtOf(faults)
  if (value.key !== key) return { doubt: 'the answer is for another key' }
  if (!OUTCOMES[call].includes(value.outcome)) return { doubt: `${value.outcome} is no answer to ${call}` }
  return answerOf(value.outcome, root)
}

type Root = Parameters<typeof readers.about>[0]

/** Takes only known members. A later version may bring others. */
function answerOf(outcome: keyof typeof answers, root: Root): Reading {
  switch (outcome) {
    case 'success': {
      const { value, faults } = readers.success(root)
      if (faults) return doubtOf(faults)
      const { reference, amountPaise, refundedPaise = 0, cardToken } = value
      if (refundedPaise > amountPaise) return { doubt: 'more was given back than was taken' }
      const more = { ...(refundedPaise > 0 && { refundedPaise }), ...(cardToken !== undefined && { cardToken }), ...agreedIn(value) }
      return { answer: { outcome, reference, amountPaise, ...more } }
    }
    case 'failure': {
      const { value, faults } = readers.failure(root)
      if (faults) return doubtOf(faults)
      return { answer: { outcome, failure: value.failure, ...(value.reference !== undefined && { reference: value.reference }) } }
    }
    case 'pending': {
      const { value, faults } = readers.pending(root)
      if (faults) return doubtOf(faults)
      const agreed = agreedIn(value)
      if (!value.next) return { answer: { outcome, ...agreed } }
      const next = nextOf(value.next.kind, root['next'] as Root)
      return 'doubt' in next ? next : { answer: { outcome, next, ...agreed } }
    }
    case 'unknown':
    case 'absent':
    case 'wrongOtp':
      return { answer: { outcome } }
    default:
      return outcome satisfies never
  }
}

const agreedIn = ({ mandateReference }: { mandateReference?: string }) => (mandateReference === undefined ? {} : { mandateReference })

function nextOf(kind: NextStep['kind'], root: Root): NextStep | { doubt: string } {
  switch (kind) {
    case 'bankForm': {
      const { value, faults } = readers.bankForm(root)
      if (faults) return doubtOf(faults)
      if (!isHttpsOrLoopback(value.actionUrl)) return { doubt: 'next.actionUrl may not be gone to' }
      return { kind, actionUrl: value.actionUrl, content: value.content }
    }
    case 'deepLink': {
      const { value, faults } = readers.deepLink(root)
      return faults ? doubtOf(faults) : { kind, deepLink: value.deepLink }
    }
    case 'collect':
    case 'otp':
      return { kind }
    default:
      return kind satisfies never
  }
}

export const doubtOf = ([fault]: readonly { path: string; kind: string }[]) => ({ doubt: `the answer's ${fault!.path} is ${fault!.kind}` })
