// `payer-message.due`: notifies a payer about their mandate, then decides whether the task has ended or is retried (docs/interface.md
// section 6).

import type { Message, Messenger } from '../adapters/messenger/messenger.ts'
import { isOfFormerOwner } from '../domain/signin/signin.ts'
import { applyMessageDelivery } from '../domain/subscription/apply-message-delivery.ts'
import { elsewhereInEnglish, termsInEnglish, termsSentence } from '../domain/subscription/mandate/agreed-terms.ts'
import type { Facts, Linked, PayerMessage, PayerMessageKind } from '../domain/subscription/payer-message.ts'
import { agreementOf } from '../domain/subscription/subscription.ts'
import type { Clock } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import type { Engine } from '../engine/engine.ts'
import type { TaskHandler } from '../engine/tasks.ts'
import { dayFirst } from '../interface/fields.ts'
import { withCommas } from '../interface/money.ts'
import { wayToPay } from '../interface/payment-modes.ts'
import { customerKey, subscriptionKey } from '../tables/keys.ts'
import type { AgreedTerms } from '../tables/subscription.ts'

const STALE_MS = 24 * 60 * 60_000 // Mohur's choice: after so long a stop a message is no news any more
const NAME_LENGTH = 30 // the most that a variable of a registered SMS template (DLT) holds
const CUT = '...'

/** How payers are notified: by which messenger, and where they may complain. */
export interface Payers {
  /** Undefined when no messenger is set up. */
  messenger: Messenger | undefined
  /** MOHUR_GRIEVANCE_URL. */
  grievanceUrl: string | undefined
  /** The payer's own page of a mandate, for messages about it (mandate-link.ts). Absent when there are no pages. */
  linkOf?(of: Linked): Promise<string>
}

export interface PayerMessageParts {
  engine: Pick<Engine, 'submit'>
  query: Query
  clock: Clock
  payers: Payers
  /** Called for a message that is not tried again. */
  givenUp(messageId: string): void
}

export const payerMessage = ({ engine, query, clock, payers, givenUp }: PayerMessageParts): TaskHandler => {
  return async ({ subject: messageId, payload }, lease) => {
    const message = payload as unknown as PayerMessage
    const isStale = clock.now() >= message.notedAt + STALE_MS
    const { messenger } = payers
    const isForPayer = await reachesPayer(message, query)
    const maySend = messenger !== undefined && !isStale && isForPayer
    const delivery = !maySend ? 'refused' : await messenger.deliver(worded(messageId, await withLink(message, payers), payers))
    const { result } = await engine.submit(applyMessageDelivery, { messageId, message, delivery, now: clock.now() }, lease)
    if (result.name === 'givenUp' && isForPayer) givenUp(messageId)
  }
}

/** False when the number may have a new owner since the payer agreed to the mandate: docs/interface.md section 4.1. */
export async function reachesPayer({ mandate: { mid, subscriptionId }, mobile }: Facts, query: Query): Promise<boolean> {
  const [subscription, customer] = await Promise.all([query.row(subscriptionKey(mid, subscriptionId)), query.row(customerKey(mobile))])
  return subscription === undefined || !isOfFormerOwner(agreementOf(subscription), customer)
}

/**
 * Adds the link to the payer's page. The link is drawn from the mandate's name under the master key. So a message that is sent again has
 * the same text.
 */
export async function withLink<T extends Facts>(facts: T, { linkOf }: Payers): Promise<T & Linking> {
  return linkOf ? { ...facts, link: await linkOf(facts.mandate) } : facts
}
interface Linking {
  link?: string
}
type MessageFacts = Facts & Linking

export const worded = (key: string, facts: MessageFacts, { grievanceUrl }: Pick<Payers, 'grievanceUrl'>): Message => ({
  key,
  mobile: facts.mobile,
  kind: facts.kind,
  text: texts[facts.kind]({ ...facts, merchant: named(facts.merchant) }, grievanceUrl),
})

/** In letters of SMS's own alphabet, which has no ₹. */
export const inRupees = (paise: number) => `Rs ${withCommas(paise)}`
/** The page's own sentence, with amounts and days as messages write them. */
export const termsInMessage = (terms: AgreedTerms) => termsSentence({ words: termsInEnglish, amount: inRupees, day: dayFirst }, terms)

const amountText = ({ amountPaise }: Facts) => inRupees(amountPaise)
const onDay = ({ date }: Facts) => dayFirst(date)
/** The place where the payer can act beside their page. Undefined for a wallet, because no bank has its mandate. */
function elsewhere({ paymentMode }: Facts): string | undefined {
  const way = wayToPay(paymentMode)
  return way === 'wallet' ? undefined : elsewhereInEnglish[way].at
}
const optOut = (facts: MessageFacts) => {
  const { merchant, link, isApprovalNeeded } = facts
  const at = elsewhere(facts)
  if (link !== undefined) return `${isApprovalNeeded && at === undefined ? 'Approve' : 'See'}, skip, pause or stop it: ${link}`
  return `To stop, ask ${merchant}${at === undefined ? '' : ` or withdraw the mandate ${at}`}.`
}
/** A bank asks its payer to approve its own debits. For a wallet only Mohur's message asks. */
const where = (facts: MessageFacts) => {
  const at = elsewhere(facts)
  return at === undefined ? '' : `: please do so ${at}`
}

const termsText = ({ terms }: Facts) => termsInMessage(terms!)

const texts: Readonly<Record<PayerMessageKind, (facts: MessageFacts, grievanceUrl: string | undefined) => string>> = {
  'mandate-created': (facts) => `You have allowed ${facts.merchant} to debit ${termsText(facts)}. Ref ${facts.reference}. ${optOut(facts)}`,
  'pre-debit': (facts) =>
    `${facts.merchant} will debit ${amountText(facts)} on ${onDay(facts)}${facts.isApprovalNeeded ? ` if you approve it${where(facts)}` : ''}. Ref ${facts.reference}. ${optOut(facts)}`,
  debited: (facts, grievanceUrl) =>
    `${facts.merchant} has debited ${amountText(facts)} on ${onDay(facts)}. Ref ${facts.reference}. ${optOut(facts)} Complaints: ${grievanceUrl ?? facts.merchant}`,
  'debit-failed': (facts) =>
    `${facts.merchant} could not debit ${amountText(facts)} on ${onDay(facts)}${facts.isApprovalNeeded ? ', because you have not approved it' : ''}. Ref ${facts.reference}. ${optOut(facts)}`,
  'edit-asked': (facts) =>
    `${facts.merchant} asks you to allow debits of ${termsText(facts)}. Nothing changes unless you approve it within 24 hours${where(facts)}. Ref ${facts.reference}. ${optOut(facts)}`,
  'mandate-cancelled': (facts) =>
    `Your mandate for ${facts.merchant} has ended on ${onDay(facts)}. Nothing is debited any more. Ref ${facts.reference}.`,
}

/** A name as it may stand in a message. No character breaks lines, hides text, or reverses the text behind it. */
export function named(name: string): string {
  const plain = name.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  const characters = [...plain]
  return characters.length > NAME_LENGTH
    ? `${characters
        .slice(0, NAME_LENGTH - CUT.length)
        .join('')
        .trimEnd()}${CUT}`
    : plain || 'the merchant'
}
