// What a person writes: kept as one line of text that no terminal and no reader takes for anything else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REASON_MAX, reasonIn } from '../../../src/domain/audit/reason.ts'

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
    ['half \ud800', 'half \ufffd'],
    ['x'.repeat(REASON_MAX), 'x'.repeat(REASON_MAX)],
    ['x'.repeat(REASON_MAX + 1), undefined],
    [' \n\t ', undefined],
    ['', undefined],
  ] as const)
    assert.equal(reasonIn(typed), kept, JSON.stringify(typed))
})
