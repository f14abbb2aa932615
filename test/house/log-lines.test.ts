// docs/operating/watch.md has a row for every line of the log at warn, error and fatal, and for no other.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { loggedLines } from '../support/text/logged-lines.ts'
import { cells } from '../support/text/markdown.ts'

const root = resolve(import.meta.dirname, '../..')
const files = readdirSync(resolve(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

test('a line is found where its text stands beside the call, is chosen, or is handed on from another file', () => {
  const found = loggedLines({
    'a.ts': `
      logger.warn({ mid }, 'beside the call')
      this.parts.logger.error({ a }, isLate ? 'chosen' : \`with \${values} in it\`)
      logger.info('no line of these levels')
      const unsent = (id: string, why: string) => logger.error({ id }, why)
      for (const warning of [...warnings(), ...settingsOf(settings)]) logger.warn(warning)
      class Lines { #logger; write(level: Level, message: string) { this.#logger[level]({}, message) } }`,
    'b.ts': `
      parts.unsent(id, 'handed on')
      lines.write('fatal', 'of a level that is handed on')
      lines.write('info', 'no line of these levels either')
      async function warnings() { const found = ['first']; if (late) found.push('pushed'); return found }
      const settingsOf = ({ a, b }) => { const all = [[a, 'of a list of pairs'], [b, 'another']]; return all.flatMap(([given, line]) => given ? [] : [line]) }`,
  })
  assert.deepEqual(found.lines.map(({ level, text }) => `${level} ${text}`).sort(), [
    'error chosen',
    'error handed on',
    'error with … in it',
    'fatal of a level that is handed on',
    'warn another',
    'warn beside the call',
    'warn first',
    'warn of a list of pairs',
    'warn pushed',
  ])
  assert.deepEqual(found.strange, [])
  const strange = loggedLines({ 'a.ts': "\nlogger.error(wherever())\nlog.warn('at another name')\nconsole.error('no log')" })
  assert.deepEqual(strange, { lines: [], strange: ['a.ts:2', 'a.ts:3'] })
  const oneOfTwo = loggedLines({ 'a.ts': "const unsent = (why) => logger.error(why)\nunsent('found')\nunsent(wherever())" })
  assert.deepEqual(oneOfTwo, { lines: [{ level: 'error', text: 'found' }], strange: ['a.ts:3'] })
})

test('every line of the log at warn, error and fatal has its row, and every row its line', (t) => {
  const { lines, strange } = loggedLines(Object.fromEntries(files.map((file) => [file, readFileSync(resolve(root, 'src', file), 'utf8')])))
  assert.deepEqual(strange, [], 'no text was found for these calls, or they log in another way')
  const page = readFileSync(resolve(root, 'docs/operating/watch.md'), 'utf8')
  const section = page.split('\n### Each line that asks for something\n')[1]!.split('\n## ')[0]!
  const rows = cells(section).filter(([line]) => line !== 'Line')
  for (const row of rows) assert.ok(row.length === 4 && row.every((cell) => cell !== ''), `${row[0]}: four cells`)
  assert.deepEqual(
    rows.map(([line, level]) => `${level} ${line!.replace(/^(`+)(.*)\1$/, '$2')}`).sort(),
    lines.map(({ level, text }) => `${level} ${text}`).sort(),
  )
  t.diagnostic(`${lines.length} lines of ${files.length} files, ${rows.length} rows`)
})
