// Strangers guess without end, each time from a new network. A person whose browser is known gets in at once; a person in a new browser
// within seconds. The known browser's cookie opens nothing by itself, and allows ten wrong passwords.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { knownBrowser } from '../../../src/console/kit/callers.ts'
import { authenticatorReset } from '../../../src/flows/operator-links.ts'
import { operatorKey, signInFailuresKey } from '../../../src/tables/keys.ts'
import { pass } from '../../support/clocks/jumps.ts'
import { DAY_MS, linkFor, MINUTE_MS, newAdmin, newAdminWithApp, tokenOf } from '../../support/clocks/times.ts'
import { ask, PASSWORD } from '../../support/console/desk.ts'
import { enter, guess, guessing, newNetwork, PacedPasswords } from '../../support/console/strangers.ts'
import { inParallel } from '../../support/paying/paying.ts'
import { onBothStores, type Service, startService } from '../../support/run/service.ts'

const [GUESSERS, ENTERED] = [90, 47]
const [ATTACK_MS, COPIED_MS] = [10 * MINUTE_MS, MINUTE_MS / 3]
const [IN, WRONG, WAITS, FULL] = [303, 422, 429, 503]
const TRIES = 20 // of a person whose press met a full line
const NEXT = 'another horse 8 battery'
const ENV = { MOHUR_TRUSTED_PROXIES: '127.0.0.1' }

onBothStores('strangers at the console', (store) => {
  const paced = async (t: { after(work: () => Promise<void>): void }) => {
    const passwords = new PacedPasswords()
    const service = await startService(store, { env: ENV, passwords })
    passwords.service = service
    t.after(() => service.close())
    return { service, passwords }
  }

  test('keep no person out: ninety of them for ten minutes, and a person gets in', async (t) => {
    const { service, passwords } = await paced(t)
    const { email } = await newAdmin(service)
    let { known } = await enter(service, email)
    const attack = guessing(passwords, GUESSERS, () => guess(service, email))
    const began = passwords.now()
    const statuses: Record<'known' | 'stranger', number[]> = { known: [], stranger: [] }
    for (let nth = 1; nth <= ENTERED; nth++) {
      const [inOwn, inNew] = await Promise.all([enter(service, email, { known }), enter(service, email)])
      known = inOwn.known ?? known
      statuses.known.push(inOwn.status)
      statuses.stranger.push(inNew.status)
      while (passwords.now() - began < (nth * ATTACK_MS) / ENTERED) await guess(service, email)
    }
    const says = await attack.stop()
    const entered = (line: 'known' | 'stranger') => statuses[line].filter((status) => status === IN).length
    const slowestMs = (line: 'known' | 'stranger') =>
      Math.max(...passwords.compared.filter((each) => each.line === line && each.password === PASSWORD).map(({ waitedMs }) => waitedMs))
    const figures = (line: 'known' | 'stranger') =>
      `${entered(line)} of ${ENTERED}, after ${(slowestMs(line) / 1_000).toFixed(1)} s at most`
    t.diagnostic(
      `${store}: ${((passwords.now() - began) / MINUTE_MS).toFixed(1)} minutes, ${passwords.compared.length} passwords compared; guessers ${says}; in with the cookie ${figures('known')}; without ${figures('stranger')}`,
    )
    assert.equal(entered('known'), ENTERED)
    assert.ok(slowestMs('known') <= 500, 'a person whom the browser knows waits for a few turns')
    assert.equal(entered('stranger'), ENTERED)
    assert.ok(slowestMs('stranger') <= 10_000, 'a person in a new browser waits seconds')
  })

  test('who copied the cookie compare ten wrong passwords in half an hour, and keep out no other', async (t) => {
    const { service, passwords } = await paced(t)
    const { email } = await newAdmin(service)
    const [copied, own] = [(await enter(service, email)).known, (await enter(service, email)).known]
    const wrongOf = (from: number) =>
      passwords.compared.slice(from).filter(({ line, password }) => line === 'known' && password !== PASSWORD).length
    const counts: number[] = []
    for (const round of [1, 2]) {
      const [from, began] = [passwords.compared.length, passwords.now()]
      const strangers = guessing(passwords, GUESSERS, () => guess(service, email))
      const copiers = guessing(passwords, GUESSERS, () => guess(service, email, copied))
      while (passwords.now() - began < COPIED_MS) await guess(service, email)
      let { status } = await enter(service, email, { known: copied })
      for (let tries = 1; status === FULL && tries < TRIES; tries++) ({ status } = await enter(service, email, { known: copied }))
      assert.equal(status, WAITS, 'the cookie, and no password helps')
      assert.equal((await enter(service, email, { known: own })).status, IN, 'another cookie of the person')
      assert.equal((await enter(service, email)).status, IN, 'no cookie')
      await Promise.all([strangers.stop(), copiers.stop()])
      counts.push(wrongOf(from))
      assert.equal(counts.at(-1), 10, `round ${round}`)
      pass(service, 30 * MINUTE_MS)
    }
    t.diagnostic(
      `${store}: ${GUESSERS} with a copied cookie and ${GUESSERS} without: wrong passwords compared with the cookie in half an hour: ${counts.join(', ')}`,
    )
  })

  test('are all who show no unchanged cookie of this person: any other cookie is as good as none', async (t) => {
    const service = await startService(store, { env: ENV })
    t.after(() => service.close())
    const { known: isKnown, forget } = await watched(service)
    const person = await newAdmin(service)
    const cookie = (await enter(service, person.email)).known!
    assert.ok(await isKnown(person.email, cookie), 'the cookie itself')
    const cases: Record<string, number> = {}
    const none = async (what: string, email: string, given: string) => {
      assert.ok(!(await isKnown(email, given)), `${what}: ${given}`)
      cases[what] = (cases[what] ?? 0) + 1
    }
    for (let at = 0; at < cookie.length; at++)
      for (let bit = 0; bit < 7; bit++) {
        const changed = String.fromCharCode(cookie.charCodeAt(at) ^ (1 << bit))
        if (/[\w.~!-]/.test(changed)) await none('one bit changed', person.email, cookie.slice(0, at) + changed + cookie.slice(at + 1))
      }
    const [time, hash] = cookie.split('.')
    for (const given of [
      `0${time}.${hash}`,
      `${time}.`,
      `.${hash}`,
      hash!,
      `${cookie}.${hash}`,
      `${cookie}; console-known=${cookie}`,
      `${time!.toUpperCase()}.${hash}`,
    ])
      await none('another form', person.email, given)
    const other = await newAdmin(service)
    await none('another person', other.email, cookie)
    await none('an unknown address', 'nobody.at.all@staff.test', cookie)
    const operator = (await service.ports.query.row(operatorKey(service.ports.vault.hash('operator', person.email))))!
    const now = service.clock.realNow()
    for (const at of [now + 2 * MINUTE_MS, now - 90 * DAY_MS])
      await none('another time', person.email, knownBrowser(service.ports.vault, operator, at))
    assert.ok(
      await isKnown(person.email, knownBrowser(service.ports.vault, operator, now - 90 * DAY_MS + MINUTE_MS)),
      'almost ninety days old',
    )

    const another = await setAnew(service, person.email)
    await none('another password', person.email, cookie)
    assert.ok(await isKnown(person.email, another, NEXT), 'the cookie of the other password')
    await disabledAndEnabled(service, person.email)
    await none('disabled, and let in again', person.email, another)
    const withApp = await newAdminWithApp(service)
    pass(service, MINUTE_MS)
    const before = (await ask(service, '/console/sign-in', { form: { email: withApp.email, password: PASSWORD, code: withApp.code() } }))
      .known!
    assert.ok(await isKnown(withApp.email, before))
    const reset = await authenticatorReset(service.ports, { email: withApp.email, by: { operatorId: 'shell', network: '' } })
    assert.ok('link' in reset)
    await none('before a reset', withApp.email, before)
    await ask(service, `/console/set-up/${reset.link}`, { form: { password: NEXT } })
    await none('before a reset', withApp.email, before)
    await forget()
    t.diagnostic(
      `${store}: cookies that are no cookie: ${Object.entries(cases)
        .map(([what, times]) => `${what} ${times}`)
        .join(', ')}; taken 0`,
    )
  })

  /** From a network that has to wait, only a known browser gets an answer. */
  async function watched({ store: rows, ports, clock, url }: Service) {
    const headers = newNetwork()
    const caller = headers['x-forwarded-for']
    const key = signInFailuresKey('', caller)
    const write = (kind: 'insert' | 'update') => {
      const lastAt = clock.realNow()
      const row = { emailHash: '', caller, failedAt: Array.from({ length: 100 }, () => lastAt), lastAt }
      return rows.transaction((transaction) => transaction.write({ changes: [{ kind, key, row }], events: [], tasks: [] }))
    }
    await write('insert')
    return {
      async known(email: string, known: string, password = PASSWORD) {
        await write('update')
        const { status } = await ask({ url }, '/console/sign-in', { known, form: { email, password }, headers })
        assert.ok([IN, WRONG, WAITS].includes(status), String(status))
        return status !== WAITS
      },
      forget: async () => assert.equal((await ports.query.row(key))!.failedAt.length, 100, 'no known browser counts for its network'),
    }
  }
  /** Sets another password by a link, and returns the cookie that comes with it. */
  async function setAnew(service: Service, email: string) {
    const set = await ask(service, await linkFor(service, email, 'RESET'), { form: { password: NEXT } })
    assert.equal(set.status, IN)
    return set.known!
  }
  async function disabledAndEnabled(service: Service, email: string) {
    const admin = (await newAdmin(service)).cookie
    const key = operatorKey(service.ports.vault.hash('operator', email))
    for (const action of ['disable', 'enable']) {
      const { operatorId, version } = (await service.ports.query.row(key))!
      const form = { token: await tokenOf(service, admin), version: String(version) }
      assert.equal((await ask(service, `/console/people/${operatorId}/${action}`, { cookie: admin, form })).status, IN)
    }
  }

  test('behind an unnamed proxy keep no person waiting who is signed in, or was in before', async (t) => {
    const service = await startService(store)
    t.after(() => service.close())
    const [email, path] = ['owner@staff.test', await linkFor(service, 'owner@staff.test', 'SETUP')]
    const { cookie, known } = await ask(service, path, { form: { password: PASSWORD } })
    await inParallel(8, 100, async (nth) => void (await guess(service, `nobody${nth}@staff.test`)))
    assert.equal((await enter(service, email)).status, WAITS, 'a new browser')
    assert.equal((await enter(service, email, { known })).status, IN)
    pass(service, 5 * MINUTE_MS)
    const form = { token: await tokenOf(service, cookie!), password: PASSWORD }
    assert.equal((await ask(service, '/console/step-up', { cookie, form })).status, IN, 'a proof')
    t.diagnostic(`${store}: 100 wrong tries of one network: a new browser waits, the cookie and a proof do not`)
  })
})
