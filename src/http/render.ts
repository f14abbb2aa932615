// The members that replies of the payment family share: docs/interface.md sections 2 (ResultInfo) and 4.

import type { Reply } from '../engine/decision.ts'
import type { Ports } from '../flows/ports.ts'
import type { JsonObject } from '../interface/envelope.ts'
import { VERSION_LENGTH } from '../interface/fields.ts'
import type { Asked, Rendered } from './handler.ts'

/** A request without a version counts as one of the first version. */
const VERSION = 'v1'

const CLIENT_ID_LENGTH = 64 // docs/interface.md section 8 (Mohur)

export const versionOf = ({ head: { version } }: Asked) => (typeof version === 'string' ? start(version, VERSION_LENGTH) : VERSION)
const clientIdOf = ({ head: { clientId } }: Asked) => (typeof clientId === 'string' ? start(clientId, CLIENT_ID_LENGTH) : undefined)

/** The first characters, counted as the schemas count them, so that no character is cut in half. */
const start = (text: string, length: number) => (text.length <= length ? text : [...text].slice(0, length).join(''))

/** `responseTimestamp` in epoch milliseconds, the version echoed, and the clientId if the request named one. */
export function replyHead(asked: Asked, now: number): JsonObject {
  const clientId = clientIdOf(asked)
  return { responseTimestamp: String(now), version: versionOf(asked), ...(clientId !== undefined && { clientId }) }
}

/** `resultInfo` of the payment family, then the operation's members. */
export function replyBody({ result, message, body }: Reply) {
  return { resultInfo: { resultStatus: result.status, resultCode: result.code, resultMsg: message ?? result.message }, ...body }
}

/** The reply is signed with a key of the merchant that the request names. An unknown merchant has no key. */
export const signFor = (asked: Asked) => (asked.mid === undefined ? {} : { signFor: { mid: asked.mid, clientId: clientIdOf(asked) } })

/** The reply of most operations: its head, the decision's body, and a signature. */
export const renderSigned = (reply: Reply, asked: Asked, { clock }: Pick<Ports, 'clock'>): Rendered => ({
  head: replyHead(asked, clock.now()),
  body: replyBody(reply),
  ...signFor(asked),
})
