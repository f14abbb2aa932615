// How people sign in, prove themselves, are changed and sign out: over HTTP, on both stores. Times of people are real ones, which the test
// sets.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { operatorLink } from '../../src/flows/operator-links.ts'
import type { OperatorRole } from '../../src/tables/operator.ts'
import { find } from '../../src/tables/tables.ts'
import { type Answer, ask, auditOf, PASSWORD, personOf } from '../support/console/desk.ts'
import { onBothStores, type Service, startService } from '../support/run/service.ts'

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000]
const NEXT = 'another horse 8 battery'

onBothStores('people of the console', (store) => {
  let service: Service
  let people = 0
  before(async () => {
    service = await startService(store, { env: { MOHUR_TRUSTED_PROXIES: '127.0.0.1' } })
  })
  after(() => service.close())

  const invited = async (roles: readonly OperatorRole[] = ['support']) => {
    const email = `invited${++people}@staff.test`
    const made = await operatorLink(service.ports, {
      kind: 'SETUP',
      person: { email, name: 'Invited', roles, mids: null },
      by: { operatorId: 'shell', network: '' },
    })
    assert.ok('link' in made)
    return { email, path: `/console/set-up/${made.link}` }
  }
  const signIn = (email: string, password: string, more: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    ask(service, '/console/sign-in', { form: { email, password, ...more }, headers })
  const isIn = async (cookie: string | undefined) => (await ask(service, '/console/me', { cookie })).status === 200
  const faultIn = ({ text }: Answer) => /role="alert">([^<]*)/.exec(text)?.[1]
  const tokenIn = ({ text }: Answer) => /name="token" value="([^"]*)"/.exec(text)![1]!

  test('a link sets a password once: opening it consumes nothing, and posting it signs in', async () => {
    const { email, path } = await invited()
    for (const _ of [1, 2]) assert.equal((await ask(service, path)).status, 200)
    const set = await ask(service, path, { form: { password: PASSWORD } })
    assert.equal(set.location, '/console')
    assert.ok(await isIn(set.cookie))
    for (const again of [await ask(service, path), await ask(service, path, { form: { password: NEXT } })]) assert.equal(again.status, 404)
    assert.equal((await signIn(email, NEXT)).status, 422)
    assert.ok(await isIn((await signIn(email, PASSWORD)).cookie))
  })

  test('a link is over after fifteen minutes, and another link for the same person does not end it early', async () => {
    const { path } = await invited()
    service.clock.set(15 * MINUTE_MS)
    assert.equal((await ask(service, path)).status, 404)
    assert.equal((await ask(service, path, { form: { password: PASSWORD } })).status, 404)
    assert.equal((await ask(service, '/console/set-up/x')).status, 404)
  })

  test('a password that was set by one link ends the person’s other links, and no other person’s', async () => {
    const [older, other] = [await invited(), await invited()]
    const again = await operatorLink(service.ports, {
      kind: 'SETUP',
      person: { email: older.email, name: 'Invited', roles: ['support'], mids: null },
      by: { operatorId: 'shell', network: '' },
    })
    assert.ok('link' in again)
    assert.equal((await ask(service, `/console/set-up/${again.link}`, { form: { password: PASSWORD } })).status, 303)
    assert.equal((await ask(service, older.path, { form: { password: NEXT } })).status, 404)
    assert.equal((await signIn(older.email, NEXT)).status, 422)
    assert.equal((await ask(service, other.path, { form: { password: PASSWORD } })).status, 303)
  })

  test('a person who is signed in may still sign in and use a link', async () => {
    const { cookie } = await personOf(service, ['admin'])
    const { email, path } = await invited()
    const set = await ask(service, path, { cookie, form: { password: PASSWORD } })
    assert.equal(set.status, 303)
    assert.equal((await ask(service, '/console/sign-in', { cookie: set.cookie, form: { email, password: PASSWORD } })).status, 303)
    const foreign = { cookie, form: { email, password: PASSWORD }, headers: { 'sec-fetch-site': 'cross-site' } }
    assert.equal((await ask(service, '/console/sign-in', foreign)).status, 403)
  })

  test('a sign-in leads to a path of the console, however the way out is spelled', async () => {
    const { email, path } = await invited()
    await ask(service, path, { form: { password: PASSWORD } })
    for (const next of [
      '//evil.test',
      '/console/../x',
      '/console/%2e%2e/x',
      '/console/.%2E/x',
      '/console//evil.test',
      '/consolex',
      'https://x',
    ])
      assert.equal((await signIn(email, PASSWORD, { next })).location, '/console', next)
    assert.equal((await signIn(email, PASSWORD, { next: '/console/payments?state=paid' })).location, '/console/payments?state=paid')
  })

  test('guesses at the old password in a session count for the session, and keep no other person waiting', async () => {
    const { email, path } = await invited()
    const { cookie } = await ask(service, path, { form: { password: PASSWORD } })
    const token = tokenIn(await ask(service, '/console/me', { cookie }))
    const change = (old: string, password = NEXT) => ask(service, '/console/me/password', { cookie, form: { token, old, password } })
    const guesses = await Promise.all(Array.from({ length: 14 }, (_, nth) => change(`guess ${nth}`)))
    assert.equal(guesses.filter(({ status }) => status === 422).length, 10)
    assert.equal((await change(PASSWORD)).status, 429)
    assert.equal((await change(PASSWORD, 'weak')).status, 429, 'and no answer says that it was right')
    assert.ok(await isIn((await signIn(email, PASSWORD)).cookie))
    for (const _ of [1, 2, 3]) {
      service.clock.set(10 * MINUTE_MS)
      assert.ok(await isIn(cookie))
    }
    assert.equal((await change(PASSWORD)).status, 303, 'half an hour later')
  })

  test('a weak password is refused in a sentence, and the last four do not come again', async () => {
    const { email, path } = await invited()
    const weak = {
      short7: /12 to 128/,
      'no digit in this one': /digit/,
      '123456789012': /letter/,
      'Password12345!': /too easy/,
      'P@$$w0rd-2026': /too easy/,
      passwordpassword1: /too easy/,
      abc123456789: /too easy/,
      aaaaaaaaaaa1: /too easy/,
    }
    for (const [password, why] of Object.entries(weak))
      assert.match(faultIn(await ask(service, path, { form: { password } }))!, why, password)
    assert.match(faultIn(await ask(service, path, { form: { password: `${email.split('@')[0]}-and-more` } }))!, /too easy/)
    let { cookie }: Pick<Answer, 'cookie'> = await ask(service, path, { form: { password: PASSWORD } })
    let old: string = PASSWORD
    const change = async (password: string) => {
      const token = tokenIn(await ask(service, '/console/me', { cookie }))
      return ask(service, '/console/me/password', { cookie, form: { token, old, password } })
    }
    for (const nth of [1, 2, 3]) {
      const changed = await change(`${NEXT} ${nth}`)
      assert.equal(changed.status, 303, faultIn(changed) ?? '')
      assert.ok(!(await isIn(cookie)), 'the session from before is over')
      cookie = changed.cookie
      old = `${NEXT} ${nth}`
    }
    for (const former of [PASSWORD, `${NEXT} 1`, `${NEXT} 3`]) assert.match(faultIn(await change(former))!, /last four/, former)
    assert.match(faultIn(await change('x'))!, /12 to 128/)
    assert.equal((await change(`${NEXT} 4`)).status, 303)
  })

  test('whatever is wrong at a sign-in, the answer is the same', async () => {
    const { email, path } = await invited()
    const before = await signIn(email, PASSWORD)
    await ask(service, path, { form: { password: PASSWORD } })
    const answers = [
      before,
      await signIn(email, 'wrong'),
      await signIn('nobody@staff.test', PASSWORD),
      await signIn(email, PASSWORD, { code: '123456' }),
    ]
    for (const answer of answers) {
      assert.equal(answer.status, 422)
      assert.equal(answer.cookie, undefined)
      assert.equal(answer.text.replaceAll(email, 'X').replaceAll('nobody@staff.test', 'X'), answers[0]!.text.replaceAll(email, 'X'))
    }
  })

  test('ten wrong tries make an account wait for one network, and not for another', async () => {
    const { email, path } = await invited()
    await ask(service, path, { form: { password: PASSWORD } })
    const from = (address: string) => ({ 'x-forwarded-for': address })
    for (let nth = 0; nth < 10; nth++) assert.equal((await signIn(email, 'wrong', {}, from('203.0.113.7'))).status, 422)
    for (const password of [PASSWORD, 'wrong']) assert.equal((await signIn(email, password, {}, from('203.0.113.7'))).status, 429)
    assert.ok(await isIn((await signIn(email, PASSWORD, {}, from('203.0.113.8'))).cookie), 'the owner, from another network')
    const rows = await service.ports.query.rows(find('signInFailures', { limit: 100 }))
    assert.ok(rows.some(({ failedAt }) => failedAt.length === 10))
    service.clock.set(30 * MINUTE_MS)
    assert.ok(await isIn((await signIn(email, PASSWORD, {}, from('203.0.113.7'))).cookie), 'half an hour later')
    const [operator] = await service.ports.query.rows(find('operators', { orderBy: ['createdAt'], direction: 'desc', limit: 1 }))
    const written = (await auditOf(service, '')).filter(({ subject }) => subject === `operator:${operator!.operatorId}`)
    assert.deepEqual(
      written.map(({ data }) => data['failures']),
      [1, 10],
      'a pair’s first and tenth failure',
    )
    service.clock.set(2 * HOUR_MS)
  })

  test('a session ends after fifteen idle minutes, after twelve hours and at a sign-out', async () => {
    const { path } = await invited()
    const { cookie } = await ask(service, path, { form: { password: PASSWORD } })
    for (let minutes = 0; minutes < 12 * 60 - 14; minutes += 14) {
      service.clock.set(14 * MINUTE_MS)
      assert.ok(minutes + 14 >= 12 * 60 || (await isIn(cookie)), `after ${minutes + 14} minutes`)
    }
    service.clock.set(14 * MINUTE_MS)
    assert.ok(!(await isIn(cookie)), 'after twelve hours')

    const idle = await personOf(service, ['support'])
    service.clock.set(15 * MINUTE_MS)
    assert.ok(!(await isIn(idle.cookie)))

    const leaves = await personOf(service, ['support'])
    const out = await ask(service, '/console/sign-out', { cookie: leaves.cookie, form: { token: leaves.token } })
    assert.equal(out.location, '/console/sign-in')
    assert.ok(!(await isIn(leaves.cookie)))
  })

  test('an invented, a doubled and a cut cookie belong to no person', async () => {
    const { cookie } = await personOf(service, ['admin'])
    const headers = [
      `console=${cookie}; console=${cookie}`,
      `console=${cookie.slice(1)}`,
      `console=${cookie}x`,
      `console=${'A'.repeat(43)}`,
      `__Host-console=${cookie}`,
    ]
    for (const each of headers) assert.equal((await ask(service, '/console/me', { headers: { cookie: each } })).status, 303, each)
    assert.ok(await isIn(cookie))
  })

  test('a change of a person ends their sessions, wants a proof, and is recorded', async () => {
    const admin = await personOf(service, ['admin'])
    const person = await personOf(service, ['support'])
    const at = `/console/people/${person.operatorId}`
    const version = /name="version" value="([0-9]+)"/.exec((await ask(service, at, { cookie: admin.cookie })).text)![1]!
    const form = { token: admin.token, version, 'role-auditor': 'yes', mids: 'SHOP1 SHOP2' }
    service.clock.set(5 * MINUTE_MS)
    const unproven = await ask(service, `${at}/roles`, { cookie: admin.cookie, form })
    assert.match(unproven.location!, /^\/console\/step-up\?next=/)
    assert.ok(await isIn(person.cookie))

    const { cookie, token } = await proven(admin)
    assert.ok(!(await isIn(admin.cookie)), 'the cookie from before the proof is nobody’s')
    assert.equal((await ask(service, `${at}/roles`, { cookie, form: { ...form, token } })).status, 303)
    assert.ok(!(await isIn(person.cookie)))
    assert.equal((await ask(service, `${at}/roles`, { cookie, form: { ...form, token } })).status, 409, 'a form from before the change')
    const [row] = await service.ports.query.rows(find('operators', { equals: { operatorId: person.operatorId }, limit: 1 }))
    assert.deepEqual([row!.roles, row!.mids], [['auditor'], ['SHOP1', 'SHOP2']])
    const written = await auditOf(service, admin.operatorId)
    assert.deepEqual(written.map(({ action, outcome }) => `${action} ${outcome}`).slice(-2), [
      'operator.step-up done',
      'operator.roles done',
    ])

    service.clock.set(5 * MINUTE_MS)
    assert.match(
      (await ask(service, `${at}/disable`, { cookie, form: { ...form, token } })).location!,
      /step-up/,
      'a proof holds five minutes',
    )
    const own = await proven({ cookie, token, operatorId: admin.operatorId })
    const refused = await ask(service, `/console/people/${admin.operatorId}/disable`, {
      cookie: own.cookie,
      form: { token: own.token, version: '3' },
    })
    assert.match(faultIn(refused)!, /another admin/)
  })

  /** A person without a valid password first gets one, as a link would set it. */
  async function proven({ cookie, operatorId }: { cookie: string; token: string; operatorId: string }) {
    const { store: rows, ports } = service
    const passwordHash = await new (await import('../../src/console/kit/passwords.ts')).Passwords(ports.clock, {
      memory: 8,
      passes: 1,
      everyMs: 0,
    }).hash(PASSWORD, 'known')
    const [operator] = await ports.query.rows(find('operators', { equals: { operatorId }, limit: 1 }))
    const { operatorKey } = await import('../../src/tables/keys.ts')
    await rows.transaction((transaction) =>
      transaction.write({
        changes: [{ kind: 'update', key: operatorKey(operator!.emailHash), row: { ...operator!, passwordHash } }],
        events: [],
        tasks: [],
      }),
    )
    const token = tokenIn(await ask(service, '/console/step-up', { cookie }))
    const wrong = await ask(service, '/console/step-up', { cookie, form: { token, password: 'wrong' } })
    assert.match(faultIn(wrong)!, /is wrong/)
    const right = await ask(service, '/console/step-up', { cookie, form: { token, password: PASSWORD, next: '//evil.test/console' } })
    assert.equal(right.location, '/console', 'a proof leads into the console alone')
    const next = right.cookie!
    return { cookie: next, token: tokenIn(await ask(service, '/console/me', { cookie: next })) }
  }

  test('an authenticator app is wanted from then on, each code once, and recovery codes stand in for it once each', async () => {
    const { email, path } = await invited()
    const set = await ask(service, path, { form: { password: PASSWORD } })
    const { cookie } = set
    const own = tokenIn(await ask(service, '/console/me', { cookie }))
    const shown = await ask(service, '/console/me/app', { cookie })
    const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(shown.text)![1]!
    const sealed = /name="sealed" value="([^"]*)"/.exec(shown.text)![1]!
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    const code = () => totp.generate({ timestamp: service.clock.realNow() })
    assert.match(faultIn(await ask(service, '/console/me/app/keep', { cookie, form: { token: own, sealed, code: '000000' } }))!, /is wrong/)
    const kept = await ask(service, '/console/me/app/keep', { cookie, form: { token: own, sealed, code: code() } })
    const codes = [...kept.text.matchAll(/<code>([0-9a-f]{5}-[0-9a-f]{5})<\/code>/g)].map(([, each]) => each!)
    assert.equal(codes.length, 10)
    assert.ok(await isIn(cookie), 'the session in which it was set up goes on')

    assert.equal((await signIn(email, PASSWORD)).status, 422, 'without a code')
    assert.equal((await signIn(email, PASSWORD, { code: code() })).status, 422, 'the code that set it up')
    service.clock.set(MINUTE_MS)
    const [first, second] = await Promise.all([signIn(email, PASSWORD, { code: code() }), signIn(email, PASSWORD, { code: code() })])
    assert.deepEqual([first.status, second.status].sort(), [303, 422], 'a code twice at once')
    assert.equal((await signIn(email, PASSWORD, { code: codes[0]!.toUpperCase().replace('-', ' ') })).status, 303)
    assert.equal((await signIn(email, PASSWORD, { code: codes[0]! })).status, 422, 'a recovery code twice')
    assert.equal((await signIn(email, 'wrong', { code: codes[1]! })).status, 422)
    assert.equal((await signIn(email, PASSWORD, { code: codes[1]! })).status, 303, 'a wrong password spends no code')
  })

  test('an admin invites a person, whose link is shown once and leads in', async () => {
    const made = await personOf(service, ['admin'])
    const { cookie, token } = await proven(made)
    const email = `new${++people}@staff.test`
    const page = await ask(service, '/console/people', {
      cookie,
      form: { token, email, name: 'New <b>one</b>', 'role-support': 'yes', mids: '' },
    })
    const link = /\/console\/set-up\/[A-Za-z0-9_-]{43}/.exec(page.text)![0]
    assert.doesNotMatch(page.text, /<b>one/)
    const list = await ask(service, '/console/people', { cookie })
    assert.doesNotMatch(list.text, /set-up/)
    assert.equal((await ask(service, link, { form: { password: PASSWORD } })).status, 303)
    for (const [form, why] of [
      [{ email: 'x', name: 'X', 'role-support': 'yes' }, /This is not an e-mail address/],
      [{ email, name: 'X', 'role-support': 'yes' }, /already exists/],
      [{ email: 'y@staff.test', name: 'Y' }, /role/],
      [{ email: 'y@staff.test', name: '', 'role-support': 'yes' }, /name/],
      [{ email: 'y@staff.test', name: 'Y\n0123\tboss@staff.test', 'role-support': 'yes' }, /name/],
      [{ email: 'y@staff.test', name: 'Y\u202e', 'role-support': 'yes' }, /name/],
      [{ email: 'y\u001b[2J@staff.test', name: 'Y', 'role-support': 'yes' }, /This is not an e-mail address/],
      [{ email: 'y@staff.test', name: 'Y', 'role-support': 'yes', mids: '<x>' }, /mids/],
    ] as const)
      assert.match(faultIn(await ask(service, '/console/people', { cookie, form: { token, ...form } as Record<string, string> }))!, why)
  })

  test('a link of a person who was disabled stays over when they are enabled again', async () => {
    const { cookie, token } = await proven(await personOf(service, ['admin']))
    const { email, path } = await invited()
    const person = (await service.ports.query.rows(find('operators', { limit: 500 }))).find((each) => each.email === email)!
    const at = `/console/people/${person.operatorId}`
    const act = (what: string, version: number) => ask(service, `${at}/${what}`, { cookie, form: { token, version: String(version) } })
    assert.equal((await act('disable', person.version)).status, 303)
    assert.equal((await act('enable', person.version + 1)).status, 303)
    assert.equal((await ask(service, path, { form: { password: PASSWORD } })).status, 404)
    const link = /\/console\/set-up\/[A-Za-z0-9_-]{43}/.exec((await act('link', person.version + 2)).text)![0]
    assert.equal((await ask(service, link, { form: { password: PASSWORD } })).status, 303)
  })

  test('an admin who sees some merchants manages and invites people of those alone', async () => {
    const { cookie, token } = await proven(await personOf(service, ['admin'], ['SHOP1', 'SHOP2']))
    const [within, beyond] = [await personOf(service, ['support'], ['SHOP2']), await personOf(service, ['support'])]
    const mixed = await personOf(service, ['support'], ['SHOP2', 'SHOP3'])
    const { text } = await ask(service, '/console/people', { cookie })
    assert.ok(text.includes(within.operatorId))
    for (const { operatorId } of [beyond, mixed]) {
      assert.ok(!text.includes(operatorId))
      const at = `/console/people/${operatorId}`
      assert.equal((await ask(service, at, { cookie })).status, 404)
      for (const act of ['roles', 'disable', 'enable', 'end-sessions', 'link', 'reset-authenticator'])
        assert.equal((await ask(service, `${at}/${act}`, { cookie, form: { token, version: '2' } })).status, 404, act)
    }
    const roles = (mids: string) =>
      ask(service, `/console/people/${within.operatorId}/roles`, { cookie, form: { token, version: '2', 'role-admin': 'yes', mids } })
    const invite = (email: string, mids: string) =>
      ask(service, '/console/people', { cookie, form: { token, email, name: 'X', 'role-admin': 'yes', mids } })
    for (const mids of ['', 'SHOP3', 'SHOP1 SHOP3']) {
      assert.match(faultIn(await roles(mids))!, /sees more/, mids)
      assert.match(faultIn(await invite(`narrow${++people}@staff.test`, mids))!, /sees more/, mids)
    }
    const { email: waiting } = await invited()
    assert.match(faultIn(await invite(waiting, 'SHOP1'))!, /sees more/, 'one who is invited to all merchants')
    assert.equal((await invite(`narrow${++people}@staff.test`, 'SHOP1')).status, 200)
    assert.equal((await roles('SHOP1')).status, 303)
  })

  test('no address, password, code, link or cookie stands in the store in the clear', async () => {
    const { email, path } = await invited()
    const { cookie } = await ask(service, path, { form: { password: PASSWORD } })
    const tables = ['operators', 'operatorTokens', 'operatorSessions', 'signInFailures', 'auditLog'] as const
    const rows = JSON.stringify(
      await Promise.all(tables.map((table) => service.ports.query.rows(find(table, { limit: 1_000, unopened: true })))),
    )
    assert.match(rows, /operator\.password/, 'the rows are those')
    for (const secret of [email, PASSWORD, path.split('/').at(-1)!, cookie!]) assert.ok(!rows.includes(secret), secret)
  })
})
