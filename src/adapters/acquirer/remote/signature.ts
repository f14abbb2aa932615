// How both sides of docs/acquirer.md sign: by Standard Webhooks, as for merchants' notifications (adapters/delivery/render.ts). The
// signature covers the id, and the id names the purpose. So a signed text is worth nothing in another place.

import { isUtf8 } from 'node:buffer'
import { timingSafeEqual } from 'node:crypto'
import { webhookHeaders } from '../../delivery/render.ts'

export const SKEW_MS = 5 * 60_000 // docs/acquirer.md: as Standard Webhooks has it
const SIGNATURES_MAX = 8 // Mohur's choice: during a change of the secret there are two
const TIMESTAMP_FORM = /^[0-9]{1,12}$/
const ID_FORM = /^[A-Za-z0-9_-]{1,128}$/

/** The calls of docs/acquirer.md. Each is the last part of its path and the first of its id. */
const CALLS = [
  ...(['authorize', 'status', 'refund', 'otp', 'cancel'] as const),
  ...(['capabilities', 'register', 'notify', 'collect', 'collectMany', 'amend', 'revoke', 'pause', 'resume'] as const),
] as const
export type AdapterCall = (typeof CALLS)[number]

export const callId = (call: AdapterCall, name: string) => `${call}_${name}`
export const answerId = (ofCall: string) => `answer_${ofCall}`
export const EVENT_ID = /^report_/

export const signatureHeaders = webhookHeaders

/** The fault of a signature. Undefined means that `id` was signed over exactly these bytes, not long ago. */
export function signatureDoubt(
  secret: string,
  { id, timestamp, signature }: { id: string | undefined; timestamp: string | undefined; signature: string | undefined },
  bytes: Uint8Array,
  realNow: number,
  idForm = ID_FORM,
): string | undefined {
  if (!id || !timestamp || !signature) return 'is not signed'
  if (!idForm.test(id) || !TIMESTAMP_FORM.test(timestamp) || !isUtf8(bytes)) return 'is not signed in a form that can be checked'
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const expected = Buffer.from(webhookHeaders(secret, id, Number(timestamp) * 1_000, text)['webhook-signature']!)
  const given = signature.split(' ').slice(0, SIGNATURES_MAX)
  if (!given.some((each) => isSame(Buffer.from(each), expected))) return 'has a wrong signature'
  return Math.abs(realNow - Number(timestamp) * 1_000) > SKEW_MS ? 'was signed at another time than now' : undefined
}

const isSame = (given: Buffer, expected: Buffer) => given.length === expected.length && timingSafeEqual(given, expected)
