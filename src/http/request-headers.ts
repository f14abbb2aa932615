// What a request's headers say about its caller: facts, not verdicts (docs/interface.md section 5).

import { isUtf8 } from 'node:buffer'

/**
 * The value of a header that was sent exactly once, with its bytes as characters. Undefined for a header that was sent twice. `node:http`
 * has removed the spaces and tabs around the value. Other characters that look empty may be part of a letter.
 */
export function headerOf(rawHeaders: readonly string[], name: string): string | undefined {
  let found: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!isNamed(rawHeaders[at]!, name)) continue
    if (found !== undefined) return undefined
    found = rawHeaders[at + 1]!
  }
  return found
}

/** `name` is in lower case. Compares the lengths first, because most names differ in them. */
export const isNamed = (written: string, name: string) => written.length === name.length && written.toLowerCase() === name

/** The `x-device-identifier`, read as UTF-8 where its bytes are UTF-8: Refresh Token has the same device in JSON. */
export function deviceOf(rawHeaders: readonly string[]): string | undefined {
  const found = headerOf(rawHeaders, 'x-device-identifier')
  const bytes = Buffer.from(found ?? '', 'latin1')
  return (isUtf8(bytes) ? bytes.toString() : found)?.trim()
}

export interface BasicCredentials {
  clientId: string
  secret: string
}

/** `Basic ` and the base64 of `<client_id>:<client_secret>` in UTF-8. A secret may hold a colon, a client_id may not (RFC 7617). */
export function basicCredentials(authorization: string | undefined): BasicCredentials | undefined {
  const base64 = BASIC_FORM.exec(authorization ?? '')?.[1]
  if (base64 === undefined) return undefined
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.toString('base64') !== base64 || !isUtf8(bytes)) return undefined // one credential, one spelling
  const text = bytes.toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1 || colon === text.length - 1 || /\p{Cc}/u.test(text)) return undefined
  return { clientId: text.slice(0, colon), secret: text.slice(colon + 1) }
}

const BASIC_FORM = /^Basic ([A-Za-z0-9+/]+={0,2})$/
