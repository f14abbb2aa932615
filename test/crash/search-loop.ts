/**
 * Kills the service with SIGKILL, again and again, while orders arrive and the search sweep writes the terms of earlier ones. Counts orders that
 * lack their terms or have them twice. `node bin/run.mjs test/crash/search-loop.ts --store sqlite|postgres --times 200 [--seed 1]`.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { SqlStore } from '../../src/adapters/store/sql-store.ts'
import { Vault } from '../../src/adapters/store/vault.ts'
import { operations } from '../../src/api/operations.ts'
import { termOf } from '../../src/flows/search-keys.ts'
import { sign } from '../../src/interface/checksum.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { serveProcess } from '../support/run/process.ts'
import { KEY, MID, type StoreName } from '../support/run/service.ts'
import { Sweeping } from '../support/store/sweeping.ts'
import { Random } from '../support/text/random.ts'
import { breachesIn, fromShell, inPlace, MASTER_KEY, openPlace, type Place, settingsOf, within } from './place.ts'

const [CONNECTIONS, ORDERS] = [8, 320] // of one round: three decisions of the sweep, and a part of one
const LATER = 'PT2M' // longer than the sweep stays behind
const SWEEPS_MS_MAX = 250 // from the move of the clock to the kill
const CUSTOMERS = 50
const PORTION = 100 // of the sweep

export interface SearchFigures {
  store: StoreName
  seed: number
  kills: number
  /** Kills that left terms of some of the round's orders, and not of others. */
  midway: number
  orders: number
  /** Orders that lack a term, their number or their line in the merchant's list. */
  missing: number
  /** Orders that have more than one number, line, or row of a term. */
  twice: number
  /** Numbers that no order has, below the highest. */
  gaps: number
  /** Orders with late terms. A kill that moved the place alone would leave a whole portion; a move of the clock during an audit, a few. */
  late: number
  /** Invariants of `mohur verify` that do not hold. */
  breaches: string[]
}
export const isSound = ({ missing, twice, gaps, late, breaches }: SearchFigures) =>
  missing + twice + gaps + breaches.length === 0 && late < PORTION

export const searchLoop = (store: StoreName, times: number, seed: number): Promise<SearchFigures> =>
  inPlace(store, 'search', async (place) => {
    const random = new Random(seed)
    let [midway, before] = [0, 0]
    for (let time = 0; time < times; time++) {
      await killOnce(place, time, random)
      const [{ orders, listed }] = (await rowsOf(place, COUNTS)) as [{ orders: number; listed: number }]
      if (Number(listed) > before && Number(listed) < Number(orders)) midway++
      before = Number(listed)
    }
    return { store, seed, kills: times, midway, ...(await inspected(place, times)) }
  })

const COUNTS = 'select (select count(*) from orders) as orders, (select count(*) from merchant_orders) as listed'

async function killOnce(place: Place, time: number, random: Random) {
  const service = await serveProcess(settingsOf(place))
  let number = 0
  let isKilled = false
  const load = async (isOver: () => boolean) => {
    while (!isOver()) {
      const nth = number++
      await createOrder(service.url, `R${time}-${nth}`, `C${(time * 7 + nth) % CUSTOMERS}`).catch((error: unknown) => {
        if (!isKilled) throw error
      })
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, () => load(() => number >= ORDERS)))
  const body = JSON.stringify({ advance: LATER })
  const moved = fetch(`${service.url}/sandbox/clock`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(
    () => {},
  )
  const beside = moved.then(() => load(() => isKilled)) // an order that is under way while the clock moves comes late
  await sleep(random.below(SWEEPS_MS_MAX))
  isKilled = true
  await service.kill('SIGKILL')
  await Promise.all([moved, beside])
}

async function createOrder(url: string, orderId: string, custId: string) {
  const body = JSON.stringify(orderBody(orderId, { userInfo: { custId, mobile: '9876543210' } }))
  const answer = await fetch(`${url}${operations.createOrder.paths[0]}?mid=${MID}&orderId=${orderId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"head":{"signature":"${sign(body, KEY, 'Ab3=')}"},"body":${body}}`,
  })
  const { resultInfo } = ((await answer.json()) as { body: { resultInfo: { resultCode: string } } }).body
  if (resultInfo.resultCode !== '0000') throw new Error(`an order was answered ${resultInfo.resultCode}`)
}

const rowsOf = (place: Place, statement: string): Promise<Record<string, number | string>[]> => within(place, (rows) => rows(statement))

/** The sweep goes on where the last kill left it; then every order is compared with what stands of it. */
async function inspected(place: Place, times: number) {
  const vault = new Vault(MASTER_KEY)
  const store = new SqlStore(openPlace(place), vault)
  await new Sweeping(store, Date.now() + (times + 2) * 2 * 60_000, { vault }).sweep()
  await store.close()
  const orders = await rowsOf(place, 'select order_id as id, cust_id as customer from orders')
  const numbered = await rowsOf(place, 'select order_id as id, number from search_orders')
  const listed = await rowsOf(place, 'select order_id as id from merchant_orders')
  const terms = await rowsOf(place, 'select number, term from search_terms')
  const late = await rowsOf(place, 'select order_id as id, term from late_terms')
  const byId = (rows: readonly Record<string, number | string>[]) => Map.groupBy(rows, ({ id }) => id)
  const byNumber = Map.groupBy(terms, ({ number }) => Number(number))
  const [numbersOf, linesOf, lateOf] = [byId(numbered), byId(listed), byId(late)]
  let [missing, twice] = [0, 0]
  for (const { id, customer } of orders) {
    const numbers = numbersOf.get(id!) ?? []
    const own = [...numbers.flatMap(({ number }) => byNumber.get(Number(number)) ?? []), ...(lateOf.get(id!) ?? [])].map(({ term }) =>
      Number(term),
    )
    const wanted = [String(customer), '9876543210'].map((text) => termOf(vault, text))
    const lines = linesOf.get(id!) ?? []
    if (wanted.some((term) => !own.includes(term)) || lines.length === 0) missing++
    if (own.length > wanted.length || lines.length > 1 || numbers.length > 1) twice++
  }
  const highest = numbered.reduce((most, { number }) => Math.max(most, Number(number)), -1)
  const breaches = await breachesIn(place, place.folder)
  return { orders: orders.length, missing, twice, gaps: highest + 1 - numbered.length, late: lateOf.size, breaches }
}

if (process.argv[1] === import.meta.filename)
  await fromShell({ times: 200 }, (store, seed, { times }) => searchLoop(store, times, seed), isSound)
