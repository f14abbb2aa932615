// What the console is given of the service, and who looks at it.

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
  /** For lists and search, beside the work. */
  aside: Query
  assets: Assets
  logger: FastifyBaseLogger
  passwords: Passwords
  tries: Tries
  isSandbox: boolean
  /** Where people open it: its host decides which requests are the console's, its scheme how the cookie is kept. */
  consoleUrl(): string
}

/** The person at the other end, by the session of their cookie. */
export interface Viewer {
  operator: Operator
  session: OperatorSession
  /** Stands in every form of theirs. */
  formToken: string
  may(permission: Permission): boolean
  /** The merchants in scope; null: all. */
  mids: readonly string[] | null
  sees(mid: string): boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    admits?: Admission
    /** The password or a code was given within five minutes. */
    wantsStepUp?: boolean
    /** A script asks by itself: nobody did anything, so the session does not go on by it. */
    isPoll?: boolean
    /** A person who has to set up an authenticator app needs it for that. */
    isBeforeApp?: boolean
  }
  interface FastifyRequest {
    viewer: Viewer | undefined
  }
}
