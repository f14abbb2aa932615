// The parts of the service that the console uses, and the person who views it.

import type { FastifyBaseLogger } from 'fastify'
import type { Operator, OperatorSession } from '../../domain/operator/operator.ts'
import type { Query } from '../../engine/decision.ts'
import type { Ports } from '../../flows/ports.ts'
import type { Assets } from '../../pages/kit/assets.ts'
import type { Passwords } from './passwords.ts'
import type { Admission, Permission } from './permissions.ts'
import type { Tries } from './tries.ts'

export interface ConsoleParts {
  ports: Ports
  /** For lists and search, apart from the connections of payments. */
  aside: Query
  assets: Assets
  logger: FastifyBaseLogger
  passwords: Passwords
  tries: Tries
  isSandbox: boolean
  /** The sum above which a refund needs a second person. `isAsked`: false in a sandbox that approves at once. */
  approvals: { abovePaise: number; isAsked: boolean }
  /**
   * The address at which people open the console. Its host decides which requests are the console's. Its scheme decides how the cookie is
   * set.
   */
  consoleUrl(): string
}

/** The signed-in person, by the session of their cookie. */
export interface Viewer {
  operator: Operator
  session: OperatorSession
  /** The token in every form of this person. */
  formToken: string
  may(permission: Permission): boolean
  /** The merchants in scope. Null means all. */
  mids: readonly string[] | null
  sees(mid: string): boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    admits?: Admission
    /** True for a route that needs the password or a code, given within five minutes. */
    wantsStepUp?: boolean
    /** True for a poll, which a script sends by itself. The person did nothing, so the poll does not prolong the session. */
    isPoll?: boolean
    /** True for a page that is open to a person who still has to set up an authenticator app. */
    isBeforeApp?: boolean
  }
  interface FastifyRequest {
    viewer: Viewer | undefined
  }
}
