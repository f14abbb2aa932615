// What the payer does on the page. Every button is a form, and every answer sends the browser back to the page in its current state. A
// wrong value is answered in place, with HTTP 422.

import type { FastifyReply } from 'fastify'
import { sendCode } from '../../api/order/send-checkout-otp.ts'
import { countingGuess, validateCode } from '../../api/order/validate-checkout-otp.ts'
import { type ChangePage, changePage } from '../../domain/payment-page/change-page.ts'
import { leavePage } from '../../domain/payment-page/leave-page.ts'
import { removeCard } from '../../domain/payment-page/remove-card.ts'
import { knownCard } from '../../domain/transaction/instrument.ts'
import { authorizeKey, payeeOf } from '../../domain/transaction/transaction.ts'
import { cancelAttempt } from '../../flows/cancel-payment.ts'
import { firstDigitsOf, inquireStatusNow, type Paid, pay, submitOtp } from '../../flows/pay.ts'
import type { RateLimit } from '../../http/rate-limit.ts'
import { formatRupees } from '../kit/amounts.ts'
import { leadTo } from '../kit/document.ts'
import type { FieldFault } from '../kit/fields.ts'
import { chosenLanguage, type Form } from '../kit/forms.ts'
import type { PageParts } from '../kit/page-parts.ts'
import { type FoundPage, foundFor } from './found/found.ts'
import { codeSentTo, savedCardIn } from './found/options.ts'
import { type PageState, pageStateOf, returnAddressOf } from './found/page-state.ts'
import { faultOf, type PayRequest, panelIn, typedIn, wantedIn } from './pay-request.ts'
import { renderPage, sendFound } from './render.ts'
import { type PageAsked, pageMessageIn } from './view/asked.ts'
import { type ActionName, type PageAction, pageActionsOf } from './view/page-actions.ts'
import { priceOf } from './view/price.ts'

export interface Press {
  parts: PageParts
  seen: PageState
  form: Form
  action: PageAction
  reply: FastifyReply
  /** The network that the browser comes from. */
  network: string
  /** Limits for one attempt: calls to its acquirer, and new codes from its bank. */
  asks: RateLimit
  codes: RateLimit
}
type Handler = (act: Press) => Promise<unknown>

/** Redirects to the page. `message` in the query names a sentence that the page shows once. */
export const toPage = (reply: FastifyReply, { address }: Pick<PageState, 'address'>, query = '') => leadTo(reply, `${address}${query}`)

/** The page's rows after a decision, which may have changed much. */
const reread = ({ parts, seen }: Pick<Press, 'parts' | 'seen'>) => pageStateOf(parts.ports, seen.pageId, seen.browser)

/**
 * Answers in place. `now` has the current rows: those that the request has read, when it has changed none. A function makes what the page
 * shows from the rows and the offer for `means`.
 */
async function inPlace(
  { parts, seen, reply, form }: Press,
  asked: PageAsked | ((found: FoundPage) => PageAsked),
  { now = seen, means }: { now?: PageState; means?: Form | undefined } = {},
) {
  if (now.stage !== seen.stage) return toPage(reply, seen)
  const found = await foundFor(parts, now, { choices: true, form: means })
  return sendFound(reply.code(422), parts, found, { ...(typeof asked === 'function' ? asked(found) : asked), typed: typedIn(form) })
}

/** Refusals because something changed meanwhile. The page shows that change. */
const MEANWHILE: ReadonlySet<string> = new Set(['orderPaid', 'orderClosed', 'attemptsExceeded', 'duplicateRequest', 'invalidToken'])

async function payHere(act: Press) {
  const { parts, seen, form, reply } = act
  const wanted = await wantedIn(form, seen, parts)
  if ('message' in wanted) return inPlace(act, { fault: wanted })
  const { request, card, ...shown } = wanted
  const returnUrl = `${parts.ports.publicUrl()}${returnAddressOf(parts.ports, seen.address)}`
  const by = { shown: { until: seen.page.until, ...shown } }
  const tried = await pay(parts.ports, { request, by, card, returnUrl, userAgent: seen.browser.agent })
  if ('paid' in tried || MEANWHILE.has(tried.refusal.result.name)) return toPage(reply, seen)
  const means = request.planId === undefined ? undefined : { ...form, digits: firstDigitsOf(card) ?? '' }
  const faulted = (found: FoundPage) => ({
    fault: otherTerms(act, wanted, found) ?? wrongCard(act, wanted) ?? faultOf(tried.refusal, form, seen),
  })
  return inPlace(act, faulted, { means, now: tried.isDecided ? await reread(act) : seen })
}

/**
 * The fault of a card whose own offer leaves less than its plan's minimum. The page then shows the price with this card, and the plans for
 * that price.
 */
function otherTerms(
  { parts, seen, form }: Press,
  { request: { planId }, amountPaise }: PayRequest,
  found: FoundPage,
): FieldFault | undefined {
  const { reference } = parts.ports
  const plan = planId === undefined ? undefined : reference.emiPlan(planId)
  const price = plan && priceOf(form, found)
  if (!price || price.paise === amountPaise || price.paise >= plan.minAmountPaise) return undefined
  return {
    panel: 'emi',
    message: seen.texts.fault.amount(formatRupees(amountPaise), formatRupees(price.paise)),
    paise: price.paise,
  }
}

/** The fault of a card that is not of the plan's bank, or has no EMI. The plan is right, and the card is wrong. */
function wrongCard({ parts, seen }: Press, { request: { planId }, card }: PayRequest): FieldFault | undefined {
  const { reference } = parts.ports
  const [plan, digits] = [planId === undefined ? undefined : reference.emiPlan(planId), firstDigitsOf(card)]
  if (!plan || digits === undefined) return undefined
  const known = knownCard(digits, reference)
  if (known?.emi && known.bank === plan.bank) return undefined
  const bank = reference.bank(plan.bank)?.name ?? plan.bank
  return { panel: 'emi', field: 'cardNumber', message: seen.texts.fault.emiCard(bank) }
}

export const underWay = ({ order, latest, merchant }: PageState): Paid | undefined =>
  latest && order.status === 'IN_PROCESS' ? { order, transaction: latest, payee: payeeOf(merchant) } : undefined

/** The attempt that the payer's form was drawn for. A tab that shows an older attempt does nothing to a newer one. */
const shownIn = ({ form, seen, action }: Press): Paid | undefined =>
  form['attempt'] === String(action.attempt) ? underWay(seen) : undefined

/** A payer who presses too often gets a message, and the acquirer gets no call. */
const tooOften = ({ seen, reply }: Press) => toPage(reply, seen, '?message=often')

async function otp(act: Press) {
  const { parts, seen, form, reply, asks, codes } = act
  const paid = shownIn(act)
  if (!paid) return toPage(reply, seen)
  const key = authorizeKey(paid.transaction)
  if (form['resend'] !== undefined) {
    if (!codes.admits(key)) return tooOften(act)
    await submitOtp(parts.ports, paid, { type: 'resend' })
    return toPage(reply, seen, '?message=resent')
  }
  const typed = (form['otp'] ?? '').replaceAll(' ', '')
  const wrong: FieldFault = { panel: 'otp', field: 'otp', message: seen.texts.fault.code }
  if (!/^[0-9]{4,8}$/.test(typed)) return inPlace(act, { fault: wrong })
  if (!asks.admits(key)) return tooOften(act)
  const submitted = await submitOtp(parts.ports, paid, { type: 'submit', otp: typed })
  return 'wrongOtp' in submitted ? inPlace(act, { fault: wrong }, { now: await reread(act) }) : toPage(reply, seen)
}

/**
 * Cancels the attempt, for a payer who wants another way to pay. Only an attempt that the bank has cancelled frees the order. A refusal is
 * kept with the attempt. If the answer is lost, the service asks the bank for it at once.
 */
async function cancel(act: Press) {
  const { parts, seen, reply, asks } = act
  const paid = shownIn(act)
  if (!paid) return toPage(reply, seen)
  if (!asks.admits(authorizeKey(paid.transaction))) return tooOften(act)
  const { mid, orderId, attempt } = paid.transaction
  const became = await cancelAttempt(parts.ports, { mid, orderId, attempt })
  return toPage(reply, seen, became === 'unknown' ? '?message=lost' : '')
}

async function check(act: Press) {
  const { parts, seen, reply, asks } = act
  const paid = shownIn(act)
  if (!paid) return toPage(reply, seen)
  if (!asks.admits(authorizeKey(paid.transaction))) return tooOften(act)
  await inquireStatusNow(parts.ports, paid)
  return toPage(reply, seen, '?message=checked')
}

const byPage = ({ order, page }: PageState) => ({
  mid: order.mid,
  orderId: order.orderId,
  token: { text: '', hash: order.txnTokenHash },
  until: page.until,
})

async function signIn(act: Press) {
  const { parts, seen, form } = act
  if (!parts.signIn.canSend) return inPlace(act, inWallet('mobile', seen.texts.fault.signInLater)) // then no payment page shows this form
  // "Send a new code" names no number. The code goes to the number that got the last code.
  const mobileNo = (form['mobile'] ?? codeSentTo(seen) ?? '')
    .replace(/^\s*(\+?91|0)(?=[\s-]*[6-9]([\s-]*\d){9}\s*$)|[\s-]/g, '')
    .replace(/[\s-]/g, '')
  if (!/^[6-9][0-9]{9}$/.test(mobileNo)) return inPlace(act, inWallet('mobile', seen.texts.fault.mobile))
  const { result } = await sendCode(parts.ports, parts.signIn, { ...byPage(seen), mobileNo })
  if (result.name === 'success') await submitChange(act, { mobile: mobileNo })
  return signedIn(act, result.name, 'mobile')
}

async function signInCode(act: Press) {
  const { parts, seen, form, network } = act
  const otp = (form['code'] ?? '').replaceAll(' ', '')
  const { result } = await countingGuess(parts.signIn, network, () =>
    validateCode(parts.ports, { ...byPage(seen), otp, pageHash: seen.page.pageHash }),
  )
  return signedIn(act, result.name, 'code')
}

const inWallet = (field: 'mobile' | 'code', message: string): PageAsked => ({ fault: { panel: 'wallet', field, message } })

/** Messages beside the field. Any other refusal means that the order is paid, closed or being paid by now. */
const REFUSED: Readonly<Record<string, 'code' | 'codeExpired' | 'codeSends' | 'codeTries' | 'signInLater'>> = {
  sendLimitReached: 'codeSends',
  wrongOtp: 'code',
  otpExpired: 'codeExpired',
  alreadyUsed: 'codeExpired',
  attemptsExceeded: 'codeTries',
  temporarilyBlocked: 'signInLater',
  systemError: 'signInLater',
}

async function signedIn(act: Press, result: string, field: 'mobile' | 'code') {
  const { seen, reply } = act
  const fault = REFUSED[result]
  if (fault !== undefined) return inPlace(act, inWallet(field, seen.texts.fault[fault]), { now: await reread(act) })
  return toPage(reply, seen, result === 'success' ? '?open=wallet' : '')
}

const change =
  (changeOf: (form: Form) => Parameters<typeof submitChange>[1]): Handler =>
  async ({ parts, seen, form, reply }) => {
    await submitChange({ parts, seen }, changeOf(form))
    const message = pageMessageIn(form['message'])
    return toPage(reply, seen, message && `?message=${message}`)
  }
const submitChange = ({ parts: { ports }, seen }: Pick<Press, 'parts' | 'seen'>, change: ChangePage['change']) =>
  ports.engine.submit(changePage, { pageHash: seen.page.pageHash, change, now: ports.clock.now() })

/** The script posts the typed fields, and the answer comes in place. Without script the browser is sent back to the page. */
const language: Handler = async (act) => {
  const { parts, seen, form, reply } = act
  if (form['panel'] === undefined || seen.stage !== 'choices') return changedLanguage(act)
  await submitChange(act, chosenLanguage(form))
  const now = await reread(act)
  const panel = panelIn(form)
  const typed = { ...typedIn(form), ...(form['expiry'] !== undefined && { again: panel }) }
  return renderPage(reply, parts, now, { typed, open: panel })
}
const changedLanguage = change(chosenLanguage)

/** Asks first. Removes only a card that this page shows its payer. */
async function removeSaved(act: Press) {
  const { parts, seen, form, reply } = act
  const card = await savedCardIn(form, seen, parts.ports)
  if (!card) return toPage(reply, seen, '?open=saved')
  if (form['sure'] !== '1') return renderPage(reply, parts, seen, { removes: card })
  const { engine, clock } = parts.ports
  const { result } = await engine.submit(removeCard, { pageHash: seen.page.pageHash, savedCardId: card.id, now: clock.now() })
  return toPage(reply, seen, result.name === 'removed' ? '?open=saved&message=removed' : '?open=saved')
}

async function leave({ parts: { ports }, seen, reply }: Press) {
  await ports.engine.submit(leavePage, { pageHash: seen.page.pageHash, now: ports.clock.now() })
  return toPage(reply, seen)
}

/** Runs the button's action when the page has that button now. Otherwise sends the browser back to the page. */
export async function press(name: ActionName, on: Omit<Press, 'action'>) {
  const action = pageActionsOf(on.seen)[name]
  return action ? actions[name]({ ...on, action }) : toPage(on.reply, on.seen)
}

export const actions: Readonly<Record<ActionName, Handler>> = {
  pay: payHere,
  otp,
  cancel,
  check,
  'sign-in': signIn,
  'sign-in/otp': signInCode,
  'remove-card': removeSaved,
  'more-time': change(() => ({ extends: true })),
  leave,
  language,
}
