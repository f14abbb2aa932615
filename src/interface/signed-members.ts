// Bodies that were signed for something else: docs/interface.md section 5.1. A checksum covers the body alone, so only the members of a
// body tell which operation the merchant signed it for.

import type { JsonObject } from './envelope.ts'

/** The members that a body may have when it is signed for one operation. */
export interface SignedList {
  members: ReadonlySet<string>
  /** A body with a member that only other lists have is wrongly signed. The other operations want a value that no other body has, or only read. */
  isStrict: boolean
}

/** Every reply of ours has the first and every notification the second; no request has either. */
const OURS: ReadonlySet<string> = new Set(['resultInfo', 'respCode'])

/**
 * Whether this body was signed for something else. We sign replies and notifications with the merchant's key, and their receivers
 * can send them on. `foreign` are the members that only other operations have.
 */
export const isBorrowed = (foreign: ReadonlySet<string>, body: JsonObject): boolean =>
  Object.keys(body).some((member) => OURS.has(member) || foreign.has(member))
