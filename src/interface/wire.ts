// What an operation says of its envelope, so that one route can read all operations (http/route.ts).

import type { Static, TSchema } from 'typebox'
import type { JsonObject } from './envelope.ts'
import type { FaultCodes, Refusal } from './request.ts'
import type { ResultCode } from './result-codes.ts'

export interface Wire<Head extends TSchema = TSchema, Body extends TSchema = TSchema, Code extends ResultCode = ResultCode> {
  /** Query parameters that must be present. */
  query: readonly ('mid' | 'orderId' | 'referenceId')[]
  /** Further ones that only some requests need. Their head decides. */
  queryFor?(head: JsonObject): Wire['query']
  /** A body with a signature in the head names the mid and the order where the query does not: docs/interface.md section 4.9. */
  idsFromSignedBody?: true
  /** Every member of the body is optional, and no caller signs it. So a request without a body counts as one with an empty body. */
  mayLackBody?: true
  head: Head
  body: Body
  faults: FaultCodes<Code>
  /** For bytes that are no envelope. */
  unreadable: Code
  missingParam(name: string): Refusal<Code>
  /** For a wrong value in the head; without it, the answer to a wrong value in the body. */
  wrongHead?: FaultCodes<Code>['wrong']
  /** Query against body. Absent where the operation compares with something else. */
  midMismatch?: Code
  orderIdMismatch?: Code
  referenceIdMismatch?: Code
  systemError: Code
  /**
   * Wrong values that one member's schema cannot see, found without any stored row. `wellFormed` lacks the members that have a fault of
   * their own. `given` holds all as they came.
   */
  check?(wellFormed: Partial<Static<Body>>, now: number, given: JsonObject): readonly Refusal<Code>[]
  /** A wrong value that is answered before all others. It is judged on the body as sent, with its null and empty members. */
  answersFirst?(asSent: JsonObject): Refusal<Code> | undefined
}

/** What the check of the caller's signature over the body found, with the merchant key that made the check. A fact, not a verdict. */
export interface Signed {
  signature: 'valid' | 'invalid' | 'absent'
}
