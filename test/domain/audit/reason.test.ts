// What a person writes: kept as one line of text that no terminal and no reader takes for anything else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasCheckDigit, REASON_MAX, reasonIn } from '../../../src/domain/audit/reason.ts'

const SPARED = ['₹3,000.00, 12/05/2027', '31/05/2026, 30/06/2024', '500, 600, 700, 800, 909', '5000, 412345678904', '4111x1111x1111x1111']

test('a reason is one line, without characters that mislead, and as long as it may be', () => {
  for (const [typed, kept] of [
    ['  agreed with\r\n\tthe shop ', 'agreed with the shop'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['=1+1', '=1+1'],
    ['\u001b[2Jgone\u0007', '\ufffd[2Jgone\ufffd'],
    ['\u202e00.1\u2066', '\ufffd00.1\ufffd'],
    ['ग्राहक को वापस दिया 👨‍👩‍👧', 'ग्राहक को वापस दिया 👨‍👩‍👧'],
    ['card 4111 1111 1111 1111, or 5555-5555-5555-4444', 'card ••••1111, or ••••4444'],
    ['4111 1111 1111 1111 12/27', '••••1111 12/27'],
    ['4111111111111111 123', '••••1111 123'],
    ['refund 500 4111111111111111', 'refund 500 ••••1111'],
    ['5 4111 1111 1111 1111', '5 ••••1111'],
    ['4111.1111.1111.1111.', '••••1111.'],
    ['2221000000000009, 2720990000000007', '••••0009, ••••0007'],
    ['4111 1111 1111 1111 5555 5555 5555 4444 12', '••••1111 ••••4444 12'],
    ['5500 4111 1111 1111 1111', '••••1111'], // 5500 4111 1111 1111 has a right check digit too
    ['2220000000000000 2721000000000004 1234567890123456789012', '2220000000000000 2721000000000004 1234567890123456789012'],
    ['order 4111111111111112, RRN 412345678901', 'order 4111111111111112, RRN 412345678901'],
    ['4111 - 1111 - 1111 - 1111', '••••1111'],
    ['4111\u20131111\u20131111\u20131111 \u2212 12', '••••1111 \u2212 12'],
    ['4111/1111/1111/1111, 4111_1111_1111_1111', '••••1111, ••••1111'],
    ['3782 / 822463 / 10005', '••••0005'],
    ['4111, 1111\n1111 | 1111', '••••1111'],
    ['4\u200b1\u200b11 11\u200b11 1111\u00ad1111', '••••1111'],
    ['4\ufe0f\u20e31111111\u202e11111111', '••••1111'],
    ['४१११ ११११ ११११ ११११, ４１１１１１１１１１１１１１１１, 𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏', '••••1111, ••••1111, ••••1111'],
    // Each has 13 to 19 digits with a right check digit, and is no card's number.
    ...SPARED.map((text) => [text, text] as const),
    ['half \ud800', 'half \ufffd'],
    ['x'.repeat(REASON_MAX), 'x'.repeat(REASON_MAX)],
    ['x'.repeat(REASON_MAX + 1), undefined],
    [' \n\t ', undefined],
    ['', undefined],
  ] as const)
    assert.equal(reasonIn(typed), kept, JSON.stringify(typed))
})

test('a text of spared digits has a right check digit, so that the gaps alone spare it', () => {
  for (const text of SPARED) assert.ok(hasCheckDigit(text.replace(/[^0-9]/g, '')), text)
})

test('a hostile text of 100 KB is read in its own length', () => {
  for (const unit of ['4 ', '4....', '4.....4......', '41111111111', '4111, ', '4,']) {
    const from = performance.now()
    reasonIn(unit.repeat(100_000 / unit.length))
    assert.ok(performance.now() - from < 5_000, unit) // with its square it would take minutes
  }
})
