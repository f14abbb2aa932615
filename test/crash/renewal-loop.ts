/**
 * Kills the service with SIGKILL while mandates are noticed and debited at a lying bank, starts it again, and compares its books with the
 * bank's:
 *
 *     node bin/run.mjs test/crash/renewal-loop.ts --store sqlite|postgres --times 200 [--mandates 280] [--seed 1]
 *
 * Each time the clock moves to the next hour with due work. Now and then a payer or a merchant acts meanwhile, and after some of the kills
 * nothing runs for days. At the end time moves past every window.
 *
 * No cycle may be debited twice or stay without an end, and no debit may be on one side only. No ended mandate may stay live at the bank.
 * Every fifth mandate is a wallet's: its money must leave it once for each collected cycle, and for nothing else. Debits must equal
 * credits, `mohur verify` may name nothing, and every notification must reach its receiver, in order, and no other. `--variant
 * call-before-commit` runs a service that calls the bank before its own COMMIT; the loop must find that.
 */

import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Kysely } from 'kysely'
import { billers, type Mandates, makeMandates, midOf, subscriptionIdAt } from '../../bench/mandates.ts'
import { MASTER_KEY } from '../../bench/processes.ts'
import type { Behaviour } from '../../src/adapters/acquirer/sandbox/bank-request.ts'
import { scriptSubject } from '../../src/adapters/acquirer/sandbox/open-books.ts'
import { SandboxBank } from '../../src/adapters/acquirer/sandbox/sandbox-bank.ts'
import { sign } from '../../src/interface/checksum.ts'
import { SECRET } from '../support/notifications/receiver.ts'
import { checkout, program } from '../support/run/checkout.ts'
import { type ServedProcess, serveProcess } from '../support/run/process.ts'
import { KEY, type StoreName } from '../support/run/service.ts'
import { Random } from '../support/text/random.ts'
import { faultsOf, type Listener, listener, type Notified, type ReportedFigures } from './notified.ts'
import { breachesIn, endLeases, inPlace, openPlace, type Place, within } from './place.ts'
import { type BookFigures, countBeside, inspect } from './renewal-books.ts'

const [HOUR_MS, DAY_MS, IST_MS] = [3_600_000, 86_400_000, 330 * 60_000]
const MERCHANTS = 2
const WALLET_EVERY = 5 // mandates: enough of them run out of money, and some do not
const HOURS_OF_WORK = [6, 13, 18, 21.5] // debits, retries, notices, retries
const KILLED_WITHIN_MS = 500
/** Until the first debit, where the kill waits for it. A variant is killed at no other moment. */
const SEEN_WITHIN_MS = { none: 3_000, 'call-before-commit': 120_000 }
const OUTAGE_DAYS = 3
const CALLED_BEFORE_MS = 30_000 // by the variant, whose kill comes well within that time
const ROUNDS_SETTLING = 2
const AFTER_DAYS = 45 // until each party has answered, and late debits are given back
const COLLECTS: readonly Behaviour[] = [
  ...(['success', 'success', 'success', 'insufficient', 'declined', 'lost', 'timeout', 'slow'] as const),
  ...(['pending', 'late', 'wrongAmount'] as const),
]
const NOTICES: readonly Behaviour[] = ['success', 'success', 'success', 'success', 'lost', 'timeout', 'slow', 'declined', 'optedOut']
const SCRIPTED = 8 // answers of one mandate

export const VARIANTS = ['none', 'call-before-commit'] as const
export type Variant = (typeof VARIANTS)[number]

export interface RenewalFigures extends BookFigures, ReportedFigures {
  store: StoreName
  seed: number
  variant: Variant
  kills: number
  breaches: string[]
}

interface Loop extends Place {
  times: number
  seed: number
  variant: Variant
  file: string
  mandates: Mandates
  receivers: Readonly<Record<string, Listener>>
}

interface Options {
  mandates?: number
  variant?: Variant
}

export async function renewalLoop(
  store: StoreName,
  times: number,
  seed: number,
  { mandates: count = 280, variant = 'none' }: Options = {},
) {
  const receivers = { [midOf(0)]: await listener(), [midOf(1)]: await listener() }
  try {
    const now = Date.now()
    const dueDate = new Date(now + IST_MS + 4 * DAY_MS).toISOString().slice(0, 10)
    // A kill moves time by a quarter of a day, and an outage by several days.
    const weeks = 1 + Math.ceil((times * (0.3 + OUTAGE_DAYS / 8)) / 7)
    const mandates: Mandates = {
      count,
      merchants: MERCHANTS,
      dueDate,
      consentedAt: now,
      weeks,
      isWhole: true,
      walletEvery: WALLET_EVERY,
      urlOf: (at) => receivers[midOf(at)]!.url,
    }
    return await inPlace(store, 'renewals', (place) => {
      const file = variant === 'none' ? program : callingBeforeCommit(place.folder)
      return run({ ...place, times, seed, variant, file, mandates, receivers })
    })
  } finally {
    for (const each of Object.values(receivers)) each.close()
  }
}

/** A copy of the source in which the submitter of an attempt learns of it, and calls the bank, shortly before it is committed. */
function callingBeforeCommit(folder: string): string {
  const root = join(folder, 'variant')
  cpSync(join(checkout, 'src'), join(root, 'src'), { recursive: true })
  for (const name of ['package.json', 'node_modules']) symlinkSync(join(checkout, name), join(root, name))
  const file = join(root, 'src/engine/engine.ts')
  const text = readFileSync(file, 'utf8')
  const committed = '          return { outcomes, writes: written }'
  if (text.split(committed).length !== 2) throw new Error('the variant has no place in engine.ts')
  const early = `          if (outcomes.some((reply) => reply.body?.work?.kind === 'collect')) {
            this.#answerAll(batch, outcomes)
            await new Promise((resolve) => setTimeout(resolve, ${CALLED_BEFORE_MS}))
          }
`
  writeFileSync(file, text.replace(committed, `${early}${committed}`))
  return join(root, 'src/cli/mohur.ts')
}

const serve = ({ folder, databaseUrl, file }: Loop) =>
  serveProcess(
    {
      MOHUR_DATA: folder,
      MOHUR_WORLD: join(folder, 'world.json'),
      DATABASE_URL: databaseUrl,
      MOHUR_LOG: 'silent',
      MOHUR_MASTER_KEY: MASTER_KEY,
    },
    [],
    file,
  )

async function run(loop: Loop): Promise<RenewalFigures> {
  const { folder, databaseUrl, mandates, times, seed, store, variant } = loop
  const random = new Random(seed)
  const world = billers(mandates)
  const merchants = world.merchants!.map((each) => ({ ...each, notification: { ...each.notification!, secret: SECRET } }))
  writeFileSync(join(folder, 'world.json'), JSON.stringify({ ...world, merchants }))
  await makeMandates({ folder, ...(databaseUrl && { databaseUrl }) }, mandates)
  await teachToLie(loop, random)
  await untilTheEve(loop)
  for (let time = 0; time < times; time++) {
    const service = await serve(loop)
    const debitedBefore = await debitsOf(loop)
    void move(service, nextWork(await clockOf(service), random)).catch(() => {})
    const acting = random.below(2) === 0 ? act(service, loop, random) : undefined
    // Between the bank's debit and Mohur's record of it, or at any moment.
    if (variant !== 'none' || random.below(3) === 0) await debitSeen(loop, debitedBefore)
    else await sleep(random.below(KILLED_WITHIN_MS))
    await service.kill('SIGKILL')
    await acting
    if (variant !== 'none' || random.below(8) === 0)
      await outage(loop, random.below(OUTAGE_DAYS * DAY_MS) + (variant === 'none' ? 0 : DAY_MS))
  }
  await settle(loop)
  const found = await inspect(loop)
  const breaches = await breachesIn(loop, loop.folder)
  const notifications = await within(loop, (rows) =>
    rows<Notified>('select mid, notification_id as id, url, status from notifications order by notification_id'),
  )
  return { store, seed, variant, kills: times, ...found, ...faultsOf(notifications, loop.receivers), breaches }
}

// ------------------------------------------------------------------------------------------------------- what happens

async function teachToLie(loop: Loop, random: Random) {
  const { store, mandates } = loop
  const database = openPlace(loop, 'bank.sqlite')
  const bank = await SandboxBank.open(database.writer as Kysely<unknown>, store === 'postgres')
  const some = (words: readonly Behaviour[]) => Array.from({ length: SCRIPTED }, () => random.pick(words))
  for (let at = 0; at < mandates.count; at++) {
    const subject = (call: string) => scriptSubject(midOf(at % MERCHANTS), `${subscriptionIdAt(at)}:${call}`)
    if (random.below(2) === 0) await bank.script(subject('collect'), some(COLLECTS))
    if (random.below(4) === 0) await bank.script(subject('notify'), some(NOTICES))
  }
  await database.close()
}

/** The first payers have got their notices, and nothing is due before six in the morning. */
async function untilTheEve(loop: Loop) {
  const service = await serve(loop)
  await move(service, Date.parse(`${loop.mandates.dueDate}T00:00:00+05:30`) - HOUR_MS)
  await service.kill('SIGTERM')
}

/** The next hour with due work, or a little later. */
function nextWork(now: number, random: Random): number {
  const midnight = Math.floor((now + IST_MS) / DAY_MS) * DAY_MS - IST_MS
  const next = [...HOURS_OF_WORK, 24 + HOURS_OF_WORK[0]!].map((hour) => midnight + hour * HOUR_MS).find((at) => at > now)!
  return next + random.below(2) * random.below(HOUR_MS)
}

/** A payer or a merchant ends, stops or resumes something. The bank may report it or not. */
async function act({ url }: ServedProcess, { mandates: { count } }: Loop, random: Random) {
  const at = random.below(count)
  const [mid, subscriptionId] = [midOf(at % MERCHANTS), subscriptionIdAt(at)]
  const action = random.pick(['revoke', 'pause', 'resume', 'resume', 'skip', 'cancel'] as const)
  const isReported = random.below(2) === 0
  try {
    if (action !== 'cancel') await post(`${url}/sandbox/payer`, JSON.stringify({ mid, subscriptionId, action, isReported }))
    else {
      const body = JSON.stringify({ mid, subsId: subscriptionId })
      await post(`${url}/subscription/cancel`, `{"head":{"tokenType":"AES","signature":"${sign(body, KEY, 'Ab3=')}"},"body":${body}}`)
    }
  } catch {
    // The service was killed meanwhile. The loop tests the work that it had begun.
  }
}

const post = async (url: string, body: string) => {
  const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return { status: reply.status, text: await reply.text() }
}
const clockOf = async ({ url }: ServedProcess) => Date.parse(((await (await fetch(`${url}/sandbox/clock`)).json()) as { now: string }).now)
async function move({ url }: ServedProcess, to: number) {
  const { status, text } = await post(`${url}/sandbox/clock`, JSON.stringify({ to: new Date(to).toISOString() }))
  if (status !== 200) throw new Error(`the clock did not move: ${text}`)
}

async function debitSeen(loop: Loop, before: number) {
  const until = performance.now() + SEEN_WITHIN_MS[loop.variant]
  while (performance.now() < until && (await debitsOf(loop)) === before) await sleep(2)
}
const debitsOf = (loop: Loop) =>
  countBeside(loop, "select count(*) as count from bank_journal where kind = 'collect' and outcome = 'success'")

/** No process runs for this long. */
const outage = (loop: Loop, ms: number) =>
  within(loop, (rows) => rows(`update settings set value = cast(cast(value as bigint) + ${ms} as text) where name = 'clockOffsetMs'`))

/** Ends the leases of dead processes, as half a minute would. Then time passes beyond the last day of every mandate. */
async function settle(loop: Loop) {
  const { dueDate, weeks = 0 } = loop.mandates
  for (let round = 0; round < ROUNDS_SETTLING; round++) {
    await endLeases(loop)
    const service = await serve({ ...loop, file: program })
    try {
      const end = Date.parse(`${dueDate}T00:00:00Z`) + (7 * weeks + AFTER_DAYS * (round + 1)) * DAY_MS
      await move(service, Math.max(end, (await clockOf(service)) + AFTER_DAYS * DAY_MS))
    } finally {
      await service.kill('SIGTERM')
    }
  }
}

/** The figures that must be zero. */
export function faultsIn(figures: RenewalFigures): [string, number][] {
  const { debitedTwice, onlyAtTheBank, onlyOurs, withoutEnd, liveAtTheBank, wrongWallets, trialBalance, breaches } = figures
  const { unreported, atAnother, outOfOrder, otherBytes, unsigned } = figures
  const counts = { debitedTwice, onlyAtTheBank, onlyOurs, withoutEnd, liveAtTheBank, wrongWallets, trialBalance, breaches: breaches.length }
  return Object.entries({ ...counts, unreported, atAnother, outOfOrder, otherBytes, unsigned }).filter(([, count]) => count !== 0)
}
export const isSound = (figures: RenewalFigures) => faultsIn(figures).length === 0

if (process.argv[1] === import.meta.filename) {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      store: { ...string, default: 'sqlite' },
      times: { ...string, default: '200' },
      mandates: { ...string, default: '280' },
      variant: { ...string, default: 'none' },
      seed: string,
    },
  })
  const { store, times, mandates, seed = Date.now() % 1e9 } = values
  const variant = VARIANTS.find((each) => each === values.variant)
  if (store !== 'sqlite' && store !== 'postgres') throw new Error('--store is sqlite or postgres')
  if (!variant) throw new Error(`--variant is ${VARIANTS.join(' or ')}`)
  const figures = await renewalLoop(store, Number(times), Number(seed), { mandates: Number(mandates), variant })
  console.log(JSON.stringify(figures))
  // The loop must find the fault of a variant.
  process.exitCode = isSound(figures) === (variant === 'none') ? 0 : 1
}
