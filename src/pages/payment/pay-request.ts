// Turns a form of the page into a request of Process Transaction (docs/interface.md section 4.10). Turns a refusal into a message beside
// its field. The card is cut before any other code reads the rest.

import { cutCard } from '../../api/card/card-input.ts'
import { knownCard } from '../../domain/transaction/instrument.ts'
import {
  type OtherThanShown,
  otherThanShown,
  type ProcessTransaction,
  wire as payWire,
} from '../../domain/transaction/process-transaction.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Attempt } from '../../flows/pay.ts'
import type { JsonObject } from '../../interface/envelope.ts'
import { isOfCards, type PaymentModeName, paymentModes } from '../../interface/payment-modes.ts'
import { type Refusal, reader } from '../../interface/request.ts'
import { VPA_FORM } from '../../reference/reference.ts'
import { formatRupees } from '../kit/amounts.ts'
import type { FieldFault } from '../kit/fields.ts'
import type { Form } from '../kit/forms.ts'
import type { PageParts } from '../kit/page-parts.ts'
import { type SavedCard, savedCardIn } from './found/options.ts'
import type { PageState } from './found/page-state.ts'

export interface PayRequest {
  request: ProcessTransaction['request']
  card: Attempt['card']
  attempt: number
  amountPaise: number
  /** The wallet's part of the amount, if the payer wants one. */
  walletPaise: number
  cashback: { promocode: string; paise: number } | undefined
  userId: string | undefined
}

const readBody = reader(payWire.body)

/** The fields that the form may show again: never a card's number, its CVV, a code or an account's number. */
const WRITTEN_BACK = ['expiry', 'upiId', 'bank', 'plan', 'emiBank', 'savedCard', 'share', 'holder', 'ifsc', 'kind', 'how', 'mobile']
export const typedIn = (form: Form): Record<string, string> =>
  Object.fromEntries(WRITTEN_BACK.flatMap((name) => (form[name] === undefined ? [] : [[name, form[name]]])))

const PANELS = ['saved', ...Object.values(paymentModes).map(({ panel }) => panel)]
export const panelIn = (form: Form): string => PANELS.find((panel) => panel === form['panel']) ?? 'upi'

export async function wantedIn(form: Form, seen: PageState, { ports }: PageParts): Promise<PayRequest | FieldFault> {
  const { texts, order } = seen
  const fault = (message: string, field?: string): FieldFault => ({ panel: panelIn(form), message, ...(field !== undefined && { field }) })
  const [attempt, amountPaise] = [whole(form['attempt']), whole(form['amount'])]
  if (attempt === undefined || amountPaise === undefined) return fault(texts.fault.other)
  const walletPaise = form['share'] === '1' ? Math.min(whole(form['wallet']) ?? 0, amountPaise) : 0
  const isOfPayer = form['mode'] === 'BALANCE' || form['share'] === '1' || form['savedCard'] !== undefined
  if (isOfPayer && seen.payer !== order.payer) return fault(texts.fault.wallet)
  const [slip, ...also] = slipsInAccount(form, ports.reference)
  if (slip) return { ...fault(texts.fault[slip], slip), also: also.map((field) => ({ field, message: texts.fault[field] })) }
  const cut = cardOf(form, ports.clock.now())
  const saved = form['savedCard'] === undefined ? undefined : await savedCardIn(form, seen, ports)
  const given: JsonObject = {
    mid: order.mid,
    orderId: order.orderId,
    requestType: 'NATIVE',
    ...membersOf(form),
    ...(cut && { cardInfo: cut.cardInfo, authMode: 'otp', paymentMode: cardMode(form, saved, cut.card.instrument.bin, ports.reference) }),
  }
  const read = readBody(given)
  const refusal: Refusal | undefined = read.faults
    ? { result: payWire.systemError, parameter: read.faults[0]!.path }
    : payWire.check!(read.value, ports.clock.now(), given)[0]
  if (refusal) return faultOf(refusal, form, seen, cut?.cardInfo)
  const isNamed = form['payer'] === seen.payerMark
  const userId = form['payer'] === undefined ? undefined : isNamed ? seen.payer?.userId : ''
  return { request: read.value!, card: cut?.card, attempt, amountPaise, walletPaise, cashback: cashbackIn(form), userId }
}

const whole = (text: string | undefined) => (text !== undefined && /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined)

/** The cashback that the form promises: its amount and its offer. */
function cashbackIn({ cashback = '' }: Form): PayRequest['cashback'] {
  const [, paise, promocode] = /^([0-9]{1,15}) (.+)$/.exec(cashback) ?? []
  return promocode === undefined ? undefined : { promocode, paise: Number(paise) }
}

/** The members of each way to pay. A field that a panel does not have is ignored. */
function membersOf(form: Form): JsonObject {
  const { mode = '', upiId = '', bank = '', plan = '' } = form
  const share = form['share'] === '1' ? { paymentFlow: 'HYBRID' } : {}
  const name = mode as PaymentModeName // or a text that is no mode: `readBody` refuses it
  switch (name) {
    case 'UPI':
      return form['by'] === 'upiId'
        ? { paymentMode: 'UPI', payerAccount: upiId.trim(), ...share }
        : { paymentMode: 'UPI', channelCode: 'UPIPUSH', ...share }
    case 'NET_BANKING':
      return { paymentMode: 'NET_BANKING', channelCode: bank, ...share }
    case 'EMI':
      return { planId: plan }
    case 'CREDIT_CARD':
    case 'DEBIT_CARD':
      return { ...share, ...(form['keep'] === '1' && { storeInstrument: '1' }) }
    case 'BANK_MANDATE':
      return { paymentMode: 'BANK_MANDATE', channelCode: bank, mandateAuthMode: form['how'] ?? '', ...accountOf(form) }
    case 'BALANCE':
      return { paymentMode: 'BALANCE' }
    case 'PPBL':
    case 'SVC_DIGITAL_CREDIT':
      return { paymentMode: name, ...share }
    default:
      return { paymentMode: name satisfies never }
  }
}

function accountOf({ holder, account, ifsc, kind }: Form): JsonObject {
  if (account === undefined) return {}
  return {
    USER_NAME: (holder ?? '').trim(),
    account_number: account.replaceAll(' ', ''),
    bankIfsc: ifscIn(ifsc),
    ACCOUNT_TYPE: kind ?? '',
  }
}
const ifscIn = (typed = '') => typed.replaceAll(' ', '').toUpperCase()

const ACCOUNT_FORM = /^[0-9]{6,20}$/ // Mohur's choice: the field says so
const IFSC_FORM = /^[A-Z]{4}0[A-Z0-9]{6}$/ // the Reserve Bank's form

type Slip = 'holder' | 'account' | 'ifsc' | 'ifscSure'

/**
 * All fields of an account that cannot be right. The bank would find these faults days later, after the payer has agreed. After a merger of
 * banks, an IFSC of another bank may be right. So that IFSC is accepted once the payer confirms it.
 */
function slipsInAccount(
  { mode, holder = '', account, ifsc, bank = '', ifscSure }: Form,
  reference: PageParts['ports']['reference'],
): Slip[] {
  if (mode !== 'BANK_MANDATE' || account === undefined) return []
  const [branch, letters] = [ifscIn(ifsc), reference.bank(bank)?.ifsc]
  const isBranch = IFSC_FORM.test(branch)
  const isOther = isBranch && letters !== undefined && !branch.startsWith(letters)
  const slips: readonly (readonly [Slip, boolean])[] = [
    ['holder', holder.trim() === ''],
    ['account', !ACCOUNT_FORM.test(account.replaceAll(' ', ''))],
    ['ifsc', !isBranch],
    ['ifscSure', isOther && ifscSure !== branch],
  ]
  return slips.flatMap(([field, isWrong]) => (isWrong ? [field] : []))
}

/** `\s?`, never `\s*`: two of those side by side would try every way to divide thousands of spaces between them. */
const EXPIRY_FORM = /^(\d{1,2})\s?[/\-.]?\s?(\d{2}|\d{4})$/

/** The form's fields in the order of `cardInfo`, with the full year. */
function cardOf(form: Form, now: number) {
  const { mode, cardNumber, expiry = '', cvv = '', savedCard } = form
  if (!isOfCards(mode ?? '')) return undefined
  if (savedCard !== undefined) return cutCard([plain(savedCard), '', plain(cvv), ''].join('|'), now)
  const [, month = '', year = ''] = EXPIRY_FORM.exec(expiry.trim()) ?? []
  const until = `${month.padStart(2, '0')}${year.length === 2 ? `20${year}` : year}`
  return cutCard(['', plain(cardNumber ?? '').replaceAll('-', ''), plain(cvv), until].join('|'), now)
}
const plain = (text: string) => text.replaceAll('|', '').trim()

/** A saved card, or the number of a new one, decides the kind of card. When the lists do not know the number, the form's mode counts. */
function cardMode(form: Form, saved: SavedCard | undefined, bin: string | undefined, reference: PageParts['ports']['reference']): string {
  if (form['mode'] === 'EMI') return 'EMI'
  if (saved) return saved.paymentMode
  return (bin !== undefined && knownCard(bin, reference)?.paymentMode) || form['mode'] || 'CREDIT_CARD'
}

/** Why no payment has begun, beside the field at fault. */
export function faultOf(
  { result, parameter, cause, body }: Pick<Reply, 'result' | 'parameter' | 'cause' | 'body'>,
  form: Form,
  seen: PageState,
  cardInfo?: JsonObject,
): FieldFault {
  const { fault } = seen.texts
  const panel = panelIn(form)
  const at = (field: string | undefined, message: string): FieldFault => ({ panel, message, ...(field !== undefined && { field }) })
  if (result === otherThanShown) {
    const { paise, wasPaise, isPaise, isCashbackGone, isOtherPayer, isSignInOver } = body as OtherThanShown
    if (isSignInOver) return { ...at(undefined, fault.signInOver), paise }
    if (isOtherPayer) return { ...at(undefined, fault.otherPayer), paise, isOtherPayer }
    if (isCashbackGone) return { ...at(undefined, fault.cashback), paise, isCashbackGone }
    return { ...at(undefined, fault.amount(formatRupees(wasPaise), formatRupees(isPaise))), paise }
  }
  if (result.name === 'amountOverLimit') return at(undefined, fault.overLimit)
  switch (parameter?.split(/[.[]/)[0]) {
    case 'cardInfo':
      if (form['savedCard'] !== undefined)
        return cardInfo?.['cvv'] === 'invalid' ? at('cvv', fault.cvv) : at('savedCard', fault.cardUnknown)
      if (cardInfo?.['number'] === 'invalid' || cardInfo?.['form'] === 'broken') return at('cardNumber', fault.cardNumber)
      if (cardInfo?.['expiry'] === 'past') return at('expiry', fault.expiryPast)
      if (cardInfo?.['expiry'] === 'invalid') return at('expiry', fault.expiry)
      if (cardInfo?.['cvv'] === 'invalid') return at('cvv', fault.cvv)
      return at('cardNumber', fault.cardUnknown)
    case 'payerAccount': {
      const [, handle] = VPA_FORM.exec(form['upiId']?.trim() ?? '') ?? []
      return at('upiId', handle === undefined ? fault.upiId : fault.upiHandle(handle))
    }
    case 'channelCode':
      return at(panel === 'upi' ? undefined : 'bank', panel === 'upi' ? fault.mode : fault.bank)
    case 'planId':
      return at('plan', fault.plan)
    case 'account_number':
      return at('account', fault.account)
    case 'bankIfsc':
      return at('ifsc', fault.ifsc)
    case 'USER_NAME':
      return at('holder', fault.holder)
    case 'userInfo':
      return at(undefined, fault.mobileNeeded)
    case 'promoCode':
      return at(undefined, fault.offer)
    case 'paymentFlow':
      return at(undefined, cause === 'noPayer' ? fault.wallet : fault.share)
    case 'paymentMode':
      return at(undefined, form['mode'] === 'BALANCE' ? fault.wallet : fault.mode)
    default:
      return at(undefined, result.name === 'cardNotSupported' ? fault.cardUnknown : fault.other)
  }
}
