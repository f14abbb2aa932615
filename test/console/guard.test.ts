// Access to the console. Calls each of the router's routes in each role and without a session, and compares with the table of
// docs/console.md.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import Fastify from 'fastify'
import { guard } from '../../src/console/kit/guard.ts'
import { otherHost } from '../../src/console/kit/other-host.ts'
import { approvalRoles, permissions } from '../../src/console/kit/permissions.ts'
import { ROLES, STEP_UP_MS } from '../../src/domain/operator/operator.ts'
import type { Query } from '../../src/engine/decision.ts'
import { readAssets } from '../../src/pages/kit/assets.ts'
import { operatorSessionKey } from '../../src/tables/keys.ts'
import { type Find, find, type Row, type TableName } from '../../src/tables/tables.ts'
import { ask, type Person, personOf } from '../support/console/desk.ts'
import { APPROVALS_ON, approvalOf, changed, paidRupees, refundBy } from '../support/console/refunds.ts'
import { routesOf } from '../support/console/routes.ts'
import { consented } from '../support/mandates/timeline.ts'
import { deadRows } from '../support/notifications/dead.ts'
import { refund } from '../support/paying/refunds.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'

test('docs/console.md has the table of permissions, row by row', () => {
  const page = readFileSync(new URL('../../docs/console.md', import.meta.url), 'utf8')
  const rows = page.split('<!-- roles:')[1]!.split('\n\n')[0]!.split('\n').slice(3)
  const documented = rows.map((row) => row.split('|').map((cell) => cell.trim()))
  assert.deepEqual(
    documented.map(([, name, , roles]) => [name, roles]),
    Object.entries(permissions).map(([name, roles]) => [`\`${name}\``, roles.join(', ')]),
  )
})

onBothStores('the guard of the console', (store) => {
  let service: Service
  let txnId: string
  let subscriptionId: string
  let approvalId: string
  const people = new Map<string, Person>()
  /** Whose merchants a person sees: all, the one that the routes name, another. */
  const scopes = { all: null, own: [MID], other: ['OTHER'] } as const
  before(async () => {
    service = await startService(store, { env: APPROVALS_ON })
    for (const role of ROLES)
      for (const [scope, mids] of Object.entries(scopes)) people.set(`${role} ${scope}`, await personOf(service, [role], mids))
    txnId = (await paidRupees(service, 'GUARD_1', 20_000)).txnId
    await refund(service, { orderId: 'GUARD_1', txnId }, 'GUARD_1', '1.00')
    await service.tasks.runDue()
    approvalId = approvalOf(await refundBy(service, await personOf(service, ['finance']), txnId))
    subscriptionId = (await consented(service, 'GUARD_2', { renewalAmount: '10.00' })).subscriptionId
    const dead = deadRows({ mid: MID, orderId: 'GUARD_1', url: 'http://127.0.0.1:9/', now: service.clock.now() })
    await service.store.transaction((transaction) => transaction.write({ changes: dead, events: [], tasks: [] }))
  })
  after(() => service.close())

  /** Pages of one merchant's rows. */
  const OF_MERCHANT = /:mid|\/approvals\/:id/
  const DECIDES = /\/approvals\/:id\/(?:give|refuse)/
  const givers: readonly string[] = approvalRoles['payment.refund'].gives
  const addressOf = (url: string) => {
    const ids = { payments: txnId, approvals: approvalId, subscriptions: subscriptionId }
    const id = Object.entries(ids).find(([chapter]) => url.includes(`/${chapter}/`))?.[1] ?? 'GUARD_1'
    return url.replace(':mid', MID).replace(':id', id).replace(':endpoint', 'merchant').replace(':link', 'x').replace('*', 'nothing')
  }

  test('each route admits the roles of its permission, for their merchants, and no other, and no visitor who is not signed in', async (t) => {
    const routes = await routesOf(service)
    let [cases, shown] = [0, 0]
    for (const { method, url, admits } of routes)
      for (const role of [...ROLES, undefined])
        for (const [scope, mids] of Object.entries(scopes)) {
          cases++
          const endsSession = method === 'POST' && /sign-out|me\/sessions/.test(url)
          const person = role && (endsSession ? await personOf(service, [role], mids) : people.get(`${role} ${scope}`)!)
          const { cookie, token = '' } = person ?? {}
          const form = { ...(method === 'POST' && { form: { token } }) }
          const { status, location } = await ask(service, addressOf(url), { method, cookie, ...form })
          const says = `${method} ${url} (${admits}) by ${role}, ${scope}: ${status} ${location}`
          assert.ok(status < 500, says)
          if (admits === 'anyone') assert.ok(status !== 403 && status !== 401, says)
          else if (role === undefined)
            assert.ok(method === 'POST' ? status === 401 : status === 303 && location!.startsWith('/console/sign-in?next='), says)
          else if (admits === 'signedIn') assert.notEqual(status, 403, says)
          else if (!(permissions[admits as 'see'] as readonly string[]).includes(role)) assert.equal(status, 403, says)
          else if (OF_MERCHANT.test(url) && scope === 'other') assert.equal(status, 404, says)
          // The decision knows the roles of the action, and refuses a decided request first.
          else if (DECIDES.test(url) && !givers.includes(role)) assert.ok(status === 403 || status === 409, says)
          else assert.notEqual(status, 403, says)
          if (url.includes(':mid') && status === 200) shown++
        }
    assert.equal(cases, routes.length * (ROLES.length + 1) * Object.keys(scopes).length)
    assert.ok(routes.some(({ method }) => method === 'HEAD') && routes.length > 40, `${routes.length} routes`)
    assert.ok(shown > 0, 'those who may see what is of their merchants')
    t.diagnostic(
      `${store}: ${routes.length} routes × ${ROLES.length + 1} × ${Object.keys(scopes).length} = ${cases} cases run; admitted against the table: 0`,
    )
  })

  test('a parameter that no store can keep is not found, at each route', async () => {
    const { cookie, token } = people.get('operations all')!
    const admin = people.get('admin all')!
    const routes = (await routesOf(service)).filter(({ url }) => url.includes(':'))
    for (const { method, url, admits } of routes)
      for (const name of url.match(/:\w+/g)!) {
        const path = addressOf(url.replace(name, 'x%00'))
        const person = admits === 'people' ? admin : { cookie, token }
        const { status, text } = await ask(service, path, {
          method,
          cookie: person.cookie,
          ...(method === 'POST' && { form: { token: person.token } }),
        })
        assert.equal(status, 404, `${method} ${path}`)
        if (method !== 'HEAD') assert.match(text, /There is no such page/, path)
      }
    assert.ok(routes.length > 20, `${routes.length} routes`)
  })

  test('a route that does not say whom it admits stops the start', async () => {
    const server = Fastify()
    server.register(async (scope) => {
      guard(scope, {} as never)
      scope.get('/console/planted', () => 'in')
    })
    await assert.rejects(async () => server.ready(), /does not say whom it admits/)
  })

  test('a form of another site, or without its token, changes nothing', async () => {
    const { cookie, token } = await personOf(service, ['admin'])
    const form = { token, old: 'x', password: 'y' }
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'none' }])
      assert.equal((await ask(service, '/console/me/password', { cookie, form, headers })).status, 403, JSON.stringify(headers))
    for (const given of [{}, { token: 'x' }, { token: people.get('admin all')!.token }])
      assert.equal((await ask(service, '/console/me/sessions', { cookie, form: { ...given } as Record<string, string> })).status, 400)
    assert.equal((await ask(service, '/console/me', { cookie })).status, 200, 'the session stands')
  })

  test('a person who is disabled, or whose proof grows old, while their form arrives changes nothing', async () => {
    const whileItArrives = async (path: string, { cookie, token }: Person, meanwhile: () => Promise<unknown>) => {
      const body = new URLSearchParams({ token, reason: 'too late' }).toString()
      const headers = {
        ...{ cookie: `console=${cookie}`, 'sec-fetch-site': 'same-origin' },
        ...{ 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length },
      }
      const admitted = Promise.withResolvers<void>()
      const query = service.ports.query as { rows: Query['rows'] }
      const { rows } = query
      query.rows = <T extends TableName>(asked: Find<T>) => {
        const found = rows.call(query, asked) as Promise<readonly Row<T>[]>
        found.then(() => admitted.resolve(), admitted.reject)
        return found
      }
      const sent = request(`${service.url}/console${path}`, { method: 'POST', headers })
      sent.write(body.slice(0, 5))
      await admitted.promise
      query.rows = rows
      await meanwhile()
      sent.end(body.slice(5))
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return [answer.resume().statusCode, answer.headers.location]
    }
    const [admin, colleague] = [await personOf(service, ['admin']), await personOf(service, ['support'])]
    const path = `/people/${colleague.operatorId}/end-sessions`
    assert.deepEqual(await whileItArrives(path, admin, () => changed(service, admin, { status: 'DISABLED' })), [401, undefined])
    assert.equal((await ask(service, '/console/me', colleague)).status, 200, 'the colleague is still signed in')
    const giver = await personOf(service, ['operations'])
    const old = await whileItArrives(`/approvals/${approvalId}/give`, giver, async () => {
      const session = (await service.ports.query.rows(find('operatorSessions', { equals: { operatorId: giver.operatorId }, limit: 1 })))[0]!
      const row = { ...session, steppedUpAt: session.steppedUpAt! - STEP_UP_MS }
      const change = { kind: 'update', key: operatorSessionKey(session.sessionHash), row } as const
      await service.store.transaction((transaction) => transaction.write({ changes: [change], events: [], tasks: [] }))
    })
    assert.deepEqual(old, [303, '/console/step-up?next=%2Fconsole'])
  })

  test('data of another merchant is not found, whichever role asks and however', async () => {
    const { cookie, token } = await personOf(service, ['admin', 'operations'], ['OTHER'])
    const order = `/console/orders/${MID}/GUARD_1`
    for (const path of [order, `${order}/raw`, `/console/subscriptions/${MID}/x`])
      assert.equal((await ask(service, path, { cookie })).status, 404, path)
    assert.equal((await ask(service, `${order}/show`, { cookie, form: { token } })).status, 404)
    for (const path of [
      '/console/orders?state=any',
      `/console/orders?state=any&merchant=${MID}`,
      '/console/orders.csv?state=any',
      '/console/find?q=GUARD_1',
      '/console/payments',
    ])
      assert.doesNotMatch((await ask(service, path, { cookie })).text, /orders\/(?!new\?)|GUARD_1,/, path)
    assert.equal((await ask(service, order, { cookie: (await personOf(service, ['support'], [MID])).cookie })).status, 200)
  })

  test('a link from a mail leads to the page that it names, after one more look', async () => {
    const mail = { 'sec-fetch-site': 'cross-site' }
    const first = await ask(service, '/console/payments?state=paid', { headers: mail })
    assert.equal(first.status, 200)
    assert.equal(first.headers.get('refresh'), '0; url=/console/payments?state=paid&again=1')
    const second = await ask(service, '/console/payments?state=paid&again=1', { headers: mail })
    assert.equal(second.location, `/console/sign-in?next=${encodeURIComponent('/console/payments?state=paid')}`)
  })

  test('every answer keeps itself out of caches, frames and other sites', async () => {
    const { cookie } = people.get('admin all')!
    for (const path of [
      '/console',
      '/console/sign-in',
      '/console/payments',
      '/console/payments.csv',
      '/console/nothing',
      `/console/orders/${MID}/GUARD_1/raw`,
    ]) {
      const { headers } = await ask(service, path, { cookie })
      assert.equal(headers.get('cache-control'), 'no-store', path)
      assert.equal(headers.get('referrer-policy'), 'same-origin', path)
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/, path)
    }
  })
})

describe('the console in production', () => {
  test('is not there without an https address of its own, and at no other host with one', async () => {
    const { readSettings } = await import('../../src/settings.ts')
    const production = { MOHUR_MODE: 'production', MOHUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
    assert.equal(readSettings(production).consoleUrl, undefined)
    for (const given of [
      'http://console.test',
      'https://console.test/else',
      'https://a:b@console.test',
      'console.test',
      'https://console.test/?x=1',
    ])
      assert.throws(() => readSettings({ ...production, MOHUR_CONSOLE_URL: given }), /MOHUR_CONSOLE_URL must be/, given)
    assert.equal(readSettings({ ...production, MOHUR_CONSOLE_URL: 'https://console.test/console/' }).consoleUrl, 'https://console.test')
  })

  test('with a host of its own that host has nothing else, and the console is nowhere else', async () => {
    const env = { MOHUR_PUBLIC_URL: 'http://pay.test', MOHUR_CONSOLE_URL: 'http://console.test' }
    const service = await startService('sqlite', { env })
    const { request } = await import('node:http')
    const { hostname, port } = new URL(service.url)
    const statusOf = (host: string, path: string) =>
      new Promise<number>((resolve, reject) => {
        const asked = request({ hostname, port, path, headers: { host } }, (answer) => {
          answer.resume()
          resolve(answer.statusCode!)
        })
        asked.on('error', reject).end()
      })
    assert.equal(await statusOf('console.test', '/console/sign-in'), 200)
    assert.equal(await statusOf('pay.test', '/console/sign-in'), 404)
    assert.equal(await statusOf('console.test', '/sandbox/shop'), 404)
    assert.equal(await statusOf('console.test', '/metrics'), 404)
    assert.equal(await statusOf('pay.test', '/sandbox/shop'), 200)
    // One address and one host have many spellings.
    for (const path of ['/%63onsole/sign-in', '//console/sign-in', '/console?x', 'http://console.test/console/sign-in'])
      assert.equal(await statusOf('pay.test', path), 404, path)
    for (const host of ['console.test:80', 'CONSOLE.test', 'console.test.', 'console.test.:80']) {
      assert.equal(await statusOf(host, '/console/sign-in'), 200, host)
      assert.equal(await statusOf(host, '/sandbox/shop'), 404, host)
    }
    const { text, headers } = await ask(service, '/console/sign-in')
    const { host } = new URL(service.url)
    assert.match(text, new RegExp(`^The console is only at console\\.test \\(MOHUR_CONSOLE_URL\\)\\. This request named the host ${host}:`))
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(await statusOf('console.test', `/pay/assets/${readAssets().css.split('/').at(-1)}`), 200)
    await service.close()
  })

  test('under another host it is logged once a minute, with a host that any client may have made up', () => {
    const lines: [object, string][] = []
    let elapsed = 0
    const came = otherHost({ warn: (...line: [object, string]) => lines.push(line) } as never, { elapsed: () => elapsed }, 'console.test')
    came('console.test:8443')
    came('again')
    elapsed += 60_000
    came(`a\r\nb{}"<${'h'.repeat(8_192)}`)
    assert.deepEqual(lines, [
      [{ expected: 'console.test', came: 'console.test:8443' }, 'a request for the console came under another host'],
      [{ expected: 'console.test', came: `ab${'h'.repeat(98)}` }, 'a request for the console came under another host'],
    ])
  })
})
