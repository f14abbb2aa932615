// The members that replies of the payment family share: docs/interface.md sections 2 (ResultInfo) and 4.

import type { Reply } from '../engine/decision.ts'
import type { JsonObject } from '../interface/envelope.ts'
import type { Asked } from './route.ts'

/** A request without a version is one of the first. */
const VERSION = 'v1'

export const versionOf = (asked: Asked) => (typeof asked.head['version'] === 'string' ? asked.head['version'].slice(0, 4) : VERSION)
export const clientIdOf = (asked: Asked) => (typeof asked.head['clientId'] === 'string' ? asked.head['clientId'].slice(0, 64) : undefined)

/** `responseTimestamp` in epoch milliseconds, the version echoed, and the clientId when one was named. */
export function replyHead(asked: Asked, now: number): JsonObject {
  const clientId = clientIdOf(asked)
  return { responseTimestamp: String(now), version: versionOf(asked), ...(clientId !== undefined && { clientId }) }
}

/** `resultInfo` of the payment family, then what the operation gives. */
export function replyBody({ result, message, body }: Reply) {
  return { resultInfo: { resultStatus: result.status, resultCode: result.code, resultMsg: message ?? result.message }, ...body }
}

/** The reply is signed for the merchant that the request names; a merchant nobody knows has no key to sign with. */
export const signFor = (asked: Asked) => (asked.mid === undefined ? {} : { signFor: { mid: asked.mid, clientId: clientIdOf(asked) } })
