// What a handler gets and what it answers, and what is known of an envelope while it is read.

import type { JsonObject } from '../interface/envelope.ts'
import type { Cause } from '../interface/request.ts'
import type { ResultCode } from '../interface/result-codes.ts'

/** Query parameters as the URL holds them. A parameter that is given twice is a list. */
export type QueryString = Readonly<Record<string, string | readonly string[] | undefined>>

/** The facts known of a request when its reply is written, even if the request was refused early. */
export interface Asked {
  /** The path that was called. Aliases differ in small things. */
  path: string
  head: JsonObject
  /** The mid of the request: from the body if the operation has one there, else from the query. */
  mid: string | undefined
  /** The order that the query names. */
  orderId: string | undefined
}

export interface RouteAnswer {
  /** Empty when the HTTP status is the whole answer. */
  text: string
  result: ResultCode
  parameter: string | undefined
  /** For the sandbox's hint. */
  cause?: Cause | undefined
  error: Error | undefined
  /** An Idempotency-Key gave the answer of before once more. */
  isAgain?: true
  /** The order of the request. Set only after the credential was verified, because any caller may name any order. */
  about?: { mid: string | undefined; orderId: string | undefined }
}

/** The facts about an operation that the server needs. api/operations.ts has all operations. */
export interface OperationLine {
  /** Also the name of the operation's decision, by which kept replies are found. */
  name: string
  method: 'POST' | 'GET' | 'PUT' | 'DELETE'
  /** The first path is the interface's own. The others are spellings that clients in use send. */
  paths: readonly [string, ...string[]]
  /** Paths whose requests are flat messages (interface/flat.ts), of any content type, or in the query of a GET. */
  flatPaths?: readonly string[]
  /** Takes an Idempotency-Key: docs/interface.md section 4. */
  writes?: true
  /** True when the payer's own page calls the operation, on any host: docs/interface.md section 4, "Browsers". */
  browser?: true
  /**
   * True when any holder of the order's token may call the operation, the payer too. The operation's idempotency keys then belong to the
   * order. Keys of other operations belong to the merchant.
   */
  byOrder?: true
  codes: Readonly<Record<string, ResultCode>>
}

/**
 * An operation as served. `foreign` has the members that show that a body was signed for another operation (docs/interface.md section 5.1).
 */
export interface ServedOperation extends OperationLine {
  foreign: ReadonlySet<string>
  answer: Handler
}

/** A request as the server hands it on. `url` is the route's path, as its descriptor spells it. */
export interface Received {
  operation: Omit<ServedOperation, 'answer'>
  url: string
  query: QueryString
  /** Names and values in turn, as they came. Only here does a header that was sent twice differ from one that was sent once. */
  rawHeaders: readonly string[]
  /** The caller's network address. */
  address: string
  bytes: Uint8Array
}

export type Handler = (received: Received) => Promise<RouteAnswer>

export interface Rendered {
  head: JsonObject
  body: object
  /**
   * The merchant whose key signs the reply, and whether its head names that key. Absent when the interface gives the reply no signature.
   */
  signFor?: { mid: string; clientId: string | undefined; namesKey?: true }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The operation's answer. Undefined before the answer, and on paths of no operation. */
    answered: RouteAnswer | undefined
  }
}
