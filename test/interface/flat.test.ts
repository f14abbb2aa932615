// Reading flat messages (docs/interface.md section 4.12): what their many spellings have in common, and what none of them may carry.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FlatMembers, flatSignature, readFlat } from '../../src/interface/flat.ts'
import { Random } from '../support/text/random.ts'

const SEED = 20_261_121
const read = (text: string) => readFlat(Buffer.from(text))
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

/** Characters with a meaning in forms, JSON or the checksum, and some without any. */
const ALPHABET = [...'aZ9 +%&=|"\'\\/{}[]:,\n₹😀', '%2B', '%7B', 'JsonData', 'MID', '\0']

test('a message that was written as JSON, as a form, or as a form that holds JSON, is read as what it was', () => {
  const random = new Random(SEED)
  let kept = 0
  for (let round = 0; round < 2_000; round++) {
    const text = () => random.text(5, ALPHABET)
    const members: Record<string, string> = { MID: text(), ORDERID: text(), [`X${random.below(3)}`]: text() }
    const json = JSON.stringify(members)
    const readable = !Object.values(members).some((value) => value.includes('|'))
    const storable = !json.includes('\\u0000')
    for (const [written, wanted] of [
      [json, readable && storable],
      [`JsonData=${json}`, readable && storable],
      [form({ JsonData: json }), readable && storable],
      [form(members), readable],
    ] as const)
      assert.deepEqual(read(written), wanted ? members : undefined, `seed ${SEED}, round ${round}: ${written}`)
    if (readable) kept++
  }
  assert.ok(kept > 1_000, String(kept))
})

test('whatever comes, it is refused or is texts without a pipe under names that were given once', () => {
  const random = new Random(SEED)
  for (let round = 0; round < 20_000; round++) {
    const text = random.text(11, ALPHABET)
    const members: FlatMembers | undefined = read(random.below(2) === 0 ? text : `JsonData=${text}`)
    for (const value of Object.values(members ?? {}))
      assert.ok(value === null || !value.includes('|'), `seed ${SEED}, round ${round}: ${text}`)
  }
})

test('a checksum is read through one more encoding, and through a form that took its plus signs', () => {
  const checksum = 'ab+c/d+e='
  for (const given of [checksum, encodeURIComponent(checksum), checksum.replaceAll('+', ' '), checksum.replaceAll('+', '%2b')])
    assert.equal(flatSignature(given), checksum)
  assert.equal(flatSignature('%'), '%')
  assert.equal(flatSignature(null), undefined)
})
