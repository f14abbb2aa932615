// Refresh Token, Revoke Token and User Details over HTTP: one row per row of docs/interface.md section 7, in order of precedence.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { find, lock, type Row } from '../../../src/tables/tables.ts'
import { onBothStores, type Reply, type Service, sharedService, startService } from '../../support/run/service.ts'
import { basic, changeWorld, rawPost, signInWorld } from '../../support/signin/signin.ts'
import { DETAILS, details, errorOf, familyOf, REFRESH, REVOKE, refresh, refreshed, revoke, signIn } from '../../support/signin/tokens.ts'
import { commitUnknown, type Faults, withFailingQuery, withFaults } from '../../support/store/faults.ts'

const MINUTE = 60_000
const client = (scopes: string[]) => ({ signInClients: [{ clientId: 'demo-app', clientSecret: 'demo-secret', scopes }] })
const customer = (mobile: string, pendingVerification: boolean) => ({ customers: [{ mobile, pendingVerification }] })
const other = { client: ['other-app', 'other-secret'], device: 'device-2' } as const
const nobody = { client: ['nobody', 'demo-secret'], device: '' } as const
const statusOf = async (reply: Promise<Reply>) => (await reply).status

/** The tables that a refusal may not change, as comparable text. */
async function written({ store }: Service): Promise<string> {
  const tables = ['tokenFamilies', 'ssoTokens', 'refreshTokens', 'events', 'customers'] as const
  return JSON.stringify(await Promise.all(tables.map((table) => store.query.rows(find(table, { limit: 10_000 })))))
}

onBothStores('the codes of Refresh Token', (store) => {
  const service = sharedService(store, { world: signInWorld })
  const post = (running: Service, body: unknown, authorization = basic('demo-app', 'demo-secret')) =>
    running.post(REFRESH, typeof body === 'string' ? body : JSON.stringify(body), { authorization })

  test('each is answered before all that stand below it in the order of refusals', async () => {
    const running = await service()
    const phone = '9876540101'
    const { refreshToken, ssoToken } = await signIn(running, phone)
    const before = await written(running)

    await changeWorld(running, client(['wallet']))
    assert.equal(await errorOf(refresh(running, refreshToken)), '403 403')
    await changeWorld(running, customer(phone, true))
    assert.equal(await errorOf(refresh(running, refreshToken)), '403 BE1425004')
    const { family } = await familyOf(running, ssoToken)
    await setFamily(running, { ...family, status: 'REVOKED' })
    assert.equal(await errorOf(refresh(running, refreshToken)), '400 BE1422001')
    assert.equal(await errorOf(refresh(running, refreshToken, { device: 'device-2' })), '400 BE1423013')
    assert.equal(await errorOf(refresh(running, refreshToken, other)), '400 BE1423011')
    assert.equal(await errorOf(refresh(running, 'mohur_rt_nobody', other)), '400 BE1422001')
    assert.equal(await errorOf(post(running, { grantType: 'refresh_token' })), '400 434')
    const code = await post(running, { grantType: 'authorization_code', code: 7 })
    assert.equal(code.text, '{"error":"unsupported_grant_type","error_description":"This grantType is not supported"}')
    assert.equal(code.status, 400)
    assert.equal(await errorOf(post(running, {})), '400 434')
    const refused = await post(running, '{', basic(...nobody.client))
    assert.deepEqual([refused.status, refused.text], [401, ''])

    await changeWorld(running, client(['wallet', 'profile']))
    await changeWorld(running, customer(phone, false))
    await setFamily(running, family)
    assert.equal(await written(running), before)
    assert.equal(await errorOf(refresh(running, refreshToken)), '200')
  })

  test('a sign-in of before its number was verified for another owner does not come back by itself when that is over', async () => {
    const running = await service()
    const phone = '9876540103'
    const { refreshToken } = await signIn(running, phone)
    await changeWorld(running, customer(phone, true))
    running.clock.advance(48 * 60 * MINUTE)
    assert.equal(await errorOf(refresh(running, refreshToken)), '400 BE1422001')
    const { refreshToken: newer } = await signIn(running, phone)
    assert.equal(await errorOf(refresh(running, newer)), '200')
    await changeWorld(running, customer(phone, false))
    assert.equal(await errorOf(refresh(running, refreshToken)), '200', 'nobody else owns it after all')
  })

  test('a body that is missing, wrong or unreadable is 434 with HTTP 400, and changes nothing', async () => {
    const running = await service()
    const { refreshToken } = await signIn(running, '9876540102')
    const before = await written(running)
    const good = { grantType: 'refresh_token', refreshToken, deviceId: 'device-1' }
    const bodies: unknown[] = ['', 'null', '[]', '"text"', '{', `${JSON.stringify(good)}}`]
    for (const member of ['grantType', 'refreshToken', 'deviceId'])
      for (const wrong of [undefined, null, '', 7, true, [], {}, ['refresh_token'], 'x'.repeat(256)])
        bodies.push({ ...good, [member]: wrong })
    for (const body of bodies) assert.equal(await errorOf(post(running, body)), '400 434', JSON.stringify(body).slice(0, 80))
    for (const grantType of ['password', 'client_credentials', 'REFRESH_TOKEN', ' refresh_token'])
      assert.equal(await errorOf(post(running, { ...good, grantType })), '400 unsupported_grant_type')
    for (const wrong of [refreshToken.toLowerCase(), ` ${refreshToken}`, refreshToken.slice(0, -1)])
      assert.equal(await errorOf(post(running, { ...good, refreshToken: wrong })), '400 BE1422001')
    assert.equal(await written(running), before)
    assert.equal(await errorOf(post(running, { ...good, unknown: [1] })), '200')
  })

  test('every wrong Authorization is HTTP 401 without a body', async () => {
    const running = await service()
    const { refreshToken } = await signIn(running, '9876540103')
    const body = JSON.stringify({ grantType: 'refresh_token', refreshToken, deviceId: 'device-1' })
    const good = basic('demo-app', 'demo-secret')
    for (const headers of [
      [],
      ['authorization', ''],
      ['authorization', 'Basic'],
      ['authorization', good.replace('Basic', 'basic')],
      ['authorization', good.replace('Basic', 'Bearer')],
      ['authorization', `${good}=`],
      ['authorization', basic('demo-app', 'wrong')],
      ['authorization', basic('', 'demo-secret')],
      ['authorization', basic('other-app', 'demo-secret')],
      ['authorization', good, 'authorization', good],
    ]) {
      const reply = await rawPost(running, REFRESH, body, headers)
      assert.deepEqual([reply.status, reply.text], [401, ''], headers.join(' '))
    }
    assert.equal((await rawPost(running, REFRESH, body, ['authorization', good])).status, 200)
  })

  test('other methods are 405, and say which is meant', async () => {
    const running = await service()
    for (const [method, path, meant] of [
      ['GET', REFRESH, 'POST'],
      ['DELETE', REFRESH, 'POST'],
      ['POST', REVOKE, 'DELETE'],
      ['GET', REVOKE, 'DELETE'],
      ['POST', DETAILS, 'GET'],
      ['DELETE', DETAILS, 'GET'],
    ] as const) {
      const response = await fetch(running.url + path, { method })
      assert.deepEqual([response.status, response.headers.get('allow')], [405, meant], `${method} ${path}`)
      await response.body?.cancel()
    }
  })
})

onBothStores('the answers of Revoke Token', (store) => {
  const service = sharedService(store, { world: signInWorld })
  const send = (running: Service, headers: Record<string, string>) => running.call('DELETE', REVOKE, headers)

  test('each is given before all that stand below it in the order of refusals', async () => {
    const running = await service()
    const { ssoToken } = await signIn(running, '9876540201')
    const before = await written(running)
    assert.equal(await statusOf(revoke(running, ssoToken, { device: 'device-2' })), 401)
    assert.equal(await statusOf(revoke(running, ssoToken, { ...other, device: 'device-1' })), 401)
    assert.equal(await statusOf(revoke(running, 'mohur_sso_nobody', other)), 400)
    const authorization = basic('demo-app', 'demo-secret')
    const device = { 'x-device-identifier': 'device-1' }
    for (const token of ['', 'two words', 'x'.repeat(256)])
      assert.equal(await statusOf(send(running, { authorization, ...device, session_token: token })), 400, token.slice(0, 20))
    assert.equal(await statusOf(send(running, { authorization, ...device })), 400)
    assert.equal(await statusOf(send(running, { authorization, session_token: ssoToken })), 400)
    assert.equal(await statusOf(send(running, { authorization, 'x-device-identifier': 'x'.repeat(256), session_token: ssoToken })), 400)
    assert.equal(await statusOf(send(running, { session_token: ssoToken, ...device })), 401)
    assert.equal(await statusOf(revoke(running, ssoToken, { client: ['nobody', 'demo-secret'] })), 401)
    assert.equal(await written(running), before)
    const reply = await revoke(running, ssoToken)
    assert.deepEqual([reply.status, reply.text], [200, ''])
  })

  test('it ends the whole family, once, and is answered alike when it is asked again', async () => {
    const running = await service()
    const first = await signIn(running, '9876540202')
    const elsewhere = await signIn(running, '9876540202', { device: 'device-2' })
    const second = await refreshed(running, first.refreshToken)
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => statusOf(revoke(running, first.ssoToken)))), [200, 200, 200])
    assert.equal(await statusOf(revoke(running, second.ssoToken)), 200)
    for (const { ssoToken } of [first, second]) assert.equal((await details(running, ssoToken)).body.responseCode, '530')
    for (const { refreshToken } of [first, second]) assert.equal(await errorOf(refresh(running, refreshToken)), '400 BE1422001')
    const { family, events } = await familyOf(running, first.ssoToken)
    assert.equal(family.status, 'REVOKED')
    assert.deepEqual(events, ['1 signin.completed', '2 signin.refreshed', '3 signin.revoked'])
    // Another sign-in of the same user, on another device, is another family.
    assert.equal(await errorOf(refresh(running, elsewhere.refreshToken, { device: 'device-2' })), '200')
  })

  test('a sign-out with an expired SSO token still ends the family', async () => {
    const running = await service()
    const { ssoToken, refreshToken } = await signIn(running, '9876540203')
    running.clock.advance(24 * 60 * MINUTE)
    assert.equal((await details(running, ssoToken)).body.responseCode, '530')
    assert.equal(await statusOf(revoke(running, ssoToken)), 200)
    assert.equal(await errorOf(refresh(running, refreshToken)), '400 BE1422001')
  })
})

onBothStores('the codes of User Details', (store) => {
  const service = sharedService(store, { world: signInWorld })

  test('each is answered before all that stand below it, and the right token names its user', async () => {
    const running = await service()
    const { ssoToken, refreshToken } = await signIn(running, '9876540301')
    const [row] = await running.store.query.rows(find('customers', { equals: { mobile: '9876540301' }, limit: 1 }))
    const expires = running.clock.now() + 24 * 60 * MINUTE
    const reply = await details(running, ssoToken)
    assert.equal(reply.text, `{"id":"${row!.userId}","mobile":"9876540301","expires":"${expires}"}`)
    const { headers } = await fetch(running.url + DETAILS, { headers: { session_token: ssoToken } })
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal((await details(running, refreshToken)).text, '{"status":"FAILURE","responseCode":"530","message":"Invalid token"}')
    running.clock.advance(24 * 60 * MINUTE - 1)
    assert.equal((await details(running, ssoToken)).body.mobile, '9876540301')
    running.clock.advance(1)
    assert.equal((await details(running, ssoToken)).body.responseCode, '530')
    for (const headers of [{}, { session_token: '' }, { session_token: 'two words' }, { session_token: 'x'.repeat(256) }])
      assert.equal((await running.call('GET', DETAILS, headers as Record<string, string>)).body.responseCode, '434')
  })
})

onBothStores('a failing store after a sign-in', (store) => {
  for (const at of ['begin', 'read', 'write', 'commit'] as const) {
    test(`at ${at}: Refresh Token answers 503 BE1426003, Revoke Token 503, and nothing has changed`, async () => {
      let faults: Faults | undefined
      const running = await startService(store, {
        world: signInWorld,
        exit: () => {},
        store(real) {
          faults = withFaults(real)
          return faults.store
        },
      })
      try {
        const error = () => (at === 'commit' ? commitUnknown() : new Error('injected'))
        const { ssoToken, refreshToken } = await signIn(running, '9876540401')
        const before = await written(running)
        faults!.fail(at, error())
        const failed = await refresh(running, refreshToken)
        assert.equal(failed.text, '{"error":"BE1426003","error_description":"Something went wrong"}')
        assert.equal(failed.status, 503)
        faults!.fail(at, error())
        assert.equal(await statusOf(revoke(running, ssoToken)), 503)
        assert.equal(await written(running), before)
        assert.equal(await errorOf(refresh(running, refreshToken)), '200')
        assert.equal(await statusOf(revoke(running, ssoToken)), 200)
      } finally {
        await running.close()
      }
    })
  }

  test('when nothing can be looked up no token is called invalid', async () => {
    const failing = { now: false }
    const running = await startService(store, { world: signInWorld, store: (real) => withFailingQuery(real, failing) })
    try {
      const { ssoToken, refreshToken } = await signIn(running, '9876540402')
      failing.now = true
      assert.equal(
        (await details(running, ssoToken)).text,
        '{"status":"FAILURE","responseCode":"BE1426003","message":"Something went wrong"}',
      )
      assert.equal(await errorOf(refresh(running, refreshToken)), '503 BE1426003')
      assert.equal(await statusOf(revoke(running, ssoToken)), 503)
    } finally {
      failing.now = false
      await running.close()
    }
  })
})

const setFamily = ({ store }: Service, row: Row<'tokenFamilies'>) =>
  store.transaction((transaction) =>
    transaction.write({ changes: [{ kind: 'update', key: lock('tokenFamilies', row.familyId), row }], events: [], tasks: [] }),
  )
