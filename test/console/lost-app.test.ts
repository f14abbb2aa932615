// A person has lost their authenticator app and the recovery codes. The shell or an admin ends all their sessions and codes, and hands out
// a link. Meanwhile a stolen password opens nothing. The next sign-in sets up an app before anything else. Over HTTP, on both stores.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { authenticatorReset } from '../../src/flows/operator-links.ts'
import type { OperatorRole } from '../../src/tables/operator.ts'
import { find } from '../../src/tables/tables.ts'
import { pass } from '../support/clocks/jumps.ts'
import { linkFor, MINUTE_MS, newAdminWithApp, tokenOf } from '../support/clocks/times.ts'
import { type Answer, ask, auditOf, PASSWORD, personOf } from '../support/console/desk.ts'
import { onBothStores, type Service, sharedService } from '../support/run/service.ts'

const NEXT = 'another horse 8 battery'
const [IN, WRONG, GONE] = [303, 422, 404]
const APP = '/console/me/app'

const faultIn = ({ text }: Answer) => /role="alert">([^<]*)/.exec(text)?.[1]
const linkIn = ({ text }: Answer) => /\/console\/set-up\/[A-Za-z0-9_-]{43}/.exec(text)![0]
const operatorOf = async ({ ports }: Service, emailHash: string) =>
  (await ports.query.rows(find('operators', { equals: { emailHash }, limit: 1 })))[0]!

onBothStores('a lost authenticator app', (store) => {
  const shared = sharedService(store, { env: { MOHUR_TRUSTED_PROXIES: '127.0.0.1' } })

  const lost = async () => {
    const service = await shared()
    const person = await newAdminWithApp(service)
    const { operatorId, emailHash } = await operatorOf(service, service.ports.vault.hash('operator', person.email))
    pass(service, MINUTE_MS)
    return { service, ...person, operatorId, emailHash }
  }
  /** Tries everything that the person had before. */
  const tried = async ({ service, email, cookie, code, recovery, headers }: Awaited<ReturnType<typeof lost>>, older: string) => {
    const signIn = (password: string, given: string) =>
      ask(service, '/console/sign-in', { form: { email, password, ...(given && { code: given }) }, headers })
    return {
      session: (await ask(service, '/console/me', { cookie })).status === 200,
      password: (await signIn(PASSWORD, '')).status === IN,
      'password and code': (await signIn(PASSWORD, code())).status === IN,
      'password and recovery code': (await signIn(PASSWORD, recovery[0]!)).status === IN,
      'older link': (await ask(service, older)).status === 200,
      'older link, posted': (await ask(service, older, { form: { password: NEXT } })).status === IN,
    }
  }

  test('is reset by the shell: no earlier credential of the person opens anything, and an app comes before anything else', async (t) => {
    const person = await lost()
    const { service, email, operatorId } = person
    const older = await linkFor(service, email, 'RESET')
    assert.equal((await ask(service, '/console/me', { cookie: person.cookie })).status, 200)
    const made = await authenticatorReset(service.ports, { email, by: { operatorId: 'shell', network: '' } })
    assert.ok('link' in made)
    const opened = await tried(person, older)
    assert.ok(
      Object.values(opened).every((isOpen) => !isOpen),
      JSON.stringify(opened),
    )
    const [written] = (await auditOf(service, 'shell')).filter(
      ({ subject, action }) => subject === `operator:${operatorId}` && action === 'operator.reset-authenticator',
    )
    assert.deepEqual([written!.outcome, written!.data], ['done', { roles: 'admin' }])

    const path = `/console/set-up/${made.link}`
    assert.match(faultIn(await ask(service, path, { form: { password: PASSWORD } }))!, /last four/)
    const set = await ask(service, path, { form: { password: NEXT } })
    assert.equal(set.location, '/console')
    assert.equal((await ask(service, path)).status, GONE)
    const { cookie: another } = await ask(service, '/console/sign-in', { form: { email, password: NEXT } })
    let shut = 0
    for (const cookie of [set.cookie, another])
      for (const [at, form] of [
        ...['', '/me', '/payments', '/people', '/find?q=1', '/orders.csv', '/nothing', '/me/codes'].map(
          (each) => [each, undefined] as const,
        ),
        ...[`/people/${operatorId}/link`, '/me/password', '/me/sessions', '/me/codes', '/people'].map((each) => [each, {}] as const),
      ]) {
        assert.equal((await ask(service, `/console${at}`, { cookie, ...(form && { form }) })).location, APP, at)
        shut++
      }
    const shown = await ask(service, APP, { cookie: set.cookie })
    assert.match(shown.text, /Set it up to open the console/)
    const kept = await keep(service, set.cookie!, shown)
    assert.equal(kept.status, 200)
    assert.match(kept.text, /href="\/console">I have saved them/)
    assert.equal((await ask(service, '/console', { cookie: set.cookie })).status, 200)
    assert.equal(
      (await ask(service, '/console', { cookie: another })).location,
      '/console/sign-in?next=%2Fconsole',
      'by the password alone',
    )
    assert.equal((await ask(service, '/console/sign-in', { form: { email, password: NEXT } })).status, WRONG)
    t.diagnostic(`${store}: of ${Object.keys(opened).length} ways from before 0 open; ${shut} requests before the app lead to it`)
  })

  async function keep(service: Service, cookie: string, shown: Answer) {
    const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(shown.text)![1]!
    const token = /name="token" value="([^"]*)"/.exec(shown.text)![1]!
    const form = (code: string, from = shown) => ({ token, code, sealed: /name="sealed" value="([^"]*)"/.exec(from.text)![1]! })
    const wrong = await ask(service, `${APP}/keep`, { cookie, form: form('000000') })
    assert.match(faultIn(wrong)!, /is wrong/)
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.clock.realNow() })
    return ask(service, `${APP}/keep`, { cookie, form: form(code, wrong) })
  }

  test('is reset by an admin with a proof, for others within their merchants, once', async (t) => {
    const person = await lost()
    const { service, email, operatorId, emailHash } = person
    const at = `/console/people/${operatorId}`
    const admin = await newAdminWithApp(service)
    const reset = async (cookie: string, form: Record<string, string>, path = at) =>
      ask(service, `${path}/reset-authenticator`, { cookie, form: { token: await tokenOf(service, cookie), ...form } })
    const { version } = await operatorOf(service, emailHash)
    const good = { version: String(version) }

    const refused: Record<string, string> = {}
    const inside = async (role: OperatorRole, mids: readonly string[] | null) => (await personOf(service, [role], mids)).cookie
    pass(service, 6 * MINUTE_MS)
    const unproven = await inside('admin', null)
    pass(service, 5 * MINUTE_MS)
    refused['without a proof'] = (await reset(unproven, good)).location!
    for (const [who, cookie, status] of [
      ['another role', await inside('support', null), 403],
      ['an admin of other merchants', await inside('admin', ['OTHER']), GONE],
    ] as const) {
      const answer = await reset(cookie, good)
      assert.equal(answer.status, status, who)
      refused[who] = String(answer.status)
    }
    const cookie = await inside('admin', null)
    const own = await operatorOf(service, service.ports.vault.hash('operator', admin.email))
    const signedIn = (await admin.signIn(admin.code())).cookie!
    pass(service, MINUTE_MS)
    const proof = { token: await tokenOf(service, signedIn), code: admin.code() }
    const proven = await ask(service, '/console/step-up', { cookie: signedIn, form: proof })
    const oneself = await reset(proven.cookie!, { version: String(own.version) }, `/console/people/${own.operatorId}`)
    refused['of oneself'] = faultIn(oneself)!
    refused['of a version from before'] = String((await reset(cookie, { version: String(version - 1) })).status)
    refused['without a version'] = String((await reset(cookie, {})).status)
    const foreign = await ask(service, `${at}/reset-authenticator`, { cookie, form: { token: 'x', ...good } })
    refused['without its token'] = String(foreign.status)
    assert.equal((await ask(service, '/console/me', { cookie: person.cookie })).status, 200)
    assert.equal((await operatorOf(service, emailHash)).version, version, 'nothing was changed')

    const older = await linkFor(service, email, 'RESET')
    const done = await reset(cookie, good)
    assert.equal(done.status, 200)
    const opened = await tried(person, older)
    assert.ok(
      Object.values(opened).every((isOpen) => !isOpen),
      JSON.stringify(opened),
    )
    refused['twice'] = faultIn(await reset(cookie, good))!
    assert.equal((await ask(service, linkIn(done), { form: { password: NEXT } })).location, '/console')
    assert.deepEqual(refused, {
      'without a proof': `/console/step-up?next=${encodeURIComponent('/console')}`,
      'another role': '403',
      'an admin of other merchants': '404',
      'of oneself': 'Ask another admin to change your own access.',
      'of a version from before': '409',
      'without a version': '409',
      'without its token': '400',
      twice: 'This person has no authenticator app to reset. Make a link for a new password.',
    })
    t.diagnostic(`${store}: ${Object.keys(refused).length} resets refused by name, 1 done`)
  })

  test('of a person who may not sign in is not reset before they are let in again', async () => {
    const { service, operatorId, emailHash, email } = await lost()
    const { cookie } = await personOf(service, ['admin'])
    const act = async (action: string) => {
      const { version } = await operatorOf(service, emailHash)
      const form = { token: await tokenOf(service, cookie), version: String(version) }
      return ask(service, `/console/people/${operatorId}/${action}`, { cookie, form })
    }
    assert.equal((await act('disable')).status, 303)
    assert.match(faultIn(await act('reset-authenticator'))!, /sign-in is disabled/)
    assert.deepEqual(await authenticatorReset(service.ports, { email, by: { operatorId: 'shell', network: '' } }), { refused: 'disabled' })
    assert.equal((await act('enable')).status, 303)
    assert.match((await act('reset-authenticator')).text, /\/console\/set-up\//)
  })
})
