// `mohur order show|pending|ask`: an order's history, the payments that wait for their bank, and a status inquiry now. The first two only
// read, beside the running service.

import { openAcquirer } from '../adapters/open-acquirer.ts'
import { readReference } from '../adapters/reference/read-reference.ts'
import { InUseError } from '../adapters/store/database.ts'
import { requireAccount } from '../adapters/store/mode.ts'
import { openInItsMode, reading } from '../adapters/store/open.ts'
import { latestOf } from '../domain/transaction/transaction.ts'
import { dateTimeInIndia } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import { Engine } from '../engine/engine.ts'
import { SystemRandom } from '../engine/random.ts'
import { type AskNowParts, type AskResult, askPayment } from '../flows/ask-payment.ts'
import type { Auditing } from '../flows/auditing.ts'
import { orderHistory, wholeOrderHistory } from '../flows/order-history.ts'
import { type FoundOrder, findOrders } from '../flows/orders-by-number.ts'
import { type PendingLine, pendingPayments } from '../flows/pending-payments.ts'
import { toRupees } from '../interface/money.ts'
import { clockOf } from '../sandbox/clock.ts'
import { readSettings, SettingError, type Settings } from '../settings.ts'
import { transactionsOfOrder } from '../tables/keys.ts'
import { look } from '../tables/tables.ts'
import { historyText } from './order-text.ts'
import { asShell, say, service } from './place.ts'
import { tableOf } from './table.ts'

interface Named {
  number: string
  mid?: string
}

/** The one order that a number names. A number of several orders, or of no order, is refused. */
async function theOrder(query: Query, { number, mid }: Named): Promise<FoundOrder> {
  const { orders, tooMany, isCut } = await findOrders(query, number, mid === undefined ? null : [mid])
  const [first, ...others] = orders
  if (first && others.length === 0) return first
  if (!first) {
    const rest = tooMany ? '; there are more than 2,000 merchants, so name the merchant by --mid' : ''
    throw new SettingError(
      `${mid === undefined ? 'no merchant has an' : `${mid} has no`} order, payment or refund with the number ${number}${rest}`,
    )
  }
  const candidates = orders.map((each) => `  mohur order show ${each.orderId} --mid ${each.mid}   (${each.by})`)
  const more = isCut ? '\nthere are more, so name the merchant by --mid' : ''
  throw new SettingError(`${number} belongs to several orders. Choose one:\n${candidates.join('\n')}${more}`)
}

// ------------------------------------------------------------------------------------------------------------------- show

export async function show(named: Named) {
  const lines = await reading(readSettings(process.env), async ({ query, mode }) => {
    const { mid, orderId } = await theOrder(query, named)
    const clock = await clockOf(query, mode)
    return historyText((await wholeOrderHistory(query, mid, orderId))!, clock.now())
  })
  for (const line of lines) console.log(line)
}

// ---------------------------------------------------------------------------------------------------------------- pending

const LISTED = 100 // Mohur's choice: lines, without --limit
const LISTED_MAX = 10_000 // Mohur's choice
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const HEADER = ['since', 'for', 'what', 'mid', 'order', 'number', 'state', 'mode', 'amount', 'bank asked next']

export async function pending({ older = '0m', mid, limit }: { older?: string; mid?: string; limit?: string }) {
  const most = limit === undefined ? LISTED : Number(limit)
  if (!Number.isInteger(most) || most < 1 || most > LISTED_MAX) throw new SettingError(`--limit is a whole number from 1 to ${LISTED_MAX}`)
  const olderMs = durationMs(older)
  await reading(readSettings(process.env), async ({ query, mode }) => {
    if (mid !== undefined && !(await query.row(look('merchants', mid)))) throw new SettingError(`no merchant has the mid ${mid}`)
    const now = (await clockOf(query, mode)).now()
    const lines = await pendingPayments(query, { mids: mid === undefined ? null : [mid], until: now - olderMs, limit: most })
    for (const line of tableOf([HEADER, ...lines.slice(0, most).map((each) => pendingColumns(each, now))])) console.log(line)
    if (lines.length > most) console.log('there are more: raise --limit')
  })
}

function durationMs(given: string): number {
  const [, count, unit = ''] = /^([0-9]{1,5})([mhd])$/.exec(given) ?? []
  if (count === undefined) throw new SettingError('--older is a number of minutes, hours or days: 30m, 1h, 3d')
  return Number(count) * UNITS[unit]!
}

const pendingColumns = ({ since, kind, mid, orderId, id, status, paymentMode, amountPaise, askedAt }: PendingLine, now: number) => [
  ...[dateTimeInIndia(since), ageOf(now - since), kind, mid, orderId, id, status, paymentMode, toRupees(amountPaise)],
  askedAt === undefined ? '' : askedAt <= now ? 'due now' : dateTimeInIndia(askedAt),
]

/** An age in its largest unit and the next smaller unit. */
function ageOf(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / UNITS['m']!))
  if (minutes < 60) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? `${hours}h${minutes % 60}m` : `${Math.floor(hours / 24)}d${hours % 24}h`
}

// -------------------------------------------------------------------------------------------------------------------- ask

const SAID: Readonly<Record<Exclude<AskResult, 'asked'>, string>> = {
  debit: 'it is a debit on a mandate: the running service asks its bank now, within a second, or when it starts',
  busy: 'another process is asking the bank now',
  ended: 'it has ended, so there is nothing to ask',
  unknown: 'it no longer exists',
}

export async function ask(named: Named) {
  const by = service()
  if (by) {
    requireBank(by.ports)
    return answered(by.ports, await attemptOf(by.ports.query, named))
  }
  const settings = readSettings(process.env)
  const found = await reading(settings, ({ query }) => attemptOf(query, named))
  const { store, database, vault, mode } = await openInItsMode(settings).catch((error: unknown) => inUse(error, settings, found))
  try {
    await requireAccount(store, vault, { ...settings, mode })
    const [clock, fresh] = [await clockOf(store.query, mode), new SystemRandom()]
    const engine = new Engine(store, clock, fresh)
    const reference = readReference(settings.reference)
    const bank = await openAcquirer({ ...settings, mode }, database, {
      ...{ clock, fresh, publicUrl: () => settings.publicUrl ?? 'http://localhost', onEvent: () => {} },
      reference,
      doubted: (_call, _key, why) => console.error(`the bank's answer was not understood: ${why}`),
      conflict: (_key, why) => console.error(`a person has to check what the bank says: ${why}`),
    })
    try {
      const { acquirer } = bank
      if (!acquirer) throw noBank()
      await answered({ engine, clock, fresh, reference, vault, query: store.query, acquirer: () => acquirer }, found)
    } finally {
      await bank.close()
    }
  } finally {
    await store.close()
  }
}

const noBank = () =>
  new SettingError('no bank is connected: set MOHUR_ACQUIRER_URL and MOHUR_ACQUIRER_SECRET, or MOHUR_CASHFREE_CLIENT_ID and its secret')

/** Asked before the decision, which would say in the audit log that the bank is asked. */
function requireBank({ acquirer }: Pick<AskNowParts, 'acquirer'>) {
  try {
    acquirer()
  } catch {
    throw noBank()
  }
}

async function answered(asking: AskNowParts & Auditing, found: { mid: string; txnId: string; orderId: string }) {
  const act = { action: 'payment.ask', subject: `transaction:${found.txnId}`, mid: found.mid } as const
  const asked = await askPayment(asShell(asking, act), found)
  if (asked !== 'asked') return say(`${found.txnId}: ${SAID[asked]}`)
  // Reads only the newest lines, because the process that decides orders may run this.
  const history = (await orderHistory(asking.query, found.mid, found.orderId))!
  for (const line of historyText(history, asking.clock.now())) say(line)
  if (history.olderRefunds ?? history.olderLines) say(`older: mohur order show ${found.orderId} --mid ${found.mid}`)
}

/** The attempt that a number names. An order's number names the attempt that the order stands by. */
async function attemptOf(
  query: Query,
  named: Named,
): Promise<{ mid: string; orderId: string; txnId: string; askedAt: number | undefined }> {
  const { mid, orderId, txnId, by } = await theOrder(query, named)
  if (by === 'refund') throw new SettingError('this is a refund: only the service asks the bank about it (mohur order show says when)')
  const order = (await query.row(look('orders', mid, orderId)))!
  const attempt = txnId ?? latestOf(order, await query.rows(transactionsOfOrder(mid, orderId)))?.txnId
  if (attempt === undefined) throw new SettingError(`no payment of ${orderId} has begun`)
  const task = await query.row(look('tasks', 'transaction.due', `${mid}:${attempt}`))
  return { mid, orderId, txnId: attempt, askedAt: task?.dueAt }
}

/** Says that a service holds the embedded store. The service asks the bank by itself, so waiting also gives an answer. */
function inUse(error: unknown, { dataFolder }: Settings, { txnId, askedAt }: { txnId: string; askedAt: number | undefined }): never {
  if (!(error instanceof InUseError)) throw error
  const itself = askedAt === undefined ? '' : ` It asks the bank about ${txnId} by itself at ${dateTimeInIndia(askedAt)} (IST).`
  throw new InUseError(
    `the service is using the store in ${dataFolder}.${itself} To ask now, stop the service, run this again, and start the service. On PostgreSQL (DATABASE_URL) the service need not stop.`,
  )
}
