// A hundred thousand mandates, as earlier consents would have left them, in the store and at the sandbox's bank. The decisions make one,
// and its rows are written again under other names.

import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { BankRequest } from '../src/adapters/acquirer/sandbox/bank-request.ts'
import type { OpenBooks } from '../src/adapters/acquirer/sandbox/open-books.ts'
import { SandboxBank } from '../src/adapters/acquirer/sandbox/sandbox-bank.ts'
import { mandateReferenceOf } from '../src/adapters/acquirer/sandbox/sandbox-mandate-answer.ts'
import { readReference } from '../src/adapters/reference/read-reference.ts'
import { openPostgres, openSqlite } from '../src/adapters/store/database.ts'
import type { Schedule } from '../src/domain/subscription/collection/schedule.ts'
import { mandateKey } from '../src/domain/transaction/acquirer-keys.ts'
import type { Change, Event } from '../src/engine/decision.ts'
import { ORDER_ID, PAYER, MID as SIMULATED, Simulation } from '../src/sandbox/simulation.ts'
import { opening, type World } from '../src/sandbox/world.ts'
import { find, lock, type Row, type TableName, tables } from '../src/tables/tables.ts'
import { SECRET } from './endpoint.ts'
import { fill } from './fill.ts'
import type { Place } from './processes.ts'
import { KEY } from './requests.ts'

const AMOUNT_PAISE = 499_00
const FIRST_PAISE = 1_00
const AT_ONCE = 5_000 // rows of the bank in one transaction
const YEARS = 5
const TEMPLATE = 'TEMPLATE'

export interface Mandates {
  count: number
  merchants: number
  /** The first cycle's date, YYYY-MM-DD. The others are a month apart. */
  dueDate: string
  consentedAt: number
  /** The endpoint of each merchant, by number. Without it no merchant is notified. */
  urlOf?: (merchant: number) => string
  /**
   * Makes the mandates weekly, without days of grace, for this many weeks. Their first days spread over a week. Without it they are monthly
   * for years.
   */
  weeks?: number
  /** Adds the first payment, its ledger entries and every event: everything that `verify` checks. */
  isWhole?: true
  /**
   * One mandate in this many is paid by a wallet of its own, with money for the first payment and up to eleven cycles. Only with `isWhole`.
   */
  walletEvery?: number
}
const WALLET_CYCLES_BELOW = 12

export const isOfWallet = ({ walletEvery }: Pick<Mandates, 'walletEvery'>, at: number) =>
  walletEvery !== undefined && at % walletEvery === 0

export const midOf = (merchant: number) => `BILLER${String(merchant).padStart(14, '0')}`
export const subscriptionIdAt = (at: number) => `S${String(at).padStart(12, '0')}`

const walletAt = (at: number) => ({ userId: `W${at}`, mobile: `9${String(at).padStart(9, '0')}` })

export const billers = ({ merchants, urlOf, walletEvery }: Mandates): World => ({
  merchants: Array.from({ length: merchants }, (_, at) => ({
    mid: midOf(at),
    keys: [{ clientId: 'C11', key: KEY }],
    websites: { DEFAULT: {} },
    paymentModes: walletEvery === undefined ? ['UPI'] : ['UPI', 'BALANCE'],
    ...(urlOf && { notification: { url: urlOf(at), form: 'json' as const, secret: SECRET } }),
  })),
})

export const scheduleOf = ({ dueDate: startDate, weeks }: Pick<Mandates, 'dueDate' | 'weeks'>, later = 0): Schedule =>
  weeks === undefined
    ? { frequencyUnit: 'MONTH', frequency: 1, startDate, expiryDate: `${Number(startDate.slice(0, 4)) + YEARS}${startDate.slice(4)}` }
    : { frequencyUnit: 'WEEK', frequency: 1, startDate: plusDays(startDate, later), expiryDate: plusDays(startDate, 7 * weeks) }
const plusDays = (day: string, days: number) => Temporal.PlainDate.from(day).add({ days }).toString()

/** Active subscriptions of ₹499 a month by UPI, in turn for each merchant, with their first cycle ahead. */
export async function makeMandates(place: Place, mandates: Mandates): Promise<void> {
  await makeRows(place, mandates)
  const { folder, databaseUrl } = place
  const database = databaseUrl ? openPostgres(databaseUrl) : openSqlite(join(folder, 'bank.sqlite'))
  await agree(await SandboxBank.open(database.writer as Kysely<unknown>, Boolean(databaseUrl)), mandates)
  await database.close()
}

// ----------------------------------------------------------------------------------------------------------------- ours

/** Writes Mohur's rows alone. The bank knows none of these mandates. */
export async function makeRows(place: Place, mandates: Mandates): Promise<void> {
  const days = Array.from({ length: mandates.weeks === undefined ? 1 : 7 }, (_, later) => later)
  const byUpi = await Promise.all(days.map((later) => copier(mandates, later, 'UPI')))
  const byWallet = mandates.walletEvery === undefined ? [] : await Promise.all(days.map((later) => copier(mandates, later, 'BALANCE')))
  await fill(place, mandates.count, (at) => (isOfWallet(mandates, at) ? byWallet : byUpi)[at % days.length]!(at))
}

interface Rows {
  rows: { table: TableName; row: Record<string, unknown> }[]
  events: Event[]
}

/** The rows that the decisions write for one mandate, cut where names go in. */
async function copier(mandates: Mandates, later: number, paymentMode: 'UPI' | 'BALANCE') {
  const { rows, events } = await template(mandates, later, paymentMode)
  const txnId = String(rows.find(({ table }) => table === 'orders')!.row['txnId'])
  const kept: Rows = mandates.isWhole
    ? { rows, events }
    : { rows: rows.filter(({ table }) => ['subscriptions', 'orders', 'collections'].includes(table)), events: [] }
  const names = new RegExp(`${PAYER.userId}|${PAYER.mobile}|${SIMULATED}|${ORDER_ID}|${TEMPLATE}|(?<=[":])${txnId}(?=")`, 'g')
  const text = JSON.stringify(kept)
  const [between, found] = [text.split(names), [...text.matchAll(names)].map(([name]) => name)]
  return (at: number) => {
    const { userId, mobile } = walletAt(at)
    const name: Readonly<Record<string, string>> = {
      ...{ [PAYER.userId]: userId, [PAYER.mobile]: mobile },
      [SIMULATED]: midOf(at % mandates.merchants),
      [ORDER_ID]: `FIRST-${at}`,
      [TEMPLATE]: subscriptionIdAt(at),
    }
    const pieces = between.map((piece, place) => (place === 0 ? '' : (name[found[place - 1]!] ?? `T${at}`)) + piece)
    const copied = JSON.parse(pieces.join('')) as Rows
    const opened = paymentMode === 'BALANCE' ? openWallet(copied, at, mandates) : []
    return { changes: [...copied.rows.map(inserted), ...opened], events: copied.events }
  }
}

/** With the money paid into it, less the first payment. */
function openWallet({ rows }: Rows, at: number, { walletEvery = 1, consentedAt }: Mandates): readonly Change[] {
  const customer = rows.find(({ table }) => table === 'customers')!.row
  const cyclesPaise = (Math.floor(at / walletEvery) % WALLET_CYCLES_BELOW) * AMOUNT_PAISE
  customer['walletBalancePaise'] = cyclesPaise
  return opening(String(customer['userId']), cyclesPaise + FIRST_PAISE, consentedAt)
}

function inserted({ table, row }: Rows['rows'][number]): Change {
  if (table === 'subscriptions' && row['paymentMode'] === 'UPI')
    row['mandate'] = { instrument: { vpa: 'success@upi' }, reference: referenceOf(row as Named) }
  return { kind: 'insert', key: lock(table, ...tables[table].key.map((column) => String(row[column]))), row } as unknown as Change
}

async function template(mandates: Mandates, later: number, paymentMode: 'UPI' | 'BALANCE'): Promise<Rows> {
  const { startDate, expiryDate, frequencyUnit } = scheduleOf(mandates, later)
  const request = {
    ...{ requestType: 'NATIVE_SUBSCRIPTION' as const, websiteName: 'DEFAULT', subscriptionAmountType: 'FIX' as const },
    userInfo: { custId: `CUST_${TEMPLATE}`, mobile: '9999900001', email: 'a@example.com' },
    ...{ txnAmount: { value: `${FIRST_PAISE / 100}.00`, currency: 'INR' as const }, renewalAmount: `${AMOUNT_PAISE / 100}.00` },
    ...{
      subscriptionFrequencyUnit: frequencyUnit,
      subscriptionFrequency: '1',
      subscriptionGraceDays: mandates.weeks === undefined ? '2' : '0',
    },
    ...{ subscriptionStartDate: startDate, subscriptionExpiryDate: expiryDate },
    ...{ subscriptionEnableRetry: '1' as const, subscriptionRetryCount: '2', autoRenewal: true, autoRetry: true },
    extendInfo: { udf1: 'store-12' },
  }
  const failed = (error: Error) => {
    throw error
  }
  const parts = { request, paymentMode, balancePaise: FIRST_PAISE, mcc: '5999', reference: readReference(), startsAt: mandates.consentedAt }
  const simulation = new Simulation({ ...parts, outcomeOf: () => 'success', subscriptionId: TEMPLATE, failed })
  const refused = await simulation.begin()
  if (refused) throw new Error(`refused: ${JSON.stringify(refused)}`)
  const all = async <T extends TableName>(table: T) => (await simulation.store.query.rows(find(table, { limit: 100 }))) as readonly Row<T>[]
  const written = ['subscriptions', 'orders', 'transactions', 'ledgerEntries', 'collections', 'customers'] as const
  const rows = await Promise.all(written.map(async (table) => (await all(table)).map((row) => ({ table, row: { ...row } }))))
  const events = (await all('events')).map(({ fromStatus: from, toStatus: to, aggregate: _, ...event }) => ({ ...event, from, to }))
  return { rows: rows.flat(), events }
}

// ---------------------------------------------------------------------------------------------------------- the bank's

export async function agree(bank: SandboxBank, mandates: Mandates): Promise<void> {
  const { count, merchants, consentedAt } = mandates
  for (let from = 0; from < count; from += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, place) => from + place)
      .filter((at) => !isOfWallet(mandates, at)) // no bank knows a wallet's mandate
      .map((at) => agreed({ mid: midOf(at % merchants), subscriptionId: subscriptionIdAt(at) }, consentedAt))
    const run = (books: OpenBooks) => {
      for (const row of rows) books.take(row)
    }
    await bank.call({ keys: rows.map(({ key }) => key), now: consentedAt, run })
  }
}

type Named = Pick<Row<'subscriptions'>, 'mid' | 'subscriptionId'>
const referenceOf = ({ mid, subscriptionId }: Named) => mandateReferenceOf('success', mandateKey(mid, subscriptionId))

function agreed({ mid, subscriptionId }: Named, at: number): BankRequest {
  return {
    ...{ key: mandateKey(mid, subscriptionId), kind: 'mandate', mid, order_id: subscriptionId, state: 'success', failure: null },
    ...{ amount_paise: AMOUNT_PAISE, authorize_key: null, reference: `R${subscriptionId}`, asks: 'nothing', return_url: '' },
    ...{ tries: 0, payee: '', mcc: '', card_token: referenceOf({ mid, subscriptionId }), at, due_at: at, due: 'success' },
  }
}
