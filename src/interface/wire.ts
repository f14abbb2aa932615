// An operation's rules for its envelope, so that one route can read all operations (http/route.ts).

import type { Static, TSchema } from 'typebox'
import type { JsonObject } from './envelope.ts'
import type { FaultCodes, Refusal } from './request.ts'
import type { ResultCode } from './result-codes.ts'

export interface Wire<Head extends TSchema = TSchema, Body extends TSchema = TSchema, Code extends ResultCode = ResultCode> {
  /** Query parameters that must be present. */
  query: readonly ('mid' | 'orderId' | 'referenceId')[]
  /** Further parameters that only some requests need. The request's head decides. */
  queryFor?(head: JsonObject): Wire['query']
  /** A body with a signature in the head names the mid and the order when the query does not: docs/interface.md section 4.9. */
  idsFromSignedBody?: true
  /** Every member of the body is optional, and no caller signs it. So a request without a body counts as one with an empty body. */
  mayLackBody?: true
  head: Head
  body: Body
  faults: FaultCodes<Code>
  /** The answer to bytes that are no envelope. */
  unreadable: Code
  missingParam(name: string): Refusal<Code>
  /** The answer to a wrong value in the head. When absent, `faults.wrong` answers that value too. */
  wrongHead?: FaultCodes<Code>['wrong']
  /** The answer when query and body differ. Absent when the operation compares with something else. */
  midMismatch?: Code
  orderIdMismatch?: Code
  referenceIdMismatch?: Code
  systemError: Code
  /**
   * Wrong values that one member's schema cannot see, found without any stored row. `wellFormed` lacks the members that have a fault of
   * their own. `given` holds all members as they came.
   */
  check?(wellFormed: Partial<Static<Body>>, now: number, given: JsonObject): readonly Refusal<Code>[]
  /** A wrong value that is answered before all others. The check reads the body as sent, with its null and empty members. */
  answersFirst?(asSent: JsonObject): Refusal<Code> | undefined
}

/** The outcome of checking the caller's signature over the body with the merchant's key. A fact, not a verdict. */
export interface Signed {
  signature: 'valid' | 'invalid' | 'absent'
}
