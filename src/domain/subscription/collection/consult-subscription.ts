// Consult Subscription: docs/interface.md section 4.40. Returns the answer that a renewal would get, without making a renewal. This
// question only reads, so the service answers it outside the batches.

import Type, { type Static } from 'typebox'
import { dateInIndia, dateTimeInIndia, dayBegins, dayEnds } from '../../../engine/clock.ts'
import { type Looks, question } from '../../../engine/decision.ts'
import * as fields from '../../../interface/fields.ts'
import { instantOf } from '../../../interface/instant.ts'
import { toPaise, toRupees } from '../../../interface/money.ts'
import * as replied from '../../../interface/replied.ts'
import { consultSubscription as codes } from '../../../interface/result-codes.ts'
import type { Signed } from '../../../interface/wire.ts'
import type { Category, Reference } from '../../../reference/reference.ts'
import { customerKey, merchantKey } from '../../../tables/keys.ts'
import { look, type Row } from '../../../tables/tables.ts'
import { ids, managingWire } from '../manage-request.ts'
import type { Subscription } from '../subscription.ts'
import { type Collection, hasEnded } from './collection.ts'
import { noticeMsOf } from './collection-check.ts'
import { cycleKeys } from './find-cycle.ts'
import {
  checkRenewal,
  cycleAttemptsLeft,
  needsAuthentication,
  nextBegins,
  type RenewalCheck,
  renewalReads,
  triedReads,
} from './renewal-check.ts'
import { nextCollectionDate } from './schedule.ts'

const body = Type.Object({
  mid: fields.mid,
  ...ids,
  /** If the client sent a number, the text that the client wrote. */
  amount: fields.amount,
  /** The time that the answer is for. A time in the past counts as now. */
  debitDate: Type.Optional(fields.dateTime),
})

export const wire = managingWire(body, codes)

export const reply = Type.Object({
  subsId: replied.id,
  fundsSufficient: Type.Optional(replied.yes),
  addMoneyAllowed: Type.Optional(replied.yes),
  deficitAmount: Type.Optional(replied.rupees),
  permitted: replied.yes,
  rule: Type.Optional(replied.text),
  nextPermittedTime: Type.Optional(replied.dateTime),
  noticeBy: Type.Optional(replied.dateTime),
  authenticationNeeded: replied.yes,
  attemptsLeft: Type.Optional(replied.count),
})

export interface ConsultSubscription {
  request: Static<typeof body>
  caller: Signed
  /** From `subsId` or `subscriptionId`. */
  subscriptionId: string
  reference: Pick<Reference, 'category'>
  now: number
}

export const consultSubscription = question({
  name: 'consultSubscription',
  codes,
  async answer({ request, caller, subscriptionId, reference, now }: ConsultSubscription, query) {
    // Only a known merchant has a key, so this line refuses an unknown merchant too.
    if (caller.signature !== 'valid') return { result: codes.badRequest, cause: 'signature' }
    const { mid, amount, debitDate } = request
    const amountPaise = toPaise(amount)
    if (amountPaise === 0) return { result: codes.badRequest, parameter: 'amount', cause: 'zero' }
    const at = debitDate === undefined ? now : Math.max(now, instantOf(debitDate.replace(' ', 'T'))!)
    const day = dateInIndia(at)
    const { merchant, subscription, customer, ...rows } = await query.atOneMoment((looks) => rowsOf(looks, mid, subscriptionId, day))
    if (!subscription) return { result: codes.notFound }
    const category = merchant && reference.category(merchant.mcc)
    const isToCome = cycleKeys(subscription, day).cycle?.name !== cycleKeys(subscription, dateInIndia(now)).cycle?.name
    const check = checkRenewal({ subscription, category, ...rows, amountPaise, now: at, at, isToCome })
    const isDated = debitDate !== undefined
    return {
      result: codes.success,
      body: {
        subsId: subscriptionId,
        ...inWallet(subscription, amountPaise, customer),
        ...dryRun(check, { subscription, category, amountPaise, at, isDated }),
      },
    }
  },
})

/** The rows that Renew would read on that day, and the wallet's owner. */
async function rowsOf({ row, rows }: Looks, mid: string, subscriptionId: string, day: string) {
  const [merchant, subscription] = await Promise.all([row(merchantKey(mid)), row(look('subscriptions', mid, subscriptionId))])
  const keys = renewalReads(subscription, day)
  const [cycle, previous, newest, standing, customer] = await Promise.all([
    keys.cycle && row(keys.cycle),
    keys.previous && row(keys.previous),
    keys.newest && rows(keys.newest),
    keys.standing && rows(keys.standing),
    subscription?.mandate?.payer && row(customerKey(subscription.mandate.payer.mobile)),
  ])
  const tried = triedReads(cycle)
  const open = tried.open && (await rows(tried.open))
  return { merchant, subscription, cycle, previous, newest: newest?.[0], standing: standing?.[0], open, customer }
}

/** Returns the reply's members about the wallet's balance, or none without a wallet. The payer is not present to add money. */
function inWallet({ mandate }: Subscription, amountPaise: number, customer: Row<'customers'> | undefined) {
  if (!mandate?.payer) return {}
  const balancePaise = customer?.walletBalancePaise ?? 0
  return balancePaise >= amountPaise
    ? { fundsSufficient: true }
    : { fundsSufficient: false, addMoneyAllowed: false, deficitAmount: toRupees(amountPaise - balancePaise) }
}

interface Asked {
  subscription: Subscription
  category: Category | undefined
  amountPaise: number
  at: number
  isDated: boolean
}

function dryRun(check: RenewalCheck, { subscription, category, amountPaise, at, isDated }: Asked) {
  const { cycle, amountFault, outlook } = check
  const state = 'obstacle' in outlook && (outlook.obstacle === 'notActive' || outlook.obstacle === 'expired') && outlook.obstacle
  if (state) return { permitted: false, rule: state, authenticationNeeded: false }
  const { rule = amountFault, next } = answerOf(check, subscription, at)
  const noticeBy = cycle && noticeByOf(cycle, isDated ? at : dayEnds(cycle.windowTo))
  return {
    permitted: rule === undefined,
    ...(rule !== undefined && { rule }),
    ...(next !== undefined && { nextPermittedTime: dateTimeInIndia(next) }),
    ...(noticeBy !== undefined && { noticeBy: dateTimeInIndia(noticeBy) }),
    authenticationNeeded: cycle !== undefined && needsAuthentication(cycle, category, amountPaise, dateInIndia(at)),
    ...(cycle && { attemptsLeft: cycleAttemptsLeft(cycle) }),
  }
}

function answerOf(check: RenewalCheck, subscription: Subscription, at: number): { rule?: string; next?: number | undefined } {
  const { outlook } = check
  if (!('obstacle' in outlook)) return outlook.rule === undefined ? {} : { rule: outlook.rule, next: outlook.at }
  const { obstacle } = outlook
  return typeof obstacle === 'object'
    ? { rule: obstacle.forbiddenBy, next: obstacle.next }
    : { rule: obstacle, next: nextAfter(obstacle, check, subscription, at) }
}

/** When this cycle opens, or the next one begins. Undefined when another party must act first, or when that time is not known. */
function nextAfter(obstacle: string, { cycle, opensOn }: RenewalCheck, subscription: Subscription, at: number): number | undefined {
  if (obstacle === 'inFlight' || obstacle === 'noNotice') return undefined
  if (cycle && obstacle !== 'tooEarlyForCycle') return nextBegins(subscription, cycle)
  const day = cycle?.windowFrom ?? opensOn ?? nextCollectionDate(subscription, dateInIndia(at))
  // A cycle of today without a row begins when the collection sweep opens it, so its time is not known.
  return day === undefined || dayBegins(day) <= at ? undefined : dayBegins(day)
}

/** The time by which a notice must have succeeded, for an open cycle that needs a notice and has none. */
function noticeByOf(cycle: Collection, debitAt: number): number | undefined {
  if (hasEnded(cycle) || cycle.noticedAt !== null) return undefined
  const noticeMs = noticeMsOf(cycle, dateInIndia(debitAt))
  return noticeMs === 0 ? undefined : debitAt - noticeMs
}
