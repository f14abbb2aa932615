// The name of one request: in its reply, and in every line that is logged of it (docs/interface.md section 4).

import type { Random } from '../engine/random.ts'
import { headerOf } from './request-headers.ts'

export const REQUEST_ID = 'x-request-id'

const GIVEN_FORM = /^[A-Za-z0-9._-]{8,64}$/ // docs/interface.md section 8 (Mohur)
const CARD_NUMBER = /([0-9][._-]?){13}/ // the shortest in use; what holds so many digits in a row, or in groups, is not written into a log
const OWN_BYTES = 12 // in URL-safe text, which has no such run of digits but once in 10^10

/** What the caller calls the request when that can be kept and logged as it is, else a name of our own: never a refusal. */
export function requestId(rawHeaders: readonly string[], fresh: Pick<Random, 'text'>): string {
  const given = headerOf(rawHeaders, REQUEST_ID)
  return given !== undefined && GIVEN_FORM.test(given) && !CARD_NUMBER.test(given) ? given : fresh.text(OWN_BYTES)
}
