// Reads an adapter's answers about mandates (docs/acquirer.md, "Mandates"). As in remote-answer.ts, a doubt is never a success.

import Type from 'typebox'
import { FAILURES } from '../../../domain/transaction/acquirer-answer.ts'
import { isObject } from '../../../interface/envelope.ts'
import { SUBSCRIPTION_PAYMENT_MODES } from '../../../interface/fields.ts'
import { reader } from '../../../interface/request.ts'
import { COLLECTS_AT_ONCE_MAX, type MandateAnswer, type NoticeAnswer } from '../acquirer.ts'
import {
  type AskedCall,
  answerIn,
  doubtOf,
  mandateReference,
  type Reading,
  type ReceivedAnswer,
  reference,
  signedRoot,
  withoutNulls,
} from './remote-answer.ts'

type Doubt = { doubt: string }
const MEMBERS_OF_AN_ANSWER_MAX = 16 // Mohur's choice: members of one answer in a batch, with those of later versions

/** The answer to a batch (docs/acquirer.md). */
export const ANSWERS_BYTES_MAX = 256 * 1024
const BATCH_BOUNDS = {
  membersMax: COLLECTS_AT_ONCE_MAX * MEMBERS_OF_AN_ANSWER_MAX,
  separatorsMax: COLLECTS_AT_ONCE_MAX * (MEMBERS_OF_AN_ANSWER_MAX + 1),
}

export interface Capabilities {
  /** The payment modes whose mandates the adapter collects. */
  modes: readonly string[]
  collectMany: boolean
}
/** The meaning of a 404, which no adapter signs. */
export const NO_CAPABILITIES: Capabilities = { modes: [], collectMany: false }

const NOT_FOUND = 404
const capabilities = reader(Type.Object({ modes: Type.Array(Type.String(), { maxItems: 50 }), collectMany: Type.Optional(Type.Boolean()) }))
const notice = reader(
  Type.Object({
    key: Type.String(),
    outcome: Type.Enum(['success', 'failure', 'optedOut', 'pending', 'unknown', 'absent']),
    reference: Type.Optional(reference),
    authentication: Type.Optional(Type.Enum(['pending', 'approved', 'declined'])),
    failure: Type.Optional(Type.Enum([...FAILURES])),
  }),
)
const mandate = reader(
  Type.Object({
    key: Type.String(),
    outcome: Type.Enum(['active', 'paused', 'revoked', 'refused', 'pending', 'unknown', 'absent']),
    mandateReference: Type.Optional(mandateReference),
    pausedBy: Type.Optional(Type.Enum(['payer', 'merchant'])),
  }),
)
const batch = reader(Type.Object({ answers: Type.Array(Type.Unknown(), { maxItems: COLLECTS_AT_ONCE_MAX }) }))
const named = reader(Type.Object({ key: Type.String() }))

/** An adapter older than mandates answers 404, and so has no capabilities. Unknown modes are ignored. */
export function readCapabilities(
  asked: AskedCall,
  received: ReceivedAnswer,
  secret: string,
  realNow: number,
): { answer: Capabilities } | Doubt {
  if (received.httpStatus === NOT_FOUND) return { answer: NO_CAPABILITIES }
  const signed = signedRoot(asked, received, secret, realNow)
  if ('doubt' in signed) return signed
  const { value, faults } = capabilities(signed.root)
  if (faults) return doubtOf(faults)
  const modes = value.modes.filter((mode) => SUBSCRIPTION_PAYMENT_MODES.some((known) => known === mode))
  return { answer: { modes, collectMany: value.collectMany === true } }
}

export function readNotice(asked: AskedCall, received: ReceivedAnswer, secret: string, realNow: number): { answer: NoticeAnswer } | Doubt {
  const signed = signedRoot(asked, received, secret, realNow)
  if ('doubt' in signed) return signed
  const { value, faults } = notice(signed.root)
  if (faults) return doubtOf(faults)
  const { key, outcome, reference, authentication } = value
  if (key !== asked.key) return { doubt: 'the answer is for another key' }
  if (outcome === 'absent' && asked.call !== 'status') return { doubt: `absent is no answer to ${asked.call}` }
  if (outcome !== 'success') return { answer: { outcome } }
  if (reference === undefined) return { doubt: "the answer's reference is missing" }
  return { answer: { outcome, reference, ...(authentication !== undefined && { authentication }) } }
}

export function readMandate(
  asked: AskedCall,
  received: ReceivedAnswer,
  secret: string,
  realNow: number,
): { answer: MandateAnswer } | Doubt {
  const signed = signedRoot(asked, received, secret, realNow)
  if ('doubt' in signed) return signed
  const { value, faults } = mandate(signed.root)
  if (faults) return doubtOf(faults)
  const { key, outcome, mandateReference, pausedBy } = value
  if (key !== asked.key) return { doubt: 'the answer is for another key' }
  if (outcome === 'paused') return { answer: { outcome, ...(pausedBy !== undefined && { pausedBy }) } }
  if (outcome !== 'active') return { answer: { outcome } }
  return mandateReference === undefined ? { doubt: "the answer's mandateReference is missing" } : { answer: { outcome, mandateReference } }
}

/** The answers by key. A key that is missing, or comes twice, has a doubt of its own. */
export function readMany(
  keys: readonly string[],
  asked: AskedCall,
  received: ReceivedAnswer,
  secret: string,
  realNow: number,
): { answer: ReadonlyMap<string, Reading> } | Doubt {
  const signed = signedRoot(asked, received, secret, realNow, BATCH_BOUNDS)
  if ('doubt' in signed) return signed
  const { value, faults } = batch(signed.root)
  if (faults) return doubtOf(faults)
  const byKey = new Map<string, Reading>()
  for (const each of value.answers) {
    const root = isObject(each) ? withoutNulls(each) : {}
    const { value: about } = named(root)
    if (about === undefined) continue
    const { key } = about
    byKey.set(key, byKey.has(key) ? { doubt: 'it is answered twice' } : answerIn({ call: 'collect', key }, root))
  }
  return { answer: new Map(keys.map((key) => [key, byKey.get(key) ?? { doubt: 'it is not answered' }])) }
}
