// Messages to people's phones. A messenger is asked after the commit, from a task, and may be asked twice with one key.

import type { PayerMessageKind } from '../../domain/subscription/payer-message.ts'

export interface Message {
  /** The idempotency key: one key is one message, however often it is handed over. */
  key: string
  /** Ten digits, without the country's code. */
  mobile: string
  kind: 'otp' | PayerMessageKind
  text: string
  /** Of the kind `otp` only. */
  otp?: string
}

/** `unknown`: nobody answered in time; it may have been sent. */
export type MessageDelivery = 'delivered' | 'refused' | 'unknown'

export interface Messenger {
  /** Never throws: what goes wrong is `refused` or `unknown`. */
  deliver(message: Message): Promise<MessageDelivery>
}
