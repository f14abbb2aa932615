// Bodies that were signed for something else: docs/interface.md section 5.1. A checksum covers the body alone, so only its members show
// which operation the merchant signed it for.

import type { JsonObject } from './envelope.ts'

/** The members that a body may have when it is signed for one operation. */
export interface SignedList {
  members: ReadonlySet<string>
  /**
   * True when a member that only other lists have makes the body wrongly signed. An operation that is not strict needs a value that no
   * other body has, or only reads.
   */
  isStrict: boolean
}

/** Every reply of this service has `resultInfo`, and every notification has `respCode`. No request has either member. */
const OURS: ReadonlySet<string> = new Set(['resultInfo', 'respCode'])

/**
 * True when this body was signed for something else. This service signs replies and notifications with the merchant's key, and their
 * receivers can send them on. `foreign` holds the members that only other operations have.
 */
export const isBorrowed = (foreign: ReadonlySet<string>, body: JsonObject): boolean =>
  Object.keys(body).some((member) => OURS.has(member) || foreign.has(member))
