// The settings of an account at Cashfree. Each fault stops the start with a sentence that names the setting, and never its value.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings, warningsOf } from '../../../../src/settings.ts'

const ID = 'TEST_id_hunter1'
const SECRET = 'cfsk_ma_test_hunter2'
const keys = { MOHUR_CASHFREE_CLIENT_ID: ID, MOHUR_CASHFREE_CLIENT_SECRET: SECRET }
const production = { ...keys, MOHUR_MODE: 'production', MOHUR_MASTER_KEY: Buffer.alloc(32).toString('base64') }

test('both keys are an account, with its phone and its simulator', () => {
  assert.deepEqual(readSettings(keys).cashfree, { clientId: ID, clientSecret: SECRET, phone: undefined, url: undefined })
  const more = { MOHUR_CASHFREE_PHONE: '9876543210', MOHUR_CASHFREE_URL: 'http://127.0.0.1:9000/pg/' }
  assert.deepEqual(readSettings({ ...keys, ...more }).cashfree, {
    clientId: ID,
    clientSecret: SECRET,
    phone: '9876543210',
    url: 'http://127.0.0.1:9000/pg',
  })
  for (const url of ['http://localhost:1/pg', 'http://[::1]:1/pg'])
    assert.equal(readSettings({ ...keys, MOHUR_CASHFREE_URL: url }).cashfree?.url, url)
  assert.equal(readSettings({}).cashfree, undefined)
})

test('production with an account needs no other acquirer, and warns of none', () => {
  const settings = readSettings({ ...production, MOHUR_PUBLIC_URL: 'https://pay.shop.example' })
  assert.deepEqual(
    warningsOf(settings).filter((line) => line.includes('ACQUIRER')),
    [],
  )
})

const refused: readonly [what: string, environment: Record<string, string>, sentence: RegExp][] = [
  ['the client id alone', { MOHUR_CASHFREE_CLIENT_ID: ID }, /CLIENT_ID and MOHUR_CASHFREE_CLIENT_SECRET are needed together/],
  ['the client secret alone', { MOHUR_CASHFREE_CLIENT_SECRET: SECRET }, /CLIENT_ID and MOHUR_CASHFREE_CLIENT_SECRET are needed together/],
  ['a client id with a space', { ...keys, MOHUR_CASHFREE_CLIENT_ID: `${ID} 1` }, /^MOHUR_CASHFREE_CLIENT_ID must be printable ASCII/],
  [
    'a client secret with a line end',
    { ...keys, MOHUR_CASHFREE_CLIENT_SECRET: `${SECRET}\n` },
    /^MOHUR_CASHFREE_CLIENT_SECRET must be printable ASCII/,
  ],
  [
    'a client secret of 257 characters',
    { ...keys, MOHUR_CASHFREE_CLIENT_SECRET: SECRET.padEnd(257, '2') },
    /^MOHUR_CASHFREE_CLIENT_SECRET must/,
  ],
  [
    'an adapter beside it',
    { ...keys, MOHUR_ACQUIRER_URL: 'https://psp.example', MOHUR_ACQUIRER_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
    /^MOHUR_CASHFREE_CLIENT_ID and MOHUR_ACQUIRER_URL exclude each other/,
  ],
  [
    'a simulator in production',
    { ...production, MOHUR_PUBLIC_URL: 'https://pay.shop.example', MOHUR_CASHFREE_URL: 'http://127.0.0.1:9000/pg' },
    /^MOHUR_CASHFREE_URL is for the sandbox only/,
  ],
  ['production without a public address', production, /^MOHUR_PUBLIC_URL is needed/],
  [
    'production with a public address that is not https',
    { ...production, MOHUR_PUBLIC_URL: 'http://pay.shop.example' },
    /^MOHUR_PUBLIC_URL must begin with https:\/\//,
  ],
  ...['987654321', '98765432100', '+919876543210', '98765 43210', '९८७६५४३२१०'].map(
    (phone) =>
      [`the phone ${phone}`, { ...keys, MOHUR_CASHFREE_PHONE: phone }, /^MOHUR_CASHFREE_PHONE must be ten digits$/] as [
        string,
        Record<string, string>,
        RegExp,
      ],
  ),
  ...[
    'https://sandbox.cashfree.com/pg',
    'http://127.0.0.1.evil.example/pg',
    'http://10.0.0.1/pg',
    'http://hunter2@evil.example',
    'localhost',
  ].map(
    (url) =>
      [`the address ${url}`, { ...keys, MOHUR_CASHFREE_URL: url }, /^MOHUR_CASHFREE_URL may name this machine only/] as [
        string,
        Record<string, string>,
        RegExp,
      ],
  ),
]

for (const [what, environment, sentence] of refused)
  test(`${what} stops the start, and the sentence holds no value`, () => {
    assert.throws(
      () => readSettings(environment),
      (error: Error) => {
        assert.equal(error.name, 'SettingError')
        assert.match(error.message, sentence)
        assert.doesNotMatch(error.message, /hunter[12]|98765|evil/)
        return true
      },
    )
  })
