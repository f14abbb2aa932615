// Any SMS provider that takes a message by HTTP: one POST of JSON, with a key that makes it safe to repeat
// (docs/operating/configure.md).

import type { Message, MessageDelivery, Messenger } from './messenger.ts'

const TIMEOUT_MS = 10_000 // Mohur's choice: well within the lease of the task that calls
const COUNTRY_CODE = '+91'
/** These statuses are about the moment and not about the message: request timeout, too early, too many requests. */
const PASSING = new Set([408, 425, 429])

export class HttpMessenger implements Messenger {
  readonly #url: string
  readonly #token: string

  constructor({ url, token }: { url: string; token: string }) {
    this.#url = url
    this.#token = token
  }

  async deliver({ key, mobile, kind, text, otp }: Message): Promise<MessageDelivery> {
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': key,
          ...(this.#token && { authorization: `Bearer ${this.#token}` }),
        },
        body: JSON.stringify({ key, to: `${COUNTRY_CODE}${mobile}`, kind, text, otp }),
        redirect: 'manual', // neither the OTP nor the token goes anywhere that the operator did not name
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await response.body?.cancel() // the status is the whole answer, so no body can be too long
      if (response.ok) return 'delivered'
      return response.status >= 500 || PASSING.has(response.status) ? 'unknown' : 'refused'
    } catch {
      return 'unknown'
    }
  }
}
