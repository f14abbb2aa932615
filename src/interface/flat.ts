// The flat form of a request (docs/interface.md section 4.12): upper-case members without head and body. The map form of the checksum signs
// them. Kits in use write these members in many ways, and few send the content type that would say which. So the text alone decides.

import { type Json, MEMBERS_MAX, readJson, utf8Of, withNumberTexts } from './envelope.ts'

/**
 * The members by their names. A number becomes its text, null stays null. No value holds a pipe: the map form could not tell it from two
 * values.
 */
export type FlatMembers = Readonly<Record<string, string | null>>

/** The field of a form whose value is the JSON of all members. */
const JSON_FIELD = 'JsonData'

/**
 * Reads a JSON object, a form, or a form whose `JsonData` is a JSON object. Undefined for other bytes, and when a value has another type or
 * holds a pipe.
 */
export function readFlat(bytes: Uint8Array): FlatMembers | undefined {
  const text = utf8Of(bytes)
  if (text === undefined) return undefined
  return /^\s*\{/.test(text) ? membersOf(text) : membersOfForm(text)
}

/** The checksum without a kit's second encoding, and with plus signs where a form made spaces. */
export function flatSignature(given: string | null | undefined): string | undefined {
  if (typeof given !== 'string') return undefined
  return (decoded(given.replaceAll('+', '%2B')) ?? given).replaceAll(' ', '+')
}

function membersOfForm(text: string): FlatMembers | undefined {
  // The JSON itself may hold an ampersand, so this comes before the text is split.
  if (text.startsWith(`${JSON_FIELD}=`)) {
    const whole = membersOf(text.slice(JSON_FIELD.length + 1))
    if (whole) return whole
  }
  const fields = fieldsOf(text)
  const given = fields?.get(JSON_FIELD)
  if (!fields || given === undefined) return fields && textsOnly(fields)
  fields.delete(JSON_FIELD)
  const beside = textsOnly(fields)
  const json = decoded(given)
  // JSON that parses without decoding is not decoded, because a checksum in it may hold a real plus sign.
  const members = membersOf(given) ?? (json === undefined ? undefined : membersOf(json))
  return beside && members && { ...members, ...beside }
}

/** Names are decoded, values are not. Undefined for no field, for too many fields, and for a name that is empty, unreadable or repeated. */
function fieldsOf(form: string): Map<string, string> | undefined {
  const parts = form.split('&', MEMBERS_MAX + 1).filter((part) => part !== '')
  if (parts.length === 0 || parts.length > MEMBERS_MAX) return undefined
  const fields = new Map<string, string>()
  for (const part of parts) {
    const equals = part.indexOf('=')
    const name = decoded(part.slice(0, Math.max(equals, 0)))
    if (name === undefined || name === '' || fields.has(name)) return undefined
    fields.set(name, part.slice(equals + 1))
  }
  return fields
}

function textsOnly(fields: ReadonlyMap<string, string>): FlatMembers | undefined {
  const texts = [...fields].map(([name, value]) => [name, decoded(value)] as const)
  return texts.every((entry): entry is [string, string] => isMember(entry[1])) ? Object.fromEntries(texts) : undefined
}

function membersOf(json: string): FlatMembers | undefined {
  const read = readJson(json)
  if (!read) return undefined
  const holdsNumbers = Object.values(read.root).some((value) => typeof value === 'number')
  const members = holdsNumbers ? withNumberTexts(json) : read.root
  return Object.values(members).every((value) => value === null || isMember(value)) ? (members as FlatMembers) : undefined
}

const isMember = (value: Json | undefined): value is string => typeof value === 'string' && !value.includes('|')

/** Decodes the text of a form; undefined when it is invalid. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
