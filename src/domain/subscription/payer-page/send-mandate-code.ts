// Sends a code to a mandate's payer. The code opens a page that was requested by its link. On an open page it approves a debit or an edit.
// The limits are those of sign-in, counted apart. docs/pages.md, "The mandate page".

import { type Change, operation, refuse } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import { customerKey, mandateCodeSendsKey, mandatePageKey, merchantKey } from '../../../tables/keys.ts'
import { look, type Row } from '../../../tables/tables.ts'
import { type CodePurpose, isOfFormerOwner, isPending, mayBeSent, type OtpMessage, type SignInLimits } from '../../signin/signin.ts'
import { codeMobileOf } from '../payer-message.ts'
import { agreementOf } from '../subscription.ts'
import { isEditOpen, termsAsked } from '../subscription-view.ts'
import { type CodeFor, isAwaited, isLinkGood, isOpen, type MandatePage } from './mandate-page.ts'

const codes = ownCodes('sendMandateCode', 'success', 'gone', 'nothingWaits', 'blocked', 'sendLimitReached')

export interface SendMandateCode {
  mid: string
  subscriptionId: string
  /** A link asks for a new page; the caller has checked that the link belongs to this mandate. `page`: an existing page. */
  by: { agentHash: string; view: Row<'mandatePages'>['view'] } | 'page'
  codeFor: CodeFor
  limits: Pick<SignInLimits, 'otpValidityMs' | 'triesMax' | 'sendsPerHour' | 'sendsPerDay'>
  now: number
  fresh: { pageHash: string; otp: string; codeHash: string; messageId: string }
}

export const sendMandateCode = operation({
  name: 'sendMandateCode',
  codes,
  reads: ({ mid, subscriptionId, codeFor, fresh: { pageHash } }: SendMandateCode) => ({
    page: mandatePageKey(pageHash),
    merchant: merchantKey(mid),
    subscription: look('subscriptions', mid, subscriptionId),
    notice: codeFor.startsWith('debit:') ? look('notices', mid, codeFor.slice('debit:'.length)) : undefined,
  }),
  readsNext: ({ mid }, { subscription, notice }) => ({
    order: subscription && look('orders', mid, subscription.orderId),
    collection: notice && look('collections', mid, notice.collectionId),
  }),
  readsLast(_command, { subscription, order }) {
    const mobile = subscription && codeMobileOf(subscription, order)
    return { customer: mobile ? customerKey(mobile) : undefined, sends: mobile ? mandateCodeSendsKey(mobile) : undefined }
  },
  decide(command, { page, merchant, subscription, notice, order, collection, customer, sends }) {
    const { by, codeFor, limits, now, fresh } = command
    const mobile = subscription && codeMobileOf(subscription, order)
    if (!subscription || !merchant || mobile === undefined || !isLinkGood(subscription, now)) return refuse(codes.gone)
    if (by === 'page' && (!page || !maySend(page, command))) return refuse(codes.gone)
    const purpose = purposeOf(codeFor, { merchant, subscription, notice, collection }, now)
    if (!purpose) return refuse(codes.nothingWaits)
    if (isPending(customer, now)) return refuse(codes.blocked)
    if (isOfFormerOwner(agreementOf(subscription), customer)) return refuse(codes.gone)
    const sent = mayBeSent(sends, mobile, limits, now)
    if (!sent) return refuse(codes.sendLimitReached)

    const codeUntil = now + limits.otpValidityMs
    const code = { mobile, codeHash: fresh.codeHash, codeFor, tries: 0, triesMax: limits.triesMax, codeUntil, usedAt: null }
    const row: MandatePage =
      by === 'page'
        ? { ...page!, ...code, ...(page!.openedAt === null && { until: Math.max(page!.until, codeUntil) }) }
        : {
            ...{ pageHash: fresh.pageHash, mid: subscription.mid, subscriptionId: subscription.subscriptionId, ...by },
            ...{ askedAt: now, openedAt: null, until: codeUntil, extensions: 0, ...code },
          }
    const message: OtpMessage = {
      ...{ mobile, otp: fresh.otp, validityMs: limits.otpValidityMs, expiresAt: codeUntil, attempts: 0, purpose },
    }
    const changes: Change[] = [
      { kind: by === 'page' ? 'update' : 'insert', key: mandatePageKey(fresh.pageHash), row },
      { kind: sends ? 'update' : 'insert', key: mandateCodeSendsKey(mobile), row: sent },
    ]
    return {
      reply: { result: codes.success },
      changes,
      events: [],
      tasks: [{ kind: 'add', task: 'otp-message.due', subject: fresh.messageId, dueAt: now, payload: { ...message } }],
    }
  },
})

/** An unopened page gets only the code that opens it, while the page can still be opened. An open page gets every other code. */
const maySend = (page: MandatePage, { mid, subscriptionId, codeFor, now }: SendMandateCode) =>
  page.mid === mid && page.subscriptionId === subscriptionId && (codeFor === 'open' ? isAwaited(page, now) : isOpen(page, now))

interface About {
  merchant: Row<'merchants'>
  subscription: Row<'subscriptions'>
  notice: Row<'notices'> | undefined
  collection: Row<'collections'> | undefined
}

/** The code's purpose, as the message says it. Undefined when nothing waits for the code. */
function purposeOf(codeFor: CodeFor, { merchant, subscription, notice, collection }: About, now: number): CodePurpose | undefined {
  if (codeFor === 'open') return { kind: 'mandate', merchant: merchant.name }
  if (subscription.paymentMode !== 'BALANCE') return undefined
  if (codeFor.startsWith('debit:')) {
    const waits = collection?.authentication === 'ASKED' || collection?.authentication === 'DECLINED'
    const isOfIt = notice?.subscriptionId === subscription.subscriptionId && notice.status === 'SUCCESS'
    return waits && isOfIt ? { kind: 'debit', merchant: merchant.name, amountPaise: notice.amountPaise } : undefined
  }
  const { edit } = subscription
  if (edit === null || codeFor !== `edit:${edit.editId}` || !isEditOpen(edit, now)) return undefined
  return { kind: 'edit', merchant: merchant.name, terms: termsAsked(subscription) }
}
