/**
 * Kills the service with SIGKILL while customers pay two merchants and get refunds, and starts it again. Then it compares the service's
 * books with the bank's journal and with the posts that each merchant got:
 *
 *     node bin/run.mjs test/crash/pay-loop.ts --store sqlite|postgres --times 200 [--leases-left 10] [--seed 1]
 *
 * After some of the kills, as many as `--leases-left` says, no customer comes and the leases stay. Then every open notification must arrive
 * within 35 seconds of the start. At the end time moves until everything has settled. No order may be charged twice. Every charge and
 * refund of the journal must be in the books, and the other way round. Debits must equal credits. Every notification must reach its
 * receiver and no other, those of an order in order, with the same bytes under the same id.
 */

import { once } from 'node:events'
import { appendFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sign } from '../../src/interface/checksum.ts'
import { notifiedWorld } from '../support/notifications/receiver.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { serveProcess } from '../support/run/process.ts'
import { KEY, MID, type StoreName } from '../support/run/service.ts'
import { Random } from '../support/text/random.ts'
import { faultsOf, type Listener, listener, type Notified, type ReportedFigures } from './notified.ts'
import { breachesIn, fromShell, inPlace, type Place, settingsOf, settle, within } from './place.ts'

const PAYERS = 12 // customers who create and pay one order after another
const PAYS_PER_ORDER = 3 // at the same time
const PAID_MIN = 2 // and as many that succeeded, because the first answers may all be refusals
const ANSWERED_MIN = 8 // payments of a round before its kill may come: a busy machine takes long for the first
const LOAD_MS_MAX = 350 // under load after that
const NOTIFIED_WITHIN_MS = 35_000 // after a start: the dead process's leases expire after 30 seconds
const OTHER_MID = 'OTHER000000000000001'
const MEANS = [
  { paymentMode: 'UPI', payerAccount: 'success@upi' },
  { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' },
  { paymentMode: 'UPI', payerAccount: 'lost@upi' },
  { paymentMode: 'UPI', payerAccount: 'slow@upi' },
  { paymentMode: 'UPI', payerAccount: 'timeout@upi' },
  { paymentMode: 'UPI', payerAccount: 'declined@upi' },
  { paymentMode: 'PPBL' },
]

export interface PayFigures extends ReportedFigures {
  store: StoreName
  seed: number
  kills: number
  orders: number
  acknowledged: number
  /** Payments and refunds in the journal that succeeded. */
  charges: number
  refunds: number
  chargedTwice: number
  /** Entries in the journal and not in the books, and the other way round. */
  onlyInJournal: number
  onlyInBooks: number
  /** Successes that a payer saw and that the books lack. */
  broken: number
  /** Transactions and refunds without a final result. */
  unsettled: number
  /** Debits less credits, in paise. */
  trialBalance: number
  /** Kills after which the leases stayed, notifications that then came too late, and the longest time of one. */
  leasesLeft: number
  reportedTooLate: number
  reportedWithinMs: number
  /** What `mohur verify` names afterwards. */
  breaches: string[]
  refused: Record<string, number>
}

interface Loop extends Place {
  times: number
  seed: number
  leasesLeft: number
  /**
   * The receiver of each merchant. As `peonUrl` of the first merchant's orders, the second one also gets notifications of their payments.
   */
  receivers: Readonly<Record<string, Listener>>
}

export async function payLoop(store: StoreName, times: number, seed: number, leasesLeft = 0): Promise<PayFigures> {
  const receivers = { [MID]: await listener(), [OTHER_MID]: await listener() }
  try {
    return await inPlace(store, 'pay', (place) => {
      const world = notifiedWorld(receivers[MID]!.url, 'json', [{ mid: OTHER_MID, url: receivers[OTHER_MID]!.url }])
      writeFileSync(join(place.folder, 'world.json'), JSON.stringify(world))
      return run({ ...place, times, seed, leasesLeft, receivers })
    })
  } finally {
    for (const each of Object.values(receivers)) each.close()
  }
}

const serve = (loop: Loop) => serveProcess({ ...settingsOf(loop), MOHUR_WORLD: join(loop.folder, 'world.json') })

async function run(loop: Loop): Promise<PayFigures> {
  const random = new Random(loop.seed)
  const acknowledged = new Set<string>()
  const refused: Record<string, number> = {}
  const left = { leasesLeft: 0, reportedTooLate: 0, reportedWithinMs: 0 }
  let orders = 0
  for (let time = 0; time < loop.times; time++) {
    const service = await serve(loop)
    const agent = new Agent({ keepAlive: true, maxSockets: 64 })
    const underLoad = Promise.withResolvers<void>()
    let [answered, paidNow] = [0, 0]
    const answeredOne = () => {
      if (++answered >= ANSWERED_MIN && paidNow >= PAID_MIN) underLoad.resolve()
    }
    const paid = (orderId: string) => {
      appendFileSync(join(loop.folder, 'acknowledged'), `${orderId}\n`)
      acknowledged.add(orderId)
      paidNow++
      answeredOne()
    }
    const note = (code: string) => {
      refused[code] = (refused[code] ?? 0) + 1
      answeredOne()
    }
    const load = Array.from({ length: PAYERS }, (_, payer) =>
      customer({
        ...{ url: service.url, agent, random, began: () => orders++, paid, note },
        ...(payer % 2 === 0 ? { mid: MID, peonUrl: loop.receivers[OTHER_MID]!.url } : { mid: OTHER_MID }),
        prefix: `K${time}-${payer}`,
      }),
    )
    await underLoad.promise
    await sleep(random.below(LOAD_MS_MAX) + 50)
    await service.kill('SIGKILL')
    await Promise.all(load)
    agent.destroy()
    // Spread over the kills, and after the last of them too.
    if (Math.floor(((time + 1) * loop.leasesLeft) / loop.times) > left.leasesLeft) {
      const { late, longestMs } = await leave(loop)
      left.leasesLeft++
      left.reportedTooLate += late
      left.reportedWithinMs = Math.max(left.reportedWithinMs, longestMs)
    }
  }
  await settle(loop, () => serve(loop))
  const found = await inspect(loop, acknowledged)
  const { store, seed, times } = loop
  const breaches = await breachesIn(loop, loop.folder)
  const reported = faultsOf(await notificationsOf(loop), loop.receivers)
  return { store, seed, kills: times, orders, acknowledged: acknowledged.size, ...found, ...left, ...reported, breaches, refused }
}

/** Starts the service without customers and with the leases as they are, and waits for the notifications that were open at the start. */
async function leave(loop: Loop): Promise<{ late: number; longestMs: number }> {
  const open = (await notificationsOf(loop)).filter(({ status }) => status === 'OPEN')
  const service = await serve(loop)
  const began = performance.now()
  const isNotified = ({ id, url }: Notified) => Object.values(loop.receivers).some((each) => each.url === url && each.hasHeard(id))
  let missing = open.filter((each) => !isNotified(each))
  let longestMs = 0
  while (missing.length > 0 && performance.now() - began <= NOTIFIED_WITHIN_MS) {
    await sleep(20)
    const left = missing.filter((each) => !isNotified(each))
    if (left.length < missing.length) longestMs = Math.round(performance.now() - began)
    missing = left
  }
  await service.kill('SIGKILL')
  return { late: missing.length, longestMs }
}

/** All notifications for either receiver. */
const notificationsOf = (loop: Loop) =>
  within(loop, (rows) => rows<Notified>('select mid, notification_id as id, url, status from notifications order by notification_id'))

interface Customer {
  url: string
  agent: Agent
  mid: string
  peonUrl?: string
  prefix: string
  random: Random
  began(): void
  paid(orderId: string): void
  note(code: string): void
}

/** Creates an order, pays it several times at once and sometimes refunds half of it, until the service is gone. */
async function customer({ url, agent, mid, peonUrl, prefix, random, began, paid, note }: Customer) {
  try {
    for (let number = 0; ; number++) {
      const orderId = `${prefix}-${number}`
      const created = await signed(
        url,
        agent,
        `/aoa-acquiring-biz/v2/order?mid=${mid}&orderId=${orderId}`,
        orderBody(orderId, { mid, ...(peonUrl && { peonUrl }) }),
      )
      began()
      const path = `/theia/api/v1/processTransaction?mid=${mid}&orderId=${orderId}`
      const pays = Array.from({ length: PAYS_PER_ORDER }, async () => {
        const body = { requestType: 'NATIVE', mid, orderId, ...MEANS[random.below(MEANS.length)] }
        const reply = await post(url, agent, path, JSON.stringify({ head: { txnToken: created.txnToken }, body }))
        if (reply.txnInfo?.STATUS === 'TXN_SUCCESS') paid(orderId)
        else note(reply.resultInfo.resultCode)
        return reply.txnInfo?.STATUS === 'TXN_SUCCESS' ? (reply.txnId as string) : undefined
      })
      const txnId = (await Promise.all(pays)).find((id) => id !== undefined)
      if (txnId === undefined || random.below(3) > 0) continue
      const refId = `R-${orderId}`
      await signed(url, agent, '/refund/apply', { mid, txnType: 'REFUND', orderId, txnId, refId, refundAmount: '5.00' })
    }
  } catch {
    // The kill came in the middle of a call, which is what this test looks for.
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
    // At the bank a merchant's refund has the merchant's refId, and a refund of Mohur's own has Mohur's number.
    const refunds = await rows<{ id: string; status: string; amount: number }>(
      "select case when ref_id like '%:%' then refund_id else ref_id end as id, status, bank_paise as amount from refunds",
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

/** The figures that must be zero. */
export const faultsIn = (figures: PayFigures) => {
  const { chargedTwice, onlyInJournal, onlyInBooks, broken, unsettled, trialBalance, breaches } = figures
  const { unreported, atAnother, outOfOrder, otherBytes, unsigned, reportedTooLate } = figures
  const counts = { chargedTwice, onlyInJournal, onlyInBooks, broken, unsettled, trialBalance, breaches: breaches.length }
  return Object.entries({ ...counts, unreported, atAnother, outOfOrder, otherBytes, unsigned, reportedTooLate }).filter(
    ([, count]) => count !== 0,
  )
}
export const isSound = (figures: PayFigures) => faultsIn(figures).length === 0

if (process.argv[1] === import.meta.filename)
  await fromShell(
    { times: 200, 'leases-left': 0 },
    (store, seed, { times, 'leases-left': leasesLeft }) => payLoop(store, times, seed, leasesLeft),
    isSound,
  )
