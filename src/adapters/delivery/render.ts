// A notification on the wire (docs/interface.md section 6). Its bytes depend only on the notification and the merchant's keys, so every
// attempt and every re-send of one webhook-id is the same.

import { createHmac } from 'node:crypto'
import { joinedValues } from '../../interface/checksum.ts'
import { signable, writeEnvelope } from '../../interface/envelope.ts'
import { classicFields } from './classic-form.ts'

/** The checksum of a text with the merchant's default key. Undefined when the merchant has none. */
export type Sign = (data: string) => Promise<string | undefined>

export interface RenderedNotification {
  contentType: string
  body: string
}
type Content = Readonly<Record<string, string>>

export const render = (form: 'json' | 'classic', content: Content, sign: Sign): Promise<RenderedNotification> =>
  form === 'json' ? renderJson(content, sign) : renderClassic(content, sign)

async function renderJson(content: Content, sign: Sign): Promise<RenderedNotification> {
  const body = signable(JSON.stringify(content))
  const signature = await sign(body)
  return { contentType: 'application/json', body: writeEnvelope(signature === undefined ? {} : { signature }, body) }
}

async function renderClassic(content: Content, sign: Sign): Promise<RenderedNotification> {
  const fields = classicFields(content)
  const signature = await sign(joinedValues(fields))
  const form = new URLSearchParams(signature === undefined ? fields : { ...fields, CHECKSUMHASH: signature })
  return { contentType: 'application/x-www-form-urlencoded', body: form.toString() }
}

const SECRET_PREFIX = 'whsec_'

/**
 * Standard Webhooks, version 1: HMAC-SHA256 over id, time and body. The time is the attempt's on a real clock, because receivers
 * compare it with their own.
 */
export function webhookHeaders(secret: string, id: string, realNow: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(realNow / 1_000))
  const key = Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
