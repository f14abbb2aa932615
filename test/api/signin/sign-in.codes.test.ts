// Send OTP and Validate OTP over HTTP: one row per row of docs/interface.md section 7, in order of precedence.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { find, type Row } from '../../../src/tables/tables.ts'
import { onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import {
  basic,
  changeWorld,
  codeOf,
  inbox,
  LOCALE,
  otherThan,
  receive,
  send,
  signInWorld,
  VALIDATE,
  validate,
} from '../../support/signin/signin.ts'

const client = (scopes: string[]) => ({ signInClients: [{ clientId: 'demo-app', clientSecret: 'demo-secret', scopes }] })
const customer = (mobile: string, pendingVerification: boolean) => ({ customers: [{ mobile, pendingVerification }] })
/** The tables that sign-in may change, as comparable text. */
async function written({ store }: Service): Promise<string> {
  const tables = ['otpChallenges', 'otpSends', 'otpFailures', 'tokenFamilies', 'ssoTokens', 'refreshTokens', 'customers'] as const
  return JSON.stringify(await Promise.all(tables.map((table) => store.query.rows(find(table, { limit: 10_000 })))))
}

onBothStores('the codes of Validate OTP', (store) => {
  const service = sharedService(store, { world: signInWorld })

  test('each is answered before all that stand below it in the order of refusals', async () => {
    const running = await service()
    const phone = '9876500001'
    const sent = await receive(running, phone)
    const wrong = { ...sent, otp: otherThan(sent.otp) }
    const before = await written(running)

    assert.equal(await codeOf(validate(running, { ...sent, otp: 'abcdef' })), '200 BE1425007')
    assert.equal(await written(running), before)
    running.clock.advance(5 * 60_000)
    assert.equal(await codeOf(validate(running, wrong)), '200 BE1425008')
    await changeWorld(running, client(['wallet']))
    assert.equal(await codeOf(validate(running, wrong)), '200 BE1425005')
    await changeWorld(running, customer(phone, true))
    assert.equal(await codeOf(validate(running, wrong)), '200 BE1425004')
    assert.equal(await codeOf(validate(running, wrong, { device: 'device-2' })), '200 BE1423013')
    const other = { client: ['other-app', 'other-secret'], device: 'device-2' } as const
    assert.equal(await codeOf(validate(running, wrong, other)), '200 BE1423011')
    const unknown = { ...wrong, state_token: 'nobody-knows-it' }
    assert.equal(await codeOf(validate(running, unknown, other)), '200 434')
    assert.equal(await codeOf(validate(running, unknown, { ...other, device: ' ', query: '' })), '200 BE1423012')
    const refused = await validate(running, unknown, { client: ['other-app', 'wrong'], device: ' ', query: '' })
    assert.equal(refused.text, '{"status":"FAILURE","message":"Invalid Authorization","responseCode":"BE1423005"}')

    const families = await running.store.query.rows(find('tokenFamilies', { limit: 1 }))
    assert.deepEqual(families, [])
    await changeWorld(running, client(['wallet', 'profile']))
    await changeWorld(running, customer(phone, false))
  })

  test('the right OTP gives an access token and a refresh token, kept as hashes, and one event', async () => {
    const running = await service()
    const sent = await receive(running, '9876500002', { scopes: ['profile', 'profile'] })
    const reply = await validate(running, sent)
    assert.equal(reply.status, 200)
    const { tokens, ...rest } = reply.body
    assert.deepEqual(rest, { status: 'SUCCESS', message: 'Success', responseCode: 'BE1400001' })
    const { access_token, refresh_token, ...given } = JSON.parse(tokens)
    assert.deepEqual(given, { expires: String(running.clock.now() + 24 * 60 * 60_000), scope: 'profile' })
    assert.match(access_token, /^mohur_sso_[\w-]{43}$/)
    assert.match(refresh_token, /^mohur_rt_[\w-]{43}$/)

    const { vault, query } = running.ports
    const [sso] = await query.rows(find('ssoTokens', { equals: { tokenHash: vault.hash('ssoToken', access_token) }, limit: 2 }))
    const [refresh] = await query.rows(
      find('refreshTokens', { equals: { tokenHash: vault.hash('refreshToken', refresh_token) }, limit: 2 }),
    )
    const [family] = await query.rows(find('tokenFamilies', { equals: { familyId: sso!.familyId }, limit: 2 }))
    assert.equal(refresh!.familyId, family!.familyId)
    assert.equal(sso!.mobile, '9876500002')
    const events = await query.rows(find('events', { equals: { owner: 'demo-app', aggregate: 'signin', id: family!.familyId }, limit: 9 }))
    assert.deepEqual(
      events.map(({ type, version, fromStatus, toStatus }) => ({ type, version, fromStatus, toStatus })),
      [{ type: 'signin.completed', version: 1, fromStatus: '', toStatus: 'ACTIVE' }],
    )
  })

  test('the first sign-in of a number makes its customer, and the next finds it', async () => {
    const running = await service()
    const customers = () => running.store.query.rows(find('customers', { equals: { mobile: '9876500003' }, limit: 2 }))
    const sent = await receive(running, '9876500003')
    assert.deepEqual(await customers(), [])
    assert.equal(await codeOf(validate(running, sent)), '200 BE1400001')
    const [made] = await customers()
    assert.equal(made?.walletBalancePaise, 0)
    assert.equal(await codeOf(validate(running, await receive(running, '9876500003'))), '200 BE1400001')
    assert.deepEqual(await customers(), [made])
  })

  test('the encrypted user id comes with anchor=enc_user_id only, and differs each time', async () => {
    const running = await service()
    const options = { query: `${LOCALE}&anchor=enc_user_id` }
    const first = await validate(running, await receive(running, '9876500004'), options)
    const second = await validate(running, await receive(running, '9876500004'), options)
    assert.notEqual(first.body.encryptedUserId, second.body.encryptedUserId)
    const [row] = await running.store.query.rows(find('customers', { equals: { mobile: '9876500004' }, limit: 1 }))
    const { vault } = running.ports
    for (const { body } of [first, second]) assert.equal(vault.open(body.encryptedUserId, 'encryptedUserId|demo-app'), row!.userId)
    assert.ok(!first.text.includes(row!.userId))
    const without = await validate(running, await receive(running, '9876500004'))
    assert.deepEqual(Object.keys(without.body), ['status', 'message', 'responseCode', 'tokens'])
  })

  test('a query or body that is missing, wrong or unreadable is 434 and spends nothing', async () => {
    const running = await service()
    const sent = await receive(running, '9876500005')
    const { state_token, otp } = sent
    const before = await written(running)
    const headers = { authorization: basic('demo-app', 'demo-secret'), 'x-device-identifier': 'device-1' }
    const good = JSON.stringify(sent)
    const bodies: string[] = [
      '',
      'null',
      '[]',
      '"text"',
      '{',
      `${good}}`,
      '{}',
      JSON.stringify({ state_token }),
      JSON.stringify({ otp }),
      ...[null, '', 7, true, [], {}, [state_token], 'x'.repeat(256), '\u0000', 'नहीं', state_token.toLowerCase(), ` ${state_token}`].map(
        (wrong) => JSON.stringify({ state_token: wrong, otp }),
      ),
      ...[null, '', Number(otp), true, [], {}, [otp]].map((wrong) => JSON.stringify({ state_token, otp: wrong })),
      `{"state_token":"${state_token}","otp":"${otp}","otp":"${otp}"}`,
      `{"state_token":"${state_token}","otp":"${otp}","__proto__":{}}`,
      `{"state_token":"${state_token}","otp":"${otp}","more":${'['.repeat(17)}${']'.repeat(17)}}`,
    ]
    for (const text of bodies) assert.equal(await codeOf(running.post(VALIDATE + LOCALE, text, headers)), '200 434', text)
    const queries = [
      '',
      '?locale=',
      '?locale=hi-IN',
      '?locale=en-in',
      '?locale=en-IN&locale=en-IN',
      `${LOCALE}&anchor=user_id`,
      '?Locale=en-IN',
    ]
    for (const query of queries) assert.equal(await codeOf(validate(running, sent, { query })), '200 434', query)
    assert.equal(await codeOf(validate(running, sent, { device: 'x'.repeat(256) })), '200 434')
    assert.equal(await written(running), before)
    const more = { ...sent, unknown: { member: [1] } }
    assert.equal(await codeOf(validate(running, more, { query: `${LOCALE}&unknown=1&anchor=%00` })), '200 BE1400001')
  })

  test('the state_token of another client or device spends no try, in every combination', async () => {
    const running = await service()
    const clients = [
      ['demo-app', 'demo-secret'],
      ['other-app', 'other-secret'],
      ['भारत', 'गुप्त 🔑'],
    ] as const
    const devices = ['device-1', 'device-2', 'device-3']
    for (const [at, owner] of clients.entries()) {
      const device = devices[at]!
      const sent = await receive(running, `987650001${at}`, { client: owner, device, scopes: ['profile'] })
      for (const asker of clients) {
        for (const from of devices) {
          if (asker === owner && from === device) continue
          const expected = asker === owner ? '200 BE1423013' : '200 BE1423011'
          for (const otp of [sent.otp, otherThan(sent.otp)])
            assert.equal(await codeOf(validate(running, { ...sent, otp }, { client: asker, device: from })), expected)
        }
      }
      assert.equal(await codeOf(validate(running, sent, { client: owner, device })), '200 BE1400001')
    }
  })
})

onBothStores('the codes of Send OTP', (store) => {
  const service = sharedService(store, { world: signInWorld })

  test('each is answered before all that stand below it in the order of refusals', async () => {
    const running = await service()
    const phone = '9876500101'
    for (let at = 0; at < 5; at++) {
      const reply = await send(running, { phone })
      assert.deepEqual(Object.keys(reply.body), ['status', 'message', 'responseCode', 'state_token'])
      assert.equal(reply.body.responseCode, 'BE1400001')
    }
    const before = await written(running)
    assert.equal(await codeOf(send(running, { phone })), '200 BE1425006')
    const greedy = { phone, scopes: ['wallet', 'admin'] }
    assert.equal(await codeOf(send(running, greedy)), '200 BE1425005')
    await changeWorld(running, customer(phone, true))
    assert.equal(await codeOf(send(running, greedy)), '200 BE1425004')
    assert.equal(await codeOf(send(running, { ...greedy, phone: 'phone' })), '200 434')
    assert.equal(await codeOf(send(running, greedy, { query: '?locale=fr-FR' })), '200 434')
    assert.equal(await codeOf(send(running, {}, { query: '', device: '' })), '200 BE1423012')
    const nobody = { query: '', device: '', client: ['nobody', 'demo-secret'] } as const
    assert.equal(await codeOf(send(running, {}, nobody)), '200 BE1423005')
    await changeWorld(running, customer(phone, false))
    const after = JSON.parse(await written(running)) as Row<'customers'>[][]
    assert.equal(JSON.stringify([...after.slice(0, 6), []]), JSON.stringify([...JSON.parse(before).slice(0, 6), []]))
    assert.equal((await inbox(running, phone)).length, 5)
  })

  test('a query or body that is missing, wrong or unreadable is 434 and sends nothing', async () => {
    const running = await service()
    const before = await written(running)
    const phone = '9876500102'
    const phones = [
      null,
      '',
      9876500102,
      '987650010',
      '98765001020',
      '5876500102',
      '+919876500102',
      '९८७६५००१०२',
      ' 9876500102',
      '9876500102\n',
    ]
    for (const wrong of [...phones, [phone], { phone }])
      assert.equal(await codeOf(send(running, { phone: wrong })), '200 434', String(wrong))
    const scopes = ['wallet', { wallet: true }, 7, [7], [null], [['wallet']], Array(51).fill('wallet'), ['x'.repeat(256)]]
    for (const wrong of scopes) assert.equal(await codeOf(send(running, { phone, scopes: wrong })), '200 434', JSON.stringify(wrong))
    assert.equal(await codeOf(send(running, [{ phone }])), '200 434')
    assert.equal(await written(running), before)
    assert.deepEqual(await inbox(running, phone), [])
  })

  test('without scopes the tokens allow all that the client may ask for', async () => {
    const running = await service()
    for (const scopes of [undefined, []]) {
      const reply = await validate(running, await receive(running, '9876500103', scopes ? { scopes } : {}))
      assert.equal(JSON.parse(reply.body.tokens).scope, 'wallet profile')
    }
  })

  test('known and unknown numbers are answered alike', async () => {
    const running = await service()
    const known = await send(running, { phone: '9999900001' })
    const unknown = await send(running, { phone: '9876500104' })
    const anyToken = (text: string) => text.replace(/[\w-]{43}/, 'token')
    assert.equal(anyToken(known.text), anyToken(unknown.text))
    assert.notEqual(anyToken(known.text), known.text)
  })
})
