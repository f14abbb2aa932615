// Drawn texts in the search box, over drawn orders whose ids look like mobile numbers, amounts and dates. The search finds exactly what
// comparing every order with the text finds. The seed is fixed.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Change } from '../../src/engine/decision.ts'
import { termsOf } from '../../src/flows/search-keys.ts'
import type { Row } from '../../src/tables/tables.ts'
import { ask, type Person, personOf } from '../support/console/desk.ts'
import { OTHER_MID, promotionWorld } from '../support/paying/promotions.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'
import { sized } from '../support/run/sizes.ts'
import { anOrder } from '../support/store/listed-rows.ts'
import { allTermsKept } from '../support/store/terms-kept.ts'
import { Random } from '../support/text/random.ts'

const [TYPED, ORDERS, SEED] = [sized(150, 1_000), 240, 20_261_126]
const MINUTE_MS = 60_000
const PAGES_MAX = 20

interface Drawn {
  mid: string
  orderId: string
  custId: string
  mobile: string | undefined
  email: string | undefined
  payer: string | undefined
}

const numberOf = (random: Random, digits: number) => `${1 + random.below(9)}${String(random.below(10 ** 6)).padStart(digits - 1, '0')}`
const mobileOf = (random: Random) => `98765432${String(random.below(30)).padStart(2, '0')}`
/** Few values of each kind, so that texts meet several. */
const idOf = (random: Random) =>
  random.pick([
    () => `${random.below(40)}.${random.below(10)}`,
    () => `2026112${random.below(10)}.0${random.below(10)}`,
    () => `inr${random.below(20)}`,
    () => mobileOf(random),
    () => `${1 + random.below(3)}1000000004${random.below(3)}`,
    () => numberOf(random, 11 + random.below(5)),
    () => `Cust_${random.below(30)}`,
  ])()
const addressOf = (random: Random) =>
  `${random.pick(['Payer', 'payer', 'ASHA'])}.${random.below(20)}@${random.pick(['Example', 'example'])}.test`

function drawnOrder(random: Random, at: number): Drawn {
  const maybe = <T>(value: T) => (random.below(2) === 0 ? value : undefined)
  return {
    mid: random.pick([MID, OTHER_MID]),
    // Each id once: the first of a kind has no number behind it.
    orderId: random.below(3) === 0 ? `${idOf(random)}-${at}` : `ORDER${at}`,
    custId: random.pick([() => idOf(random), () => `+91${mobileOf(random)}`, () => addressOf(random)])(),
    mobile: maybe(mobileOf(random)),
    email: maybe(addressOf(random)),
    payer: random.below(5) === 0 ? mobileOf(random) : undefined,
  }
}

/** Text as a person types it: whole, cut, in other letters, with the marks that people put around numbers. */
function typedOf(random: Random, orders: readonly Drawn[]): string {
  const order = random.pick(orders)
  const { orderId, custId, mobile = '9876543200', email = 'payer.1@example.test', payer = mobile } = order
  const text = random.pick([orderId, custId, custId, mobile, email, payer, idOf(random)])
  return random.pick([
    text,
    text,
    ` ${text} `,
    text.toUpperCase(),
    text.toLowerCase(),
    text.slice(-10),
    text.slice(1),
    `+91 ${text.slice(0, 5)} ${text.slice(5)}`,
    `0${text}`,
    `91${text}`,
    `(${text.slice(0, 3)})-${text.slice(3)}`,
    `₹${text}`,
    `${text}.00`,
  ])
}

/** Whether a person would see the text in the order. Written apart from the product, which hashes and looks up. */
function stands({ orderId, custId, mobile, email, payer }: Drawn, typed: string): boolean {
  const text = typed.trim()
  const same = (a: string | undefined, b: string) => a?.includes('@') && a.toLowerCase() === b.toLowerCase()
  const digits = [...text].filter((char) => !' ()-'.includes(char)).join('')
  const forms = [text, digits, ...['+91', '91', '0'].flatMap((front) => (digits.startsWith(front) ? [digits.slice(front.length)] : []))]
  const isNumber = (number: string | undefined) => number !== undefined && forms.includes(number)
  return (
    orderId === text ||
    custId === text ||
    (/^[6-9][0-9]{9}$/.test(custId) && isNumber(custId)) ||
    same(custId, text) ||
    same(email, text) ||
    isNumber(mobile) ||
    isNumber(payer)
  )
}
/** Whether the text reads as rupees, of ten digits at most: a currency sign, or paise. Commas stand as India or the West writes them. */
function isMoney(typed: string): boolean {
  const [, sign, rupees = '', paise] = /^(₹|rs\.?|inr)? *([0-9][0-9,]*)(\.[0-9]{1,2})?$/i.exec(typed.trim()) ?? []
  const plain = rupees.replaceAll(',', '').replace(/^0+(?=.)/, '')
  const isWritten = !rupees.includes(',') || ['en-IN', 'en-US'].some((place) => Number(plain).toLocaleString(place) === rupees)
  return (sign ?? paise) !== undefined && isWritten && plain !== '' && plain.length <= 10
}

interface Seen {
  addresses: ReadonlySet<string>
  isRedirected: boolean
  hasAmount: boolean
}

/** Reads all portions. */
async function found(service: Service, { cookie }: Person, typed: string): Promise<Seen> {
  const addresses = new Set<string>()
  let [path, hasAmount]: [string | undefined, boolean] = [`/console/find?${new URLSearchParams({ q: typed })}`, false]
  for (let page = 0; page < PAGES_MAX && path !== undefined; page++) {
    const { status, location, text } = await ask(service, path, { cookie })
    if (status === 303) return { addresses: new Set([location ?? '']), isRedirected: true, hasAmount }
    assert.equal(status, 200, typed)
    for (const [, address] of text.matchAll(/href="(\/console\/orders\/[^"]*)"/g)) addresses.add(address!)
    hasAmount ||= text.includes('/console/payments?amount=')
    path = /rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  return { addresses, isRedirected: false, hasAmount }
}

onBothStores('texts in the box', (store) => {
  test(`${TYPED} drawn texts over ${ORDERS} drawn orders find what a reckoner finds, in each role`, async (t) => {
    const random = new Random(SEED)
    const service = await startService(store, { world: promotionWorld([]) })
    after(() => service.close())
    const people: [Person, readonly string[]][] = [
      [await personOf(service, ['support']), [MID, OTHER_MID]],
      [await personOf(service, ['operations', 'finance'], [MID]), [MID]],
      [await personOf(service, ['auditor'], [OTHER_MID]), [OTHER_MID]],
    ]
    const orders = Array.from({ length: ORDERS }, (_, at) => drawnOrder(random, at))
    const now = service.clock.now()
    const changes = orders.map(({ mid, orderId, custId, mobile, email, payer }, at): Change => {
      const userInfo = { custId, ...(mobile !== undefined && { mobile }), ...(email !== undefined && { email }) }
      const row: Partial<Row<'orders'>> = {
        custId,
        searchTerms: termsOf(service.ports.vault, userInfo),
        details: { userInfo },
        payer: payer === undefined ? null : { userId: payer, mobile: payer },
      }
      return anOrder({ mid, orderId, txnTokenIssuedAt: now - at * 7, ...row, txnTokenHash: `${mid} ${orderId}` })
    })
    await service.store.transaction(({ write }) => write({ changes, events: [], tasks: [] }))
    service.clock.advance(2 * MINUTE_MS)
    await allTermsKept(service)
    let [hits, foreign, wrongly, redirects] = [0, 0, 0, 0]
    for (let asked = 0; asked < TYPED; asked++) {
      const typed = typedOf(random, orders)
      const [person, mids] = people[asked % people.length]!
      const wanted = orders.filter((order) => mids.includes(order.mid) && stands(order, typed))
      const addresses = new Set(wanted.map(({ mid, orderId }) => `/console/orders/${mid}/${encodeURIComponent(orderId)}`))
      const seen = await found(service, person, typed)
      foreign += seen.addresses.difference(addresses).size
      if (seen.isRedirected) {
        redirects++
        if (addresses.size !== 1 || isMoney(typed)) wrongly++
      }
      assert.deepEqual([...seen.addresses].sort(), [...addresses].sort(), `seed ${SEED}, text ${asked}: ${typed}`)
      assert.equal(seen.hasAmount, isMoney(typed) && !seen.isRedirected, typed)
      hits += addresses.size
    }
    t.diagnostic(
      `${store}, seed ${SEED}: ${TYPED} texts, ${hits} hits; rows of others ${foreign}; ${redirects} redirects, to what was not typed ${wrongly}`,
    )
    assert.deepEqual({ foreign, wrongly }, { foreign: 0, wrongly: 0 })
    assert.ok(hits > TYPED / 2 && redirects > 0)
  })
})
