// The most that the checksum doctor does: each search with its largest input (docs/checksum.md, "Bounds of the search").

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedLists } from '../../../src/api/operations.ts'
import { sign } from '../../../src/interface/checksum.ts'
import { combined } from '../../../src/interface/doctor/combine.ts'
import { diagnose, REQUEST_SEARCH_MS, REQUEST_TEXTS_MAX } from '../../../src/interface/doctor/diagnose.ts'
import { readMaterial } from '../../../src/interface/doctor/material.ts'
import { BODY_BYTES_MAX } from '../../../src/interface/envelope.ts'
import { KEY, largest, ofAnotherText } from '../../support/text/largest-texts.ts'

const never = () => false
/** For this thread alone, without other processes of the machine: what a block takes on a quiet one. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
const CPU_MS_MAX = 150 // the limit is 50 ms; a slow machine, or one that compiles, may take longer

test('the search of a request ends by its time for the largest input of each kind, with one key and with forty', (t) => {
  const forty = Array.from({ length: 40 }, (_, at) => `K&#"'${String(at).padStart(2, '0')}ABCDEFGHI`)
  for (const [what, text] of Object.entries(largest)) {
    assert.ok(Buffer.byteLength(text) <= BODY_BYTES_MAX, `${what}: ${Buffer.byteLength(text)} bytes`)
    let longest = { ms: 0, keys: 0 }
    for (const keys of [[KEY], [...forty, KEY], forty]) {
      const began = cpuMs()
      let isUp = false
      const isTimeUp = () => {
        isUp = cpuMs() - began >= REQUEST_SEARCH_MS
        return isUp
      }
      const material = readMaterial(Buffer.from(text))
      const said = diagnose(material, {
        keys,
        otherKeys: forty,
        isRequest: true,
        signed: signedLists.values(),
        textsMax: REQUEST_TEXTS_MAX,
        isTimeUp,
      })
      const ms = cpuMs() - began
      assert.ok(said.outcome === 'unknown' || said.outcome === 'named', `${what}: ${JSON.stringify(said)}`)
      assert.ok(said.endedEarly || !isUp, what)
      assert.ok(ms <= CPU_MS_MAX, `${what}, ${keys.length} keys: ${ms} ms`)
      if (ms > longest.ms) longest = { ms, keys: keys.length }
    }
    t.diagnostic(`${what}: ${longest.ms.toFixed(1)} ms of this thread, with ${longest.keys} keys`)
  }
})

test('a search ends by the number of its texts, and soon after its time', () => {
  for (const [what, text] of Object.entries(largest)) {
    let asked = 0
    const isTimeUp = () => {
      asked++
      return asked > 25
    }
    const said = diagnose(readMaterial(Buffer.from(text)), {
      keys: [KEY],
      signed: signedLists.values(),
      textsMax: REQUEST_TEXTS_MAX,
      isTimeUp,
    })
    assert.ok(asked <= 26, what)
    const tries = 27 + (8_192 / text.length) ** 2
    assert.ok(said.outcome === 'unknown' && said.tried <= tries, `${what}: ${JSON.stringify(said)}`)
  }
  const usual = readMaterial(Buffer.from(`{"head":{"signature":"${ofAnotherText}"},"body":{"mid":"M1","a":{"b":null},"c":"1.00"}}`))
  const said = diagnose(usual, { keys: [KEY], signed: signedLists.values(), textsMax: REQUEST_TEXTS_MAX, isTimeUp: never })
  assert.deepEqual(said, { outcome: 'unknown', tried: REQUEST_TEXTS_MAX, endedEarly: true })
})

test('a candidate without a text, or with the text of another, counts', () => {
  const same = Array.from({ length: 100 }, () => ({ stage: 0, causes: [], change: () => 'same' }))
  assert.equal([...combined('whole', [same], [], () => 'one text')].length, 101)
  assert.equal([...combined('whole', [same], [], () => undefined).take(1_000)].length, 101)
  const endless = function* () {
    for (;;) yield same[0]!
  }
  assert.equal([...combined('whole', [], endless(), () => undefined).take(500)].length, 500)
})

test('one search finds the right key among forty, and what became of it, before it guesses at any text', () => {
  const keys = Array.from({ length: 40 }, (_, at) => `ABCDEFGH#JKLMN${at + 10}`)
  const body = '{"mid":"M1","orderId":"O1"}'
  const asked = (used: string, text: string) =>
    diagnose(readMaterial(Buffer.from(`{"head":{"signature":"${sign(text, used, 'salt')}"},"body":${body}}`)), {
      keys,
      signed: signedLists.values(),
      textsMax: REQUEST_TEXTS_MAX,
      isTimeUp: never,
    })
  const right = asked(keys[39]!, body)
  assert.equal(right.outcome, 'verified')
  const named = asked(`"${keys[39]!}"`.slice(0, 16), `${body}\n`)
  assert.ok(named.outcome === 'named' && named.text === 'found')
  assert.deepEqual(
    named.causes.map(({ name }) => name),
    ['key-quotes', 'newline'],
  )
})

test('a search that has no time at all still tries a little, and says that it ended early', () => {
  const body = '{"mid":"M1","orderId":"O1"}'
  const long = `{"mid":"M1","orderId":"O1","a":"${'x'.repeat(60_000)}"}`
  const asked = (signed: string, key: string, sent: string) =>
    diagnose(readMaterial(Buffer.from(`{"head":{"signature":"${sign(signed, key, 'salt')}"},"body":${sent}}`)), {
      ...{ keys: Array.from({ length: 100 }, (_, at) => `ABCDEFGHIJKL${1_000 + at}`).concat(KEY) },
      ...{ signed: signedLists.values(), textsMax: REQUEST_TEXTS_MAX, isTimeUp: () => true },
    })
  assert.equal(asked(body, KEY, body).outcome, 'verified')
  const left = asked('{"mid":"M1"}', KEY, body)
  assert.ok(left.outcome === 'named' && left.causes[0]!.name === 'changed', JSON.stringify(left))
  assert.deepEqual(asked('another', KEY, long), { outcome: 'unknown', tried: 2, endedEarly: true })
  const other = asked(body, 'QRSTUVWXYZ012345', body)
  assert.ok(other.outcome === 'named' && other.text === 'unsought' && other.endedEarly)
})

test('names that objects have by themselves are names like others, and a body in quotes is searched to its end', () => {
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString']) {
    const form = (signature: string) => `MID=M1&ORDERID=O1&${name}=x&CHECKSUMHASH=${encodeURIComponent(signature)}`
    const asked = (sent: string) =>
      diagnose(readMaterial(Buffer.from(sent)), { keys: [KEY], signed: signedLists.values(), textsMax: REQUEST_TEXTS_MAX, isTimeUp: never })
    assert.equal(asked(form(sign('M1|O1|x', KEY, 'salt'))).outcome, 'verified', name)
    const left = asked(form(sign('M1|O1', KEY, 'salt')))
    assert.ok(left.outcome === 'named' && left.text === 'found' && left.causes[0]!.name === 'changed', `${name}: ${JSON.stringify(left)}`)
    const body = `{"mid":"M1","${name}":{"${name}":1}}`
    const said = asked(`{"head":{"signature":"${sign('{"mid":"M1"}', KEY, 'salt')}"},"body":${body}}`)
    if (name === '__proto__') assert.equal(said.outcome, 'unreadable')
    else assert.ok(said.outcome === 'named' && said.causes[0]!.name === 'changed', `${name}: ${JSON.stringify(said)}`)
  }
  const inQuotes = `{"head":{"signature":"${ofAnotherText}"},"body":"{}"}`
  assert.equal(
    diagnose(readMaterial(Buffer.from(inQuotes)), {
      keys: [KEY],
      signed: signedLists.values(),
      textsMax: REQUEST_TEXTS_MAX,
      isTimeUp: never,
    }).outcome,
    'unknown',
  )
})
