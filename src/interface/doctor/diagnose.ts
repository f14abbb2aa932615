// The checksum doctor: why a signature does not verify. Pure: keys and guesses of them are forgotten with the answer. The doctor looks for
// the key first. Once a key opens the signature, the hash of the signed text is known, and a text that has the hash is certain.

import { isHashOf } from '../checksum.ts'
import type { SignedList } from '../signed-members.ts'
import { adviceOf, causes, type NamedCause } from './causes.ts'
import type { Candidate } from './combine.ts'
import { formTexts } from './form-texts.ts'
import { jsonTexts } from './json-texts.ts'
import { type KeySearch, lengthFault, openingKey, unopened } from './keys.ts'
import { bodyOf, type Material, midOf } from './material.ts'
import { readSignature } from './signature-form.ts'

const TRIED_LENGTH_MAX = 32 * 1024 * 1024 // Mohur's choice, for all texts together, because the search compares them
/** Mohur's choice: these guesses are some milliseconds of work, and much longer on a busy machine. Only later guesses check the time. */
const UNTIMED_KEYS = 1_000
const untimedTexts = (length: number) => (8_192 / length) ** 2 // hundreds of texts for a usual body, one for the longest body
const CANDIDATES_FOR_A_TEXT = 5 // Mohur's choice: some candidates have no text, or another candidate's text

/**
 * Mohur's choice: how long a request's search may keep the sandbox from answering others. With its last candidate the search ends within 50
 * ms.
 */
export const REQUEST_SEARCH_MS = 25
export const REQUEST_TEXTS_MAX = 2_000 // Mohur's choice: nearly all the texts that a body of the usual length has time for

export interface Complaint extends KeySearch {
  /** Takes precedence over a signature in the bytes. */
  signature?: string | undefined
  textsMax: number
  /** For each signed body: the members that may have been signed and not sent. */
  signed: Iterable<SignedList>
  /** The message was sent to an operation, so no part of it may come from Mohur. */
  isRequest?: true
}

export interface Advised extends NamedCause {
  /** The advice, in one sentence. */
  say: string
}

type Found<Cause = NamedCause> =
  | { outcome: 'verified'; over: string }
  /**
   * `found`: a candidate is the signed text. `unknown`: no candidate is, because more than the named causes is wrong, or the search ended
   * early. `unsought`: no key opens the signature.
   */
  | { outcome: 'named'; causes: readonly Cause[]; text: 'found' | 'unknown' | 'unsought'; endedEarly: boolean }
  | { outcome: 'unreadable'; sentence: string }
  /** The key is right, and none of the texts was signed. */
  | { outcome: 'unknown'; tried: number; endedEarly: boolean }

export type Diagnosis = Found<Advised>

/** One search over all keys and texts. `endedEarly`: a bound ended it. */
export function diagnose(material: Material, complaint: Complaint): Diagnosis {
  const found = search(material, complaint)
  if (found.outcome !== 'named') return found
  const isReceived = !complaint.isRequest && isOfMohur(material)
  return { ...found, causes: found.causes.map((cause) => ({ ...cause, say: adviceOf(cause.name, isReceived) })) }
}

function search(material: Material, complaint: Complaint): Found {
  if (material.kind === 'unreadable') return { outcome: 'unreadable', sentence: material.sentence }
  const given = complaint.signature ?? (material.kind === 'body' ? undefined : material.signature)
  if (given === undefined) {
    if (material.kind === 'body') return { outcome: 'unreadable', sentence: 'A body alone holds no signature: give it beside the body.' }
    return named(
      [{ name: 'absent', detail: material.kind === 'form' ? 'CHECKSUMHASH is missing' : 'the head has no signature' }],
      'unsought',
    )
  }
  const { signature, causes: ofForm } = readSignature(given)
  if (signature === undefined)
    return named(
      [...ofForm, lengthFault(complaint.keys)].filter((cause) => cause !== undefined),
      'unsought',
    )
  let endedEarly = false
  const timed = (untimed: number) => () => {
    if (untimed-- <= 0) endedEarly ||= complaint.isTimeUp()
    return endedEarly
  }
  const key = openingKey(signature, { ...complaint, isTimeUp: timed(UNTIMED_KEYS) }, midOf(material))
  if (!key) return named([...ofForm, unopened(complaint.keys)], 'unsought', endedEarly)
  const texts = material.kind === 'form' ? formTexts(material, given) : jsonTexts(material, complaint.signed)
  const isTimeUp = timed(untimedTexts(lengthOf(material)))
  const { found, tried, isBounded } = signedText(texts, { ...complaint, isTimeUp }, (text) => isHashOf(text, key.opened))
  const causesFound = [...ofForm, ...key.causes, ...(found?.causes ?? []), ...(found && isOurs(material, complaint) ? [OURS] : [])]
  if (causesFound.length > 0) return named(causesFound, found ? 'found' : 'unknown', isBounded)
  return found ? { outcome: 'verified', over: wordsOf(material) } : { outcome: 'unknown', tried, endedEarly: isBounded }
}

/** The causes come in the order of docs/checksum.md. */
function named(found: readonly NamedCause[], text: 'found' | 'unknown' | 'unsought', endedEarly = false): Found {
  const order = Object.keys(causes)
  return { outcome: 'named', causes: found.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name)), text, endedEarly }
}

function signedText(
  candidates: Iterable<Candidate>,
  { textsMax, isTimeUp }: Pick<Complaint, 'textsMax' | 'isTimeUp'>,
  isSigned: (text: string) => boolean,
) {
  let [made, tried, length] = [0, 0, 0]
  for (const each of candidates) {
    made++
    if (each.text !== undefined) {
      if (isSigned(each.text)) return { found: each, tried, isBounded: false }
      tried++
      length += each.text.length
    }
    const isBounded = tried >= textsMax || made >= CANDIDATES_FOR_A_TEXT * textsMax || length > TRIED_LENGTH_MAX || isTimeUp()
    if (isBounded) return { found: undefined, tried, isBounded }
  }
  return { found: undefined, tried, isBounded: false }
}

const lengthOf = (material: Exclude<Material, { kind: 'unreadable' }>) =>
  (material.kind === 'body' ? material.bodyText : material.text).length

const OURS: NamedCause = { name: 'ours', detail: 'only answers of Mohur have such a member' }

/**
 * True when a request, or a message that is not Mohur's, has a member of Mohur's replies or notifications. The signature is right there,
 * and still refused.
 */
function isOurs(material: Material, { isRequest }: Complaint): boolean {
  const body = bodyOf(material)
  if (!body || !('resultInfo' in body || 'respCode' in body)) return false
  return isRequest === true || !isOfMohur(material)
}

/** True for a reply, a notification or a callback: Mohur made and signed the text. */
function isOfMohur(material: Material): boolean {
  if (material.kind === 'form') return 'RESPCODE' in material.fields || 'STATUS' in material.fields
  const body = bodyOf(material)
  const isReply = material.kind === 'envelope' && 'responseTimestamp' in material.head
  return isReply || (body !== undefined && 'respCode' in body && 'status' in body)
}

function wordsOf(material: Exclude<Material, { kind: 'unreadable' }>): string {
  if (material.kind === 'form') return 'the values of the fields, in the order of their names, joined by |'
  return `the ${Buffer.byteLength(material.bodyText)} bytes of ${material.kind === 'envelope' ? 'the value of body' : 'the body'}`
}
