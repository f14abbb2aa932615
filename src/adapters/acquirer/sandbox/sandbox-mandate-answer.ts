// Names of the sandbox bank's rows about mandates, and the answers that they give (docs/acquirer.md, "Mandates").

import type { AcquirerAnswer, Failure } from '../../../domain/transaction/acquirer-answer.ts'
import type { MandateAnswer, NoticeAnswer } from '../acquirer.ts'
import type { BankRequest, Behaviour } from './bank-request.ts'

/** The bank's reference of a mandate names the behaviour of its debits. A saved card's token does so for its payments. */
const PREFIX = 'sbxm'
export const mandateReferenceOf = (debits: Behaviour, mandateKey: string) => `${PREFIX}_${debits}_${mandateKey}`
export const isMandateReference = (token: string | null): token is string => token?.startsWith(`${PREFIX}_`) === true
export const readMandateReference = (reference: string) => {
  const [prefix, debits = 'declined', key = ''] = reference.split('_')
  return prefix === PREFIX ? { debits: debits as Behaviour, key } : { debits: 'declined' as const, key: '' }
}

/** The payer's decision about a debit, stored beside the notice that asked for it. */
export const approvalKey = (noticeKey: string) => `${noticeKey}:approval`
export const noticeKeyOf = (key: string) => key.replace(/:approval$/, '')

export function answerOf({ state, failure, reference, amount_paise }: BankRequest): AcquirerAnswer {
  if (state === 'failure') return { outcome: 'failure', failure: failureIn(failure), reference }
  return state === 'success' ? { outcome: 'success', reference, amountPaise: amount_paise } : { outcome: 'pending' }
}

export function noticeAnswer({ state, failure, reference }: BankRequest, approval: BankRequest | undefined): NoticeAnswer {
  if (failure === 'optedOut') return { outcome: 'optedOut' }
  if (state !== 'success') return { outcome: state === 'failure' ? 'failure' : 'pending' }
  const words = { pending: 'pending', success: 'approved', failure: 'declined' } as const
  return { outcome: 'success', reference, ...(approval && { authentication: words[approval.state] }) }
}

export function mandateAnswer({ state, failure, card_token }: BankRequest): MandateAnswer {
  if (failure === 'mandateRevoked') return { outcome: 'revoked' }
  if (failure === 'mandatePaused') return { outcome: 'paused', pausedBy: 'payer' }
  if (failure === 'mandateHeld') return { outcome: 'paused', pausedBy: 'merchant' }
  if (state === 'pending') return { outcome: 'pending' }
  return state === 'failure' ? { outcome: 'refused' } : { outcome: 'active', mandateReference: card_token ?? '' }
}

/** The failure that a request for money gets as its answer. */
export const failureIn = (failure: BankRequest['failure']): Failure =>
  failure === 'optedOut' ? 'declined' : failure === 'mandateHeld' ? 'mandatePaused' : failure!
