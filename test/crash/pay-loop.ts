/**
 * Kills the service with SIGKILL while customers pay and merchants refund, starts it again, and holds its books against the
 * bank's journal: `node test/crash/pay-loop.ts --store sqlite|postgres --times 200 [--seed 1]`.
 * Afterwards time is moved until everything has settled. No order may have been charged twice, every charge and refund of the
 * journal must be in the books and the other way round, and debits must equal credits.
 */

import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { sign } from '../../src/interface/checksum.ts'
import { openPostgres, openSqlite } from '../../src/store/database.ts'
import { verify } from '../../src/verify/verify.ts'
import { sharedPostgres, startPostgres, urlVariable } from '../support/postgres.ts'
import { serveProcess } from '../support/process.ts'
import { Random } from '../support/random.ts'
import { KEY, MID, type StoreName } from '../support/service.ts'

const PAYERS = 12 // customers who create and pay one order after another
const PAYS_PER_ORDER = 3 // at the same time
const ANSWERED_MIN = 8 // payments of a round before its kill may come: a busy machine takes long for the first
const LOAD_MS_MAX = 350 // under load after that
const ROUNDS_SETTLING = 3
const MEANS = [
  { paymentMode: 'UPI', payerAccount: 'success@upi' },
  { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' },
  { paymentMode: 'UPI', payerAccount: 'lost@upi' },
  { paymentMode: 'UPI', payerAccount: 'slow@upi' },
  { paymentMode: 'UPI', payerAccount: 'timeout@upi' },
  { paymentMode: 'UPI', payerAccount: 'declined@upi' },
  { paymentMode: 'PPBL' },
]

export interface PayFigures {
  store: StoreName
  seed: number
  kills: number
  orders: number
  acknowledged: number
  /** Of the journal: payments and refunds that succeeded. */
  charges: number
  refunds: number
  /** Orders with more than one charge. */
  chargedTwice: number
  /** Of the journal and not of the books, and the other way round. */
  onlyInJournal: number
  onlyInBooks: number
  /** A success that was told to a payer and is not in the books. */
  broken: number
  /** Transactions and refunds that have not settled. */
  unsettled: number
  /** Debits less credits, in paise. */
  trialBalance: number
  /** What `mohur verify` names afterwards. */
  breaches: string[]
  refused: Record<string, number>
}

interface Loop {
  store: StoreName
  times: number
  seed: number
  folder: string
  databaseUrl: string
}

export async function payLoop(store: StoreName, times: number, seed: number): Promise<PayFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-pay-'))
  const own = store === 'postgres' && !process.env[urlVariable]
  const postgres = store === 'postgres' ? await (own ? startPostgres() : sharedPostgres()) : undefined
  try {
    return await run({ store, times, seed, folder, databaseUrl: (await postgres?.createDatabase()) ?? '' })
  } finally {
    if (own) await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const serve = ({ folder, databaseUrl }: Loop) =>
  serveProcess({
    MOHUR_DATA: folder,
    DATABASE_URL: databaseUrl,
    MOHUR_LOG: 'silent',
    MOHUR_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
  })

async function run(loop: Loop): Promise<PayFigures> {
  const random = new Random(loop.seed)
  const acknowledged = new Set<string>()
  const refused: Record<string, number> = {}
  let orders = 0
  for (let time = 0; time < loop.times; time++) {
    const service = await serve(loop)
    const agent = new Agent({ keepAlive: true, maxSockets: 64 })
    const underLoad = Promise.withResolvers<void>()
    let answered = 0
    const answeredOne = () => {
      if (++answered === ANSWERED_MIN) underLoad.resolve()
    }
    const paid = (orderId: string) => {
      appendFileSync(join(loop.folder, 'acknowledged'), `${orderId}\n`)
      acknowledged.add(orderId)
      answeredOne()
    }
    const note = (code: string) => {
      refused[code] = (refused[code] ?? 0) + 1
      answeredOne()
    }
    const load = Array.from({ length: PAYERS }, (_, payer) =>
      customer({ url: service.url, agent, prefix: `K${time}-${payer}`, random, began: () => orders++, paid, note }),
    )
    await underLoad.promise
    await sleep(random.below(LOAD_MS_MAX) + 50)
    await service.kill('SIGKILL')
    await Promise.all(load)
    agent.destroy()
  }
  await settle(loop)
  const found = await inspect(loop, acknowledged)
  const { store, seed, times, folder, databaseUrl } = loop
  const verdicts = await verify({ dataFolder: folder, databaseUrl: databaseUrl || undefined })
  const breaches = verdicts.filter(({ first }) => first !== undefined).map(({ id }) => id)
  return { store, seed, kills: times, orders, acknowledged: acknowledged.size, ...found, breaches, refused }
}

interface Customer {
  url: string
  agent: Agent
  prefix: string
  random: Random
  began(): void
  paid(orderId: string): void
  note(code: string): void
}

/** Creates an order, pays it several times at once and sometimes asks half of it back, until the service is gone. */
async function customer({ url, agent, prefix, random, began, paid, note }: Customer) {
  try {
    for (let number = 0; ; number++) {
      const orderId = `${prefix}-${number}`
      const created = await signed(url, agent, `/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=${orderId}`, {
        requestType: 'PAYMENT',
        mid: MID,
        orderId,
        txnAmount: { value: '10.00', currency: 'INR' },
        userInfo: { custId: 'C1' },
        websiteName: 'DEFAULT',
      })
      began()
      const path = `/theia/api/v1/processTransaction?mid=${MID}&orderId=${orderId}`
      const pays = Array.from({ length: PAYS_PER_ORDER }, async () => {
        const body = { requestType: 'NATIVE', mid: MID, orderId, ...MEANS[random.below(MEANS.length)] }
        const reply = await post(url, agent, path, JSON.stringify({ head: { txnToken: created.txnToken }, body }))
        if (reply.txnInfo?.STATUS === 'TXN_SUCCESS') paid(orderId)
        else note(reply.resultInfo.resultCode)
        return reply.txnInfo?.STATUS === 'TXN_SUCCESS' ? (reply.txnId as string) : undefined
      })
      const txnId = (await Promise.all(pays)).find((id) => id !== undefined)
      if (txnId === undefined || random.below(3) > 0) continue
      const refId = `R-${orderId}`
      await signed(url, agent, '/refund/apply', { mid: MID, txnType: 'REFUND', orderId, txnId, refId, refundAmount: '5.00' })
    }
  } catch {
    // The service is gone, in the middle of something: that is what is looked at.
  }
}

const signed = (url: string, agent: Agent, path: string, body: object) => {
  const text = JSON.stringify(body)
  return post(url, agent, path, `{"head":{"signature":"${sign(text, KEY, 'Ab3=')}"},"body":${text}}`)
}

// biome-ignore lint/suspicious/noExplicitAny: replies are what is about to be judged
async function post(url: string, agent: Agent, path: string, text: string): Promise<any> {
  const call = request(url + path, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
  })
  call.end(text)
  const [response] = await once(call, 'response')
  let reply = ''
  for await (const piece of response.setEncoding('utf8')) reply += piece
  return JSON.parse(reply).body
}

/** Leases of the dead end as half a minute would end them; then eight days pass, and whatever is due is done. */
async function settle(loop: Loop) {
  for (let round = 0; round < ROUNDS_SETTLING; round++) {
    await within(loop, (rows) => rows('update tasks set lease_until = 0'))
    const service = await serve(loop)
    try {
      const response = await fetch(`${service.url}/sandbox/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advance: 'P8D' }),
      })
      if (response.status !== 200) throw new Error(`the clock did not move: ${await response.text()}`)
    } finally {
      await service.kill('SIGTERM')
    }
  }
}

type Rows = <T>(statement: string) => Promise<T[]>

async function within<T>({ store, folder, databaseUrl }: Loop, work: (rows: Rows) => Promise<T>, file = 'mohur.sqlite'): Promise<T> {
  const database = store === 'postgres' ? openPostgres(databaseUrl) : openSqlite(join(folder, file))
  try {
    return await work(async <R>(statement: string) => (await sql.raw<R>(statement).execute(database.writer)).rows)
  } finally {
    await database.close()
  }
}

async function inspect(loop: Loop, acknowledged: ReadonlySet<string>) {
  const journal = await within(
    loop,
    (rows) =>
      rows<{ key: string; kind: string; amount: number }>(
        "select key, kind, amount_paise as amount from bank_journal where outcome = 'success'",
      ),
    'bank.sqlite',
  )
  return within(loop, async (rows) => {
    const transactions = await rows<{ id: string; order_id: string; status: string; captured: number }>(
      'select txn_id as id, order_id, status, captured_paise as captured from transactions',
    )
    const refunds = await rows<{ id: string; status: string; amount: number }>(
      'select refund_id as id, status, bank_paise as amount from refunds',
    )
    const [balance] = await rows<{ difference: number }>(
      'select coalesce(sum(debit_paise - credit_paise), 0) as difference from ledger_entries',
    )
    const theirs = journal.map(({ kind, key, amount }) => `${kind} ${key.split(':').at(-1)} ${amount}`)
    const ours = [
      ...transactions.filter(({ captured }) => captured > 0).map(({ id, captured }) => `authorize ${id} ${captured}`),
      ...refunds.filter(({ status }) => status === 'SUCCESS').map(({ id, amount }) => `refund ${id} ${amount}`),
    ]
    const orderOf = new Map(transactions.map(({ id, order_id }) => [id, order_id]))
    const charged = journal.filter(({ kind }) => kind === 'authorize').map(({ key }) => orderOf.get(key.split(':').at(-1)!) ?? key)
    const paid = new Set(transactions.filter(({ status }) => status === 'SUCCESS').map(({ order_id }) => order_id))
    const [inBooks, inJournal] = [new Set(ours), new Set(theirs)]
    return {
      charges: charged.length,
      refunds: theirs.length - charged.length,
      chargedTwice: charged.length - new Set(charged).size,
      onlyInJournal: theirs.filter((line) => !inBooks.has(line)).length,
      onlyInBooks: ours.filter((line) => !inJournal.has(line)).length,
      broken: [...acknowledged].filter((orderId) => !paid.has(orderId)).length,
      unsettled:
        transactions.filter(({ status }) => status !== 'SUCCESS' && status !== 'FAILURE').length +
        refunds.filter(({ status }) => status === 'PENDING').length,
      trialBalance: Number(balance?.difference ?? 0),
    }
  })
}

export const isSound = ({ chargedTwice, onlyInJournal, onlyInBooks, broken, unsettled, trialBalance, breaches }: PayFigures) =>
  chargedTwice + onlyInJournal + onlyInBooks + broken + unsettled + breaches.length === 0 && trialBalance === 0

if (import.meta.main) {
  const { values } = parseArgs({
    options: { store: { type: 'string', default: 'sqlite' }, times: { type: 'string', default: '200' }, seed: { type: 'string' } },
  })
  if (values.store !== 'sqlite' && values.store !== 'postgres') throw new Error('--store is sqlite or postgres')
  const figures = await payLoop(values.store, Number(values.times), Number(values.seed ?? Date.now() % 1e9))
  console.log(JSON.stringify(figures))
  process.exitCode = isSound(figures) ? 0 : 1
}
