// What a handler is given, and what it answers; of an envelope also what is known while it is read.

import type { JsonObject } from '../interface/envelope.ts'
import type { Cause } from '../interface/request.ts'
import type { ResultCode } from '../interface/result-codes.ts'

/** Query parameters as the URL holds them; one that is given twice comes as a list. */
export type QueryString = Readonly<Record<string, string | readonly string[] | undefined>>

/** What is known of a request when its reply is written, however early it was refused. */
export interface Asked {
  /** The path that was called: aliases differ in small things. */
  path: string
  head: JsonObject
  /** Whose request it says it is: the mid of the body where the operation has one there, else that of the query. */
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
  /** Whose order it was about, once the credential held: before, these are what anybody may say. */
  about?: { mid: string | undefined; orderId: string | undefined }
}

/** What a server has to know of an operation: api/operations.ts has all of them. */
export interface OperationLine {
  /** Of its decision too: kept replies are found by it. */
  name: string
  method: 'POST' | 'GET' | 'PUT' | 'DELETE'
  /** The first is the interface's own; the others are spellings that clients in use send. */
  paths: readonly [string, ...string[]]
  /** Those of the paths whose requests are flat messages (interface/flat.ts), of any content type, or in the query of a GET. */
  flatPaths?: readonly string[]
  /** Takes an Idempotency-Key: docs/interface.md section 4. */
  writes?: true
  /** Called from the payer's own page, on whatever host that is: docs/interface.md section 4, "Browsers". */
  browser?: true
  /** Any holder of the order's token may call it, the payer too. Idempotency keys then belong to the order, else to the merchant. */
  byOrder?: true
  codes: Readonly<Record<string, ResultCode>>
}

/** As it is served: with the members that make its body another operation's (docs/interface.md section 5.1). */
export interface ServedOperation extends OperationLine {
  foreign: ReadonlySet<string>
  answer: Handler
}

/** A request as the server hands it on; `url` is the path of the route, as its descriptor spells it. */
export interface Received {
  operation: Omit<ServedOperation, 'answer'>
  url: string
  query: QueryString
  /** Names and values in turn, as they came: only here a header that was sent twice can be told from one that was sent once. */
  rawHeaders: readonly string[]
  /** Where it came from. */
  address: string
  bytes: Uint8Array
}

export type Handler = (received: Received) => Promise<RouteAnswer>

export interface Rendered {
  head: JsonObject
  body: object
  /** Whose key signs the reply, and whether its head names that key; absent where the interface gives the reply no signature. */
  signFor?: { mid: string; clientId: string | undefined; namesKey?: true }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What the operation answered; undefined before that, and on paths that are no operation's. */
    answered: RouteAnswer | undefined
  }
}
