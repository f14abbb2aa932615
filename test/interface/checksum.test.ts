// The checksum against its published vectors and against the npm package `paytmchecksum`: docs/interface.md section 5.1.

import assert from 'node:assert/strict'
import { createCipheriv, createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { isChecksumKey, joinedValues, SIGNATURE_LENGTH, sign, verify } from '../../src/interface/checksum.ts'
import { type Json, readRequest } from '../../src/interface/envelope.ts'
import { sized } from '../support/run/sizes.ts'
import { Random } from '../support/text/random.ts'

interface Client {
  generateSignature(data: string | Record<string, string>, key: string): Promise<string>
  verifySignature(data: string | Record<string, string>, key: string, signature: string): boolean
}
const client = createRequire(import.meta.url)('paytmchecksum') as Client

const KEY = 'ABCDEFGHIJKLMNOP'
const SEED = 20_261_120

const vectors = [
  {
    data: '{"mid":"MERCH000001","orderId":"ORDER_1"}',
    salt: 'Ab3=',
    signature: 'FcDyL70qvyWaB9MF+ZEmZX55PgJSxjrGPF7j372HtiQA8f1uK0K/oHXRjoQrl7s+eQmj/8KV3cl3X10JlcJp1R6WUrxNbCkwxehZyTvkv1s=',
  },
  {
    data: joinedValues({ ORDERID: 'ORDER_1', MID: 'MERCH000001', TXNAMOUNT: '1.00', BANKTXNID: '' }),
    salt: 'Z9z9',
    signature: '8ay2lwc9q+ChWcYM/5WRqPS2qYDB+DHFVvpNhxuPD3mO+0yuc4wzfvaLOC2hPZZr/OtodZLzfAOPffa4fQsTINSL6w05HAw/iVYVoDXMT04=',
  },
  {
    data: '{"n":"₹é"}',
    salt: 'q0q0',
    signature: 'e6TS/0MerLbYVFAMVbtozjJa1MwMGuy+TlnKKHpnSyT8gL/xIrVqMLAzNBvjiTW0sHDTzSEEpFhR4tBO7g9r6Q/+4mdY08znfUuiah9H/O0=',
  },
]

test('the published vectors are made and accepted', () => {
  assert.equal(vectors[1]!.data, '|MERCH000001|ORDER_1|1.00')
  assert.equal(
    createHash('sha256').update(`${vectors[0]!.data}|Ab3=`).digest('hex'),
    '52d6cb2f228b16ecf47226e895b7c4a9789b97f4ac9385e89fd4c646271fb120',
  )
  for (const { data, salt, signature } of vectors) {
    assert.equal(sign(data, KEY, salt), signature)
    assert.equal(signature.length, SIGNATURE_LENGTH)
    assert.equal(verify(data, signature, KEY), true)
    assert.equal(client.verifySignature(data, KEY, signature), true)
  }
})

const CHARACTERS = [
  'a',
  'Z',
  '0',
  ' ',
  '"',
  '\\',
  '/',
  '|',
  '\n',
  '\t',
  '\u0001',
  'é',
  '₹',
  'अ',
  '漢',
  '😀',
  '\u200d',
  '\u{10ffff}',
  '}',
  '{',
  ':',
  ',',
]

/** A key with a backslash is not read (docs/interface.md section 4, "Limits before parsing"). */
const KEY_CHARACTERS = CHARACTERS.filter((character) => character !== '\\')

function randomJson(random: Random, depth: number): Json {
  switch (random.below(depth > 0 ? 8 : 5)) {
    case 0:
      return random.pick([null, true, false])
    case 1:
      return random.below(1e9) - 5e8
    case 2:
      return (random.fraction() - 0.5) * 10 ** random.below(25)
    case 3:
    case 4:
      return random.text(20, CHARACTERS)
    case 5:
      return Array.from({ length: random.below(5) }, () => randomJson(random, depth - 1))
    default:
      return randomBody(random, depth - 1)
  }
}
const randomBody = (random: Random, depth: number): { [member: string]: Json } =>
  Object.fromEntries(
    Array.from({ length: random.below(6) }, (_, at) => [`${random.text(8, KEY_CHARACTERS)}${at}`, randomJson(random, depth)]),
  )

/** As Python's json.dumps writes it: spaces after commas and colons, and ASCII only where `ascii` is true. */
function pythonJson(value: Json, ascii: boolean): string {
  const text = (of: string) =>
    ascii
      ? JSON.stringify(of).replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : JSON.stringify(of)
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return `[${value.map((element) => pythonJson(element, ascii)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, member]) => `${text(key)}: ${pythonJson(member, ascii)}`)
    .join(', ')}}`
}

const BODIES = sized(2_000, 10_000)
test(`${BODIES} random bodies signed by the client library verify here, and those signed here verify there`, async (t) => {
  t.diagnostic(`seed ${SEED}`)
  const random = new Random(SEED)
  let there = 0
  let here = 0
  for (let number = 0; number < BODIES; number++) {
    const value = randomBody(random, 4)
    const body = [
      () => JSON.stringify(value),
      () => pythonJson(value, true),
      () => pythonJson(value, false),
      () => JSON.stringify(value, null, 2),
    ][number % 4]!()
    const theirs = await client.generateSignature(body, KEY)
    const envelope =
      number % 2 ? `{"head": {"signature": "${theirs}"}, "body": ${body}}` : `{"body":${body},"head":{"signature":"${theirs}"}}`
    const read = readRequest(Buffer.from(envelope))
    assert.equal(read?.bodyText, body)
    if (verify(read.bodyText, theirs, KEY)) here++
    const ours = sign(body, KEY, Buffer.from([random.below(256), random.below(256), random.below(256)]).toString('base64'))
    if (client.verifySignature(body, KEY, ours)) there++
    assert.equal(verify(`${body} `, theirs, KEY), false)
  }
  t.diagnostic(`theirs verified here: ${here}, ours verified there: ${there}, of ${BODIES}`)
  assert.deepEqual([here, there], [BODIES, BODIES])
})

test('the map form is the client library’s, in both directions', async () => {
  const random = new Random(SEED)
  for (let number = 0; number < 300; number++) {
    const parameters = Object.fromEntries(
      Array.from({ length: 1 + random.below(8) }, () => [`K${random.text(6, ['A', 'b', '_', '9'])}`, random.text(12, CHARACTERS)]),
    )
    const theirs = await client.generateSignature({ ...parameters }, KEY)
    assert.equal(verify(joinedValues({ ...parameters, CHECKSUMHASH: theirs }), theirs, KEY), true)
    assert.equal(client.verifySignature({ ...parameters }, KEY, sign(joinedValues(parameters), KEY, 'salt')), true)
  }
})

test('in the map form null, and the text null in any case, are empty', () => {
  assert.equal(joinedValues({ b: null, a: 'null', d: 'NULL', c: 'x', e: 'nullable' }), '||x||nullable')
  assert.equal(joinedValues({}), '')
})

/** Encrypts the given 68 bytes, for signatures that no library would make. */
function encrypted(plain: Buffer, key = KEY, padding?: Buffer): string {
  const cipher = createCipheriv('aes-128-cbc', Buffer.from(key), Buffer.from('@@@@&&&&####$$$$'))
  if (padding) cipher.setAutoPadding(false)
  return Buffer.concat([cipher.update(padding ? Buffer.concat([plain, padding]) : plain), cipher.final()]).toString('base64')
}

test('whatever is not a signature is false and never an error', () => {
  const { data, salt, signature } = vectors[0]!
  const hash = createHash('sha256').update(`${data}|${salt}`).digest('hex')
  const bytes = Buffer.from(signature, 'base64')
  const malformed: unknown[] = [
    undefined,
    null,
    true,
    0,
    Number.NaN,
    {},
    [signature],
    { toString: () => signature },
    new String(signature),
    Symbol('signature'),
    '',
    ' ',
    '=',
    signature.slice(1),
    signature.slice(0, -1),
    `${signature}=`,
    `${signature.slice(0, -1)}==`,
    ` ${signature}`,
    `${signature}\n`,
    `${signature.slice(0, 50)}\n${signature.slice(50)}`,
    signature.replaceAll('+', '-').replaceAll('/', '_'),
    signature.replace('F', 'Ｆ'),
    signature.toLowerCase(),
    `${signature.slice(0, 106)}t=`, // the same bytes when the last bits are dropped
    `${signature.slice(0, 60)}\u0000${signature.slice(61)}`,
    'A'.repeat(108),
    `${'A'.repeat(107)}=`,
    '='.repeat(108),
    'A'.repeat(1_000_000),
    bytes.toString('hex'),
    bytes.subarray(0, 64).toString('base64'),
    bytes.subarray(16).toString('base64'),
    Buffer.concat([bytes, bytes]).toString('base64'),
    encrypted(Buffer.from(hash + salt), KEY, Buffer.alloc(12, 11)), // another padding
    encrypted(Buffer.from(hash + salt), KEY, Buffer.concat([Buffer.alloc(11, 0), Buffer.of(12)])),
    encrypted(Buffer.from(hash + salt + salt)),
    encrypted(Buffer.from(hash.toUpperCase() + salt)),
    encrypted(Buffer.from(salt + hash)),
    encrypted(Buffer.alloc(68)),
    encrypted(Buffer.from(hash + salt), 'PONMLKJIHGFEDCBA'),
  ]
  assert.equal(encrypted(Buffer.from(hash + salt)), signature)
  for (const [number, value] of malformed.entries()) assert.equal(verify(data, value, KEY), false, `malformed signature ${number}`)
})

test('a key of another length verifies nothing, and 24 and 32 bytes are keys of their own', () => {
  const { data, signature } = vectors[0]!
  for (const key of ['', 'A', KEY.slice(1), `${KEY}Q`, KEY.repeat(3), 'é'.repeat(16)]) {
    const fits = [16, 24, 32].includes(Buffer.byteLength(key))
    assert.equal(isChecksumKey(key), fits)
    assert.equal(verify(data, signature, key), false)
  }
  for (const key of [KEY, KEY.repeat(2).slice(0, 24), KEY.repeat(2), 'é'.repeat(8)]) {
    assert.equal(isChecksumKey(key), true)
    assert.equal(verify(data, sign(data, key, 'salt'), key), true)
  }
})

test('a salt of any four bytes is accepted, as other libraries draw them', () => {
  const data = '{"a":1}'
  for (const salt of [Buffer.from('!~#$'), Buffer.from([0, 255, 128, 10]), Buffer.from('é|x')]) {
    const plain = Buffer.concat([Buffer.from(createHash('sha256').update(`${data}|`).update(salt).digest('hex')), salt])
    assert.equal(verify(data, encrypted(plain), KEY), true)
  }
})

test('one bit changed in the signature, in its text or in the body is refused', () => {
  const random = new Random(SEED)
  const flipped = (bytes: Buffer, bit: number) => {
    const copy = Buffer.from(bytes)
    copy[bit >> 3]! ^= 1 << (bit & 7)
    return copy
  }
  for (let number = 0; number < 10; number++) {
    const body = JSON.stringify(randomBody(random, 3))
    const signature = sign(body, KEY, 'Ab3=')
    const bytes = Buffer.from(signature, 'base64')
    for (let bit = 0; bit < bytes.length * 8; bit++) assert.equal(verify(body, flipped(bytes, bit).toString('base64'), KEY), false)
    const text = Buffer.from(signature)
    for (let bit = 0; bit < text.length * 8; bit++) assert.equal(verify(body, flipped(text, bit).toString('latin1'), KEY), false)
    const data = Buffer.from(body, 'latin1')
    for (let bit = 0; bit < data.length * 8; bit++) {
      const changed = flipped(data, bit).toString('latin1')
      if (changed !== body) assert.equal(verify(changed, signature, KEY), false)
    }
    const key = Buffer.from(KEY)
    for (let bit = 0; bit < key.length * 8; bit++) {
      const changed = flipped(key, bit).toString('latin1')
      assert.equal(verify(body, signature, changed), false)
    }
  }
})
