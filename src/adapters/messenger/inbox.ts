// The sandbox's messenger: an inbox that developers read (docs/sandbox.md).

import type { Clock } from '../../engine/clock.ts'
import type { Store } from '../../engine/store.ts'
import { messageKey } from '../../tables/keys.ts'
import type { Message, MessageDelivery, Messenger } from './messenger.ts'

export class InboxMessenger implements Messenger {
  readonly #store: Store
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async deliver({ key: id, mobile, kind, text, otp }: Message): Promise<MessageDelivery> {
    const key = messageKey(mobile, id)
    const row = { mobile, id, at: this.#clock.now(), kind, content: { text, ...(otp !== undefined && { otp }) } }
    try {
      await this.#store.transaction(async (transaction) => {
        if ((await transaction.read([key])).size > 0) return
        await transaction.write({ changes: [{ kind: 'insert', key, row }], events: [], tasks: [] })
      })
      return 'delivered'
    } catch {
      return 'unknown' // the next attempt finds the row, if it was written
    }
  }
}
