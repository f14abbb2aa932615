// Every wait has a name with its source beside it: a bare number says neither what it bounds nor why it is so long.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const SRC = join(import.meta.dirname, '../../src')
const NUMBER = String.raw`\d[\d_]*(?:\.\d+)?(?:\s*\*\s*[\d_.]+)*`
/** Places where a number is a wait: an argument of a waiting call, or a number added to an instant. */
const WAITS = [
  new RegExp(String.raw`\b(?:sleep|every|timeout|setTimeout|setInterval|advance|pass)\((?:[^()]*,\s*)?(${NUMBER})[,)]`, 'g'),
  new RegExp(String.raw`\b(?:now|realNow|elapsed|At|until)(?:\(\))?\s*[+-]\s*(${NUMBER})\b`, 'g'),
  new RegExp(String.raw`\b(?:timeout|timeoutMs|delayMs|waitMs|headersTimeout|bodyTimeout|connectTimeout)\s*:\s*(${NUMBER})\b`, 'g'),
]

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')

/** Finds numbers above 1, and products. Zero and one unit need no name. */
export const namelessWaits = (text: string): string[] =>
  WAITS.flatMap((form) => [...withoutComments(text).matchAll(form)])
    .filter(([, number]) => Number(number!.replaceAll('_', '')) > 1 || /\*/.test(number!))
    .map(([found]) => found.trim())

test('no wait in the sources is a number without a name', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(ts|js)$/.test(file))
  assert.ok(files.length > 400)
  const found = files.flatMap((file) => namelessWaits(readFileSync(join(SRC, file), 'utf8')).map((wait) => `${file}: ${wait}`))
  assert.deepEqual(found, [])
})

for (const [planted, isFound] of [
  ['await clock.sleep(250)', true],
  ['setTimeout(work, 5_000)', true],
  ['signal: AbortSignal.timeout(20_000)', true],
  ['const dueAt = now + 90_000', true],
  ['return clock.now() + 5 * 60_000', true],
  ['new Agent({ connectTimeout: 3000 })', true],
  ['await clock.sleep(NOTIFIED_AFTER_MS)', false],
  ['const dueAt = now + ASKED_DAILY_MS', false],
  ['const ends = now + 1 // the next instant', false],
  ['// now + 5000 is said in a comment', false],
] as const)
  test(`${planted} is ${isFound ? 'found' : 'no wait without a name'}`, () => assert.equal(namelessWaits(planted).length > 0, isFound))
