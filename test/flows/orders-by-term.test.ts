// Orders found by what a person reads out, against a scan of all orders. Some of the drawn orders came late, some were dated ahead, and some had
// a payer who signed in. The seed is fixed. Where many texts share each term, the scan shows that no wrong order is found.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SearchPlace } from '../../src/domain/order/keep-search-terms.ts'
import type { Change, Looks } from '../../src/engine/decision.ts'
import { search } from '../../src/flows/search-by-text.ts'
import type { Hashing } from '../../src/flows/search-keys.ts'
import { merchantKey } from '../../src/tables/keys.ts'
import { find, type Row } from '../../src/tables/tables.ts'
import { onBothStores } from '../support/run/service.ts'
import { sized } from '../support/run/sizes.ts'
import { anyRow } from '../support/store/store-contract.ts'
import { openStore } from '../support/store/stores.ts'
import { MINUTE_MS, Sweeping } from '../support/store/sweeping.ts'
import { plainHash } from '../support/store/terms-kept.ts'
import { Random } from '../support/text/random.ts'

const SEED = 20_261_128
const [QUESTIONS, ORDERS, PEOPLE, FEW_TERMS] = [sized(60, 2_000), sized(2_300, 6_000), 60, 40]
const BEGAN = Date.parse('2026-06-15T10:00:00+05:30')
const [SECOND_MS, HOUR_MS] = [1_000, 3_600_000]
const MIDS = ['SHOP1', 'SHOP2', 'SHOP3', 'SHOP4']
const PORTIONS_MAX = 10_000

const mobileOf = (person: number) => `98${String(person).padStart(8, '0')}`
const person = (at: number) => ({ custId: `CUST_${at}`, mobile: mobileOf(at % 40), email: `P${at % 50}@Example.test` })

/** Orders as a month leaves them; where a sweep ran behind each portion of them, some came after it, under an earlier time. */
async function lived(sweeping: Sweeping, random: Random): Promise<Row<'orders'>[]> {
  const orders: Row<'orders'>[] = []
  await sweeping.write(MIDS.map(aMerchant))
  for (let nth = 0; nth < ORDERS; ) {
    const portion = Array.from({ length: Math.min(1 + random.below(400), ORDERS - nth) }, () => {
      sweeping.at += random.below(2 * SECOND_MS)
      const shift = random.below(40)
      const at = sweeping.at - (shift === 0 ? random.below(20 * MINUTE_MS) : 0) + (shift === 1 ? random.below(6 * HOUR_MS) : 0)
      return sweeping.order(random.pick(MIDS), `O${String(nth++).padStart(6, '0')}`, at, person(random.below(PEOPLE)))
    })
    await sweeping.create(...portion)
    for (const order of portion) orders.push(random.below(30) === 0 ? await sweeping.signIn(order, mobileOf(random.below(PEOPLE))) : order)
    sweeping.at += random.below(3 * MINUTE_MS)
    await sweeping.sweep()
    const signsIn = random.below(orders.length)
    orders[signsIn] = await sweeping.signIn(orders[signsIn]!, mobileOf(random.below(PEOPLE)))
  }
  sweeping.at += 2 * MINUTE_MS
  await sweeping.sweep()
  return orders
}

function aMerchant(mid: string): Change {
  return { kind: 'insert', key: merchantKey(mid), row: { ...(anyRow('merchants', 1) as Row<'merchants'>), mid } }
}

interface Question {
  typed: string
  mids: readonly string[] | null
  limit: number
}
function questionDrawn(random: Random): Question {
  const { custId, mobile, email } = person(random.below(PEOPLE + 5))
  const typed = random.pick([custId, mobile, `+91 ${mobile}`, email, email.toUpperCase(), mobileOf(random.below(PEOPLE))])
  return { typed, mids: random.pick([null, null, MIDS.slice(0, 1), MIDS.slice(1, 3)]), limit: random.pick([2, 20, 50]) }
}

/** Newest first. */
function scanned(orders: readonly Row<'orders'>[], { typed, mids }: Question): string[] {
  const [bare, email] = [typed.replace('+91 ', ''), typed.toLowerCase()]
  const has = ({ custId, details: { userInfo }, payer }: Row<'orders'>) =>
    custId === typed || [userInfo['mobile'], payer?.mobile].includes(bare) || userInfo['email']?.toLowerCase() === email
  return orders.filter((order) => (mids === null || mids.includes(order.mid)) && has(order)).map(({ orderId }) => orderId)
}

async function walked(looks: Looks, vault: Hashing, question: Question): Promise<string[]> {
  const found: string[] = []
  let after: SearchPlace | undefined
  for (let portions = 0; portions < PORTIONS_MAX; portions++) {
    const { hits, next } = await search(looks, vault, { ...question, ...(after && { after }) })
    assert.ok(hits.length <= question.limit)
    found.push(...hits.map(({ orderId }) => orderId!))
    if (!next) return found
    after = next
  }
  throw new Error('the portions have no end')
}

const fewTerms: Hashing = { shortHash: (purpose, text) => plainHash.shortHash(purpose, text) % FEW_TERMS }

onBothStores('orders by term', (name) => {
  for (const [what, vault, questions] of [
    ['', plainHash, QUESTIONS],
    [', where many texts share each term', fewTerms, Math.ceil(QUESTIONS / 10)],
  ] as const)
    test(`${questions} drawn questions find what a scan of all orders finds, in its order${what}`, async (t) => {
      const { store, close } = await openStore(name)
      const random = new Random(SEED)
      const sweeping = new Sweeping(store, BEGAN, { vault })
      const orders = (await lived(sweeping, random)).sort(
        (a, b) => b.txnTokenIssuedAt - a.txnTokenIssuedAt || (a.mid < b.mid ? 1 : a.mid > b.mid ? -1 : a.orderId < b.orderId ? 1 : -1),
      )
      let found = 0
      for (let nth = 0; nth < questions; nth++) {
        const question = questionDrawn(random)
        const wanted = scanned(orders, question)
        assert.deepEqual(await walked(store.query, vault, question), wanted, `seed ${SEED}, ${JSON.stringify(question)}`)
        found += wanted.length
      }
      const [numbered, late] = [
        await store.query.count(find('searchOrders', { limit: ORDERS })),
        await store.query.count(find('lateTerms', { limit: 10 * ORDERS })),
      ]
      t.diagnostic(`${name}, seed ${SEED}: ${orders.length} orders, ${numbered} numbered, ${late} late terms; ${found} hits`)
      assert.ok(numbered > 2_048 && numbered < ORDERS && late > 10 && found > QUESTIONS / 10)
      await close()
    })
})
