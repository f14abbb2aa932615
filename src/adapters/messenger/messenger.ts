// Messages to people's phones. A messenger is called after the commit, from a task, and may be called twice with one key.

import type { PayerMessageKind } from '../../domain/subscription/payer-message.ts'

export interface Message {
  /** The idempotency key: all calls with one key are one message. */
  key: string
  /** Ten digits, without the country code. */
  mobile: string
  kind: 'otp' | PayerMessageKind
  text: string
  /** Only for the kind `otp`. */
  otp?: string
}

/** `unknown`: no answer came in time, and the message may have been sent. */
export type MessageDelivery = 'delivered' | 'refused' | 'unknown'

export interface Messenger {
  /** Never throws. A fault is `refused` or `unknown`. */
  deliver(message: Message): Promise<MessageDelivery>
}
