// One mandate by the clock: the service's operations, collection sweep and books. Its store and its bank end with the simulation. `mohur
// mandate simulate` shows a mandate's course. Tests let thousands run for years.

import type { PayerAction } from '../adapters/acquirer/sandbox/sandbox-mandates.ts'
import type { Message, MessageDelivery } from '../adapters/messenger/messenger.ts'
import { cancelSubscription } from '../domain/subscription/cancel-subscription.ts'
import { cycleKeys } from '../domain/subscription/collection/find-cycle.ts'
import { renewSubscription } from '../domain/subscription/collection/renew-subscription.ts'
import { mandateTermsOf } from '../domain/subscription/consent-result.ts'
import { editSubscription } from '../domain/subscription/edit-subscription.ts'
import { endOrPauseSubscription } from '../domain/subscription/end-or-pause.ts'
import { type InitiateSubscription, initiateSubscription } from '../domain/subscription/initiate-subscription.ts'
import { PAUSE_TASK } from '../domain/subscription/mandate/pause-at-bank.ts'
import { modifySubscriptionStatus } from '../domain/subscription/modify-subscription-status.ts'
import { preNotify } from '../domain/subscription/pre-notification/pre-notify.ts'
import type { AcquirerAnswer } from '../domain/transaction/acquirer-answer.ts'
import { mandateKey } from '../domain/transaction/acquirer-keys.ts'
import { applyTransactionResult } from '../domain/transaction/apply-transaction-result.ts'
import { beginTransaction, type Plan } from '../domain/transaction/begin-transaction.ts'
import { type Clock, dateInIndia } from '../engine/clock.ts'
import { type Change, operation, type Reply } from '../engine/decision.ts'
import { Engine } from '../engine/engine.ts'
import { MemoryStore } from '../engine/memory-store.ts'
import type { Random } from '../engine/random.ts'
import { type Store, transact } from '../engine/store.ts'
import { TaskRunner } from '../engine/tasks.ts'
import { acquirerEventHandler } from '../flows/acquirer-event.ts'
import { collectionSweep, subscriptionSweep } from '../flows/collection-due.ts'
import { amendDue, pauseDue, revokeDue } from '../flows/mandate-due.ts'
import { refundDue } from '../flows/refund-due.ts'
import { registered } from '../flows/register-bank-mandate.ts'
import { transactionDue } from '../flows/transaction-due.ts'
import { toRupees } from '../interface/money.ts'
import { ownCodes } from '../interface/result-code.ts'
import type { Reference } from '../reference/reference.ts'
import { merchantKey, newCustomerKey, orderKey, subscriptionKey } from '../tables/keys.ts'
import type { Payer } from '../tables/signin.ts'
import { find, look, type Row } from '../tables/tables.ts'
import { type Approval, COLLECTED_MODES, SimulatedBank, type SimulatedOutcome, type TakenCall } from './simulated-bank.ts'

const codes = ownCodes('simulatedConsent', 'attempted')
const VALID = { signature: 'valid' } as const
const ID_DIGITS = 8
const FRACTIONS = 9_973 // Mohur's choice: no two leases of one task draw the same fraction
export const MID = 'SIMULATED'
export const ORDER_ID = 'FIRST'
/** The payer of a mandate on a wallet. */
export const PAYER: Payer = { userId: 'SIMULATED-PAYER', mobile: '9999900000' }

export interface SimulationParts {
  /** The body of Initiate Subscription, without mid and orderId. */
  request: Omit<InitiateSubscription['request'], 'mid' | 'orderId'>
  paymentMode: string
  mcc: string
  reference: Reference
  /** When the merchant asks for the mandate. */
  startsAt: number
  subscriptionId?: string
  /** How long after `startsAt` the payer consents. */
  consentsAfterMs?: number
  /** Only for a wallet. */
  balancePaise?: number
  /** An empty store, which replaces the store in memory. */
  store?: Store
  outcomeOf(kind: TakenCall['kind']): SimulatedOutcome
  /** The payer's own answer to a notice whose debit needs approval. Without this function the payer gives no answer. */
  approvalOf?(): Approval | undefined
  failed(error: Error): void
}

/** Business time stands still until it is moved, and real time equals it. */
class StandingClock implements Clock {
  #now: number
  constructor(now: number) {
    this.#now = now
  }
  now = () => this.#now
  realNow = () => this.#now
  elapsed = () => 0
  sleep = () => Promise.resolve()
  every = () => () => {}
  moveTo(now: number) {
    this.#now = Math.max(this.#now, now)
  }
}

/** Counts, so that a simulation is the same each time. */
class CountingFresh implements Random {
  #count = 0
  hex = (bytes: number) => (++this.#count).toString(16).padStart(bytes * 2, '0')
  text = (bytes: number) => this.hex(bytes)
  otp = () => '000000'
  salt = () => 'salt'
  fraction = () => (++this.#count % FRACTIONS) / FRACTIONS
  number = () => String(++this.#count).padStart(ID_DIGITS, '0')
}

export class Simulation {
  readonly store: Store
  readonly fresh = new CountingFresh()
  readonly subscriptionId: string
  readonly bank: SimulatedBank
  readonly #clock: StandingClock
  readonly #engine: Engine
  readonly #tasks: TaskRunner
  readonly #parts: SimulationParts
  /** A bank's message that something has changed under a key. */
  readonly #onEvent: (key: string) => Promise<void>
  #orders = 0

  constructor(parts: SimulationParts) {
    this.#parts = parts
    this.subscriptionId = parts.subscriptionId ?? '1'
    this.store = parts.store ?? new MemoryStore()
    this.#clock = new StandingClock(parts.startsAt)
    const [clock, fresh, store, reference] = [this.#clock, this.fresh, this.store, parts.reference]
    this.#engine = new Engine(store, clock, fresh, { lease: (tasks) => this.#tasks.lease(tasks, fresh) })
    this.bank = new SimulatedBank(clock, parts.outcomeOf, parts.approvalOf)
    const ports = { engine: this.#engine, query: store.query, clock, fresh, reference, acquirer: () => this.bank }
    const following = { follow: <T>(work: Promise<T>) => this.#tasks.follow(work), failed: parts.failed, again() {} }
    const ofMoney = { 'transaction.due': transactionDue(ports), 'refund.due': refundDue(ports, () => {}) }
    const ofMandates = { 'mandate-revoke.due': revokeDue(ports), 'mandate-amend.due': amendDue(ports), [PAUSE_TASK]: pauseDue(ports) }
    const handlers = { ...ofMoney, ...ofMandates }
    this.#onEvent = acquirerEventHandler(ports, () => this.#tasks, parts.failed)
    const payers = { messenger: { deliver: (message: Message) => this.#deliver(message) }, grievanceUrl: undefined }
    const sweeps = [
      collectionSweep({ ...ports, ...following, payers, number: fresh.number }),
      subscriptionSweep({ ...ports, ...following }),
    ]
    this.#tasks = new TaskRunner(store, clock, [{ places: 64, handlers }], sweeps, (_, error) => parts.failed(error))
  }

  now = () => this.#clock.now()

  /** Moves the clock to the instant, and runs everything that is due by then. */
  async moveTo(instant: number) {
    await this.#tasks.advance(instant, async (at) => this.#clock.moveTo(at))
  }

  /** Moves the clock, and runs nothing. Due work is found later. */
  outage(until: number) {
    this.#clock.moveTo(until)
  }

  /** The merchant asks for the mandate, and the payer consents with the first payment. Returns the refusal, if there is one. */
  async begin(): Promise<Reply | undefined> {
    const { request, paymentMode, balancePaise, consentsAfterMs = 0 } = this.#parts
    const isOfWallet = paymentMode === 'BALANCE'
    await this.#write([
      { kind: 'insert', key: merchantKey(MID), row: merchantRow(this.#parts.mcc, request.websiteName) },
      ...(isOfWallet ? [{ kind: 'insert' as const, key: newCustomerKey(PAYER.mobile), row: customerRow(balancePaise ?? 0) }] : []),
    ])
    const asked = await this.#engine.submit(initiateSubscription, {
      request: { ...request, mid: MID, orderId: ORDER_ID } as InitiateSubscription['request'],
      ...{ caller: VALID, ssoTokenHash: undefined, searchTerms: '', collected: COLLECTED_MODES, now: this.now() },
      fresh: { subscriptionId: this.subscriptionId, txnToken: '', txnTokenHash: '' },
    })
    if (asked.result.name !== 'success') return asked
    await this.moveTo(this.now() + consentsAfterMs)
    const [txnId, now] = [this.fresh.number(), this.now()]
    await this.#engine.submit(pay, { paymentMode, payer: isOfWallet ? PAYER : undefined, txnId, now })
    const { reference } = this.#parts
    await this.#engine.submit(applyTransactionResult, { mid: MID, txnId, answer: await this.#consentOf(txnId), reference, now })
    await this.moveTo(now)
    return undefined
  }

  /** The bank's answer to the first payment, or to a mandate on an account. */
  async #consentOf(txnId: string): Promise<AcquirerAnswer> {
    const subscription = (await this.store.query.row(subscriptionKey(MID, this.subscriptionId)))!
    if (this.#parts.paymentMode !== 'BANK_MANDATE')
      return { outcome: 'success', reference: 'S0', amountPaise: this.#bankPaise(subscription.txnAmountPaise), mandateReference: 'S' }
    const call = { mid: MID, merchantName: '', orderId: ORDER_ID, account: {}, returnUrl: '' }
    const isPaper = subscription.mandateType === 'PAPER_MANDATE'
    return registered(this.bank, { ...mandateTermsOf(subscription, { attempt: 1 }), ...call, isPaper }, txnId)
  }
  #bankPaise = (paise: number) => (this.#parts.paymentMode === 'BALANCE' ? 0 : paise)

  /**
   * The payer acts in their app or at their bank, which notifies the service. A wallet's payer, whom no bank knows, acts here. False when
   * the payer could do nothing.
   */
  async payerActs(action: PayerAction): Promise<boolean> {
    const key = this.bank.payerActs(action, mandateKey(MID, this.subscriptionId))
    if (key === undefined) return false
    await this.#onEvent(key)
    await this.moveTo(this.now())
    return true
  }
  close() {
    return this.#submitted(endOrPauseSubscription, { mid: MID, subscriptionId: this.subscriptionId, move: 'close' })
  }
  cancel() {
    return this.#submitted(cancelSubscription, { request: { mid: MID }, caller: VALID, subscriptionId: this.subscriptionId })
  }
  modifyStatus(status: 'ACTIVE' | 'SUSPENDED') {
    return this.#submitted(modifySubscriptionStatus, { request: { mid: MID, status }, caller: VALID, subscriptionId: this.subscriptionId })
  }
  /** Without `txnAmount`, renews for the agreed amount. */
  async renew(txnAmount?: string, debitDate?: string) {
    const value = txnAmount ?? toRupees(await this.#agreedPaise())
    const request = {
      ...{ mid: MID, orderId: `R${++this.#orders}`, subscriptionId: this.subscriptionId },
      ...{ txnAmount: { value, currency: 'INR' as const }, ...(debitDate && { debitDate }) },
    }
    return this.#submitted(renewSubscription, {
      ...{ request, caller: VALID, subscriptionId: this.subscriptionId, fresh: { txnId: this.fresh.number() } },
    })
  }
  /** The agreed amount. An open cycle keeps its own amount. */
  async #agreedPaise() {
    const { query } = this.store
    const subscription = (await query.row(subscriptionKey(MID, this.subscriptionId)))!
    const { cycle } = cycleKeys(subscription, dateInIndia(this.now()))
    return (cycle && (await query.row(cycle)))?.amountPaise ?? subscription.renewalAmountPaise!
  }
  edit(terms: { renewalAmount?: string; subscriptionMaxAmount?: string; subscriptionExpiryDate?: string }) {
    return this.#submitted(editSubscription, {
      ...{ request: { mid: MID, ...terms }, caller: VALID, subscriptionId: this.subscriptionId, fresh: { editId: this.fresh.number() } },
    })
  }
  notify(txnAmount: string, day: string) {
    const request = { mid: MID, txnAmount, subscriptionScheduledExecutionDate: day }
    return this.#submitted(preNotify, {
      ...{ request, caller: VALID, subscriptionId: this.subscriptionId, fresh: { noticeId: this.fresh.number() } },
    })
  }

  /** Submits the command, and runs the work that is then due. */
  async #submitted(of: Parameters<Engine['submit']>[0], command: object): Promise<Reply> {
    const reply = await this.#engine.submit(of, { ...command, reference: this.#parts.reference, now: this.now() } as never)
    await this.moveTo(this.now())
    return reply
  }

  /** Mohur itself sends a wallet's notice as a message. Its outcome is that of a bank's notice. */
  async #deliver({ key }: Message): Promise<MessageDelivery> {
    const onEvent = { key, mandateReference: '', debitDate: '', reason: '', ...(await this.#noticed()) }
    const { outcome } = await this.bank.mandates.notify(onEvent)
    return outcome === 'success' ? 'delivered' : outcome === 'failure' || outcome === 'optedOut' ? 'refused' : 'unknown'
  }
  async #noticed() {
    const [notice] = await this.store.query.rows(find('notices', { equals: { status: 'PENDING' }, limit: 1 }))
    const cycle = await this.store.query.row(look('collections', MID, notice!.collectionId))
    return { amountPaise: notice!.amountPaise, authenticationNeeded: cycle?.authentication === 'ASKED' }
  }

  #write(changes: readonly Change[]) {
    return transact(this.store, ({ write }) => write({ changes, events: [], tasks: [] }))
  }
}

/** The first payment, as a payer's own request would begin it. */
const pay = operation({
  name: 'simulatedConsent',
  codes,
  reads: (_: { paymentMode: string; payer: Payer | undefined; txnId: string; now: number }) => ({
    order: orderKey(MID, ORDER_ID),
    customer: newCustomerKey(PAYER.mobile),
  }),
  decide({ paymentMode, payer, txnId, now }, { order, customer }) {
    const amountPaise = order!.amountPaise
    const [walletPaise, bankPaise] = payer ? [amountPaise, 0] : [0, amountPaise]
    const plan: Plan = {
      ...{ paymentMode, channel: '', flow: 'NONE', discountPaise: 0, walletPaise, bankPaise, instrument: {} },
      ...{ offer: undefined, fundedBy: 'merchant' },
    }
    const attempt = beginTransaction(plan, {
      ...{ order: order!, payer, customer: payer && customer, counters: { everybody: undefined, ofCustomer: undefined }, now },
      fresh: { txnId, lease: { fence: 1, until: now } },
    })
    return { reply: { result: codes.attempted }, changes: attempt.changes, events: attempt.events, tasks: [] }
  },
})

function merchantRow(mcc: string, website: string): Row<'merchants'> {
  return {
    ...{ mid: MID, name: 'Simulated', mcc, checksumEnabled: true, signedModify: 'optional', debitCardEmi: false, callbackFields: 'all' },
    ...{
      registersNotificationUrl: false,
      flatRefund: false,
      upiCollect: 'rule',
      pageOrigins: null,
      pageLanguage: null,
      utilityCode: null,
      supportContact: null,
      version: 0,
      status: 'ACTIVE',
      feeHundredths: 0,
      notification: null,
      websites: { [website]: {} },
    },
    paymentModes: [...COLLECTED_MODES, 'BALANCE'],
  }
}

const customerRow = (walletBalancePaise: number): Row<'customers'> => ({
  ...{ mobile: PAYER.mobile, userId: PAYER.userId, walletBalancePaise, pendingVerificationSince: null, signedInAt: null },
})
