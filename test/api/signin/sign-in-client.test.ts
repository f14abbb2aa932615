// The client of a sign-in, as headers name it: docs/interface.md sections 4.1 and 5.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores, sharedService } from '../../support/run/service.ts'
import { basic, codeOf, inbox, LOCALE, rawPost, receive, SEND, send, signInWorld, validate } from '../../support/signin/signin.ts'
import { refresh, revoke } from '../../support/signin/tokens.ts'

onBothStores('the headers of sign-in', (store) => {
  const service = sharedService(store, { world: signInWorld })
  const body = JSON.stringify({ phone: '9876500201' })
  const good = basic('demo-app', 'demo-secret')
  const base64 = (text: string | Buffer) => Buffer.from(text as string).toString('base64')

  test('everything but exactly one Basic credential of a client is BE1423005', async () => {
    const running = await service()
    const corpus: string[] = [
      '',
      'Basic',
      'Basic ',
      'Basic  ',
      `basic ${good.slice(6)}`,
      `Bearer ${good.slice(6)}`,
      `Basic  ${good.slice(6)}`,
      `Basic\t${good.slice(6)}`,
      `${good} `.concat(good.slice(6)),
      `${good}, ${good}`,
      `${good}=`,
      good.replace(/=+$/, ''),
      good.slice(0, -3),
      `Basic ${good.slice(6, 12)} ${good.slice(12)}`,
      good.replaceAll('=', '-'),
      `Basic ${Buffer.from('demo-app:demo-secret').toString('base64url')}`,
      `Basic ${Buffer.from('demo-app:demo-secret').toString('hex')}`,
      'Basic ZGVtby1hcHA6ZGVtby1zZWNyZXR=', // the bits after the last byte are not zero
      'Basic demo-app:demo-secret',
      ...[
        'demo-app',
        'demo-appdemo-secret',
        ':demo-secret',
        'demo-app:',
        ':',
        'demo-app::demo-secret',
        'demo-app:demo-secret:',
        'demo-app:demo-secret\n',
        'demo-app\u0000:demo-secret',
        'demo-app:demo-secret\u0000',
        ' demo-app:demo-secret',
        'demo-app :demo-secret',
        'Demo-App:demo-secret',
        'demo-app:other-secret',
        'other-app:demo-secret',
        'demo-app:DEMO-SECRET',
        'demo-app:demo-secre',
        'ｄｅｍｏ-app:demo-secret',
        "' or 1=1 --:x",
        '__proto__:constructor',
        'भारत:गुप्त',
      ].map((text) => `Basic ${base64(text)}`),
      `Basic ${base64(Buffer.from([0xff, 0xfe, 0x3a, 0x41]))}`,
      `Basic ${base64(`${'x'.repeat(4_000)}:y`)}`,
    ]
    for (const value of corpus) {
      const reply = await rawPost(running, SEND + LOCALE, body, ['authorization', value, 'x-device-identifier', 'device-1'])
      assert.equal(`${reply.status} ${reply.body.responseCode}`, '200 BE1423005', value)
    }
    for (const headers of [[], ['authorization', good, 'Authorization', good], ['AUTHORIZATION', good, 'authorization', basic('a', 'b')]]) {
      const reply = await rawPost(running, SEND + LOCALE, body, ['x-device-identifier', 'device-1', ...headers])
      assert.equal(`${reply.status} ${reply.body.responseCode}`, '200 BE1423005', headers.join())
    }
    assert.deepEqual(await inbox(running, '9876500201'), [])
  })

  test('a device that is named twice, or by nothing, is missing', async () => {
    const running = await service()
    for (const headers of [[], ['x-device-identifier', ''], ['x-device-identifier', 'one', 'X-Device-Identifier', 'one']]) {
      const reply = await rawPost(running, SEND + LOCALE, body, ['authorization', good, ...headers])
      assert.equal(`${reply.status} ${reply.body.responseCode}`, '200 BE1423012', headers.join())
    }
  })

  test('a device is the same with spaces around it, and up to 255 characters distinguish devices', async () => {
    const running = await service()
    const device = 'x'.repeat(255)
    const sent = await receive(running, '9876500202', { device: ` ${device} ` })
    assert.equal(await codeOf(validate(running, sent, { device: `${device.slice(1)}y` })), '200 BE1423013')
    assert.equal(await codeOf(validate(running, sent, { device })), '200 BE1400001')
  })

  test('a device is as long as it has characters, whatever script they are of', async () => {
    const running = await service()
    const named = (length: number) => Buffer.from('\u{1f4f1}'.repeat(length)).toString('latin1') // as its bytes are sent
    const sent = await receive(running, '9876500204', { device: named(255) })
    assert.equal(await codeOf(validate(running, sent, { device: named(254) })), '200 BE1423013')
    assert.equal(await codeOf(validate(running, sent, { device: named(256) })), '200 434')
    const { tokens } = (await validate(running, sent, { device: named(255) })).body
    const { access_token, refresh_token } = JSON.parse(tokens)
    const renewed = await refresh(running, refresh_token, { device: '\u{1f4f1}'.repeat(255) })
    assert.equal(renewed.status, 200, 'the same device, as Refresh Token spells it')
    assert.equal((await revoke(running, access_token, { device: named(256) })).status, 400)
    assert.equal((await revoke(running, access_token, { device: named(255) })).status, 200)
  })

  test('a secret may hold colons and any script', async () => {
    const running = await service()
    for (const who of [['colon-app', 'se:cr:et'] as const, ['भारत', 'गुप्त 🔑'] as const])
      assert.equal(await codeOf(send(running, { phone: '9876500203' }, { client: who })), '200 BE1400001')
  })
})
