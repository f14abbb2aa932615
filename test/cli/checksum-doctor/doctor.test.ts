// `mohur checksum doctor` as a developer runs it: files, standard input, exit codes, and values that it must not show.

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { after, test } from 'node:test'
import { sign } from '../../../src/interface/checksum.ts'
import { mohurCommand, mohurHere } from '../../support/run/process.ts'
import { KEY as LARGEST_KEY, largest } from '../../support/text/largest-texts.ts'

const folder = mkdtempSync(join(tmpdir(), 'mohur-doctor-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const fileOf = (content: string | Uint8Array) => {
  const path = join(folder, 'request')
  writeFileSync(path, content)
  return path
}

const KEY = 'hushhush&hush#10'
const BODY = '{"mid":"M1","orderId":"O1","txnAmount":{"value":"499.00","currency":"INR"}}'
const signed = (text: string, key = KEY) => `{"head":{"signature":"${sign(text, key, 'salt')}"},"body":${BODY}}`
const store = { MOHUR_DATA: join(folder, 'data'), MOHUR_LOG: 'silent' }

const doctor = (content: string | Uint8Array, ...more: string[]) =>
  mohurHere(['checksum', 'doctor', '--key', KEY, ...more, fileOf(content)], store)

test('it ends with 0 where the signature is right, 1 with the causes, 2 where nothing can be read, 3 where it finds none', async () => {
  assert.deepEqual(await doctor(signed(BODY)), { out: 'Verified over the 75 bytes of the value of body.\n', err: '', code: 0 })
  const named = await doctor(signed(`${BODY.replaceAll(',', ', ')}\n`))
  assert.deepEqual([named.code, named.err, named.out.match(/^[a-z-]+(?=: )/gm)], [1, '', ['spaces', 'newline']])
  assert.match(named.out, /docs\/checksum\.md/)
  const lost = await doctor(signed(BODY.replace('499', '500')))
  assert.deepEqual([lost.code, lost.err], [3, ''])
  assert.match(
    lost.out,
    /^The key is right, but none of the [0-9]+ texts that were tried is the signed one\.\nThe doctor cannot find a changed value/,
  )
  const partly = await mohurHere(['checksum', 'doctor', '--key', `"${KEY}"`, fileOf(signed(BODY.replace('499', '500')))])
  assert.deepEqual([partly.code, /^key-quotes: [\s\S]*\nBeside this, no text that was tried is the signed one/.test(partly.out)], [1, true])
  const body = await doctor(`${BODY}\n`, '--signature', sign(BODY, KEY, 'salt'))
  assert.deepEqual([body.code, body.out], [0, 'Verified over the 75 bytes of the body.\n'])
  assert.equal(existsSync(store.MOHUR_DATA), false)
})

test('it ends soon for the largest form and the largest body, and says what it left', async () => {
  const forms = [largest['form of 900 short fields']!, largest['body of 990 long members']!]
  for (const content of forms) {
    const before = performance.now()
    const { out, err, code } = await mohurHere(['checksum', 'doctor', '--key', LARGEST_KEY, fileOf(content)], store)
    assert.deepEqual([code, err], [3, ''])
    assert.match(out, /\nThe search stopped at its limits, before it had tried everything\.\n/)
    assert.ok(performance.now() - before < 5_000, 'it went on')
  }
})

test('whatever the file holds, it is a sentence: no stack, no key, no letter that a terminal obeys', async () => {
  const deep = `{"head":{},"body":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`
  const unreadable: readonly (string | Uint8Array)[] = [
    '',
    '\n',
    '{',
    '[]',
    '"a"',
    'hello',
    deep,
    'x'.repeat(1_048_576),
    `{"head":{},"body":{"a":"${'x'.repeat(1_048_576)}"}}`,
    new Uint8Array(4_096).map((_, at) => at * 7),
    BODY,
    '{"head":{"signature":"x"},"body":{"a":1,"a":2}}',
    'a=%ZZ',
    'A=1|2&CHECKSUMHASH=x',
  ]
  const hostileName = '\x1b[2J\r\n\t₹"'
  const hostile = '\x1b[2J\r\n\t₹"\\'
  const read = [
    JSON.stringify({ head: { signature: hostile }, body: { [hostileName]: hostile, mid: hostile } }),
    JSON.stringify({ head: { signature: sign('{}', KEY, 'salt') }, body: { [hostileName]: hostile } }),
    `{"head":{"signature":"${sign(BODY, KEY, 'salt')}"},"body":{"mid":"M1","orderId":"O1","txnAmount":{"value":"499.00","currency":"INR"},${JSON.stringify('\x1b]0;x')}:1}}`,
    `MID=${encodeURIComponent(hostile)}&ORDERID=1&CHECKSUMHASH=${encodeURIComponent(hostile)}`,
    `{"head":{"signature":${'9'.repeat(400)}},"body":{}}`,
  ]
  for (const content of [...unreadable, ...read]) {
    const { out, err, code } = await doctor(content)
    assert.equal(code === 2, unreadable.includes(content), `${code} of ${String(content).slice(0, 60)}`)
    assert.ok(code === 2 ? out === '' : err === '')
    assert.match(out + err, /^[\n -~]+$/)
    assert.ok(!`${out}${err}`.includes(KEY) && !/\bat .*:[0-9]+/.test(out + err), out + err)
  }
})

test('a key of any length and a signature of anything are a sentence too', async () => {
  const path = fileOf(signed(BODY))
  for (const key of ['x', 'k'.repeat(15), 'k'.repeat(17), 'k'.repeat(100_000), '₹'.repeat(16), '\ud800', '#', '%', '&amp;', '"', ' '])
    for (const signature of ['', 'x', 'A'.repeat(108), '='.repeat(108), '\x1b[2J', '₹'.repeat(36)]) {
      const { out, err, code } = await mohurHere(['checksum', 'doctor', '--key', key, '--signature', signature, path])
      assert.deepEqual([code, err], [1, ''], JSON.stringify([key.slice(0, 20), signature]))
      assert.match(out, /^[\n -~]+$/)
      assert.ok(key.length < 10 || !out.includes(key))
    }
  const away = await mohurHere(['checksum', 'doctor', '--key', KEY, join(folder, 'nothing')])
  assert.deepEqual([away.code, away.err], [2, `${join(folder, 'nothing')} cannot be read (ENOENT)\n`])
  assert.equal((await mohurHere(['checksum', 'doctor', '--key', KEY, folder])).code, 2)
  assert.equal((await mohurHere(['checksum', 'doctor', path])).code, 2)
})

test('it reads standard input, and with --key - the key from its first line', async () => {
  const piped = (args: readonly string[], input: string) => mohurCommand(['checksum', 'doctor', ...args], store, input)
  assert.equal((await piped(['--key', KEY], signed(BODY))).code, 0)
  assert.equal((await piped(['--key', KEY, '-'], signed(`${BODY}\n`))).code, 1)
  assert.equal((await piped(['--key', '-'], `${KEY}\r\n${signed(BODY)}`)).code, 0)
  assert.equal((await piped(['--key', '-', fileOf(signed(BODY))], KEY)).code, 0)
  const none = await piped(['--key', '-'], KEY)
  assert.deepEqual([none.code, none.out, none.err.includes(KEY)], [2, '', false])
  assert.equal((await piped(['--key', '-', fileOf(signed(BODY))], '')).code, 2)
})
