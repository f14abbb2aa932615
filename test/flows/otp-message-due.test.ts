// The message with an OTP: a task sends it once, by the messenger of the settings (docs/interface.md section 4.7).

import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { InboxMessenger } from '../../src/adapters/messenger/inbox.ts'
import type { MessageDelivery } from '../../src/adapters/messenger/messenger.ts'
import { HttpMessenger } from '../../src/adapters/messenger/sms-http.ts'
import { readSettings, SettingError } from '../../src/settings.ts'
import { find } from '../../src/tables/tables.ts'
import { onBothStores, sharedService, startService } from '../support/run/service.ts'
import { inbox, receive, send, signInWorld, validate } from '../support/signin/signin.ts'

interface Posted {
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: what a provider is sent is what the test is about to judge
  body: any
}

/** An SMS provider that answers with the given statuses, then 200. 0 never answers. */
async function provider(...statuses: number[]) {
  const posted: Posted[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      posted.push({ headers: request.headers, body: JSON.parse(Buffer.concat(parts).toString()) })
      const status = statuses.shift() ?? 200
      if (status === 0) return request.socket.destroy()
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('x'.repeat(100_000))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { posted, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sms` }
}

onBothStores('the inbox', (store) => {
  const service = sharedService(store, { world: signInWorld })

  test('shows the newest message first, with its OTP and its time', async () => {
    const running = await service()
    const first = await receive(running, '9876550001')
    running.clock.advance(1_000)
    const second = await receive(running, '9876550001')
    const messages = await inbox(running, '9876550001')
    assert.deepEqual(
      messages.map(({ otp }) => otp),
      [second.otp, first.otp],
    )
    const text = `${second.otp} is your one-time password to sign in. It is valid for 5 minutes. Do not share it with anyone.`
    assert.deepEqual(messages[0], { at: new Date(running.clock.now()).toISOString(), kind: 'otp', text, otp: second.otp })
    assert.deepEqual(await running.store.query.rows(find('tasks', { limit: 1 })), [])
  })

  test('is of one number, and asks for ten digits', async () => {
    const { url } = await service()
    for (const query of ['', '?mobile=', '?mobile=98765', '?mobile=9876550001&mobile=9876550001', '?mobile=%27%20or%201=1'])
      assert.equal((await fetch(`${url}/sandbox/inbox${query}`)).status, 400, query)
    assert.deepEqual(await inbox(await service(), '9876550099'), [])
  })

  test('keeps a message that is delivered twice once', async () => {
    const running = await service()
    const messenger = new InboxMessenger(running.store, running.clock)
    const message = { key: 'm1', mobile: '9876550002', kind: 'otp', text: 'text', otp: '123456' } as const
    const deliveries = await Promise.all([messenger.deliver(message), messenger.deliver(message)])
    assert.ok(deliveries.includes('delivered'))
    assert.equal(await messenger.deliver({ ...message, text: 'other' }), 'delivered')
    assert.deepEqual(
      (await inbox(running, '9876550002')).map(({ text }) => text),
      ['text'],
    )
  })
})

onBothStores('an SMS provider', (store) => {
  test('is handed each OTP once, with a key, a bearer token and the number', async () => {
    const { posted, url } = await provider()
    const running = await startService(store, { world: signInWorld, env: { MOHUR_SMS_URL: url, MOHUR_SMS_TOKEN: 'provider-token' } })
    try {
      const reply = await send(running, { phone: '9876550101' })
      await running.tasks.runDue()
      assert.equal(posted.length, 1)
      const { headers, body } = posted[0]!
      assert.equal(headers['content-type'], 'application/json')
      assert.equal(headers.authorization, 'Bearer provider-token')
      assert.match(String(headers['idempotency-key']), /^[0-9a-f]{32}$/)
      assert.deepEqual(body, {
        key: headers['idempotency-key'],
        to: '+919876550101',
        kind: 'otp',
        text: `${body.otp} is your one-time password to sign in. It is valid for 5 minutes. Do not share it with anyone.`,
        otp: body.otp,
      })
      const validated = await validate(running, { state_token: reply.body.state_token, otp: body.otp })
      assert.equal(validated.body.responseCode, 'BE1400001')
      await running.tasks.runDue()
      assert.equal(posted.length, 1)
    } finally {
      await running.close()
    }
  })

  test('that fails is called again later and later with the same key, five times at most', async () => {
    const { posted, url } = await provider(503, 0, 400, 429, 500, 200)
    const running = await startService(store, { world: signInWorld, env: { MOHUR_SMS_URL: url } })
    try {
      await send(running, { phone: '9876550102' })
      await running.tasks.runDue()
      for (const seconds of [2, 4, 8, 16]) {
        const before = posted.length
        running.clock.advance(seconds * 1_000 - 1)
        await running.tasks.runDue()
        assert.equal(posted.length, before)
        running.clock.advance(1)
        await running.tasks.runDue()
        assert.equal(posted.length, before + 1)
      }
      assert.equal(posted.length, 5)
      assert.equal(new Set(posted.map(({ headers }) => headers['idempotency-key'])).size, 1)
      assert.equal(posted[0]!.headers.authorization, undefined)
      assert.deepEqual(await running.store.query.rows(find('tasks', { limit: 1 })), [])
    } finally {
      await running.close()
    }
  })
})

test('an HTTP provider: 2xx is delivered, a redirect or another 4xx refused, everything else unknown', async () => {
  const message = { key: 'm1', mobile: '9876550103', kind: 'otp', text: 'text', otp: '123456' } as const
  const outcomes: Record<string, MessageDelivery> = {}
  for (const status of [200, 202, 302, 400, 401, 404, 408, 425, 429, 500, 503, 0]) {
    const { url, posted } = await provider(status)
    outcomes[status] = await new HttpMessenger({ url, token: '' }).deliver(message)
    assert.equal(posted.length, 1)
  }
  assert.deepEqual(outcomes, {
    0: 'unknown',
    200: 'delivered',
    202: 'delivered',
    302: 'refused',
    400: 'refused',
    401: 'refused',
    404: 'refused',
    408: 'unknown',
    425: 'unknown',
    429: 'unknown',
    500: 'unknown',
    503: 'unknown',
  })
  assert.equal(await new HttpMessenger({ url: 'http://127.0.0.1:1/', token: '' }).deliver(message), 'unknown')
})

test('an OTP that is over is not sent any more', async () => {
  const { posted, url } = await provider(503)
  const running = await startService('sqlite', { world: signInWorld, env: { MOHUR_SMS_URL: url } })
  try {
    await send(running, { phone: '9876550105' })
    await running.tasks.runDue()
    running.clock.advance(5 * 60_000) // the service was down meanwhile
    await running.tasks.runDue()
    assert.equal(posted.length, 1)
    assert.deepEqual(await running.store.query.rows(find('tasks', { limit: 1 })), [])
  } finally {
    await running.close()
  }
})

test('production without a provider refuses to send, and says so in the log only', async () => {
  const env = { MOHUR_MODE: 'production', MOHUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
  const running = await startService('sqlite', { world: signInWorld, env })
  try {
    const reply = await send(running, { phone: '9876550106' })
    assert.equal(reply.text, '{"status":"FAILURE","message":"Something went wrong","responseCode":"BE1426003"}')
    assert.equal((await fetch(`${running.url}/sandbox/inbox?mobile=9876550106`)).status, 404)
    assert.deepEqual(await running.store.query.rows(find('otpChallenges', { limit: 1 })), [])
  } finally {
    await running.close()
  }
})

test('settings of sign-in that make no sense stop the start with a sentence', () => {
  const wrong: Record<string, string>[] = [
    { MOHUR_OTP_VALIDITY_SECONDS: '601' },
    { MOHUR_OTP_VALIDITY_SECONDS: '29' },
    { MOHUR_OTP_TRIES: '0' },
    { MOHUR_OTP_TRIES: '2.5' },
    { MOHUR_OTP_FAILURES_PER_HOUR: 'many' },
    { MOHUR_OTP_SENDS_PER_HOUR: '-1' },
    { MOHUR_OTP_SENDS_PER_DAY: '101' },
    { MOHUR_SIGNIN_CEILING_PER_MINUTE: '0' },
    { MOHUR_SMS_URL: 'ftp://sms.example' },
    { MOHUR_SMS_URL: 'http://sms.example' },
    { MOHUR_SMS_URL: 'https://user:secret@sms.example' },
    { MOHUR_SMS_URL: 'https://sms.example', MOHUR_SMS_TOKEN: 'secret\nX-Other: 1' },
  ]
  for (const environment of wrong)
    assert.throws(
      () => readSettings(environment),
      (error) => error instanceof SettingError && !error.message.includes('secret'),
      JSON.stringify(environment),
    )
  assert.deepEqual(readSettings({ MOHUR_SMS_URL: 'https://sms.example/v1', MOHUR_SMS_TOKEN: 't' }).sms, {
    url: 'https://sms.example/v1',
    token: 't',
  })
})
