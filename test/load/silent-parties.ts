/**
 * How long other work waits beside 400 payments at a silent bank, 300 messages at a silent provider, and five merchants with silent
 * endpoints: `node bin/run.mjs test/load/silent-parties.ts --store sqlite|postgres`. Each figure runs from the request to its arrival.
 * Fails when a p99 is more than twice that without silent parties, or 300 ms or more.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ADAPTER_SECRET } from '../support/bank/adapter.ts'
import { bank, listener, type Party } from '../support/bank/silent.ts'
import { notifiedWorld, notifyOf } from '../support/notifications/receiver.ts'
import { CARD, createOrder, inParallel, pay } from '../support/paying/paying.ts'
import { paidOrder, refund } from '../support/paying/refunds.ts'
import { type Service, type StoreName, startService } from '../support/run/service.ts'
import { send } from '../support/signin/signin.ts'

const [PAYMENTS, MESSAGES, NOTIFICATIONS] = [400, 300, 500]
const ROUNDS = 1_000 // of the four measured things, one after another: a p99 is the tenth largest
const WARM_ROUNDS = 300
const PAUSE_MS = 20
const P99_MS_MAX = 300
const SILENT = { paymentMode: 'UPI', payerAccount: 'silent@upi' }
type Waits = Record<'otp' | 'refund' | 'notification' | 'create', number[]>
type Parties = Record<'bank' | 'provider' | 'receiver', Party>

/** A refused code is not sent, and a caller would wait for it for ever. */
async function sendTo(service: Service, phone: string) {
  const { text } = await send(service, { phone })
  if (!text.includes('"SUCCESS"')) throw new Error(`no OTP: ${text}`)
}

const phoneOf = (first: number, at: number) => `${first}${String(10_000 + at)}${String(at).padStart(4, '0')}`
const p = (of: readonly number[], part: number) => Math.round(of.toSorted((a, b) => a - b)[Math.ceil(of.length * part) - 1]!)

async function measure(service: Service, name: string, first: number, parties: Parties, rounds = ROUNDS) {
  const waits: Waits = { otp: [], refund: [], notification: [], create: [] }
  for (let round = 0; round < rounds; round++) {
    const id = `${name}-${round}`
    const phone = phoneOf(first, round)
    const until = async (kind: keyof Waits, work: () => Promise<unknown>, arrives?: Promise<{ at: number }>) => {
      const began = performance.now()
      await work()
      waits[kind].push((arrives ? (await arrives).at : performance.now()) - began)
    }
    await until('create', () => createOrder(service, `C-${id}`))
    const heardOtp = parties.provider.hears(({ body }) => body.to === `+91${phone}`)
    await until('otp', () => sendTo(service, phone), heardOtp)
    const paid = await paidOrder(service, id, { means: CARD })
    const heardRefund = parties.bank.hears(({ call, body }) => call === 'refund' && body.orderId === id)
    await until('refund', () => refund(service, paid, `R-${id}`, '10.00'), heardRefund)
    const heardReported = parties.receiver.hears(({ body }) => body.body?.orderId === `T-${id}`)
    await until('notification', () => notifyOf(service, `T-${id}`, 1), heardReported)
    await sleep(PAUSE_MS)
  }
  return waits
}

async function run(store: StoreName) {
  const receiver = await listener()
  const nobody = await listener(() => true)
  const silent = new Set<string>()
  const theirs = await bank({ now: () => Date.parse('2026-06-15T10:00:00+05:30') }, ({ call, body }) => {
    if (call === 'authorize' && body.means.vpa === SILENT.payerAccount) silent.add(body.key)
    return silent.has(body.key)
  })
  const provider = await listener(({ body }) => body.to.startsWith('+919'))
  const env = { MOHUR_ACQUIRER_URL: theirs.url, MOHUR_ACQUIRER_SECRET: ADAPTER_SECRET, MOHUR_SMS_URL: provider.url }
  // The test measures waiting, and not limits.
  const more = { MOHUR_CONNECTIONS_PER_ADDRESS: '2000', MOHUR_OTP_ALL_PER_MINUTE: '100000' }
  const service = await startService(store, { world: notifiedWorld(receiver.url, 'json'), env: { ...env, ...more }, polls: true })
  const parties = { bank: theirs, provider, receiver }
  await measure(service, 'WARM', 6, parties, WARM_ROUNDS)
  const without = await measure(service, 'ALONE', 7, parties)

  const orders = await Promise.all(Array.from({ length: PAYMENTS }, (_, at) => createOrder(service, `SILENT-${at}`)))
  const paying = orders.map((order) => pay(service, order, SILENT).catch(() => {}))
  await inParallel(50, MESSAGES, (at) => sendTo(service, phoneOf(9, at)))
  const port = new URL(nobody.url).port
  await inParallel(50, NOTIFICATIONS, (at) =>
    notifyOf(service, `S-${at}`, 1, { mid: `M${at % 5}`, peonUrl: `http://h${at}.localhost:${port}/` }),
  )
  const beside = await measure(service, 'BESIDE', 8, parties)
  let isMissed = false
  for (const kind of Object.keys(beside) as (keyof Waits)[]) {
    const [alone, now] = [p(without[kind], 0.99), p(beside[kind], 0.99)]
    const missed = now > 2 * alone || now >= P99_MS_MAX
    isMissed ||= missed
    console.log(
      `${store} ${kind}: p50 ${p(without[kind], 0.5)} -> ${p(beside[kind], 0.5)} ms, p99 ${alone} -> ${now} ms${missed ? ' MISSED' : ''}`,
    )
  }
  const waiting = { payments: silent.size, messages: provider.heard.filter(({ body }) => body.to.startsWith('+919')).length }
  console.log(`${store} silent: ${JSON.stringify({ ...waiting, notifications: nobody.heard.length })}`)
  process.exitCode = isMissed ? 1 : 0
  for (const party of [theirs, provider, receiver, nobody]) await party.close()
  await Promise.all(paying)
  await service.close()
}

const { values } = parseArgs({ options: { store: { type: 'string', default: 'sqlite' } } })
if (values.store !== 'sqlite' && values.store !== 'postgres') throw new Error('--store is sqlite or postgres')
await run(values.store)
process.exit() // the bank's adapter ends with its test, and here is none
