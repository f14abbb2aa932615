// The bytes of a request and of a reply: docs/interface.md section 4 ("Envelope"). A signature covers the exact bytes of `body`. So these
// bytes are cut out of the request text and never written again.

import { isUtf8 } from 'node:buffer'

export const BODY_BYTES_MAX = 64 * 1024 // docs/interface.md section 8
export const DEPTH_MAX = 16 // docs/interface.md section 8
export const MEMBERS_MAX = 1_000 // docs/interface.md section 8
export const SEPARATORS_MAX = 2_000 // docs/interface.md section 8: commas, so that no list is long enough to be expensive

interface Limits {
  membersMax: number
  separatorsMax: number
}
const LIMITS: Limits = { membersMax: MEMBERS_MAX, separatorsMax: SEPARATORS_MAX }

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }
export type JsonObject = { [member: string]: Json }

/** The parsed object, and the text of its `body` member exactly as sent. */
export interface ReadRequest {
  root: JsonObject
  bodyText: string | undefined
}

/** Undefined when the bytes are not one JSON object within the limits. The caller need not know which limit it was. */
export function readRequest(bytes: Uint8Array, limits = LIMITS): ReadRequest | undefined {
  const text = utf8Of(bytes)
  return text === undefined ? undefined : readJson(text, limits)
}

export const utf8Of = (bytes: Uint8Array) =>
  isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : undefined

export function readJson(text: string, limits = LIMITS): ReadRequest | undefined {
  const escapes = text.includes('\\') // only an escape can bring in U+0000, half of a surrogate pair, or a misleading key
  const found = scan(text, escapes, limits)
  if (!found) return undefined
  let root: Json
  try {
    root = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(root)) return undefined
  // JSON.parse keeps the last of two equal keys: fewer members than colons means that a key came twice.
  if (countMembers(root, escapes) !== found.members) return undefined
  return { root, bodyText: found.body && text.slice(found.body.from, found.body.to) }
}

/**
 * Parses JSON, and keeps each number as its written text: "499.50", "1e3", or more digits than a double holds. Only for texts that
 * `readJson` has accepted.
 */
export const withNumberTexts = (json: string): JsonObject => JSON.parse(json, asWritten)
const asWritten = (_member: string, value: Json, written?: { source?: string }) => (typeof value === 'number' ? written!.source! : value)

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

interface Scan {
  members: number
  body: { from: number; to: number } | undefined
}

/**
 * One pass over the text: it counts members, bounds the depth, and finds where the top-level `body` begins and ends. It does not judge the
 * grammar. JSON.parse does, after this has bounded its work.
 */
function scan(text: string, escapes: boolean, { membersMax, separatorsMax }: Limits): Scan | undefined {
  let depth = 0
  let members = 0
  let separators = 0
  let keyOfBody = false // the last string at depth 1 was "body"
  let valueOfBody = false // between the colon after "body" and the end of its value
  let body: Scan['body']
  let open = 0 // where the last string opens; a colon behind the string makes it a key
  let close = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    switch (char) {
      case QUOTE: {
        open = at
        close = endOfString(text, at)
        if (close < 0) return undefined
        if (depth === 1) keyOfBody = isBodyKey(text, open, close)
        at = close
        break
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++depth > DEPTH_MAX) return undefined
        break
      case COLON:
        if (++members > membersMax || (escapes && misleads(text, open, close))) return undefined
        close = open // a key is checked once, even when more colons follow it
        if (depth === 1 && keyOfBody) {
          body = { from: skipSpace(text, at + 1), to: 0 }
          valueOfBody = true
        }
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (--depth < 0) return undefined
        if (depth > 0) break
        if (body && valueOfBody) body.to = skipSpaceBack(text, at)
        valueOfBody = false
        break
      case COMMA:
        if (++separators > separatorsMax) return undefined
        if (depth !== 1) break
        if (body && valueOfBody) body.to = skipSpaceBack(text, at)
        valueOfBody = false
        break
    }
  }
  return { members, body }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COLON = 0x3a
const COMMA = 0x2c

/** The place of the quote that closes the string opened at `open`, or -1. */
function endOfString(text: string, open: number): number {
  let end = open
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return -1
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
}

/** True for "body" in any spelling with escapes, because JSON.parse takes all of them for one key. */
function isBodyKey(text: string, open: number, close: number): boolean {
  const raw = text.slice(open, close + 1)
  if (raw === '"body"') return true
  if (!raw.includes('\\')) return false
  try {
    return JSON.parse(raw) === 'body'
  } catch {
    return false
  }
}

/**
 * Refuses a key with a backslash in it. V8's JSON.parse may read a key with escapes as an earlier key that holds a backslash
 * (nodejs/node#63785). So "bo\\u" could hide a second body from the signature.
 */
function misleads(text: string, open: number, close: number): boolean {
  const raw = text.slice(open, close + 1)
  if (!raw.includes('\\')) return false
  try {
    return String(JSON.parse(raw)).includes('\\')
  } catch {
    return true
  }
}

const isSpace = (char: number) => char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09
function skipSpace(text: string, at: number): number {
  let next = at
  while (isSpace(text.charCodeAt(next))) next++
  return next
}
function skipSpaceBack(text: string, at: number): number {
  let end = at
  while (isSpace(text.charCodeAt(end - 1))) end--
  return end
}

/** Counts the members at every depth. NaN, which equals no count, when a key or a string cannot be kept unchanged. */
function countMembers(value: Json, escapes: boolean): number {
  if (typeof value === 'string') return escapes && !isStorable(value) ? Number.NaN : 0
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const element of value) members += countMembers(element, escapes)
    return members
  }
  for (const key in value) {
    if (key === '__proto__' || (escapes && (!isStorable(key) || key.includes('\\')))) return Number.NaN
    members += 1 + countMembers(value[key]!, escapes)
  }
  return members
}

export const isStorable = (value: string) => !value.includes('\0') && value.isWellFormed()

/** `{"head":…,"body":…}`: head first, body last, compact. Every known client can read this order and form. */
export const writeEnvelope = (head: object, bodyText: string) => `{"head":${JSON.stringify(head)},"body":${bodyText}}`

/**
 * JSON as it may be signed. The checksum has a second form, values joined by pipes (docs/interface.md section 5.1). A caller could bring a
 * pipe into a reply. The reply's signature would then also cover values that the caller chose, a callback's for example. So pipes are
 * escaped.
 */
export const signable = (json: string) => json.replaceAll('|', '\\u007c')
