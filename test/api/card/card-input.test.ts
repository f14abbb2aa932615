// What remains of a card's number after it is read (docs/interface.md section 4.10).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutCard } from '../../../src/api/card/card-input.ts'
import { savedCardIdOf } from '../../../src/domain/transaction/capture.ts'

const NOW = Date.parse('2026-11-22T12:00:00+05:30')

test('sixteen digits and more leave eight and four, fewer leave six and four, and no stored value has the rest', () => {
  const left = (number: string) => {
    const {
      cardInfo,
      card: { instrument },
    } = cutCard(`|${number}|123|122032`, NOW)
    const kept = JSON.stringify([instrument, cardInfo, savedCardIdOf(instrument)])
    assert.equal((cardInfo as { number?: string }).number, 'valid', number)
    assert.equal(kept.includes(number), false, kept)
    return [instrument.bin, instrument.maskedCardNo]
  }
  assert.deepEqual(left('4111111111111111110'), ['41111111', '41111111*******1110'])
  assert.deepEqual(left('4111111111111111'), ['41111111', '41111111****1111'])
  assert.deepEqual(left('378282246310005'), ['378282', '378282*****0005'])
  assert.deepEqual(left('4222222222222'), ['422222', '422222***2222'])
  assert.deepEqual(left('411111111117'), ['411111', '411111**1117'])
})
