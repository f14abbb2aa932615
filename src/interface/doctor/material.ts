// What a developer brings to the doctor: an envelope, a body, a form, a callback or a notification.

import { BODY_BYTES_MAX, isObject, type Json, type JsonObject, readJson, utf8Of } from '../envelope.ts'
import { type FlatMembers, readFlat } from '../flat.ts'

export type Material =
  | { kind: 'envelope'; text: string; head: JsonObject; body: Json; bodyText: string; signature: string | undefined }
  | { kind: 'body'; body: JsonObject; bodyText: string }
  | { kind: 'form'; fields: FlatMembers; text: string; signature: string | undefined }
  | { kind: 'unreadable'; sentence: string }

const CHECKSUM = 'CHECKSUMHASH'
const unreadable = (sentence: string): Material => ({ kind: 'unreadable', sentence })

export function readMaterial(bytes: Uint8Array): Material {
  if (bytes.length > BODY_BYTES_MAX) return unreadable(`There are more than ${BODY_BYTES_MAX} bytes, which no request may have.`)
  const given = utf8Of(bytes)
  if (given === undefined) return unreadable('These bytes are not UTF-8.')
  const text = given.replace(/^\ufeff/, '') // an editor's mark
  if (text.trim() === '') return unreadable('There is no text to check.')
  if (!/^\s*[{["]/.test(text)) return formOf(text)
  const read = readJson(text)
  if (!read)
    return unreadable(
      isJson(text) ? 'This JSON is not an object, nests too deep, is too long, or names a member twice.' : 'This is not JSON.',
    )
  const { root, bodyText } = read
  if (CHECKSUM in root || ('MID' in root && 'ORDERID' in root)) return formOf(text)
  const head = root['head']
  if (!isObject(head) || bodyText === undefined) return { kind: 'body', body: root, bodyText: text.trim() }
  return { kind: 'envelope', text: text.trim(), head, body: root['body']!, bodyText, signature: signatureIn(head) }
}

function formOf(text: string): Material {
  const fields = text.includes('=') || text.includes('{') ? readFlat(Buffer.from(text.trim())) : undefined
  if (fields === undefined) return unreadable('This is neither JSON nor a form of fields with their values, or a value holds a |.')
  const signature = fields[CHECKSUM]
  return { kind: 'form', fields, text: text.trim(), signature: signature === null || signature === '' ? undefined : signature }
}

/**
 * Apply Promo and others send the signature as `token`. A value that is no text is written as JSON, so that the doctor calls its form
 * wrong.
 */
function signatureIn(head: JsonObject): string | undefined {
  const isChecksum = (head['tokenType'] ?? 'CHECKSUM') === 'CHECKSUM'
  const given = head['signature'] ?? (isChecksum ? head['token'] : undefined)
  if (given === undefined || given === null || given === '') return undefined
  return typeof given === 'string' ? given : JSON.stringify(given)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The mid of the signed message. Some callers use it as the key. */
export function midOf(material: Material): string | undefined {
  const body = bodyOf(material)
  const found = material.kind === 'form' ? (material.fields['MID'] ?? material.fields['mid']) : (body?.['mid'] ?? body?.['MID'])
  return typeof found === 'string' && found !== '' ? found : undefined
}

export const bodyOf = (material: Material): JsonObject | undefined =>
  (material.kind === 'envelope' || material.kind === 'body') && isObject(material.body) ? material.body : undefined
