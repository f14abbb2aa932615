// The checksum doctor on signatures that the published library made of texts that developers really sign (docs/checksum.md).

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { performance } from 'node:perf_hooks'
import { test } from 'node:test'
import { signedLists } from '../../../src/api/operations.ts'
import { sign } from '../../../src/interface/checksum.ts'
import { type CauseName, causes } from '../../../src/interface/doctor/causes.ts'
import { combined } from '../../../src/interface/doctor/combine.ts'
import { type Diagnosis, diagnose } from '../../../src/interface/doctor/diagnose.ts'
import { readMaterial } from '../../../src/interface/doctor/material.ts'
import { sized } from '../../support/run/sizes.ts'
import { Random } from '../../support/text/random.ts'

interface Client {
  generateSignature(given: string | Record<string, string>, key: string): Promise<string>
}
const client = createRequire(import.meta.url)('paytmchecksum') as Client

const KEY = 'AB&DEFGHIJ#LMN<P'
const OTHER_KEY = 'ABCDEFGHIJKLMNOP'
/** It has 24 bytes. The library can sign with the sixteen before the #. */
const LONG_KEY = 'ABCDEFGHIJKLMN&P#STUVWXY'
const SEED = 20_261_123

const BODY = {
  requestType: 'Payment',
  mid: 'DEMO000000000001',
  orderId: 'ORDER_1',
  txnAmount: { value: '499.00', currency: 'INR' },
  userInfo: { custId: 'C1', firstName: null },
  callbackUrl: 'https://shop.example/back?a=1&b=2',
  extendInfo: { comments: 'Chai ₹ und Gebäck' },
}
const SENT = JSON.stringify(BODY)
const envelope = (signature: unknown, body = SENT) => `{"head":{"clientId":"C11","signature":${JSON.stringify(signature)}},"body":${body}}`

const asked = (bytes: Uint8Array, key: string, more: { signature?: string; otherKeys?: string[] } = {}) =>
  diagnose(readMaterial(bytes), { keys: [key], signed: signedLists.values(), textsMax: 2_000, isTimeUp: () => false, ...more })
const ask = (sent: string, key = KEY, more?: Parameters<typeof asked>[2]) => asked(Buffer.from(sent), key, more)
const namesIn = (diagnosis: Diagnosis) => (diagnosis.outcome === 'named' ? diagnosis.causes.map(({ name }) => name) : diagnosis.outcome)
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, each]) => [name, sorted(each)]),
      )
    : value

type TextCause = 'spaces' | 'escapes' | 'order' | 'numbers' | 'nulls' | 'changed' | 'envelope' | 'twice' | 'newline'
const TEXT_CAUSES: readonly TextCause[] = ['spaces', 'escapes', 'order', 'numbers', 'nulls', 'changed', 'envelope', 'twice', 'newline']

/** The text that was signed instead of SENT. */
function signedWith(given: readonly TextCause[]): string {
  const has = new Set(given)
  const { callbackUrl, ...unchanged } = BODY
  let value: unknown = {
    ...(has.has('changed') ? unchanged : BODY),
    ...(has.has('nulls') && { userInfo: { custId: 'C1' } }),
    ...(has.has('numbers') && { txnAmount: { value: 499, currency: 'INR' } }),
  }
  if (has.has('envelope')) value = { head: { clientId: 'C11' }, body: value }
  if (has.has('order')) value = sorted(value)
  let text = has.has('spaces') ? JSON.stringify(value, null, 2) : JSON.stringify(value)
  if (has.has('escapes'))
    text = text.replace(/[^ -~\n]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).replaceAll('/', '\\/')
  if (has.has('twice')) text = JSON.stringify(text)
  return has.has('newline') ? `${text}\n` : text
}

const FORM = {
  MID: 'DEMO000000000001',
  ORDERID: 'ORDER_1',
  TXNAMOUNT: '499.00',
  STATUS: 'TXN_SUCCESS',
  BANKTXNID: '',
  RESPMSG: 'Txn Success ',
  TXNDATE: '2026-06-15 10:00:00.0',
}
const formOf = (fields: Record<string, string>, signature?: string) =>
  new URLSearchParams({ ...fields, ...(signature !== undefined && { CHECKSUMHASH: signature }) }).toString()
/** With a character that an encoding can lose, as +. */
async function signatureLike(form: RegExp, text: string) {
  for (;;) {
    const made = await client.generateSignature(text, KEY)
    if (form.test(made)) return made
  }
}

test('each way to sign another text is named, and so is every two of them at once', async () => {
  const sets = TEXT_CAUSES.flatMap((one, at) => [[one], ...TEXT_CAUSES.slice(at + 1).map((two) => [one, two])])
  for (const set of sets) {
    const signature = await client.generateSignature(signedWith(set), KEY)
    assert.deepEqual(new Set(namesIn(ask(envelope(signature)))), new Set(set), set.join(' and '))
    if (set.includes('envelope')) continue
    assert.deepEqual(new Set(namesIn(ask(SENT, KEY, { signature }))), new Set(set), `${set.join(' and ')}, of a body`)
  }
  assert.equal(sets.length, 45)
})

test('a number that was signed in another form is named by its place, of many the first three, and without its value', async () => {
  const detailOf = (diagnosis: Diagnosis) => (diagnosis.outcome === 'named' ? diagnosis.causes.map(({ detail }) => detail) : diagnosis)
  const ofBody = async (signed: object, sent: object) =>
    detailOf(ask(envelope(await client.generateSignature(JSON.stringify(signed), KEY), JSON.stringify(sent))))
  assert.deepEqual(await ofBody({ ...BODY, txnAmount: { value: 499, currency: 'INR' } }, BODY), [
    'txnAmount.value was signed as a number, as JavaScript writes it',
  ])
  const goods = (write: (value: number) => unknown) => ({
    mid: 'M1',
    goods: [7, 8, 9, 10].map((value) => ({ 'price "': { value: write(value) } })),
  })
  assert.deepEqual(await ofBody(goods(String), goods(Number)), [
    'goods[0].price??.value, goods[1].price??.value, goods[2].price??.value and 1 more were signed as a text',
  ])
  assert.deepEqual(
    detailOf(
      ask(formOf({ ...FORM, TXNAMOUNT: '499', 'REFUND AMT': '1' }, await client.generateSignature({ ...FORM, 'REFUND AMT': '1.00' }, KEY))),
    ),
    ['TXNAMOUNT, REFUND?AMT were signed with two decimals'],
  )
})

test('the receiver of a text that Mohur signed is advised to verify it as it came, and no other caller is', async () => {
  const says = (diagnosis: Diagnosis) => (diagnosis.outcome === 'named' ? diagnosis.causes.map(({ say }) => say) : [])
  const lost = 'A member was added or lost on its way to you: verify all that came, and nothing else.'
  const anew = 'Your code wrote the text anew: verify the bytes as they came.'
  const values = (form: Record<string, string>) =>
    Object.keys(form)
      .sort()
      .map((name) => form[name])
      .join('|')
  assert.deepEqual(says(ask(formOf({ ...FORM, ROUTE: 'callback' }, await client.generateSignature(values(FORM), KEY)))), [lost])
  const notification = JSON.stringify({ ...BODY, respCode: '01', status: 'SUCCESS' })
  const spaced = await client.generateSignature(JSON.stringify(JSON.parse(notification), null, 2), KEY)
  assert.deepEqual(says(ask(envelope(spaced, notification))), [anew])
  const reply = envelope(spaced, notification).replace('"clientId"', '"responseTimestamp":"1781584200000","clientId"')
  assert.deepEqual(says(ask(reply)), [anew])
  assert.deepEqual(says(ask(envelope(await client.generateSignature(JSON.stringify(BODY, null, 2), KEY)))), [causes.spaces])
})

test('each way to lose a key is named, alone and with each way to sign another text', async () => {
  const keys: readonly { cause: CauseName; right: string; used: string; given: string }[] = [
    { cause: 'key-hash', right: LONG_KEY, used: LONG_KEY.slice(0, 16), given: LONG_KEY },
    { cause: 'key-quotes', right: KEY, used: KEY, given: `"${KEY}"` },
    { cause: 'key-quotes', right: KEY, used: KEY, given: `${KEY}\r` },
    { cause: 'key-quotes', right: `${KEY}01234567`, used: `"${KEY}01234567"`.slice(0, 16), given: `${KEY}01234567` },
    { cause: 'key-entity', right: KEY, used: KEY, given: 'AB&amp;DEFGHIJ#LMN&lt;P' },
    { cause: 'key-entity', right: KEY, used: 'AB&amp;DEFGHIJ#LMN&lt;P'.slice(0, 16), given: KEY },
    { cause: 'key-length', right: `${KEY}01234567`, used: KEY, given: `${KEY}01234567` },
    { cause: 'key-length', right: KEY, used: BODY.mid, given: KEY },
    { cause: 'key-length', right: KEY, used: `${KEY.slice(0, 9)}0000000`, given: KEY.slice(0, 9) },
    { cause: 'key-other', right: KEY, used: OTHER_KEY, given: KEY },
  ]
  for (const { cause, used, given } of keys) {
    const right = await client.generateSignature(SENT, used)
    assert.deepEqual(namesIn(ask(envelope(right), given, { otherKeys: [OTHER_KEY] })), [cause], `${given} for ${used}`)
    for (const text of TEXT_CAUSES) {
      const signature = await client.generateSignature(signedWith([text]), used)
      const found = namesIn(ask(envelope(signature), given, { otherKeys: [OTHER_KEY] }))
      assert.deepEqual(found, [cause, text], `${cause} and ${text}`)
    }
  }
})

test('each way to lose a character of a signature is named, and does not hide what else is wrong', async () => {
  const damages: Readonly<Record<string, (signature: string) => string>> = {
    spaces: (signature) => signature.replaceAll('+', ' '),
    'for an address': encodeURIComponent,
    'for an address, twice': (signature) => encodeURIComponent(encodeURIComponent(signature)),
    slashes: (signature) => signature.replaceAll('/', '\\/'),
    lines: (signature) => `${signature.slice(0, 76)}\n${signature.slice(76)}\n`,
    'for addresses': (signature) => signature.replaceAll('+', '-').replaceAll('/', '_'),
    'no last sign': (signature) => signature.slice(0, -1),
    hexadecimal: (signature) => Buffer.from(signature, 'base64').toString('hex'),
  }
  for (const [what, damage] of Object.entries(damages)) {
    for (const form of [/\+.*\//, /^\+.*\//]) {
      const right = await signatureLike(form, SENT)
      const spaced = await signatureLike(form, signedWith(['spaces']))
      assert.deepEqual(namesIn(ask(envelope(damage(right)))), ['form'], `${what} ${right}`)
      assert.deepEqual(namesIn(ask(envelope(damage(spaced)))), ['form', 'spaces'], `${what} ${spaced}`)
    }
  }
  for (const signature of ['x', 'A'.repeat(10_000), { a: 1 }, 7, [], true, 'é'.repeat(108), '\0'.repeat(108)])
    assert.deepEqual(namesIn(ask(envelope(signature).replaceAll('\\u0000', '?'))), ['form'])
})

test('the object in place of its text, a text that is sent in quotes, and a body of Mohur’s are named', async () => {
  const flat = { mid: 'M1', orderId: 'O1', requestType: 'CLOSE' }
  const asMap = await client.generateSignature({ ...flat }, KEY)
  assert.deepEqual(namesIn(ask(envelope(asMap, JSON.stringify(flat)))), ['map'])
  assert.deepEqual(namesIn(ask(envelope(await client.generateSignature(SENT, KEY), JSON.stringify(SENT)))), ['twice'])
  const reply = JSON.stringify({ mid: 'M1', resultInfo: { resultStatus: 'S' } })
  assert.deepEqual(namesIn(ask(envelope(await client.generateSignature(reply, KEY), reply))), ['ours'])
  const named = ask(`{"head":{"responseTimestamp":"1","signature":"${sign(reply, KEY, 'salt')}"},"body":${reply}}`)
  assert.equal(named.outcome, 'verified')
  const notification = JSON.stringify({ mid: 'M1', status: 'TXN_SUCCESS', respCode: '01' })
  assert.equal(namesIn(ask(`{"head":{"signature":"${sign(notification, KEY, 'salt')}"},"body":${notification}}`)), 'verified')
})

test('members that are null are found where they were signed and not sent', async () => {
  const withMore = JSON.stringify({ ...BODY, websiteName: null })
  assert.deepEqual(namesIn(ask(envelope(await client.generateSignature(withMore, KEY)))), ['nulls'])
})

test('a member that stood in another place is named, which no sorting finds', async () => {
  const { mid, ...rest } = BODY
  const elsewhere = JSON.stringify({ ...rest, mid })
  assert.deepEqual(namesIn(ask(envelope(await client.generateSignature(elsewhere, KEY)))), ['order'])
})

test('a callback, a form and JsonData are verified by their values, and each way to get them wrong is named', async () => {
  const right = await client.generateSignature({ ...FORM }, KEY)
  const whole = { ...FORM, CHECKSUMHASH: right }
  for (const sent of [
    formOf(FORM, right),
    JSON.stringify(whole),
    `JsonData=${encodeURIComponent(JSON.stringify(whole))}`,
    `JsonData=${JSON.stringify(whole)}`,
  ])
    assert.equal(namesIn(ask(sent)), 'verified', sent)
  assert.deepEqual(namesIn(ask(formOf(FORM))), ['absent'])
  assert.deepEqual(namesIn(ask(`{"head":{},"body":${SENT}}`)), ['absent'])
  const token = sign(SENT, KEY, 'salt')
  assert.equal(namesIn(ask(`{"head":{"tokenType":"CHECKSUM","token":"${token}"},"body":${SENT}}`)), 'verified')
  assert.deepEqual(namesIn(ask(`{"head":{"tokenType":"TXN_TOKEN","token":"0123456789"},"body":${SENT}}`)), ['absent'])
  const json = await client.generateSignature(JSON.stringify(FORM), KEY)
  assert.deepEqual(namesIn(ask(formOf(FORM, json))), ['json'])
  const { STATUS, ...shops } = FORM
  const withHash = await client.generateSignature({ ...shops, CHECKSUMHASH: '' }, KEY)
  assert.deepEqual(namesIn(ask(formOf(shops, withHash))), ['with-hash'])
  assert.deepEqual(namesIn(ask(formOf({ ...FORM, checksum: right }), KEY, { signature: right })), ['with-hash'])
  assert.deepEqual(namesIn(ask(formOf({ ...FORM, RESPMSG: 'Txn Success' }, right))), ['trimmed'])
  const { BANKTXNID, ...dropped } = FORM
  assert.deepEqual(namesIn(ask(formOf(dropped, right))), ['trimmed'])
  assert.deepEqual(namesIn(ask(formOf({ ...FORM, CSRF: 'x' }, right))), ['changed'])
  assert.deepEqual(namesIn(ask(formOf({ ...FORM, TXNAMOUNT: '499' }, right))), ['numbers'])
  const plus = await signatureLike(
    /\+.*\//,
    Object.entries(FORM)
      .sort()
      .map(([, value]) => value)
      .join('|'),
  )
  assert.deepEqual(namesIn(ask(`${formOf(FORM)}&CHECKSUMHASH=${plus.replaceAll('=', '%3D')}`)), ['form'])
  const both = await client.generateSignature({ ...shops, RESPMSG: 'Txn Success', CHECKSUMHASH: '' }, KEY)
  assert.deepEqual(namesIn(ask(formOf({ ...shops, RESPMSG: ' Txn Success ' }, both))), ['with-hash', 'trimmed'])
})

test('a changed value cannot be found, and the key is said to be right', async () => {
  const signature = await client.generateSignature(SENT.replace('499.00', '500.00'), KEY)
  assert.equal(namesIn(ask(envelope(signature))), 'unknown')
  const lost = ask(envelope(` ${signature} `))
  assert.deepEqual([namesIn(lost), lost.outcome === 'named' && lost.text], [['form'], 'unknown'])
})

const RIGHT = 1_000
test(`${RIGHT} right signatures are verified, and of ${RIGHT} wrong keys none has a false cause`, async (t) => {
  const random = new Random(SEED)
  const letters = [...'ABCDEFabcdef0123456789&#"\'%@! +/=$']
  const figures = { verified: 0, other: 0, slowestMs: 0 }
  for (let number = 0; number < RIGHT; number++) {
    const body = JSON.stringify({ ...BODY, orderId: random.text(20, ['a', '₹', '/', ' ', '"', '<', '0']), udf: random.text(9, letters) })
    const key = Array.from({ length: 16 }, () => random.pick(letters)).join('')
    const wrong = Array.from({ length: random.pick([16, 16, 24, 32]) }, () => random.pick(letters)).join('')
    const signature = await client.generateSignature(body, key)
    if (namesIn(ask(envelope(signature, body), key)) === 'verified') figures.verified++
    const before = performance.now()
    const found = namesIn(ask(envelope(signature, body), wrong, { otherKeys: [OTHER_KEY] }))
    figures.slowestMs = Math.max(figures.slowestMs, performance.now() - before)
    if (String(found) === 'key-other') figures.other++
    else assert.fail(`${found}: of ${wrong} for ${key}`)
  }
  t.diagnostic(
    `seed ${SEED}: ${figures.verified} of ${RIGHT} verified, ${figures.other} wrong keys called key-other, the slowest ${figures.slowestMs.toFixed(1)} ms`,
  )
  assert.deepEqual([figures.verified, figures.other], [RIGHT, RIGHT])
})

test('whatever it is given, it answers in words without the key', () => {
  const random = new Random(SEED)
  const secret = 'hushhushhushhush'
  const hostile = [
    '"',
    '\\',
    '\n',
    '\r',
    '\0',
    '\x1b[2J',
    '|',
    '&',
    '=',
    '%',
    '%ZZ',
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    'a',
    '₹',
    '\ud800',
    '__proto__',
    secret,
  ]
  const texts = [
    '',
    ' ',
    '{',
    '{}',
    '[]',
    'null',
    '"a"',
    '='.repeat(9),
    '&'.repeat(5_000),
    'JsonData=',
    'JsonData={',
    `${'['.repeat(100)}${']'.repeat(100)}`,
    `{"head":{},"body":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`,
    '{"head":{"signature":"x"},"body":{"__proto__":1}}',
    '{"head":{"signature":"x"},"body":{"a":1,"a":2}}',
    'x'.repeat(1_000_000),
    ...Array.from({ length: sized(1_000, 20_000) }, () => random.text(40, hostile)),
    ...Array.from({ length: sized(300, 5_000) }, () =>
      envelope(random.text(110, hostile), JSON.stringify({ [random.text(9, hostile)]: random.text(20, hostile) })),
    ),
  ]
  for (const text of texts) {
    for (const key of [secret, '', 'x'.repeat(10_000), random.text(20, hostile)]) {
      const said = ask(text, key)
      const words =
        said.outcome === 'named' ? said.causes.map(({ name, detail }) => `${detail} ${causes[name]}`).join(' ') : JSON.stringify(said)
      assert.match(words, /^[ -~]+$/, text.slice(0, 200))
      assert.ok(!text.includes(secret) ? !words.includes(secret) : true)
    }
  }
  for (let number = 0; number < 200; number++) {
    const bytes = Buffer.from(Array.from({ length: 60 }, () => random.below(256)))
    assert.notEqual(asked(bytes, secret).outcome, 'verified')
  }
})

test('a body of the greatest length is answered, and no text is made beyond those that may be tried', async (t) => {
  const body = JSON.stringify({
    mid: 'M1',
    extendInfo: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`m${at}`, 'é'.repeat(28)])),
  })
  assert.ok(Buffer.byteLength(body) > 50_000 && Buffer.byteLength(body) < 65_000, String(Buffer.byteLength(body)))
  const signature = await client.generateSignature(`${body}?`, KEY)
  const before = process.cpuUsage()
  assert.equal(namesIn(ask(envelope(signature, body))), 'unknown')
  const { user, system } = process.cpuUsage(before)
  t.diagnostic(`${((user + system) / 1_000).toFixed(0)} ms of the processor`)
  assert.ok(user + system < 10_000_000) // microseconds; other processes make it slower by half

  let written = 0
  const leftOut = Array.from({ length: 900 }, (_, at) => ({ stage: 0, causes: [], change: () => `without ${at}` }))
  const texts = combined('whole', [[], leftOut], [], (text) => {
    written++
    return text
  })
  assert.equal([...texts.take(10)].length, 10)
  assert.ok(written <= 11, `${written} texts were made for ten`)
})
