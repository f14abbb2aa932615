// What a handler gets and what it answers, and what is known of an envelope while it is read.

import type { JsonObject } from '../interface/envelope.ts'
import type { Cause } from '../interface/request.ts'
import type { ResultCode } from '../interface/result-codes.ts'

/** Query parameters as the URL holds them. One that is given twice is a list. */
export type QueryString = Readonly<Record<string, string | readonly string[] | undefined>>

/** What is known of a request when its reply is written, even if it was refused early. */
export interface Asked {
  /** The path that was called. Aliases differ in small things. */
  path: string
  head: JsonObject
  /** The mid that the request names: the body's where the operation has one there, else the query's. */
  mid: string | undefined
  /** The order that the query names. */
  orderId: string | undefined
}

export interface RouteAnswer {
  /** Empty where the HTTP status is the whole answer. */
  text: string
  result: ResultCode
  parameter: string | undefined
  /** For the sandbox's hint. */
  cause?: Cause | undefined
  error: Error | undefined
  /** The order of the request. Set only once the credential held, because any caller may name any order. */
  about?: { mid: string | undefined; orderId: string | undefined }
}

/** What the server has to know of an operation. api/operations.ts has all of them. */
export interface OperationLine {
  /** Also the name of its decision. Kept replies are found by it. */
  name: string
  method: 'POST' | 'GET' | 'PUT' | 'DELETE'
  /** The first is the interface's own. The others are spellings that clients in use send. */
  paths: readonly [string, ...string[]]
  /** Paths whose requests are flat messages (interface/flat.ts), of any content type, or in the query of a GET. */
  flatPaths?: readonly string[]
  /** Takes an Idempotency-Key: docs/interface.md section 4. */
  writes?: true
  /** The payer's own page calls it, on any host: docs/interface.md section 4, "Browsers". */
  browser?: true
  /**
   * Any holder of the order's token may call it, the payer too. Its idempotency keys belong to the order; other keys belong to the
   * merchant.
   */
  byOrder?: true
  codes: Readonly<Record<string, ResultCode>>
}

/** The operation as served: with the members that would make its body another operation's (docs/interface.md section 5.1). */
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
   * The merchant whose key signs the reply, and whether its head names that key. Absent where the interface gives the reply no signature.
   */
  signFor?: { mid: string; clientId: string | undefined; namesKey?: true }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The operation's answer. Undefined before it, and on paths that are no operation's. */
    answered: RouteAnswer | undefined
  }
}
