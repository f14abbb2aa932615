// The acquirer behind the contract of docs/acquirer.md: a processor's adapter, called by signed JSON over HTTPS. An answer that is
// late, broken, unsigned or not understood is `unknown`, and a later query finds the result.

import { type AcquirerAnswer, UNKNOWN } from '../../../domain/transaction/acquirer-answer.ts'
import type { Acquirer, Authorize, CancelAnswer, RefundCall } from '../acquirer.ts'
import type { Sending } from './connections.ts'
import { plain, type Reading, type RemoteAnswer, readAnswer } from './remote-answer.ts'
import { type Asking, RemoteCalls, type RemoteParts } from './remote-call.ts'
import { RemoteMandates } from './remote-mandates.ts'

const NOT_FOUND = 404 // docs/acquirer.md
type Once = 'authorize' | 'refund' | 'otp'
type Named = Pick<Asking, 'name' | 'logged'>
interface Typed extends Named {
  /** The call brings text that the payer typed. */
  isTyped?: boolean
  /** Members of the `status` that asks for the result when the connection ended. */
  status?: object
}

export class RemoteAcquirer implements Acquirer {
  readonly name = 'remote'
  readonly #calls: RemoteCalls
  readonly mandates: RemoteMandates

  constructor(parts: RemoteParts) {
    this.#calls = new RemoteCalls(parts)
    this.mandates = new RemoteMandates(this.#calls)
  }

  async authorize(call: Authorize): Promise<AcquirerAnswer> {
    const { key, mid, merchantName, mcc, orderId, amountPaise, means, emi, keepCard, directOtp, returnUrl, mandate } = call
    const sent = { mid, merchantName, mcc, orderId, amountPaise, means, emi, keepCard, directOtp, returnUrl, mandate }
    return plain(await this.#once('authorize', key, sent))
  }

  async status(key: string, logged?: string, authorizeKey?: string): Promise<AcquirerAnswer> {
    return plain((await this.#call('status', key, { authorizeKey }, { withinMs: this.#calls.totalMs, mayRepeat: true }, { logged })).answer)
  }

  async refund({ key, logged, authorizeKey, mid, orderId, amountPaise }: RefundCall): Promise<AcquirerAnswer> {
    return plain(await this.#once('refund', key, { authorizeKey, mid, orderId, amountPaise }, { logged, status: { authorizeKey } }))
  }

  otp(key: string, action: Parameters<Acquirer['otp']>[1], call?: string): ReturnType<Acquirer['otp']> {
    const isTyped = action.type === 'submit'
    return this.#once('otp', key, { action: action.type, ...(isTyped && { otp: action.otp }) }, { name: call, isTyped })
  }

  /** An adapter older than this call answers 404, which means `cannot`. */
  async cancel(key: string): Promise<CancelAnswer> {
    const asked = { call: 'cancel' as const, key, text: JSON.stringify({ key }) }
    const { answer } = await this.#calls.ask<CancelAnswer>(asked, { withinMs: this.#calls.totalMs, mayRepeat: true }, (of, ...received) =>
      received[0].httpStatus === NOT_FOUND
        ? { answer: { outcome: 'cannot' } }
        : plainly(readAnswer({ ...of, call: 'cancel' }, ...received)),
    )
    return answer ?? UNKNOWN
  }

  async close() {
    this.#calls.close()
  }

  /** This call is never sent again. When the connection ended during the call, the result is queried at once. */
  async #once(call: Once, key: string, more: object, { isTyped = false, status = {}, ...named }: Typed = {}): Promise<RemoteAnswer> {
    const { totalMs } = this.#calls
    const began = this.#calls.elapsed()
    const { answer, isBroken } = await this.#call(call, key, more, { withinMs: totalMs, mayRepeat: false }, named)
    const leftMs = totalMs - (this.#calls.elapsed() - began)
    // If a pending answer to a typed password names no next step, no step is left. The answer to `status` below may be older than the
    // password, so it leaves the step unchanged.
    if (!isBroken || leftMs <= 0) return isTyped && answer.outcome === 'pending' ? { ...answer, next: answer.next ?? null } : answer
    const asked = await this.#call('status', key, status, { withinMs: leftMs, mayRepeat: true }, { logged: named.logged })
    // The call may still be on its way. domain/transaction/transaction.ts says when an `absent` is believed.
    return asked.answer.outcome === 'absent' ? UNKNOWN : asked.answer
  }

  async #call(call: Once | 'status', key: string, more: object, sending: Sending, named: Named) {
    const asking = { call, key, text: JSON.stringify({ key, ...more }), ...named }
    const asked = await this.#calls.ask(asking, sending, (of, ...received) => readAnswer({ ...of, call }, ...received))
    return { ...asked, answer: asked.answer ?? UNKNOWN }
  }
}

const plainly = (reading: Reading) => ('doubt' in reading ? reading : { answer: plain(reading.answer) })
