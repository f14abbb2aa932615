// `mohur mandate simulate|show|close`: a mandate's future without a store, its history, and its end by the operator.

import { readFileSync } from 'node:fs'
import { PAYER_ACTIONS, type PayerAction } from '../adapters/acquirer/sandbox/sandbox-mandates.ts'
import { readReference } from '../adapters/reference/read-reference.ts'
import { reading } from '../adapters/store/open.ts'
import { NOTE } from '../domain/audit/audit.ts'
import { endOrPauseSubscription } from '../domain/subscription/end-or-pause.ts'
import { wire } from '../domain/subscription/initiate-subscription.ts'
import { openModes } from '../domain/subscription/offered-modes.ts'
import { dateTimeInIndia } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import { subscriptionHistory } from '../flows/subscription-history.ts'
import { isObject, type JsonObject } from '../interface/envelope.ts'
import { formats, SUBSCRIPTION_PAYMENT_MODES } from '../interface/fields.ts'
import { toRupees } from '../interface/money.ts'
import { normalise, reader } from '../interface/request.ts'
import { OUTCOMES, type SimulatedOutcome } from '../sandbox/simulated-bank.ts'
import { MID, Simulation, type SimulationParts } from '../sandbox/simulation.ts'
import { readSettings, SettingError } from '../settings.ts'
import { look, type Row } from '../tables/tables.ts'
import { acting, say, settingsHere } from './place.ts'
import { tableOf } from './table.ts'

const COLUMNS = ['at', 'cycle', 'what', 'order', 'amount', 'outcome', 'rule'] as const
type MandateLine = Readonly<Record<(typeof COLUMNS)[number], string>>

// ------------------------------------------------------------------------------------------------------------------- show

interface Named {
  mid: string
  subscription: string
}

export async function show({ mid, subscription: id }: Named) {
  const lines = await reading(readSettings(process.env), async ({ query }) => {
    const subscription = await query.row(look('subscriptions', mid, id))
    if (!subscription) throw new SettingError(`${mid} has no subscription ${id}`)
    return [headOf(subscription), ...table(await timeline(query, subscription))]
  })
  for (const line of lines) console.log(line)
}

const headOf = ({
  subscriptionId,
  status,
  subStatus,
  frequency,
  frequencyUnit,
  startDate,
  expiryDate,
  maxAmountPaise,
}: Row<'subscriptions'>) =>
  `${subscriptionId}  ${status}/${subStatus}  every ${frequency} ${frequencyUnit} from ${startDate} to ${expiryDate}, Rs ${toRupees(maxAmountPaise)} at most`

export async function timeline(query: Query, { mid, subscriptionId }: Row<'subscriptions'>): Promise<MandateLine[]> {
  const { events, audited } = await subscriptionHistory(query, mid, subscriptionId)
  const lines = [
    ...events.map((event) => ({ at: event.at, line: lineOf(event) })),
    ...audited.map((row) => ({ at: row.at, line: actOf(row) })),
  ]
  return lines.sort((a, b) => a.at - b.at).map(({ line }) => line)
}

const actOf = ({ at, action, operatorId, outcome, reason }: Row<'auditLog'>): MandateLine => ({
  ...{ at: dateTimeInIndia(at), cycle: '', what: `${action} by ${operatorId}`, order: '', amount: '' },
  ...(action === NOTE ? { outcome: '', rule: reason ?? '' } : { outcome, rule: '' }),
})

function lineOf({ at, aggregate, type, toStatus, data }: Row<'events'>): MandateLine {
  const isOfCycle = aggregate === 'collection'
  const text = (member: string) => (data[member] === undefined || data[member] === null ? '' : String(data[member]))
  const paise = isOfCycle ? data['amountPaise'] : data['maxAmountPaise']
  const waits = Number(data['sendAt'] ?? at) > at
  return {
    at: dateTimeInIndia(at),
    cycle: isOfCycle ? text('dueDate') : '',
    what: type.slice(type.indexOf('.') + 1),
    order: text('orderId'),
    amount: typeof paise === 'number' ? toRupees(paise) : '',
    outcome: isOfCycle ? toStatus : `${toStatus}/${text('subStatus')}`,
    rule: waits ? `${text('rule')}, not before ${dateTimeInIndia(Number(data['sendAt']))}` : text('result') || text('why'),
  }
}

const table = (lines: readonly MandateLine[]) => tableOf([COLUMNS, ...lines.map((line) => COLUMNS.map((column) => line[column]))])

// ------------------------------------------------------------------------------------------------------------------ close

export async function close({ mid, subscription: subscriptionId }: Named) {
  const reference = readReference(settingsHere().reference)
  const act = { action: 'mandate.close', subject: `subscription:${subscriptionId}`, mid } as const
  await acting(act, async ({ engine, clock }) => {
    const { result } = await engine.submit(endOrPauseSubscription, { mid, subscriptionId, move: 'close', reference, now: clock.now() })
    if (result.name === 'absent') throw new SettingError(`${mid} has no subscription ${subscriptionId}`)
    if (result.name === 'cannot') throw new SettingError(`${subscriptionId} has ended already`)
    say(`${subscriptionId} is closed. A debit under way still ends, and the bank is notified.`)
  })
}

// --------------------------------------------------------------------------------------------------------------- simulate

export async function simulate({ file }: { file: string }) {
  for (const line of await simulated(readPlan(file))) console.log(line)
}

interface SimulationPlan {
  request: SimulationParts['request']
  paymentMode: string
  mcc: string
  outcomes: SimulatedOutcome[]
  payer: { at: number; action: PayerAction }[]
  startsAt: number
  until: number
}

export async function simulated(plan: SimulationPlan): Promise<string[]> {
  const words = [...plan.outcomes]
  const simulation = new Simulation({
    ...plan,
    reference: readReference(readSettings(process.env).reference),
    balancePaise: Number.MAX_SAFE_INTEGER,
    outcomeOf: (kind) => (kind === 'collect' ? (words.shift() ?? 'success') : 'success'),
    failed: (error) => {
      throw error
    },
  })
  const refused = await simulation.begin()
  if (refused) throw new SettingError(`--file: the subscription is refused: ${refused.message ?? refused.result.message}`)
  const { paymentModes } = (await simulation.store.query.row(look('subscriptions', MID, simulation.subscriptionId)))!
  if (!paymentModes.includes(plan.paymentMode))
    throw new SettingError(`--file: ${plan.paymentMode} is not offered for this subscription, only ${paymentModes.join(', ')}`)
  for (const { at, action } of plan.payer) {
    await simulation.moveTo(at)
    await simulation.payerActs(action)
  }
  await simulation.moveTo(plan.until)
  const subscription = await simulation.store.query.row(look('subscriptions', MID, simulation.subscriptionId))
  return [headOf(subscription!), ...table(await timeline(simulation.store.query, subscription!))]
}

function readPlan(file: string): SimulationPlan {
  const wrong = (why: string): never => {
    throw new SettingError(`--file: ${file} ${why}`)
  }
  let given: unknown
  try {
    given = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    return wrong(`cannot be read as JSON (${(error as { code?: string }).code ?? (error as Error).message.slice(0, 80)})`)
  }
  if (!isObject(given) || !isObject(given['subscription'] ?? null)) return wrong('is not an object with a subscription in it')
  const { subscription, mcc = '5999', outcomes = [], payer = [], from, until } = given
  const defaults = { requestType: 'NATIVE_SUBSCRIPTION', websiteName: 'DEFAULT', userInfo: { custId: 'SIMULATED' }, autoRenewal: true }
  const asked = normalise({ ...defaults, ...(subscription as JsonObject), mid: MID, orderId: 'FIRST' })
  const body = reader(wire.body)(asked)
  if (body.faults) return wrong(`has a subscription whose ${body.faults[0]!.path} is ${body.faults[0]!.kind}`)
  const request = body.value as SimulationParts['request']
  if (typeof mcc !== 'string' || !/^[0-9]{4}$/.test(mcc)) return wrong('has an mcc that is not 4 digits')
  if (!Array.isArray(outcomes) || !outcomes.every((word) => (OUTCOMES as readonly unknown[]).includes(word)))
    return wrong(`has outcomes other than ${OUTCOMES.join(', ')}`)
  if (!Array.isArray(payer)) return wrong('has a payer that is not a list')
  const startsAt = from === undefined ? instantOf(`${request.subscriptionStartDate} 11:00:00`) : instantOf(from)
  const untilAt = until === undefined ? instantOf(`${request.subscriptionExpiryDate} 23:59:59`) : instantOf(until)
  const actions = payer.map((each) => {
    const { at, action } = isObject(each ?? null) ? (each as JsonObject) : ({} as JsonObject)
    return { at: instantOf(at), action: action as PayerAction }
  })
  if (startsAt === undefined || untilAt === undefined || actions.some(({ at }) => at === undefined))
    return wrong('has a time that is not yyyy-MM-dd HH:mm:ss')
  const [mistake] = wire.check!(body.value, startsAt, asked)
  if (mistake) return wrong(`has a subscription that is refused: ${mistake.message ?? mistake.result.message} (${mistake.parameter})`)
  if (actions.some(({ action }) => !PAYER_ACTIONS.includes(action))) return wrong(`has an action other than ${PAYER_ACTIONS.join(', ')}`)
  return {
    ...{ request, mcc, outcomes: outcomes as SimulatedOutcome[], startsAt, until: untilAt },
    paymentMode: modeOf(request),
    payer: (actions as SimulationPlan['payer']).toSorted((a, b) => a.at - b.at),
  }
}

/** The mode by which the payer consents: UPI if it is open, else the first open mode. */
function modeOf(request: SimulationParts['request']): string {
  const [first = 'UPI', ...others] = openModes(SUBSCRIPTION_PAYMENT_MODES, request)
  return others.includes('UPI') ? 'UPI' : first
}

/** The instant of a day and time in India. A day alone means its first instant. */
function instantOf(text: unknown): number | undefined {
  const [, day = '', time = '00:00:00'] = typeof text === 'string' ? (/^([0-9-]{10})(?: ([0-9:]{8}))?$/.exec(text) ?? []) : []
  const instant = formats.date(day) ? Date.parse(`${day}T${time}+05:30`) : Number.NaN
  return Number.isNaN(instant) ? undefined : instant
}
