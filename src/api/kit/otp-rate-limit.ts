// How many one-time passwords a process sends within a minute of real time (docs/interface.md section 8): to one range of numbers, and in
// all. Numbers that signed in lately are not counted, so a flood to strangers locks no customer out.

import { signedInLately } from '../../domain/signin/signin.ts'
import type { Ports } from '../../flows/ports.ts'
import { counting, RateLimit, TooManyRequests } from '../../http/rate-limit.ts'
import { customerKey } from '../../tables/keys.ts'

const PREFIX_DIGITS = 6 // docs/interface.md section 8 (Mohur): ten thousand numbers share a prefix
const ALL = 'all'

export interface OtpRateLimits {
  prefixPerMinute: number
  allPerMinute: number
}

export class OtpRateLimit {
  readonly #prefixes: RateLimit
  readonly #all: RateLimit
  readonly #refused: () => void

  constructor({ prefixPerMinute, allPerMinute }: OtpRateLimits, { clock }: Pick<Ports, 'clock'>, refused: () => void) {
    this.#prefixes = new RateLimit(prefixPerMinute, clock)
    this.#all = new RateLimit(allPerMinute, clock)
    this.#refused = refused
  }

  /** Counts one message, unless `send` sent none. Throws TooManyRequests when the message would be one too many. */
  async within<T extends { result: { name: string }; isAgain?: boolean }>(
    mobile: string,
    { query, clock, isAnswered }: Pick<Ports, 'query' | 'clock' | 'isAnswered'>,
    send: () => Promise<T>,
  ): Promise<T> {
    if (isAnswered) return send()
    if (signedInLately(await query.row(customerKey(mobile)), clock.now())) return send()
    const prefix = mobile.slice(0, PREFIX_DIGITS)
    const isSent = ({ result, isAgain }: T) => result.name === 'success' && isAgain !== true
    try {
      return await counting(
        [
          [this.#prefixes, prefix],
          [this.#all, ALL],
        ],
        send,
        isSent,
      )
    } catch (error) {
      if (error instanceof TooManyRequests) this.#refused()
      throw error
    }
  }
}
