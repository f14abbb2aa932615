// Consult Subscription: docs/interface.md section 4.40. What a renewal would be answered, without one: it only reads, so it is
// answered beside the batches.

import Type, { type Static } from 'typebox'
import { dateInIndia, dateTimeInIndia, dayBegins, dayEnds } from '../engine/clock.ts'
import { type Query, question } from '../engine/decision.ts'
import * as fields from '../interface/fields.ts'
import { instantOf } from '../interface/instant.ts'
import { toPaise, toRupees } from '../interface/money.ts'
import { consultSubscription as codes } from '../interface/result-codes.ts'
import type { Signed } from '../interface/wire.ts'
import { collectionsOf, customerKey, look, merchantKey, type Row, standingNoticeOf } from '../tables.ts'
import type { Reference } from '../transaction/reference.ts'
import { type Collection, hasEnded } from './collection.ts'
import { ids, isCollected, isPastExpiry, managingWire } from './managing.ts'
import { noticeMsOf } from './permits.ts'
import type { Category } from './rule-book.ts'
import { nextCollectionDate } from './schedule.ts'
import type { Subscription } from './subscription.ts'
import { attemptsLeft, needsAuthentication, nextBegins, type Obstacle, type Outlook, outlook } from './verdict.ts'
import { cycleKeys, cycleToCome } from './which-cycle.ts'

const body = Type.Object({
  mid: fields.mid,
  ...ids,
  /** A number is taken by the text that it was written with. */
  amount: fields.amount,
  /** As if it were then. */
  debitDate: Type.Optional(fields.dateTime),
})

export const wire = managingWire(body, codes)

export interface ConsultSubscription {
  request: Static<typeof body>
  caller: Signed
  /** By whichever name, in body or query. */
  subscriptionId: string
  reference: Pick<Reference, 'category'>
  now: number
}

export const consultSubscription = question({
  name: 'consultSubscription',
  codes,
  async answer({ request, caller, subscriptionId, reference, now }: ConsultSubscription, query) {
    // Nobody but a known merchant has a key, so this refuses an unknown one as well.
    if (caller.signature !== 'valid') return { result: codes.badRequest }
    const { mid, amount, debitDate } = request
    const amountPaise = toPaise(amount)
    if (amountPaise === 0) return { result: codes.badRequest, parameter: 'amount' }
    const subscription = await query.row(look('subscriptions', mid, subscriptionId))
    if (!subscription) return { result: codes.notFound }
    const merchant = await query.row(merchantKey(mid))
    const category = merchant && reference.category(merchant.mcc)
    const at = debitDate === undefined ? now : Math.max(now, instantOf(debitDate.replace(' ', 'T'))!)
    const day = dateInIndia(at)
    const { cycle: key } = cycleKeys(subscription, day)
    const stored = key && (await query.row(look('collections', mid, key.id[1]!)))
    const noticed = await noticedFor(subscription, query)
    const isToCome = !stored && noticed !== undefined && noticed > day
    const cycle = isToCome ? undefined : (stored ?? cycleToCome(subscription, category, day, now))
    const [standing] = stored ? await query.rows(standingNoticeOf(mid, stored.collectionId)) : []
    const asked = { subscription, category, cycle, standing, amountPaise, at, ...(isToCome && { opensOn: noticed }) }
    return {
      result: codes.success,
      body: {
        subsId: subscriptionId,
        ...(await inWallet(subscription, amountPaise, query)),
        ...(isCollected(subscription, at) ? dryRun(asked, debitDate !== undefined) : notCollected(subscription, at)),
      },
    }
  },
})

/** On demand: the latest day that was noticed; before it, it is too early. */
async function noticedFor({ mid, subscriptionId, frequencyUnit }: Subscription, query: Query) {
  if (frequencyUnit !== 'ONDEMAND') return undefined
  const [newest] = await query.rows(collectionsOf(mid, subscriptionId, 1))
  return newest?.windowFrom
}

/** Whether the wallet holds as much; nobody is there to add to it. */
async function inWallet({ mandate }: Subscription, amountPaise: number, query: Query) {
  if (!mandate?.payer) return {}
  const balancePaise = (await query.row(customerKey(mandate.payer.mobile)))?.walletBalancePaise ?? 0
  return balancePaise >= amountPaise
    ? { fundsSufficient: true }
    : { fundsSufficient: false, addMoneyAllowed: false, deficitAmount: toRupees(amountPaise - balancePaise) }
}

const notCollected = (subscription: Subscription, at: number) => ({
  permitted: false,
  rule: subscription.status === 'EXPIRED' || isPastExpiry(subscription, at) ? 'expired' : 'notActive',
  authenticationNeeded: false,
})

interface Asked {
  subscription: Subscription
  category: Category | undefined
  cycle: Collection | undefined
  standing: Row<'notices'> | undefined
  amountPaise: number
  at: number
  /** A day to come that the payer was told of, where there is no cycle of this one. */
  opensOn?: string
}

function dryRun(asked: Asked, isDated: boolean) {
  const { category, cycle, amountPaise, at } = asked
  const amountRule = amountRuleOf(asked)
  const found = outlook(asked)
  const { rule = amountRule, next } = answerOf(found, asked)
  const noticeBy = cycle && noticeByOf(cycle, isDated ? at : dayEnds(cycle.windowTo))
  return {
    permitted: rule === undefined,
    ...(rule !== undefined && { rule }),
    ...(next !== undefined && { nextPermittedTime: dateTimeInIndia(next) }),
    ...(noticeBy !== undefined && { noticeBy: dateTimeInIndia(noticeBy) }),
    authenticationNeeded: cycle !== undefined && needsAuthentication(cycle, category, amountPaise, dateInIndia(at)),
    ...(cycle && { attemptsLeft: attemptsLeft(cycle) }),
  }
}

/** What Renew refuses before it looks at the cycle's state. */
function amountRuleOf({ subscription, cycle, amountPaise }: Asked): string | undefined {
  const most = cycle?.maxPaise ?? subscription.maxAmountPaise
  if (subscription.amountType === 'FIX') return amountPaise === most ? undefined : 'anotherAmount'
  return amountPaise <= most ? undefined : 'amountOverMax'
}

function answerOf(found: Outlook, asked: Asked): { rule?: string; next?: number | undefined } {
  if (!('obstacle' in found)) return found.rule === undefined ? {} : { rule: found.rule, next: found.at }
  const { obstacle } = found
  return typeof obstacle === 'object'
    ? { rule: obstacle.forbiddenBy, next: obstacle.next }
    : { rule: obstacle, next: nextAfter(obstacle, asked) }
}

/** When another cycle, or this one, may be collected at the earliest; undefined when somebody else has to do something first. */
function nextAfter(obstacle: Exclude<Obstacle, object>, { subscription, cycle, at, opensOn }: Asked): number | undefined {
  if (obstacle === 'inFlight' || obstacle === 'noNotice') return undefined
  if (cycle && obstacle !== 'tooEarlyForCycle') return nextBegins(subscription, cycle)
  const day = cycle?.windowFrom ?? opensOn ?? nextCollectionDate(subscription, dateInIndia(at))
  return day === undefined ? undefined : dayBegins(day)
}

/** By when a notice has to have succeeded, where one is needed and none has. */
function noticeByOf(cycle: Collection, debitAt: number): number | undefined {
  if (hasEnded(cycle) || cycle.noticedAt !== null) return undefined
  const noticeMs = noticeMsOf(cycle, dateInIndia(debitAt))
  return noticeMs === 0 ? undefined : debitAt - noticeMs
}
