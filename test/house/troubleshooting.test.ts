// docs/operating/troubleshooting.md names every symptom that the program shows: lines of its log, exit codes, warnings, alarms.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { exits } from '../../src/cli/exits.ts'
import { readSettings, warningsOf } from '../../src/settings.ts'
import { cells } from '../support/text/markdown.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(resolve(root, file), 'utf8')
const page = read('docs/operating/troubleshooting.md')
const SPAN_LENGTH_MIN = 12 // shorter words in code are fields and figures, unless they are the whole line

/** What the page quotes, in parts: an ellipsis stands for what differs from line to line. */
const quoted = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text!)
const isQuoted = (line: string) =>
  quoted.some((text) => {
    const parts = text.split('…').map((part) => part.trim())
    return text === line || (text.length >= SPAN_LENGTH_MIN && parts.every((part) => line.includes(part)))
  })

const sources = readdirSync(resolve(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

/** The texts of lines at warn, error and fatal, as they stand in the code. */
function loggedTexts(): string[] {
  return sources.flatMap((file) => {
    const text = read(`src/${file}`)
    const calls = [...text.matchAll(/(?:logger\.(?:warn|error|fatal)|quarrel)\(.*$/gm)].map(([call]) => call)
    const bundled = [...text.matchAll(/\.write\(\s*'error',\s*'([^']+)'/g)].map(([, line]) => line!)
    return [...calls.flatMap((call) => [...call.matchAll(/'([^']+)'/g)].map(([, line]) => line!)), ...bundled]
  })
}

test('every line of the log at warn, error and fatal has its symptom', () => {
  const logged = loggedTexts()
  assert.ok(logged.length >= 17, `${logged.length} lines were found: the code logs in another way now`)
  assert.deepEqual(
    logged.filter((line) => !isQuoted(line)),
    [],
  )
})

test('every warning that settings lead to has its symptom', () => {
  const key = Buffer.alloc(32).toString('base64')
  const warnings = warningsOf(readSettings({ MOHUR_MODE: 'production', MOHUR_MASTER_KEY: key, MOHUR_STRANGE: '1' }))
  assert.equal(warnings.length, 6)
  assert.deepEqual(
    warnings.filter((line) => !isQuoted(line)),
    [],
  )
})

test('every exit code that is a failure has its symptom', () => {
  const section = page.split('\n## The process, or a command, ended\n')[1]!.split('\n## ')[0]!
  const named = new Set(cells(section).flatMap(([code]) => code!.split(', ')))
  const answers: readonly number[] = [exits.done.code, exits.no.code, exits.unexplained.code]
  const failures = Object.values(exits).filter(({ code }) => !answers.includes(code))
  assert.deepEqual(
    failures.map(({ code }) => String(code)).filter((code) => !named.has(code)),
    [],
  )
})

test('every figure that docs/operating/watch.md gives an alarm has its symptom', () => {
  const alarms = read('docs/operating/watch.md').split('| Watch | Alarm when |')[1]!.split('\n\n')[0]!
  const figures = [...alarms.matchAll(/`(mohur_\w+)`/g)].map(([, figure]) => figure!)
  assert.ok(figures.length >= 5)
  assert.deepEqual(
    figures.filter((figure) => !page.includes(`\`${figure}`)),
    [],
  )
})
