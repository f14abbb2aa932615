// The parts of a payer's mandate page: its state, the waiting approval, the payer's actions, the terms and the debits.

import { isCollectedByUs } from '../../domain/subscription/collection/attempt.ts'
import { isPastExpiry } from '../../domain/subscription/manage-request.ts'
import { isCodeLive } from '../../domain/subscription/payer-page/mandate-page.ts'
import { isOver, mayMove } from '../../domain/subscription/subscription.ts'
import { isEditOpen, termsAsked } from '../../domain/subscription/subscription-view.ts'
import { dateInIndia, dayBegins } from '../../engine/clock.ts'
import { maySkip } from '../../flows/payer-actions.ts'
import { wayToPay } from '../../interface/payment-modes.ts'
import type { AgreedTerms } from '../../tables/subscription.ts'
import { type Html, html, type Part } from '../html.ts'
import { agreedRows } from '../kit/agreed-rows.ts'
import { clockTime, dayOf, formatRupees } from '../kit/amounts.ts'
import { type FieldFault, textField } from '../kit/fields.ts'
import { notice, panel, type Rows, rowsOf } from '../kit/layout.ts'
import type { Catalogue } from '../kit/messages/messages.ts'
import { actionForm } from './forms.ts'
import type { Debit, MandatePageState } from './page-state.ts'

const card = (id: string, heading: Part, ...inner: readonly Part[]): Html =>
  html`<section class="card one" aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>${inner}</section>`
const day = (at: string | number, { language }: Pick<MandatePageState, 'language'>) =>
  dayOf(typeof at === 'string' ? dayBegins(at) : at, language)

/** True when the mandate is over, or has expired by the clock and the sweep has not yet written that. */
const hasEnded = ({ subscription, now }: MandatePageState) => isOver(subscription) || isPastExpiry(subscription, now)

// ----------------------------------------------------------------------------------------------------------- how it stands

export function stateOf(seen: MandatePageState): string {
  const { subscription, texts } = seen
  const { state } = texts.payer
  const { status, subStatus, startDate } = subscription
  if (hasEnded(seen)) {
    if (status === 'EXPIRED' || !isOver(subscription)) return state.expired
    return subStatus === 'USER_CANCELLED' ? state.stopped : subStatus === 'MERCHANT_CANCELLED' ? state.cancelled : state.ended
  }
  if (status === 'SUSPENDED') {
    if (subStatus === 'MERCHANT_PAUSED') return state.pausedByShop
    const way = elsewhereOf(subscription)
    return way === undefined || isResumedHere(subscription) ? state.pausedHere : state.pausedElsewhere(way)
  }
  if (status === 'AUTHORIZED') return state.starts(day(startDate, seen))
  return status === 'ACTIVE' ? state.active : state.atBank
}

/** The other place where the payer manages the mandate. Undefined for a wallet's mandate. */
function elsewhereOf({ paymentMode }: Pick<MandatePageState['subscription'], 'paymentMode'>) {
  const way = wayToPay(paymentMode ?? '')
  return way === 'wallet' ? undefined : way
}
/** A payer who paused the mandate at a bank resumes it there. */
const isResumedHere = (subscription: Pick<MandatePageState['subscription'], 'mandate' | 'paymentMode'>) =>
  elsewhereOf(subscription) === undefined || subscription.mandate?.isPausedHere === true

/** The amount of the next debit. `says` gives its day, or the reason why no debit comes. */
export function nextOf(seen: MandatePageState): { amount: string; says: readonly string[] } {
  const { subscription, texts, open } = seen
  const { payer } = texts
  if (hasEnded(seen)) return { amount: payer.none, says: [payer.noneAnyMore] }
  if (subscription.status === 'SUSPENDED') return { amount: payer.none, says: [payer.noneWhilePaused] }
  const next = open[0]
  if (!next) return { amount: payer.none, says: [] }
  const { cycle, notice } = next
  if (!maySkip(next)) return { amount: formatRupees(cycle.amountPaise ?? 0), says: [payer.underWay] }
  const paise = notice?.amountPaise ?? cycle.amountPaise
  const isOurs = isCollectedByUs(subscription) || notice !== undefined
  if (!isOurs || paise === null) return { amount: payer.none, says: [payer.whenAsked(formatRupees(subscription.maxAmountPaise))] }
  const isAgain = cycle.attempts > 0 && cycle.nextAt !== null
  const on = isAgain ? dateInIndia(cycle.nextAt!) : (notice?.debitDate ?? cycle.windowFrom)
  return {
    amount: formatRupees(paise),
    says: [payer.onDay(day(on, seen)), ...(cycle.authentication === 'APPROVED' ? [payer.approved] : [])],
  }
}

// ------------------------------------------------------------------------------------------------ what waits for the payer

export function approvalCard(seen: MandatePageState, fault: FieldFault | undefined): Part {
  const { subscription, texts, debit, edit, open, merchant, now } = seen
  const { payer } = texts
  if (hasEnded(seen)) return undefined
  if (edit) {
    const { edit: said } = payer
    const asked = termsAsked(subscription)
    const each = ({ amountType, maxAmountPaise }: AgreedTerms) =>
      amountType === 'FIX' ? formatRupees(maxAmountPaise) : texts.mandate.atMost(formatRupees(maxAmountPaise))
    const terms = [
      [texts.mandate.amount, each(subscription), each(asked)],
      [texts.mandate.until, day(subscription.expiryDate, seen), day(asked.expiryDate, seen)],
    ] as const
    const rows: Rows = [
      ...terms.flatMap(([name, before, after]) => (before === after ? [[name, said.stays(before)] as const] : [])),
      [texts.mandate.often, said.stays(texts.mandate.every[asked.frequencyUnit](asked.frequency))],
      [said.answerUntil, `${day(edit.validUntil, seen)}, ${clockTime(edit.validUntil, seen.language)}`],
    ]
    // The changes have the largest text.
    const changes = terms.flatMap(([name, before, after]) => (before === after ? [] : [changeOf(name, before, after, said.becomes)]))
    const about = html`<p>${said.about(merchant.name)}</p>${changes}${rowsOf(rows)}`
    return card('approval', said.heading, about, approval(seen, `edit:${edit.editId}`, payer.approveTerms, true, fault))
  }
  if (debit) {
    const amount = formatRupees(debit.notice.amountPaise)
    const isDeclined = debit.cycle.authentication === 'DECLINED'
    const about = html`<p>${payer.debit.about(merchant.name, day(debit.notice.debitDate, seen))}</p>${isDeclined && notice(payer.debit.declined, 'wait')}`
    const form = approval(seen, `debit:${debit.notice.noticeId}`, payer.approveAmount(amount), !isDeclined, fault)
    return card('approval', payer.debit.heading(amount), about, form)
  }
  const asked = open.find(({ cycle, notice }) => cycle.rail !== 'WALLET' && cycle.authentication === 'ASKED' && notice !== undefined)
  const way = elsewhereOf(subscription)
  if (way === undefined) return undefined
  const debitThere = asked && payer.debit.elsewhere(way, formatRupees(asked.notice!.amountPaise), day(asked.notice!.debitDate, seen))
  const termsThere = isEditOpen(subscription.edit, now) && payer.edit.elsewhere(way, merchant.name)
  return html`${debitThere !== undefined && notice(debitThere, 'wait')}${termsThere !== false && notice(termsThere, 'wait')}`
}

const changeOf = (name: string, before: string, after: string, becomes: string): Html =>
  html`<div class="total change"><p class="quiet">${name}</p><p class="amount"><span>${before}</span> <span role="img" aria-label="${becomes}">→</span> <span>${after}</span></p></div>`

/** A button that sends a code for this approval alone. Once the code was sent, the code's field. */
function approval(seen: MandatePageState, of: string, says: string, mayDecline: boolean, fault: FieldFault | undefined): Html {
  const { texts, page, now } = seen
  const { payer } = texts
  const isSent = page.codeFor === of && page.usedAt === null && isCodeLive(page, now)
  const decline = mayDecline && actionForm(seen, 'decline', html`<button class="second">${payer.decline}</button>`, { of })
  if (!isSent) {
    const wrong = fault && notice(fault.message, 'bad')
    return html`${wrong}<div class="ways">${actionForm(seen, 'approve', html`<button>${payer.approve}</button>`, { of })}${decline}</div>`
  }
  const typed = actionForm(seen, 'approve/code', html`${codeField(texts, fault)}<button>${says}</button>`, { of, isStack: true })
  const again = actionForm(seen, 'approve', html`<button class="plain">${texts.sendAgain}</button>`, { of })
  return html`<p>${payer.codeFor}</p>${typed}${again}${decline}`
}

export const codeField = ({ code: label }: Catalogue, fault: FieldFault | undefined): Html =>
  textField({ name: 'code', label, fault, panel: 'code', inputMode: 'numeric', autoComplete: 'one-time-code', maxLength: 8 })

// -------------------------------------------------------------------------------------------------- what the payer can do

export function actionsCard(seen: MandatePageState): Part {
  const { subscription, texts, address, open } = seen
  const { payer } = texts
  if (hasEnded(seen)) return undefined
  const button = (name: 'resume' | 'pause', says: string) => actionForm(seen, name, html`<button class="second">${says}</button>`)
  const mayResume = mayMove(subscription, 'resumeByPayer') && isResumedHere(subscription)
  const mayPause = mayMove(subscription, 'pauseByPayer')
  const skips = subscription.status === 'ACTIVE' && open.some(maySkip)
  const way = elsewhereOf(subscription)
  const link = (ask: string, says: string) => html`<a class="button second" href="${address}?ask=${ask}">${says}</a>`
  return card(
    'acts',
    payer.acts,
    html`<div class="ways">${mayResume && button('resume', payer.resume)}${skips && link('skip', payer.skip)}${mayPause && button('pause', payer.pause)}${link('stop', payer.stop)}</div>`,
    (mayPause || way !== undefined) &&
      html`<p class="quiet">${mayPause && payer.pauseAbout} ${way !== undefined && payer.stopElsewhere(way)}</p>`,
  )
}

/** The question before an act that cannot be undone. Undefined when there is nothing to stop or skip. */
export function askedSheet(seen: MandatePageState, ask: 'stop' | 'skip'): { heading: string; main: Html } | undefined {
  const { texts, address, merchant, open, subscription } = seen
  const { payer } = texts
  const next = open.find(maySkip)
  if (hasEnded(seen) || (ask === 'skip' && (!next || subscription.status !== 'ACTIVE'))) return undefined
  const { heading, yes } = payer.ask[ask]
  const about =
    ask === 'stop'
      ? payer.ask.stop.about(merchant.name, wayToPay(subscription.paymentMode ?? ''))
      : payer.ask.skip.about(day(next!.notice?.debitDate ?? next!.cycle.dueDate, seen))
  const of = ask === 'skip' ? { of: next!.cycle.collectionId } : {}
  const main = panel(
    heading,
    // The button that stands out changes nothing, as in the question before an order is cancelled.
    html`<p>${about}</p><div class="ways"><a class="button" href="${address}">${payer.ask.no}</a>${actionForm(seen, ask, html`<button class="second">${yes}</button>`, of)}</div>`,
  )
  return { heading, main }
}

// ------------------------------------------------------------------------------------------------- terms and what was debited

export function mandateTerms(seen: MandatePageState): Html {
  const { subscription, texts } = seen
  const { payer } = texts
  const { consentedAt, subscriptionId } = subscription
  const rows: Rows = [
    ...agreedRows(seen, subscription),
    ...(subscription.paymentMode === null ? [] : [[payer.paidBy, paidBy(seen, subscription.paymentMode)] as const]),
    ...(consentedAt === null ? [] : [[payer.since, day(consentedAt, seen)] as const]),
    [payer.reference, html`<bdi>${subscriptionId}</bdi>`],
  ]
  return card('terms', payer.terms, rowsOf(rows))
}

function paidBy({ subscription, texts }: MandatePageState, paymentMode: string): Part {
  const name = texts.byMode[paymentMode as keyof typeof texts.byMode] ?? paymentMode
  const { vpa, cardLast4 } = subscription.mandate?.instrument ?? {}
  if (vpa !== undefined) return html`${name}, <bdi>${vpa}</bdi>`
  return cardLast4 === undefined ? name : texts.payer.endingIn(name, cardLast4)
}

const WAS_TRIED: readonly string[] = ['COLLECTED', 'FAILED']
const divided = (debits: readonly Debit[], is: (debit: Debit) => boolean) =>
  [debits.filter(is), debits.filter((each) => !is(each))] as const

export function debitsCard(seen: MandatePageState, grievanceUrl: string | undefined): Html {
  const { past, first, texts } = seen
  const { payer } = texts
  const isPaid = first?.status === 'PAID' && first.amountPaise > 0 && past.every(({ cycle }) => cycle.orderId !== first.orderId)
  const rowOf = ({ cycle, refundedPaise }: Debit, words: Readonly<Partial<Record<string, string>>> = payer.status): [Part, Part] => {
    const { status, amountPaise, updatedAt, dueDate } = cycle
    const isTaken = status === 'COLLECTED'
    const amount = amountPaise !== null && `${formatRupees(amountPaise)} `
    const back = refundedPaise > 0 && `, ${payer.givenBack(formatRupees(refundedPaise))}`
    return [day(isTaken ? updatedAt : dueDate, seen), html`${amount}${words[status]}${back}`]
  }
  const today = dateInIndia(seen.now)
  const [tried, untried] = divided(past, ({ cycle }) => WAS_TRIED.includes(cycle.status))
  const [ahead, left] = divided(untried, ({ cycle }) => cycle.dueDate >= today)
  const rows = tried.map((each) => rowOf(each))
  if (isPaid) rows.push([day(first.updatedAt, seen), `${formatRupees(first.amountPaise)} ${payer.first}`])
  const list = rows.length === 0 ? html`<p class="quiet">${payer.noDebits}</p>` : rowsOf(rows)
  const listed = (heading: string, of: Rows) => of.length > 0 && html`<h3>${heading}</h3>${rowsOf(of)}`
  const leftOut = listed(
    payer.leftOut,
    left.map((each) => rowOf(each)),
  )
  const notToCome = listed(payer.leftOutAhead, ahead.map((each) => rowOf(each, payer.statusAhead)).toReversed())
  const isSafe = grievanceUrl !== undefined && /^https?:\/\//.test(grievanceUrl)
  return card(
    'debits',
    payer.debits,
    list,
    leftOut,
    notToCome,
    isSafe && html`<p><a href="${grievanceUrl}" rel="noopener">${payer.complain}</a></p>`,
  )
}
