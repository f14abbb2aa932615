// Guesses at the console: passwords, repeated codes, invented and old cookies, forms of other sites. None is let in, and an owner signs in
// from another network while guesses go on. Prints how many were made.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operatorLink } from '../../../src/flows/operator-links.ts'
import { find } from '../../../src/tables/tables.ts'
import { type Answer, ask, PASSWORD, personOf } from '../../support/console/desk.ts'
import { inParallel } from '../../support/paying/paying.ts'
import { onBothStores, type Service, startService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'

const ATTEMPTS = sized(2_000, 10_000)
const AT_ONCE = 16

onBothStores('guesses at the console', (store) => {
  let service: Service
  let admitted = 0
  before(async () => {
    service = await startService(store, { env: { MOHUR_TRUSTED_PROXIES: '127.0.0.1' } })
  })
  after(() => service.close())

  const owner = async (email: string) => {
    const person = { email, name: 'Owner', roles: ['admin'] as const, mids: null }
    const made = await operatorLink(service.ports, { kind: 'SETUP', person, by: { operatorId: 'shell', network: '' } })
    assert.ok('link' in made)
    const { cookie } = await ask(service, `/console/set-up/${made.link}`, { form: { password: PASSWORD } })
    return { cookie: cookie!, link: made.link }
  }
  /** Admitted means that the answer has a session's cookie, or shows a page of one. */
  const count = ({ cookie, status, text }: Answer) => {
    if ((cookie !== undefined && cookie !== '') || (status === 200 && /aria-label="Main"/.test(text))) admitted++
  }

  test('none of them is let in, and the owner signs in from another network meanwhile', async (t) => {
    const email = 'owner@staff.test'
    const { cookie, link } = await owner(email)
    const gone = await personOf(service, ['admin'])
    await ask(service, '/console/sign-out', { cookie: gone.cookie, form: { token: gone.token } })
    const kinds: readonly ((nth: number) => Promise<Answer>)[] = [
      (nth) =>
        ask(service, '/console/sign-in', {
          form: { email, password: `guess ${nth} at it` },
          headers: { 'x-forwarded-for': '203.0.113.9' },
        }),
      (nth) =>
        ask(service, '/console/sign-in', {
          form: { email: `nobody${nth}@staff.test`, password: PASSWORD },
          headers: { 'x-forwarded-for': `198.51.${nth % 200}.1` },
        }),
      (nth) =>
        ask(service, '/console/sign-in', {
          form: { email, password: PASSWORD, code: String(nth).padStart(6, '0') },
          headers: { 'x-forwarded-for': '203.0.113.10' },
        }),
      () => ask(service, '/console/people', { cookie: gone.cookie }),
      (nth) => ask(service, '/console/payments', { cookie: String(nth).padStart(43, 'A') }),
      () => ask(service, '/console/me', { headers: { cookie: `console=${cookie}; console=${gone.cookie}` } }),
      () => ask(service, `/console/set-up/${link}`, { form: { password: 'some other 9 horse' } }),
      (nth) => ask(service, `/console/set-up/${String(nth).padStart(43, 'B')}`, { form: { password: 'some other 9 horse' } }),
      () => ask(service, '/console/sign-in', { form: { email, password: PASSWORD }, headers: { 'sec-fetch-site': 'cross-site' } }),
      () => ask(service, '/console/me/sessions', { cookie, form: { token: '' }, headers: { 'sec-fetch-site': 'same-site' } }),
    ]
    const statuses = new Map<number, number>()
    await inParallel(AT_ONCE, ATTEMPTS, async (at) => {
      const answer = await kinds[at % kinds.length]!(at)
      count(answer)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    })
    assert.equal(admitted, 0)
    assert.ok(![...statuses.keys()].some((status) => status >= 500 && status !== 503), 'no attempt is a fault of ours')
    const signedIn = await ask(service, '/console/sign-in', {
      form: { email, password: PASSWORD },
      headers: { 'x-forwarded-for': '192.0.2.1' },
    })
    assert.equal(signedIn.status, 303, 'the owner, from another network')
    assert.equal((await ask(service, '/console/me', { cookie })).status, 200, 'and the session from before stands')
    const failures = await service.ports.query.rows(find('signInFailures', { limit: 10_000 }))
    assert.ok(
      failures.every(({ emailHash, failedAt }) => failedAt.length <= (emailHash === '' ? 100 : 10)),
      'no more are counted than make one wait',
    )
    t.diagnostic(
      `${ATTEMPTS} attempts on ${store}: ${admitted} let in; by status ${[...statuses].map(([status, times]) => `${status}: ${times}`).join(', ')}`,
    )
  })
})
