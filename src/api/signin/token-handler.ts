// How the operations after a sign-in cross the wire: flat JSON or headers only, with HTTP statuses of their own (docs/interface.md sections
// 4.20 to 4.22). None takes an Idempotency-Key: Refresh Token has a narrower rule of its own.

import type { Reply } from '../../engine/decision.ts'
import type { Handler, Received } from '../../http/handler.ts'
import { networkOf } from '../../http/networks.ts'
import { TooManyRequests } from '../../http/rate-limit.ts'
import { headerOf } from '../../http/request-headers.ts'
import type { ResultCode } from '../../interface/result-codes.ts'
import type { Ceilings } from '../kit/api-parts.ts'

const SESSION_TOKEN_FORM = /^[!-~]{1,255}$/ // docs/interface.md section 8 (Mohur)

export interface TokenRoute {
  answer(received: Received): Promise<Reply>
  render(reply: Reply): string
  systemError: ResultCode
}

export function tokenHandler({ answer, render, systemError }: TokenRoute, ceilings: Ceilings): Handler {
  return async (received) => {
    ceilings.address.take(networkOf(received.address))
    let reply: Reply
    let error: Error | undefined
    try {
      reply = await answer(received)
    } catch (thrown) {
      if (thrown instanceof TooManyRequests) throw thrown
      error = thrown as Error // the store failed or a decision threw: the caller may know only the table's own row
      reply = { result: systemError }
    }
    return { text: render(reply), result: reply.result, parameter: reply.parameter, cause: reply.cause, error }
  }
}

export function sessionTokenOf(rawHeaders: readonly string[]): string | undefined {
  const given = headerOf(rawHeaders, 'session_token')
  return given !== undefined && SESSION_TOKEN_FORM.test(given) ? given : undefined
}
