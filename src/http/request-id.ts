// The name of one request, in its reply and in every log line about it (docs/interface.md section 4).

import type { Random } from '../engine/random.ts'
import { headerOf } from './request-headers.ts'

export const REQUEST_ID = 'x-request-id'

const GIVEN_FORM = /^[A-Za-z0-9._-]{8,64}$/ // docs/interface.md section 8 (Mohur)
const CARD_NUMBER = /(?:[0-9][._-]*){13}/ // the shortest card number in use; an id with so many digits, in a row or in groups, stays out of the log
const OWN_BYTES = 12 // as URL-safe text, which has thirteen digits like a card number's once in 10^10

/**
 * Returns the caller's name for the request, if that name can be kept and logged unchanged. Otherwise a fresh name. No request is refused
 * for its name.
 */
export function requestId(rawHeaders: readonly string[], fresh: Pick<Random, 'text'>): string {
  const given = headerOf(rawHeaders, REQUEST_ID)
  return given !== undefined && GIVEN_FORM.test(given) && !CARD_NUMBER.test(given) ? given : fresh.text(OWN_BYTES)
}
