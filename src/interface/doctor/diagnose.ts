// The checksum doctor: why a signature does not verify. Pure; keys and what was guessed of them are forgotten with the answer.
// The key is looked for first. Once it opens the signature, the hash of the signed text is known, and each text that has it is certain.

import { isHashOf } from '../checksum.ts'
import { isObject, readJson } from '../envelope.ts'
import { causes, type NamedCause } from './causes.ts'
import type { TriedText } from './combine.ts'
import { formTexts } from './form-texts.ts'
import { jsonTexts } from './json-texts.ts'
import { hasKeyLength, lengthCause, openingKey, unopened } from './keys.ts'
import { type Material, midOf, readMaterial } from './material.ts'
import { readSignature } from './signature-form.ts'

const TEXTS_MAX = 2_000 // ours: less than 0.1 s for a body of the usual length
const TRIED_LENGTH_MAX = 32 * 1024 * 1024 // ours: all texts together, for the longest body less than a second

export interface Complaint {
  bytes: Uint8Array
  key: string
  /** Wins over what the bytes hold. */
  signature?: string | undefined
  /** Keys that may have been taken for this one. */
  otherKeys?: readonly string[]
  /** It was sent to an operation, so nothing in it may be of our making. */
  isRequest?: true
  /** Of all texts that are tried. */
  triedLengthMax?: number
}

export type Diagnosis =
  | { outcome: 'verified'; over: string }
  /** Of the text: found; not found, so that more than the named causes is wrong; not sought, because no key opens the signature. */
  | { outcome: 'named'; causes: readonly NamedCause[]; text: 'found' | 'unknown' | 'unsought' }
  | { outcome: 'unreadable'; sentence: string }
  /** The key is right, and none of the texts was signed. */
  | { outcome: 'unknown'; tried: number }

export function diagnose(complaint: Complaint): Diagnosis {
  const material = readMaterial(complaint.bytes)
  if (material.kind === 'unreadable') return { outcome: 'unreadable', sentence: material.sentence }
  const given = complaint.signature ?? (material.kind === 'body' ? undefined : material.signature)
  if (given === undefined) {
    if (material.kind === 'body') return { outcome: 'unreadable', sentence: 'A body alone holds no signature: say it beside the body.' }
    return named(
      [{ name: 'absent', detail: material.kind === 'form' ? 'CHECKSUMHASH is not there' : 'the head has no signature' }],
      'unsought',
    )
  }
  const { signature, causes: ofForm } = readSignature(given)
  const ofLength = hasKeyLength(complaint.key) ? [] : [lengthCause(complaint.key)]
  if (signature === undefined) return named([...ofForm, ...ofLength], 'unsought')
  const key = openingKey(signature, complaint.key, midOf(material), complaint.otherKeys ?? [])
  if (!key) return named([...ofForm, unopened(complaint.key)], 'unsought')
  const { found, tried } = signedText(material, complaint, given, (text) => isHashOf(text, key.opened))
  const causesFound = [...ofForm, ...key.causes, ...(found?.causes ?? []), ...(found && isOurs(material, complaint) ? [OURS] : [])]
  if (causesFound.length > 0) return named(causesFound, found ? 'found' : 'unknown')
  return found ? { outcome: 'verified', over: wordsOf(material) } : { outcome: 'unknown', tried }
}

/** In the order of docs/checksum.md. */
function named(found: readonly NamedCause[], text: 'found' | 'unknown' | 'unsought'): Diagnosis {
  const order = Object.keys(causes)
  return { outcome: 'named', causes: found.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name)), text }
}

function signedText(
  material: Exclude<Material, { kind: 'unreadable' }>,
  { triedLengthMax = TRIED_LENGTH_MAX }: Complaint,
  given: string,
  isSigned: (text: string) => boolean,
): { found: TriedText | undefined; tried: number } {
  const texts = material.kind === 'form' ? formTexts(material, given) : jsonTexts(material)
  let [tried, length] = [0, 0]
  for (const each of texts) {
    if (isSigned(each.text)) return { found: each, tried }
    tried++
    length += each.text.length
    if (tried >= TEXTS_MAX || length > triedLengthMax) break
  }
  return { found: undefined, tried }
}

const OURS: NamedCause = { name: 'ours', detail: 'only our own answers have such a member' }

/** A right signature of ours is verified where it stands in a reply or a notification, and refused in a request. */
function isOurs(material: Material, { isRequest }: Complaint): boolean {
  if (material.kind === 'unreadable' || material.kind === 'form') return false
  const body = readJson(material.bodyText)?.root
  if (!body || !('resultInfo' in body || 'respCode' in body)) return false
  if (isRequest) return true
  const head = material.kind === 'envelope' ? material.root['head'] : undefined
  const isReply = isObject(head) && 'responseTimestamp' in head
  const isNotification = 'respCode' in body && 'status' in body
  return !isReply && !isNotification
}

function wordsOf(material: Exclude<Material, { kind: 'unreadable' }>): string {
  if (material.kind === 'form') return 'the values of the fields, in the order of their names, joined by |'
  return `the ${Buffer.byteLength(material.bodyText)} bytes of ${material.kind === 'envelope' ? 'the value of body' : 'the body'}`
}
