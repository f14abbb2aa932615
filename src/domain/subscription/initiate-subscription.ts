// Initiate Subscription: docs/interface.md section 4.6. One decision makes the subscription and the order of its first payment.

import Type, { type Static } from 'typebox'
import { dateInIndia } from '../../engine/clock.ts'
import { operation, refuse, refuseWith } from '../../engine/decision.ts'
import { definedMembers } from '../../interface/defined-members.ts'
import type { Json } from '../../interface/envelope.ts'
import * as fields from '../../interface/fields.ts'
import { toPaise } from '../../interface/money.ts'
import type { Reason } from '../../interface/reason.ts'
import * as replied from '../../interface/replied.ts'
import { type FaultCodes, type Refusal, refusalsOf } from '../../interface/request.ts'
import { initiateSubscription as codes } from '../../interface/result-codes.ts'
import type { Signed, Wire } from '../../interface/wire.ts'
import { customerLinkKey, merchantKey, orderKey, ssoTokenKey, subscriptionKey } from '../../tables/keys.ts'
import type { PaymentModeFilters } from '../../tables/order.ts'
import type { Row } from '../../tables/tables.ts'
import { takesPayments } from '../merchant/merchant.ts'
import { ORDER_VALIDITY_MS, orderEvent } from '../order/order.ts'
import { unknownChannels } from '../order/payment-modes.ts'
import { linkChanges, payerOf, signInReads, valid } from '../signin/sso-token.ts'
import { cycleDays, FREQUENCY_UNITS, mayExpire, mayStart } from './collection/schedule.ts'
import {
  collectable,
  filtersOf,
  isOnlyBankMandate,
  needsBank,
  offeredModes,
  openModes,
  refusalOfRails,
  SHORT_MODES,
  type Terms,
} from './offered-modes.ts'
import { lastingTerms, type Subscription, subscriptionEvent } from './subscription.ts'

const FREQUENCY_MAX_DIGITS = 3 // docs/interface.md section 8 (Mohur)
const DAYS_MAX_DIGITS = 255 // docs/interface.md section 8 (Mohur), as for any string; the number itself is compared with the cycle
const RETRY_COUNT_MAX_DIGITS = 3 // docs/interface.md section 8 (Mohur)

const optional = Type.Optional
const enums = Type.Enum
const wholeNumber = (digits: number) => Type.String({ pattern: `^(0|[1-9][0-9]{0,${digits - 1}})$` })

const paymentMode = Type.Object({
  mode: optional(enums([...fields.SUBSCRIPTION_PAYMENT_MODES])),
  channels: fields.orderPaymentMode.properties.channels,
})
const head = Type.Object({
  clientId: optional(fields.name),
  version: optional(fields.version),
  requestTimeStamp: optional(fields.requestTimestamp),
  channelId: optional(enums(['WEB', 'WAP'])),
  signature: Type.Unknown(),
})
const svcSsoToken = { svcSsoToken: optional(Type.Unknown()) }
const body = Type.Object({
  requestType: enums(['NATIVE_SUBSCRIPTION']),
  mid: fields.mid,
  orderId: fields.orderId,
  websiteName: fields.name,
  txnAmount: fields.money,
  userInfo: Type.Object({ ...fields.userInfo.properties, ...svcSsoToken }),
  callbackUrl: optional(fields.callbackUrl),
  extendInfo: optional(fields.map),
  subscriptionAmountType: enums(['FIX', 'VARIABLE']),
  subscriptionMaxAmount: optional(fields.amount),
  renewalAmount: optional(fields.amount),
  autoRenewal: optional(Type.Boolean()),
  autoRetry: optional(Type.Boolean()),
  communicationManager: optional(Type.Boolean()),
  subscriptionFrequencyUnit: enums([...FREQUENCY_UNITS]),
  subscriptionStartDate: fields.date,
  subscriptionGraceDays: optional(wholeNumber(DAYS_MAX_DIGITS)),
  subscriptionExpiryDate: fields.date,
  subscriptionEnableRetry: enums(['0', '1']),
  subscriptionRetryCount: optional(wholeNumber(RETRY_COUNT_MAX_DIGITS)),
  appInvokeDevice: optional(enums(['3P', 'DEEPLINKQR'])),
  mandateType: optional(enums(['E_MANDATE', 'PAPER_MANDATE'])),
  mandateAccountDetails: optional(
    Type.Object({
      accountHolderName: optional(fields.string()),
      channelCode: optional(fields.string()),
      accountNumber: optional(fields.string()),
      ifsc: optional(fields.string()),
      accountType: optional(enums(['ISA', 'CA', 'OTHERS'])),
    }),
  ),
  enablePaymentMode: optional(fields.array(paymentMode)),
  disablePaymentMode: optional(fields.array(paymentMode)),
  subscriptionFrequency: optional(Type.String({ pattern: `^[1-9][0-9]{0,${FREQUENCY_MAX_DIGITS - 1}}$` })),
  subscriptionPaymentMode: optional(enums([...SHORT_MODES])),
  subscriptionPurpose: optional(fields.string()),
})
type Request = Static<typeof body>

/** Wrong values that have a code of their own. */
const codeOf: Readonly<Record<string, (typeof codes)['success']>> = {
  'txnAmount.value': codes.invalidTxnAmount,
  subscriptionPaymentMode: codes.invalidPaymentMode,
  subscriptionStartDate: codes.invalidStartDate,
  subscriptionFrequencyUnit: codes.invalidFrequencyUnit,
  subscriptionAmountType: codes.invalidAmountType,
  subscriptionMaxAmount: codes.invalidMaxAmount,
  appInvokeDevice: codes.invalidAppInvokeDevice,
}
const faults: FaultCodes<(typeof codes)['success']> = {
  missing: () => ({ result: codes.missingElement }),
  wrong({ path, name }) {
    if (/^(en|dis)ablePaymentMode\[\d+\]\.mode$/.test(path)) return { result: codes.invalidPaymentMode }
    return Object.hasOwn(codeOf, path) ? { result: codeOf[path]! } : { result: codes.missingElement, message: `Invalid ${name}` }
  },
}

type InitiateWire = Wire<typeof head, typeof body, (typeof codes)['success']>
export const wire: InitiateWire = {
  query: ['mid', 'orderId'],
  head,
  body,
  faults,
  unreadable: codes.missingElement,
  missingParam: () => ({ result: codes.missingElement }),
  midMismatch: codes.midMismatch,
  orderIdMismatch: codes.orderIdMismatch,
  systemError: codes.systemError,
  answersFirst: (asSent) => (holdsPipe(asSent) ? { result: codes.pipeCharacter } : undefined),
  check: (wellFormed, now) => [...wrongValues(wellFormed, dateInIndia(now)), ...refusalsOf(unknownChannels(wellFormed), faults)],
}
/** The payment host's clients name channels of no mode. Those channels fit nothing and are no fault: docs/interface.md section 2. */
const paymentHostMode = Type.Object({ ...paymentMode.properties, channels: fields.paymentHostMode.properties.channels })
export const paymentHostWire: InitiateWire = {
  ...wire,
  body: Type.Object({
    ...body.properties,
    userInfo: Type.Object({ ...fields.hostUserInfo.properties, ...svcSsoToken }),
    enablePaymentMode: optional(fields.array(paymentHostMode)),
    disablePaymentMode: optional(fields.array(paymentHostMode)),
  }),
  idsFromSignedBody: true,
  check: (wellFormed, now) => [...wrongValues(wellFormed, dateInIndia(now))],
}

export const reply = Type.Object({ txnToken: replied.text, subscriptionId: replied.id, authenticated: replied.yes })

const invalid = (name: string, cause: Reason) => ({ result: codes.missingElement, message: `Invalid ${name}`, parameter: name, cause })

/** Faults between members, or against today's date. A member with a fault of its own is absent from `r`. */
function* wrongValues(r: Partial<Request>, today: string): Generator<Refusal<(typeof codes)['success']>> {
  const { subscriptionStartDate: start, subscriptionExpiryDate: expiry, subscriptionFrequencyUnit: unit } = r
  if (start && expiry && !mayExpire(expiry, start)) yield invalid('subscriptionExpiryDate', 'expiryDay')
  const txnAmountPaise = r.txnAmount && toPaise(r.txnAmount.value)
  const renewalAmountPaise = r.renewalAmount === undefined ? txnAmountPaise : toPaise(r.renewalAmount)
  if (r.subscriptionAmountType === 'FIX' && renewalAmountPaise === 0)
    yield { result: codes.invalidTxnAmount, parameter: r.renewalAmount === undefined ? 'txnAmount.value' : 'renewalAmount', cause: 'zero' }
  if (start && !mayStart(start, today)) yield { result: codes.invalidStartDate, parameter: 'subscriptionStartDate' }
  if (r.subscriptionAmountType === 'VARIABLE') {
    const maxAmountPaise = r.subscriptionMaxAmount === undefined ? 0 : toPaise(r.subscriptionMaxAmount)
    if (maxAmountPaise === 0) yield { result: codes.invalidMaxAmount, parameter: 'subscriptionMaxAmount', cause: 'needed' }
    if (txnAmountPaise !== undefined && txnAmountPaise > maxAmountPaise)
      yield { result: codes.txnAmountOverMaxAmount, parameter: 'txnAmount.value' }
  }
  // No grace days: on demand, or when the request leaves only a bank mandate open.
  if (unit === undefined || unit === 'ONDEMAND' || isOnlyBankMandate(openModes(fields.SUBSCRIPTION_PAYMENT_MODES, r))) return
  const graceDays = r.subscriptionGraceDays
  if (graceDays === undefined) yield { result: codes.graceDaysMissing, parameter: 'subscriptionGraceDays' }
  const cycle = cycleDays(unit, Number(r.subscriptionFrequency ?? '1'))
  if (graceDays !== undefined && cycle !== undefined && Number(graceDays) > cycle)
    yield { result: codes.graceDaysTooLong, parameter: 'subscriptionGraceDays' }
}

/** True when a key or a value contains a pipe, which is the checksum's own separator. */
export function holdsPipe(value: Json): boolean {
  if (typeof value === 'string') return value.includes('|')
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(holdsPipe)
  return Object.entries(value).some(([key, member]) => key.includes('|') || holdsPipe(member))
}

/** The caller draws `fresh`, so that `decide` returns the same result each time it runs. */
export interface InitiateSubscription {
  request: Request
  caller: Signed
  /** The hash of `userInfo.svcSsoToken`, if it was sent. */
  ssoTokenHash: string | undefined
  searchTerms: string
  /** The modes whose mandates the acquirer collects. Undefined while those modes are not known. */
  collected: readonly string[] | undefined
  now: number
  fresh: { subscriptionId: string; txnToken: string; txnTokenHash: string }
}

export const initiateSubscription = operation({
  name: 'initiateSubscription',
  codes,
  reads: ({ request: { mid, orderId, userInfo }, ssoTokenHash, fresh }: InitiateSubscription) => ({
    merchant: merchantKey(mid),
    order: orderKey(mid, orderId),
    taken: subscriptionKey(mid, fresh.subscriptionId),
    ssoToken: ssoTokenHash === undefined ? undefined : ssoTokenKey(ssoTokenHash),
    link: ssoTokenHash === undefined ? undefined : customerLinkKey(mid, userInfo.custId),
  }),
  readsNext: (_command, { ssoToken }) => signInReads(ssoToken),
  decide({ request: r, caller, ssoTokenHash, searchTerms, collected, now, fresh }, { merchant, order, ssoToken, link, customer, family }) {
    if (!takesPayments(merchant)) return refuse(codes.invalidChecksum, undefined, undefined, merchant ? 'disabledMid' : 'unknownMid')
    if (caller.signature !== 'valid') return refuse(codes.invalidChecksum)
    const user = valid(ssoToken, { customer, family }, now)
    if (ssoTokenHash !== undefined && !user) return refuse(codes.invalidSsoToken, undefined, 'userInfo.svcSsoToken')
    if (!Object.hasOwn(merchant.websites, r.websiteName)) return refuseWith(invalid('websiteName', 'unknownWebsite'))
    // Throws instead of refusing, so that no Idempotency-Key keeps the answer.
    if (!collected && needsBank(openModes(merchant.paymentModes, r))) throw new Error('what the acquirer collects is not known')
    const open = openModes(collectable(merchant.paymentModes, collected ?? []), r)
    if (open.length === 0) return refuse(codes.paymentModeNotEnabled)
    const today = dateInIndia(now)
    const terms = requestedTerms(r, open)
    const bound = refusalOfRails(open, terms, today)
    if (bound) return refuseWith(bound)
    const offered = offeredModes(open, terms, today)
    const isWalletOnly = offered.length === 1 && offered[0] === 'BALANCE'
    if (user && isWalletOnly && (customer?.walletBalancePaise ?? 0) < terms.txnAmountPaise) return refuse(codes.addAndPayNotAllowed)
    if (order) return refuse(codes.duplicateOrderId)

    const subscription = subscriptionRow(r, terms, offered, fresh.subscriptionId, now)
    const unoffered = merchant.paymentModes.filter((mode) => !offered.some((each) => each === mode))
    const website = merchant.websites[r.websiteName]!
    const callbackUrl = r.callbackUrl ?? (isOnlyBankMandate(offered) ? website.mandateUrl : undefined) ?? website.callbackUrl ?? null
    const decided = { callbackUrl, searchTerms, paymentModes: without(filtersOf(r), unoffered), payer: user ? payerOf(user) : null }
    const firstOrder = orderRow(r, subscription, decided, fresh.txnTokenHash, now)
    return {
      reply: {
        result: codes.success,
        body: { txnToken: fresh.txnToken, subscriptionId: fresh.subscriptionId, authenticated: user !== undefined },
      },
      changes: [
        { kind: 'insert', key: subscriptionKey(r.mid, fresh.subscriptionId), row: subscription },
        { kind: 'insert', key: orderKey(r.mid, r.orderId), row: firstOrder },
        ...(user ? linkChanges(r.mid, r.userInfo.custId, user, link, now) : []),
      ],
      events: [
        subscriptionEvent('subscription.created', undefined, subscription, now, lastingTerms(subscription)),
        orderEvent('order.created', undefined, firstOrder, now),
      ],
      tasks: [],
    }
  },
})

function requestedTerms(r: Request, open: readonly string[]): Terms {
  const txnAmountPaise = toPaise(r.txnAmount.value)
  const renewalAmountPaise =
    r.subscriptionAmountType === 'VARIABLE' ? undefined : r.renewalAmount === undefined ? txnAmountPaise : toPaise(r.renewalAmount)
  const hasGrace = r.subscriptionFrequencyUnit !== 'ONDEMAND' && !isOnlyBankMandate(open)
  return {
    txnAmountPaise,
    renewalAmountPaise,
    maxAmountPaise: renewalAmountPaise ?? toPaise(r.subscriptionMaxAmount!),
    graceDays: hasGrace ? Number(r.subscriptionGraceDays ?? '0') : 0,
    mandateType: r.mandateType,
  }
}

function subscriptionRow(r: Request, terms: Terms, offered: readonly string[], subscriptionId: string, now: number): Subscription {
  const schedule = {
    frequencyUnit: r.subscriptionFrequencyUnit,
    frequency: Number(r.subscriptionFrequency ?? '1'),
    startDate: r.subscriptionStartDate,
    expiryDate: r.subscriptionExpiryDate,
  }
  const { mobile, email } = r.userInfo
  const account = r.mandateAccountDetails
  return {
    mid: r.mid,
    subscriptionId,
    version: 1,
    status: 'INIT',
    subStatus: 'INIT',
    orderId: r.orderId,
    custId: r.userInfo.custId,
    amountType: r.subscriptionAmountType,
    txnAmountPaise: terms.txnAmountPaise,
    renewalAmountPaise: terms.renewalAmountPaise ?? null,
    maxAmountPaise: terms.maxAmountPaise,
    ...schedule,
    graceDays: terms.graceDays,
    enableRetry: r.subscriptionEnableRetry === '1',
    retryCount: Number(r.subscriptionRetryCount ?? '0'),
    autoRenewal: r.autoRenewal ?? false,
    autoRetry: r.autoRetry ?? false,
    communicationManager: r.communicationManager ?? false,
    appInvokeDevice: r.appInvokeDevice ?? '3P',
    mandateType: r.mandateType ?? null,
    paymentModes: offered,
    details: {
      ...definedMembers({ mobile, email, purpose: r.subscriptionPurpose }),
      ...(account && { mandateAccountDetails: accountOf(account) }),
    },
    createdAt: now,
    updatedAt: now,
    paymentMode: null,
    consentedAt: null,
    mandate: null,
    wakesAt: null,
    edit: null,
  }
}

/** The order of the first payment, as Create Order would make it. But its amount may be zero. */
function orderRow(
  r: Request,
  { subscriptionId, txnAmountPaise }: Subscription,
  decided: Pick<Row<'orders'>, 'callbackUrl' | 'searchTerms' | 'paymentModes' | 'payer'>,
  txnTokenHash: string,
  now: number,
): Row<'orders'> {
  return {
    mid: r.mid,
    orderId: r.orderId,
    version: 1,
    status: 'CREATED',
    requestType: r.requestType,
    subscriptionId,
    amountPaise: txnAmountPaise,
    modifyCount: 0,
    unsignedModifyCount: 0,
    consentOrderId: null,
    custId: r.userInfo.custId,
    websiteName: r.websiteName,
    ...decided,
    peonUrl: null,
    txnTokenHash,
    txnTokenIssuedAt: now,
    expiresAt: now + ORDER_VALIDITY_MS,
    details: { userInfo: userInfoOf(r), ...(r.extendInfo && { extendInfo: r.extendInfo }) },
    transactionCount: 0,
    leftCount: 0,
    txnId: null,
    updatedAt: now,
  }
}

/** Named one by one, so that a request sets no other member. The SSO token is a credential and is not kept. */
function userInfoOf({ userInfo: { custId, mobile, email, firstName, lastName } }: Request) {
  return definedMembers({ custId, mobile, email, firstName, lastName })
}
function accountOf(given: NonNullable<Request['mandateAccountDetails']>) {
  const { accountHolderName, channelCode, accountNumber, ifsc, accountType } = given
  return definedMembers({ accountHolderName, channelCode, accountNumber, ifsc, accountType })
}

/** Modes that the rails forbid are not offered at payment either. */
const without = (filters: PaymentModeFilters, modes: readonly string[]): PaymentModeFilters =>
  modes.length === 0 ? filters : { ...filters, disable: [...(filters.disable ?? []), ...modes.map((mode) => ({ mode }))] }
