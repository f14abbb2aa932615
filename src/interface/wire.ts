// What an operation says of its envelope, so that one route can read them all (http/route.ts).

import type { Static, TSchema } from 'typebox'
import type { JsonObject } from './envelope.ts'
import type { FaultCodes, Refusal } from './request.ts'
import type { ResultCode } from './result-codes.ts'

export interface Wire<Head extends TSchema = TSchema, Body extends TSchema = TSchema, Code extends ResultCode = ResultCode> {
  /** Query parameters that must be there. */
  query: readonly ('mid' | 'orderId' | 'referenceId')[]
  /** And those that only some requests need, which their head tells. */
  queryFor?(head: JsonObject): Wire['query']
  /** A body with a signature in the head names the mid and the order where the query does not: docs/interface.md section 4.9. */
  idsFromSignedBody?: true
  /** Every member of the body is optional, and nobody signs it: a request without a body counts as one with an empty body. */
  mayLackBody?: true
  head: Head
  body: Body
  faults: FaultCodes<Code>
  /** Bytes that are no envelope. */
  unreadable: Code
  /** A query or head parameter that is not there. */
  missingParam(name: string): Refusal<Code>
  /** A wrong value in the head; without it, what a wrong value in the body answers. */
  wrongHead?: FaultCodes<Code>['wrong']
  /** Query against body; absent where the operation compares with something else. */
  midMismatch?: Code
  orderIdMismatch?: Code
  referenceIdMismatch?: Code
  systemError: Code
  /**
   * Wrong values that one member's schema cannot see, found without any stored row. `wellFormed` lacks the members that
   * have a fault of their own; `given` holds all as they came.
   */
  check?(wellFormed: Partial<Static<Body>>, now: number, given: JsonObject): readonly Refusal<Code>[]
  /** A wrong value that is answered before all others, judged on the body as it was sent: null and empty members are there. */
  answersFirst?(asSent: JsonObject): Refusal<Code> | undefined
}

/** What the caller's signature over the body turned out to be, with the merchant key that checked it. A fact, not a verdict. */
export interface Signed {
  signature: 'valid' | 'invalid' | 'absent'
}
