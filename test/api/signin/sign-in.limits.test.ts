// The limits of sign-in (docs/interface.md sections 4.1, 4.7 and 8), with a moved clock and with many requests at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from '../../../src/http/networks.ts'
import { RateLimit, TooManyRequests } from '../../../src/http/rate-limit.ts'
import { find } from '../../../src/tables/tables.ts'
import { onBothStores, type Service, sharedService, startService } from '../../support/run/service.ts'
import { basic, inbox, LOCALE, otherThan, receive, SEND, send, signInWorld, VALIDATE, validate } from '../../support/signin/signin.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
type Sent = Awaited<ReturnType<typeof receive>>

const codeOf = async (reply: Promise<{ body: { responseCode: string } }>) => (await reply).body.responseCode
const right = (running: Service, sent: Sent, device?: string) => codeOf(validate(running, sent, device ? { device } : {}))
const wrong = (running: Service, { state_token, otp }: Sent, device?: string) =>
  codeOf(validate(running, { state_token, otp: otherThan(otp) }, device ? { device } : {}))
const counted = (codes: string[]) => Object.fromEntries([...Map.groupBy(codes, String)].map(([code, of]) => [code, of.length]))

onBothStores('the limits of sign-in', (store) => {
  const service = sharedService(store, { world: signInWorld })

  test('three wrong answers end an OTP, and the right one comes too late', async () => {
    const running = await service()
    const sent = await receive(running, '9876510001')
    const codes = [await wrong(running, sent), await wrong(running, sent), await wrong(running, sent), await right(running, sent)]
    assert.deepEqual(codes, ['BE1425007', 'BE1425007', 'BE1425007', 'BE1425008'])
    const second = await receive(running, '9876510001')
    assert.equal(await right(running, second), 'BE1400001')
  })

  test('an answer that is not six ASCII digits spends no try', async () => {
    const running = await service()
    const sent = await receive(running, '9876510002')
    const forms = [
      '1',
      '12345',
      '1234567',
      ' 12345',
      '12345a',
      '１２３４５６',
      '१२३४५६',
      '-12345',
      '1e5000',
      '+12345',
      '123456\n',
      'x'.repeat(9_999),
    ]
    for (const otp of forms) assert.equal(await codeOf(validate(running, { ...sent, otp })), 'BE1425007', otp.slice(0, 20))
    assert.equal(await right(running, sent), 'BE1400001')
  })

  test('an OTP is used once and lives for five minutes', async () => {
    const running = await service()
    const used = await receive(running, '9876510003')
    running.clock.advance(5 * MINUTE - 1)
    assert.equal(await right(running, used), 'BE1400001')
    assert.equal(await right(running, used), 'BE1425008')
    const late = await receive(running, '9876510003')
    running.clock.advance(5 * MINUTE)
    assert.equal(await right(running, late), 'BE1425008')
  })

  test('sending again leaves the earlier OTP as it was', async () => {
    const running = await service()
    const [first, second] = [await receive(running, '9876510004'), await receive(running, '9876510004')]
    assert.equal(await codeOf(validate(running, { ...first, otp: second.otp === first.otp ? 'same' : second.otp })), 'BE1425007')
    assert.equal(await right(running, first), 'BE1400001')
    assert.equal(await right(running, second), 'BE1400001')
  })

  test('nine failures in an hour lock the device for this number, which sending again does not reset', async () => {
    const running = await service()
    const phone = '9876510005'
    for (let otps = 0; otps < 3; otps++) {
      const sent = await receive(running, phone)
      for (let tries = 0; tries < 3; tries++) assert.equal(await wrong(running, sent), 'BE1425007')
    }
    running.clock.advance(HOUR - 1)
    const fourth = await receive(running, phone)
    assert.equal(await right(running, fourth), 'BE1425008')
    // Neither the number on another device nor the device with another number is locked.
    assert.equal(await right(running, await receive(running, phone, { device: 'owner' }), 'owner'), 'BE1400001')
    assert.equal(await right(running, await receive(running, '9876510006')), 'BE1400001')
    running.clock.advance(1)
    assert.equal(await right(running, fourth), 'BE1400001')
  })

  test('failures leave the count one by one, an hour after each', async () => {
    const running = await service()
    const phone = '9876510007'
    for (let otps = 0; otps < 3; otps++) {
      const sent = await receive(running, phone)
      for (let tries = 0; tries < 3; tries++) assert.equal(await wrong(running, sent), 'BE1425007')
      running.clock.advance(10 * MINUTE)
    }
    running.clock.advance(30 * MINUTE) // the first three are an hour old
    const sent = await receive(running, phone)
    assert.deepEqual([await wrong(running, sent), await wrong(running, sent)], ['BE1425007', 'BE1425007'])
    assert.equal(await right(running, sent), 'BE1400001')
  })

  test('a number gets five OTPs in an hour and ten in a day, whichever client asks', async () => {
    const running = await service()
    const phone = '9876510008'
    const other = { client: ['other-app', 'other-secret'], device: 'device-2' } as const
    const sends = async (times: number, options = {}) => {
      const codes: string[] = []
      for (let at = 0; at < times; at++) codes.push(await codeOf(send(running, { phone }, options)))
      await inbox(running, phone) // so that every message has left before the clock moves
      return counted(codes)
    }
    assert.deepEqual(await sends(3), { BE1400001: 3 })
    assert.deepEqual(await sends(4, other), { BE1400001: 2, BE1425006: 2 })
    running.clock.advance(HOUR - 1)
    assert.deepEqual(await sends(1), { BE1425006: 1 })
    running.clock.advance(1)
    assert.deepEqual(await sends(6), { BE1400001: 5, BE1425006: 1 })
    running.clock.advance(DAY - HOUR - 1)
    assert.deepEqual(await sends(1), { BE1425006: 1 })
    running.clock.advance(1) // the first five are a day old
    assert.deepEqual(await sends(6), { BE1400001: 5, BE1425006: 1 })
    const [row] = await running.store.query.rows(find('otpSends', { equals: { mobile: phone }, limit: 1 }))
    assert.equal(row!.sentAt.length, 10)
    assert.equal((await inbox(running, phone)).length, 15)
  })
})

onBothStores('many at once', (store) => {
  const service = sharedService(store, { world: signInWorld })
  const many = <T>(times: number, one: (at: number) => Promise<T>) => Promise.all(Array.from({ length: times }, (_, at) => one(at)))

  test('a hundred right answers are one sign-in', async () => {
    const running = await service()
    for (let round = 0; round < 3; round++) {
      const sent = await receive(running, '9876520001')
      const codes = await many(100, () => right(running, sent))
      assert.deepEqual(counted(codes), { BE1400001: 1, BE1425008: 99 })
    }
    for (const table of ['tokenFamilies', 'ssoTokens', 'refreshTokens'] as const)
      assert.equal((await running.store.query.rows(find(table, { limit: 400 }))).length, 3)
    assert.equal((await running.store.query.rows(find('customers', { equals: { mobile: '9876520001' }, limit: 9 }))).length, 1)
  })

  test('three of fifty wrong guesses are checked', async () => {
    const running = await service()
    for (let round = 0; round < 3; round++) {
      const phone = `987652010${round}`
      const { state_token, otp } = await receive(running, phone)
      const guess = (at: number) => String((Number(otp) + 1 + at) % 1_000_000).padStart(6, '0')
      const codes = await many(50, (at) => codeOf(validate(running, { state_token, otp: guess(at) })))
      assert.deepEqual(counted(codes), { BE1425007: 3, BE1425008: 47 })
      assert.equal(await right(running, { state_token, otp }), 'BE1425008')
      const [challenge] = await running.store.query.rows(find('otpChallenges', { equals: { mobile: phone }, limit: 2 }))
      assert.equal(challenge!.tries, 3)
    }
  })

  test('five of forty sends to one number go out', async () => {
    const running = await service()
    const codes = await many(40, () => codeOf(send(running, { phone: '9876520201' })))
    assert.deepEqual(counted(codes), { BE1400001: 5, BE1425006: 35 })
    assert.equal((await inbox(running, '9876520201')).length, 5)
  })

  test('guesses at five OTPs of one number from one device are nine together', async () => {
    const running = await service()
    const sents = [] as Sent[]
    for (let at = 0; at < 5; at++) sents.push(await receive(running, '9876520301'))
    const codes = await many(50, (at) => wrong(running, sents[at % 5]!))
    assert.deepEqual(counted(codes), { BE1425007: 9, BE1425008: 41 })
  })
})

onBothStores('the settings of sign-in', (store) => {
  test('validity, tries, failures and sends can be set', async () => {
    const running = await startService(store, {
      world: signInWorld,
      env: {
        MOHUR_OTP_VALIDITY_SECONDS: '60',
        MOHUR_OTP_TRIES: '1',
        MOHUR_OTP_FAILURES_PER_HOUR: '2',
        MOHUR_OTP_SENDS_PER_HOUR: '4',
        MOHUR_OTP_SENDS_PER_DAY: '4',
        MOHUR_SSO_VALIDITY_SECONDS: '120',
      },
    })
    try {
      const late = await receive(running, '9876530001')
      assert.match((await inbox(running, '9876530001'))[0]!.text, /valid for 1 minute\./)
      running.clock.advance(MINUTE)
      assert.equal(await right(running, late), 'BE1425008')
      const sent = await receive(running, '9876530001')
      assert.deepEqual([await wrong(running, sent), await right(running, sent)], ['BE1425007', 'BE1425008'])
      assert.equal(await wrong(running, await receive(running, '9876530001')), 'BE1425007')
      assert.equal(await right(running, await receive(running, '9876530001')), 'BE1425008')
      running.clock.advance(HOUR)
      assert.equal(await codeOf(send(running, { phone: '9876530001' })), 'BE1425006')
      const reply = await validate(running, await receive(running, '9876530002'))
      assert.equal(JSON.parse(reply.body.tokens).expires, String(running.clock.now() + 2 * MINUTE))
    } finally {
      await running.close()
    }
  })

  test('beyond a tenth of the ceiling wrong codes of one address are 429, whatever numbers they are for; right ones count for nothing', async () => {
    const running = await startService(store, { world: signInWorld, env: { MOHUR_SIGNIN_CEILING_PER_MINUTE: '40' } })
    try {
      const phone = (at: number) => `98765310${10 + at}`
      const received = []
      for (let at = 0; at < 12; at++) received.push(await receive(running, phone(at)))
      running.clock.set(MINUTE)
      for (const each of received.slice(0, 6)) assert.equal(await right(running, each), 'BE1400001')
      for (const each of received.slice(6, 10)) assert.equal(await wrong(running, each), 'BE1425007')
      assert.equal((await validate(running, { ...received[10]!, otp: '' })).status, 200, 'what holds no code is judged as ever')
      assert.equal((await validate(running, received[10]!)).status, 429)
      running.clock.set(MINUTE)
      assert.equal(await right(running, received[10]!), 'BE1400001')
    } finally {
      await running.close()
    }
  })

  test('a text that is no code counts for no wrong code, and locks nobody else out', async () => {
    const running = await startService(store, { world: signInWorld, env: { MOHUR_SIGNIN_CEILING_PER_MINUTE: '40' } })
    try {
      const [one, other] = [await receive(running, '9876531098'), await receive(running, '9876531099')]
      running.clock.set(MINUTE)
      for (let time = 0; time < 10; time++) assert.equal((await validate(running, { ...one, otp: 'x' })).body.responseCode, 'BE1425007')
      assert.equal(await right(running, other), 'BE1400001')
    } finally {
      await running.close()
    }
  })

  test('a wrong code that is repeated by its key counts once', async () => {
    const running = await startService(store, { world: signInWorld, env: { MOHUR_SIGNIN_CEILING_PER_MINUTE: '40' } })
    try {
      const [one, other] = [await receive(running, '9876531096'), await receive(running, '9876531097')]
      running.clock.set(MINUTE)
      const headers = {
        authorization: basic('demo-app', 'demo-secret'),
        'x-device-identifier': 'device-1',
        'idempotency-key': 'wrong once',
      }
      const request = JSON.stringify({ state_token: one.state_token, otp: otherThan(one.otp) })
      for (let time = 0; time < 6; time++)
        assert.equal((await running.post(VALIDATE + LOCALE, request, headers)).body.responseCode, 'BE1425007')
      assert.equal(await right(running, other), 'BE1400001')
    } finally {
      await running.close()
    }
  })

  test('beyond the ceiling of an address the answer is 429 with Retry-After, whatever the request', async () => {
    const running = await startService(store, { world: signInWorld, env: { MOHUR_SIGNIN_CEILING_PER_MINUTE: '3' } })
    try {
      const headers = { 'content-type': 'application/json' }
      const replies: Response[] = []
      for (let at = 0; at < 8; at++) replies.push(await fetch(running.url + SEND, { method: 'POST', headers, body: '' }))
      assert.equal(((await replies[0]!.json()) as { responseCode: string }).responseCode, 'BE1423005')
      const refused = replies.filter(({ status }) => status === 429)
      assert.ok(refused.length >= 2, `${refused.length}`) // five, unless the minute changed in between
      for (const reply of refused) {
        assert.match(reply.headers.get('retry-after') ?? '', /^([1-9]|[1-5][0-9]|60)$/)
        assert.equal(await reply.text(), '{"errorDetails":{"code":429,"errorCode":"SVE-004","errorMessage":"Too many requests"}}')
      }
    } finally {
      await running.close()
    }
  })
})

test('a ceiling counts each caller by itself, forgets after a minute, and says how long to wait', () => {
  const clock = {
    now: 1_000_000,
    realNow() {
      return this.now
    },
  }
  const ceiling = new RateLimit(2, clock)
  const waits = (key: string) => {
    try {
      ceiling.take(key)
      return 0
    } catch (error) {
      assert.ok(error instanceof TooManyRequests)
      return error.retryAfterSeconds
    }
  }
  assert.deepEqual([waits('a'), waits('a'), waits('a'), waits('b')], [0, 0, 60, 0])
  clock.now += 59_001
  assert.equal(waits('a'), 1)
  clock.now += 999
  assert.deepEqual([waits('a'), waits('a'), waits('a')], [0, 0, 60])
})

test('a ceiling keeps at most a hundred thousand callers apart, and the rest are one', () => {
  const ceiling = new RateLimit(2, { realNow: () => 1 })
  for (let at = 0; at < 100_000; at++) ceiling.take(`known ${at}`)
  ceiling.take('new 1')
  ceiling.take('new 2')
  assert.throws(() => ceiling.take('new 3'), TooManyRequests)
  ceiling.take('known 5')
})

test('a caller whose counts are all taken back takes no place from others', () => {
  const ceiling = new RateLimit(1, { realNow: () => 1 })
  for (let at = 0; at < 100_000; at++) ceiling.take(`made up ${at}`)()
  ceiling.take('new 1')
  ceiling.take('new 2')
  assert.throws(() => ceiling.take('new 1'), TooManyRequests)
})

test('IPv4 is counted by address and IPv6 by its first 64 bits', () => {
  const cases = {
    '192.0.2.7': '192.0.2.7',
    '::ffff:192.0.2.7': '192.0.2.7',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2',
    '2001:DB8:0001:2::9': '2001:db8:1:2',
    '2001:db8::': '2001:db8:0:0',
    '2001:db8::1:2:3:4:5': '2001:db8:0:1',
    'fe80::1%eth0': 'fe80:0:0:0',
    '::1': '0:0:0:0',
    '::': '0:0:0:0',
  }
  assert.deepEqual(Object.fromEntries(Object.keys(cases).map((address) => [address, networkOf(address)])), cases)
})
