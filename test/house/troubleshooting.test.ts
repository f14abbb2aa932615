// docs/operating/troubleshooting.md names every exit code that is a failure, and every figure that has an alarm.
// docs/operating/watch.md has the lines of the log: test/house/log-lines.test.ts.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { exits } from '../../src/cli/exits.ts'
import { cells } from '../support/text/markdown.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(resolve(root, file), 'utf8')
const page = read('docs/operating/troubleshooting.md')

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
