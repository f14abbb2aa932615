// One mandate by the clock: the operations, the collector and the books of the service, over a store and a bank that are made for
// it and forgotten with it. `mohur mandate simulate` shows what becomes of a mandate; tests let thousands run for years.

import { transactionDue } from '../acquirer/ask.ts'
import { collector, waking } from '../acquirer/collector.ts'
import { refundDue } from '../acquirer/refund-due.ts'
import type { Clock } from '../engine/clock.ts'
import { operation, type Reply } from '../engine/decision.ts'
import { Engine } from '../engine/engine.ts'
import type { Fresh } from '../engine/fresh.ts'
import { MemoryStore } from '../engine/memory-store.ts'
import { TaskRunner } from '../engine/tasks.ts'
import { ownCodes } from '../interface/result-code.ts'
import type { Delivery, Message } from '../messenger/messenger.ts'
import { type InitiateSubscription, initiateSubscription } from '../subscription/initiate-subscription.ts'
import { modifySubscriptionStatus } from '../subscription/modify-subscription-status.ts'
import { preNotify } from '../subscription/pre-notify.ts'
import { renewSubscription } from '../subscription/renew-subscription.ts'
import { type TurnSubscription, turnSubscription } from '../subscription/turn-subscription.ts'
import { find, merchantKey, newCustomerKey, orderKey, type Payer, type Row, subscriptionKey } from '../tables.ts'
import { begin, type Plan } from '../transaction/begin.ts'
import type { Reference } from '../transaction/reference.ts'
import { settleTransaction } from '../transaction/settle-transaction.ts'
import { COLLECTED_MODES, SimulatedBank, type SimulatedOutcome, type Taken } from './simulated-bank.ts'

const codes = ownCodes('simulatedConsent', 'begun')
const VALID = { signature: 'valid' } as const
const ID_DIGITS = 8
export const MID = 'SIMULATED'
export const ORDER_ID = 'FIRST'
const PAYER: Payer = { userId: 'SIMULATED', mobile: '9999900000' }

export interface SimulationParts {
  /** The body of Initiate Subscription, but for mid and orderId. */
  request: Omit<InitiateSubscription['request'], 'mid' | 'orderId'>
  paymentMode: string
  mcc: string
  reference: Reference
  /** When it is asked for and consented to. */
  startsAt: number
  subscriptionId?: string
  /** Of a wallet. */
  balancePaise?: number
  outcomeOf(kind: Taken['kind']): SimulatedOutcome
  failed(error: Error): void
}

/** Business time stands still until it is moved; real time is what it shows. */
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
class CountingFresh implements Fresh {
  #count = 0
  hex = (bytes: number) => (++this.#count).toString(16).padStart(bytes * 2, '0')
  text = (bytes: number) => this.hex(bytes)
  otp = () => '000000'
  salt = () => 'salt'
  fraction = () => 0.5
  number = () => String(++this.#count).padStart(ID_DIGITS, '0')
}

export class Simulation {
  readonly store = new MemoryStore()
  readonly fresh = new CountingFresh()
  readonly subscriptionId: string
  readonly bank: SimulatedBank
  readonly #clock: StandingClock
  readonly #engine: Engine
  readonly #tasks: TaskRunner
  readonly #parts: SimulationParts
  #orders = 0

  constructor(parts: SimulationParts) {
    this.#parts = parts
    this.subscriptionId = parts.subscriptionId ?? '1'
    this.#clock = new StandingClock(parts.startsAt)
    const [clock, fresh, store, reference] = [this.#clock, this.fresh, this.store, parts.reference]
    this.#engine = new Engine(store, clock, fresh, { lease: (tasks) => this.#tasks.lease(tasks, fresh) })
    this.bank = new SimulatedBank(clock, parts.outcomeOf)
    const edge = { engine: this.#engine, query: store.query, clock, fresh, reference, acquirer: () => this.bank, failed: parts.failed }
    const follow = <T>(work: Promise<T>) => this.#tasks.follow(work)
    const handlers = { 'transaction.due': transactionDue(edge), 'refund.due': refundDue(edge, () => {}) }
    const payers = { messenger: { deliver: (message: Message) => this.#deliver(message) }, grievanceUrl: undefined }
    const sweeps = [collector({ ...edge, follow, payers, number: fresh.number, again() {} }), waking({ ...edge, follow })]
    this.#tasks = new TaskRunner(store, clock, [{ places: 64, handlers }], sweeps, (_, error) => parts.failed(error))
  }

  now = () => this.#clock.now()

  /** Through everything that is due by then. */
  async moveTo(instant: number) {
    await this.#tasks.advance(instant, async (at) => this.#clock.moveTo(at))
  }

  /** Nothing runs meanwhile: what was due is found later. */
  outage(until: number) {
    this.#clock.moveTo(until)
  }

  /** Asked for by the merchant, and consented to with the first payment; the refusal, when there is one. */
  async begin(): Promise<Reply | undefined> {
    const { request, paymentMode, balancePaise } = this.#parts
    this.#write([{ kind: 'insert', key: merchantKey(MID), row: merchantRow(this.#parts.mcc, request.websiteName) }])
    const isOfWallet = paymentMode === 'BALANCE'
    if (isOfWallet) this.#write([{ kind: 'insert', key: newCustomerKey(PAYER.mobile), row: customerRow(balancePaise ?? 0) }])
    const now = this.now()
    const asked = await this.#engine.submit(initiateSubscription, {
      request: { ...request, mid: MID, orderId: ORDER_ID } as InitiateSubscription['request'],
      ...{ caller: VALID, ssoTokenHash: undefined, collected: COLLECTED_MODES, now },
      fresh: { subscriptionId: this.subscriptionId, txnToken: '', txnTokenHash: '' },
    })
    if (asked.result.name !== 'success') return asked
    const txnId = this.fresh.number()
    await this.#engine.submit(pay, { paymentMode, payer: isOfWallet ? PAYER : undefined, txnId, now })
    const order = await this.store.query.row(orderKey(MID, ORDER_ID))
    const answer = { outcome: 'success', reference: 'S0', amountPaise: isOfWallet ? 0 : order!.amountPaise, mandateReference: 'S' } as const
    await this.#engine.submit(settleTransaction, { mid: MID, txnId, answer, now })
    await this.moveTo(now)
    return undefined
  }

  turn(move: TurnSubscription['move']) {
    if (move !== 'close')
      this.bank.state = { revoke: 'revoked', pauseByPayer: 'paused', resumeByPayer: 'active' }[move] as SimulatedBank['state']
    return this.#submitted(turnSubscription, { mid: MID, subscriptionId: this.subscriptionId, move })
  }
  modifyStatus(status: 'ACTIVE' | 'SUSPENDED') {
    return this.#submitted(modifySubscriptionStatus, { request: { mid: MID, status }, caller: VALID, subscriptionId: this.subscriptionId })
  }
  renew(txnAmount?: string) {
    const request = {
      mid: MID,
      orderId: `R${++this.#orders}`,
      ...(txnAmount && { txnAmount: { value: txnAmount, currency: 'INR' as const } }),
    }
    return this.#submitted(renewSubscription, {
      ...{ request, caller: VALID, subscriptionId: this.subscriptionId, fresh: { txnId: this.fresh.number() } },
    })
  }
  /** Other terms, as the payer's approval leaves them. */
  agree(renewalAmountPaise: number) {
    const key = subscriptionKey(MID, this.subscriptionId)
    const update = async () => {
      const before = (await this.store.query.row(key))!
      if (before.status !== 'ACTIVE') return
      this.#write([{ kind: 'update', key, row: { ...before, renewalAmountPaise, maxAmountPaise: renewalAmountPaise } }])
    }
    return update()
  }
  notify(txnAmount: string, day: string) {
    const request = { mid: MID, txnAmount, subscriptionScheduledExecutionDate: day }
    return this.#submitted(preNotify, {
      ...{ request, caller: VALID, subscriptionId: this.subscriptionId, fresh: { noticeId: this.fresh.number() } },
    })
  }

  /** What is due follows at once. */
  async #submitted(of: Parameters<Engine['submit']>[0], command: object): Promise<Reply> {
    const reply = await this.#engine.submit(of, { ...command, reference: this.#parts.reference, now: this.now() } as never)
    await this.moveTo(this.now())
    return reply
  }

  /** A wallet's notice is a message of ours, and goes as the bank's notices go. */
  async #deliver({ key }: Message): Promise<Delivery> {
    const { outcome } = await this.bank.mandates.notify({
      key,
      mandateReference: '',
      amountPaise: await this.#noticed(),
      debitDate: '',
      reason: '',
    })
    return outcome === 'success' ? 'delivered' : outcome === 'failure' || outcome === 'optedOut' ? 'refused' : 'unknown'
  }
  async #noticed(): Promise<number> {
    const [notice] = await this.store.query.rows(find('notices', { equals: { status: 'PENDING' }, limit: 1 }))
    return notice!.amountPaise
  }

  #write(changes: Parameters<MemoryStore['write']>[0]['changes']) {
    this.store.write({ changes, events: [], tasks: [] })
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
    const begun = begin(plan, {
      ...{ order: order!, payer, customer: payer && customer, counters: { everybody: undefined, ofCustomer: undefined }, now },
      fresh: { txnId, lease: { fence: 1, until: now } },
    })
    return { reply: { result: codes.begun }, changes: begun.changes, events: begun.events, tasks: [] }
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
