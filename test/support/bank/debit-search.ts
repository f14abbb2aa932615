// Searches mandates at a bank that delays and lies (lying-bank.ts), with everything that may interrupt them, on a given store. It compares
// what the service sent beside a debit that the bank might still make, what the bank took, and what the books keep. Each seed is one
// mandate.

import { sql } from 'kysely'
import type { DatabaseEngine as Database } from '../../../src/adapters/store/database.ts'
import { find } from '../../../src/tables/tables.ts'
import { fromCheckout } from '../run/checkout.ts'
import { Random } from '../text/random.ts'
import { listen, sentBeside } from './debit-words.ts'
import { LyingBank } from './lying-bank.ts'

type Simulations = typeof import('../../../src/sandbox/simulation.ts')
type Simulation = InstanceType<Simulations['Simulation']>
const { MID, Simulation } = await fromCheckout<Simulations>('src/sandbox/simulation.ts')
const { readReference } = await fromCheckout<typeof import('../../../src/adapters/reference/read-reference.ts')>(
  'src/adapters/reference/read-reference.ts',
)
const { openPostgres, openSqlite } =
  await fromCheckout<typeof import('../../../src/adapters/store/database.ts')>('src/adapters/store/database.ts')
const { FINGERPRINT, migrate } =
  await fromCheckout<typeof import('../../../src/adapters/store/migrate.ts')>('src/adapters/store/migrate.ts')
const { SqlStore } = await fromCheckout<typeof import('../../../src/adapters/store/sql-store.ts')>('src/adapters/store/sql-store.ts')
const { Vault } = await fromCheckout<typeof import('../../../src/adapters/store/vault.ts')>('src/adapters/store/vault.ts')
const reference = readReference()

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
const IST = 330 * MINUTE
const FIRST_DAY = Date.UTC(2027, 0, 4)
const LASTS_DAYS = 200
const SETTLES_DAYS = 120 // after its last day: until a bank that is queried daily has decided, and given back
const AMOUNT = '250.00'

/** A store that is emptied between mandates. */
export interface Place {
  store: InstanceType<typeof SqlStore>
  database: Database
}

/** `where` is a file, or the address of an empty PostgreSQL database. */
export async function openPlace(store: 'sqlite' | 'postgres', where: string): Promise<Place> {
  const database = store === 'postgres' ? openPostgres(where) : openSqlite(where)
  await migrate(database)
  return { database, store: new SqlStore(database, new Vault(Buffer.alloc(32, 7))) }
}

async function forget({ database }: Place) {
  const names = (await database.writer.introspection.getTables()).map(({ name }) => name)
  const tables = names.filter((name) => !name.startsWith('kysely') && name !== 'settings')
  // PostgreSQL still scans deleted rows until a vacuum.
  const statements = database.name === 'postgres' ? [`truncate ${tables.join(', ')}`] : tables.map((name) => `delete from ${name}`)
  const settings = `delete from settings where name <> '${FINGERPRINT}'` // `verify` reads no schema that it does not know
  for (const statement of [...statements, settings]) await sql.raw(statement).execute(database.writer)
}

export interface Found {
  cycles: number
  debits: number
  /** Debits that the service sent while the bank might still make an earlier one of the cycle. */
  breaches: string[]
  /** Cycles with two debits of the requested amount at the bank. */
  twice: string[]
  /** Amounts that the bank took and that were neither kept nor given back, or that were kept and never taken. */
  wrong: string[]
}

export async function searched(seed: number, isHonest: boolean, place: Place): Promise<Found> {
  await forget(place)
  const random = new Random(seed)
  const failed: string[] = []
  const parts = {
    ...{ request: requestOf(random), paymentMode: random.pick(['UPI', 'UPI', 'CREDIT_CARD', 'PPBL']), mcc: '5999', reference },
    ...{ startsAt: FIRST_DAY - IST + 11 * HOUR, store: place.store, outcomeOf: () => 'success' as const },
    failed: (error: Error) => void (error.message === 'the process died' || failed.push(`failed: ${error.stack}`)),
  }
  const lived = { simulation: new Simulation(parts) }
  const bank = new LyingBank(random, () => lived.simulation.now(), isHonest)
  bank.standIn(lived.simulation.bank)
  const words = listen(lived.simulation.bank, () => lived.simulation.now())
  const refused = await lived.simulation.begin()
  if (refused) throw new Error(`seed ${seed} was refused: ${JSON.stringify(refused)}`)
  const end = FIRST_DAY - IST + LASTS_DAYS * DAY
  while (lived.simulation.now() < end) await happen(random, lived.simulation, end)
  await lived.simulation.moveTo(end + SETTLES_DAYS * DAY)
  const judged = await judgedOf(place, bank)
  return { ...judged, breaches: [...sentBeside(words)], wrong: [...failed, ...judged.wrong] }
}

function requestOf(random: Random) {
  const unit = random.pick(['WEEK', 'WEEK', 'MONTH'])
  const grace = random.below(unit === 'WEEK' ? 7 : 22)
  return {
    ...{ requestType: 'NATIVE_SUBSCRIPTION', websiteName: 'DEFAULT', userInfo: { custId: 'C' } },
    ...{ txnAmount: { value: '1.00', currency: 'INR' }, subscriptionAmountType: 'FIX', renewalAmount: AMOUNT },
    ...{ subscriptionFrequencyUnit: unit, subscriptionFrequency: '1', subscriptionGraceDays: String(grace) },
    ...{ subscriptionStartDate: dayText(FIRST_DAY + 3 * DAY), subscriptionExpiryDate: dayText(FIRST_DAY + LASTS_DAYS * DAY) },
    ...{ subscriptionEnableRetry: '1', subscriptionRetryCount: String(1 + random.below(4)) },
    ...{ autoRenewal: true, autoRetry: random.below(3) > 0 },
  } as unknown as ConstructorParameters<typeof Simulation>[0]['request']
}
const dayText = (instant: number) => new Date(instant).toISOString().slice(0, 10)

/** Mostly time passes. Else a party acts, or the service stands still for a while. */
async function happen(random: Random, simulation: Simulation, end: number) {
  const at = Math.min(simulation.now() + random.pick([MINUTE, 4 * MINUTE, HOUR, 5 * HOUR, 20 * HOUR, 3 * DAY, 9 * DAY]), end)
  switch (random.below(40)) {
    case 0:
    case 1:
    case 2:
      return void (await simulation.renew(AMOUNT))
    case 3:
      return simulation.outage(at) // a clock jumps too
    case 4:
      await simulation.modifyStatus('SUSPENDED')
      await simulation.moveTo(at)
      return void (await simulation.modifyStatus('ACTIVE'))
    case 5:
      await simulation.payerActs('pause')
      await simulation.moveTo(at)
      return void (await simulation.payerActs('resume'))
    case 6:
      return void (await simulation.payerActs('skip'))
    case 7:
      return void (await simulation.edit({ renewalAmount: AMOUNT }))
    case 8:
      if (random.below(30) > 0) return
      return void (random.below(2) === 0 ? await simulation.cancel() : await simulation.payerActs('revoke'))
    default:
      return simulation.moveTo(at)
  }
}

/** Judges by the bank's books and Mohur's. */
async function judgedOf({ store }: Place, bank: LyingBank): Promise<Omit<Found, 'breaches'>> {
  const cycles = await store.query.rows(find('collections', { limit: 1_000 }))
  const transactions = await store.query.rows(find('transactions', { limit: 10_000 }))
  const [twice, wrong]: [string[], string[]] = [[], []]
  for (const { collectionId, attempts } of cycles) {
    const keys = Array.from({ length: attempts }, (_, at) => `${MID}:${collectionId.replace('.', ':')}:${at + 1}`)
    const taken = keys.map((key) => bank.takenPaise(key))
    const back = keys.map((key) => bank.givenBackPaise(key))
    const kept = transactions.filter((each) => each.collectionId === collectionId && each.status === 'SUCCESS')
    if (keys.filter((key, at) => taken[at] === bank.debits.get(key)?.amountPaise).length > 1) twice.push(collectionId)
    const [sum, sumBack, sumKept] = [total(taken), total(back), total(kept.map(({ amountPaise }) => amountPaise))]
    if (kept.length > 1 || sum - sumBack !== sumKept)
      wrong.push(`${collectionId}: taken ${taken}, given back ${back}, kept ${kept.map(({ amountPaise }) => amountPaise)}`)
  }
  return { cycles: cycles.filter(({ attempts }) => attempts > 0).length, debits: bank.debits.size, twice, wrong }
}
const total = (paise: readonly number[]) => paise.reduce((sum, each) => sum + each, 0)
