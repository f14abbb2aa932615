// A wrong password gets one answer, in one time. So no stranger learns whether an address is known, or whether a cookie of a known browser
// is right. The test compares times by the rank sum of each two kinds of tries.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { knownBrowser } from '../../../src/console/kit/callers.ts'
import { operatorKey } from '../../../src/tables/keys.ts'
import { newAdmin } from '../../support/clocks/times.ts'
import { ask } from '../../support/console/desk.ts'
import { newNetwork } from '../../support/console/strangers.ts'
import { onBothStores, startService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { Random } from '../../support/text/random.ts'

const TRIES = sized(1_000, 10_000)
const DIFFERS_FROM = 4 // standard deviations: by chance once in 16,000 comparisons
const SEED = 7
/** Headers that depend on the moment, the socket and the length of the typed address. */
const PASSED_OVER = ['date', 'x-request-id', 'connection', 'keep-alive', 'content-length']

/** How many standard deviations the rank sum of one list differs from that of equal lists. */
function rankDifference(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((ms) => ({ ms, own: true })), ...other.map((ms) => ({ ms, own: false }))].toSorted((a, b) => a.ms - b.ms)
  const sum = all.reduce((total, { own }, at) => total + (own ? at + 1 : 0), 0)
  const [n, m] = [one.length, other.length]
  return (sum - (n * (n + m + 1)) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12)
}
const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!

onBothStores('a wrong password', (store) => {
  test(`is answered alike in ${TRIES} tries, whatever is known`, async (t) => {
    const service = await startService(store, { env: { MOHUR_TRUSTED_PROXIES: '127.0.0.1' } })
    t.after(() => service.close())
    const { vault, query, clock } = service.ports
    const [{ email }, { email: another }] = [await newAdmin(service), await newAdmin(service)]
    const rowOf = async (of: string) => (await query.row(operatorKey(vault.hash('operator', of))))!
    const [person, other] = [await rowOf(email), await rowOf(another)]
    // Each try has its own network or cookie, because a caller's first wrong try writes a line of the audit log.
    let made = 0
    const cookieOf = (row: typeof person) => knownBrowser(vault, row, clock.realNow() - ++made)
    const kinds: Readonly<Record<string, () => { email: string; known?: string }>> = {
      'a known address': () => ({ email }),
      'a known address with its cookie': () => ({ email, known: cookieOf(person) }),
      'a known address with another’s cookie': () => ({ email, known: cookieOf(other) }),
      'an unknown address': () => ({ email: 'nobody.here@staff.test' }),
      'an unknown address with a cookie': () => ({ email: 'nobody.here@staff.test', known: cookieOf(person) }),
    }
    const names = Object.keys(kinds)
    const times = new Map(names.map((name) => [name, [] as number[]]))
    const answers = new Map(names.map((name) => [name, new Set<string>()]))
    const drawn = new Random(SEED)
    const tries = Array.from({ length: TRIES }, (_, nth) => names[nth % names.length]!)
    for (let at = tries.length - 1; at > 0; at--) {
      const place = drawn.below(at + 1)
      ;[tries[at], tries[place]] = [tries[place]!, tries[at]!]
    }
    for (const name of tries) {
      const given = kinds[name]!()
      const form = { email: given.email, password: 'not their 9 horse' }
      const sent = { ...(given.known !== undefined && { known: given.known }), form, headers: newNetwork() }
      const began = performance.now()
      const { status, text, headers } = await ask(service, '/console/sign-in', sent)
      times.get(name)!.push(performance.now() - began)
      const said = [...headers].filter(([header]) => !PASSED_OVER.includes(header))
      answers.get(name)!.add(JSON.stringify([status, text.replaceAll(given.email, 'X'), said]))
    }
    const [answer, ...others] = new Set([...answers.values()].flatMap((each) => [...each]))
    assert.deepEqual(others, [], `not answered as ${answer}`)
    const lists = [...times.values()]
    const differences = lists.flatMap((one, at) => lists.slice(at + 1).map((two) => rankDifference(one, two)))
    const shift = median(lists[0]!) / 2
    const planted = rankDifference(
      lists[0]!.map((ms) => ms + shift),
      lists[3]!,
    )
    t.diagnostic(
      `${store}: ${TRIES} tries of ${names.length} kinds, one answer; medians ${names.map((name) => `${name} ${median(times.get(name)!).toFixed(3)} ms`).join(', ')}; the largest difference of ${differences.length} is ${Math.max(...differences.map(Math.abs)).toFixed(1)} standard deviations; a planted one of ${shift.toFixed(3)} ms is ${planted.toFixed(1)}`,
    )
    assert.ok(Math.abs(planted) > DIFFERS_FROM, 'the planted difference is found')
    for (const difference of differences) assert.ok(Math.abs(difference) < DIFFERS_FROM, String(difference))
  })
})
