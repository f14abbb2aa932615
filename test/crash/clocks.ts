/**
 * Customers pay, merchants refund and close, while clocks are wrong. On PostgreSQL two processes are two seconds apart. On SQLite one
 * process's clock is set back by ten seconds half way.
 *
 *     node bin/run.mjs test/crash/clocks.ts --store sqlite|postgres --seconds 20 [--seed 1]
 *
 * No call may get a system error, and afterwards every invariant must hold.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sign } from '../../src/interface/checksum.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { serveProcess } from '../support/run/process.ts'
import { KEY, MID, type StoreName } from '../support/run/service.ts'
import { Random } from '../support/text/random.ts'
import { breachesIn, fromShell, inPlace, settingsOf } from './place.ts'

const PAYERS = 8
const AHEAD_MS = 2_000
const SET_BACK_MS = 10_000
const SYSTEM_ERRORS = ['501', '900', '00000900', '9999']
const PRELOAD = new URL('../support/run/set-clock.mjs', import.meta.url).href
const MEANS = [
  { paymentMode: 'UPI', payerAccount: 'success@upi' },
  { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' },
  { paymentMode: 'UPI', payerAccount: 'lost@upi' },
  { paymentMode: 'UPI', payerAccount: 'declined@upi' },
  { paymentMode: 'PPBL' },
]

export interface ClockFigures {
  store: StoreName
  seed: number
  seconds: number
  orders: number
  /** How many calls got each code. */
  codes: Record<string, number>
  systemErrors: number
  breaches: string[]
}

export const clocksLoop = (store: StoreName, seconds: number, seed: number): Promise<ClockFigures> =>
  inPlace(store, 'clocks', async (place) => {
    const { folder } = place
    const dataFolder = join(folder, 'data')
    const serve = (name: string, setByMs: number) => {
      const clock = join(folder, name)
      writeFileSync(clock, String(setByMs))
      const more = { MOHUR_DATA: dataFolder, MOHUR_TEST_CLOCK: clock, NODE_OPTIONS: `--import=${PRELOAD}` }
      return serveProcess({ ...settingsOf(place), ...more })
    }
    const services = [await serve('first', 0)]
    if (store === 'postgres') services.push(await serve('second', AHEAD_MS))
    const [random, codes] = [new Random(seed), {} as Record<string, number>]
    let [orders, isOver] = [0, false]
    const note = (code: string) => {
      codes[code] = (codes[code] ?? 0) + 1
    }
    const anyUrl = () => services[random.below(services.length)]!.url
    const load = Array.from({ length: PAYERS }, async (_, payer) => {
      for (let number = 0; !isOver; number++, orders++) await oneOrder(`K${payer}-${number}`, random, anyUrl, note)
    })
    await sleep((seconds * 1_000) / 2)
    if (store === 'sqlite') writeFileSync(join(folder, 'first'), String(-SET_BACK_MS))
    await sleep((seconds * 1_000) / 2)
    isOver = true
    await Promise.all(load)
    for (const service of services) await service.kill('SIGTERM')
    const breaches = await breachesIn(place, dataFolder)
    const systemErrors = SYSTEM_ERRORS.reduce((sum, code) => sum + (codes[code] ?? 0), 0)
    return { store, seed, seconds, orders, codes, systemErrors, breaches }
  })

/** An order or a subscription's order, paid once or twice, then refunded or closed. Each call goes to either process. */
async function oneOrder(orderId: string, random: Random, anyUrl: () => string, note: (code: string) => void) {
  const call = async (path: string, text: string) => {
    const response = await fetch(anyUrl() + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text })
    const { body } = (await response.json()) as { body: { resultInfo: { resultCode: string }; txnToken?: string; txnId?: string } }
    note(body.resultInfo.resultCode)
    return body
  }
  const signed = (path: string, body: object) => {
    const text = JSON.stringify(body)
    return call(path, `{"head":{"signature":"${sign(text, KEY, 'Ab3=')}"},"body":${text}}`)
  }
  const at = `?mid=${MID}&orderId=${orderId}`
  const today = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const isSubscription = random.below(3) === 0
  const { txnToken } = isSubscription
    ? await signed(`/subscription/create${at}`, {
        ...orderBody(orderId),
        requestType: 'NATIVE_SUBSCRIPTION',
        ...{
          subscriptionAmountType: 'VARIABLE',
          subscriptionMaxAmount: '100.00',
          subscriptionFrequencyUnit: 'MONTH',
          subscriptionFrequency: '1',
        },
        ...{ subscriptionStartDate: today, subscriptionGraceDays: '2', subscriptionExpiryDate: '2036-01-01', subscriptionEnableRetry: '1' },
      })
    : await signed(`/aoa-acquiring-biz/v2/order${at}`, orderBody(orderId, { peonUrl: 'http://127.0.0.1:9/' }))
  const close = () => signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId })
  if (random.below(4) === 0) return void (await close())
  let txnId: string | undefined
  for (let attempt = 0; attempt < 2; attempt++) {
    const body = { requestType: 'NATIVE', mid: MID, orderId, ...MEANS[random.below(MEANS.length)] }
    txnId = (await call(`/theia/api/v1/processTransaction${at}`, JSON.stringify({ head: { txnToken }, body }))).txnId ?? txnId
  }
  if (txnId !== undefined)
    await signed('/refund/apply', { mid: MID, txnType: 'REFUND', orderId, txnId, refId: `R-${orderId}`, refundAmount: '5.00' })
  if (random.below(2) === 0) await close()
}

export const isSound = ({ systemErrors, breaches, codes }: ClockFigures) =>
  systemErrors + breaches.length === 0 && (codes['0000'] ?? 0) > 0 && (codes['601'] ?? 0) > 0

if (process.argv[1] === import.meta.filename)
  await fromShell({ seconds: 20 }, (store, seed, { seconds }) => clocksLoop(store, seconds, seed), isSound)
