// What is said of an attempt that did not work, and of its money.

import type { Transaction } from '../../domain/transaction/transaction.ts'
import type { Catalogue } from '../kit/messages/messages.ts'
import type { PageState } from './page-state.ts'

/** Of an attempt that did not work. */
export const whyFailed = ({ failed }: Catalogue, { result }: Transaction): string =>
  Object.hasOwn(failed, result) ? failed[result as keyof typeof failed] : failed.other

/** Of the money of an order that is not paid, where it may not be said that nothing was taken: a bank took it, or never said that it did not. */
export function ofMoney({ attempts, texts: { failed } }: Pick<PageState, 'attempts' | 'texts'>): string | undefined {
  if (attempts.some(({ capturedPaise }) => capturedPaise > 0)) return failed.returned
  return attempts.some(({ result }) => result === 'timedOut') ? failed.timedOut : undefined
}

/** A QR code or a link that was called back unpaid. */
export const isLinkLeft = ({ paymentMode, result, instrument }: Transaction) =>
  paymentMode === 'UPI' && result === 'cancelled' && instrument.vpa === undefined
