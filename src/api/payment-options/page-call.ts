// What the calls of a payment page share: the credential, the ceiling and the reply (docs/interface.md sections 4.30 to 4.32 and 4.42 to
// 4.45). None of the calls writes. A head may name the order's token in two ways.

import type { Credential } from '../../domain/payment-options/options-access.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Ports } from '../../flows/ports.ts'
import type { Rendered } from '../../http/handler.ts'
import { counting, type RateLimit } from '../../http/rate-limit.ts'
import { replyBody, versionOf } from '../../http/render.ts'
import type { EnvelopeRoute } from '../../http/route.ts'
import type { JsonObject } from '../../interface/envelope.ts'
import { withToken } from '../older-clients/payment-host.ts'

export type Root = { head: JsonObject; body: JsonObject }

export const byTxnToken = ({ head, body }: Root): Root => ({ head: withToken(head), body })

export const credentialOf = (
  { tokenType, token }: { tokenType: 'TXN_TOKEN' | 'ACCESS'; token: string },
  query: Readonly<Record<string, string>>,
  { vault }: Ports,
): Credential =>
  tokenType === 'TXN_TOKEN'
    ? { tokenType, orderId: query['orderId']!, tokenHash: vault.hash('txnToken', token) }
    : { tokenType, referenceId: query['referenceId']!, tokenHash: vault.hash('accessToken', token) }

/** The refusals of a token that opens nothing. */
const OPENS_NOTHING: ReadonlySet<string> = new Set(['invalidMid', 'sessionExpired'])

/** Counts a call of a token that opens its order. Made-up tokens take no place in the count, so they crowd out no payer. */
export const countingCall = <T extends Reply>(calls: RateLimit, tokenHash: string, answer: () => Promise<T>): Promise<T> =>
  counting([[calls, tokenHash]], answer, ({ result }) => !OPENS_NOTHING.has(result.name))

export const renderPageCall: EnvelopeRoute['render'] = (reply, asked, { clock }): Rendered => ({
  head: { responseTimestamp: String(clock.now()), version: versionOf(asked) },
  body: replyBody(reply),
})
