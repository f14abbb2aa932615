// What a field may contain, where a schema's own keywords cannot say it: docs/interface.md section 2.

import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { formats } from '../../src/interface/fields.ts'

const LONGEST = 64 * 1024 // docs/interface.md section 4: no text of a request is longer than its body
const SOON_MS = 50 // ten times what the slowest honest format needs, and a twentieth of what one quadratic pattern took

test('a text made to be slow is judged soon, by every format', () => {
  const texts = [
    `a@${'a.'.repeat(LONGEST / 2)}@`,
    '@'.repeat(LONGEST),
    `${'a'.repeat(LONGEST)}@`,
    `a@a${'.'.repeat(LONGEST)} `,
    `http://${'a.'.repeat(LONGEST / 2)}`,
    `http://a/${'../'.repeat(LONGEST / 3)}`,
    `https://${'ü.'.repeat(LONGEST / 3)}`,
    `${'0'.repeat(LONGEST)}-01-01`,
  ]
  for (const [name, format] of Object.entries(formats)) {
    for (const text of texts) {
      const started = performance.now()
      format(text)
      const took = performance.now() - started
      assert.ok(took < SOON_MS, `${name} took ${took.toFixed(0)} ms for ${text.slice(0, 20)}…`)
    }
  }
})

test('an e-mail address is words between points, one @, and names of hosts', () => {
  for (const text of ['a@b.in', 'a.b+c@d.e.example', 'ü@ü.in', 'a@1-b.in']) assert.equal(formats.email(text), true, text)
  for (const text of [
    'a',
    'a@b',
    '@b.in',
    'a@.',
    'a@b.',
    'a@@b.in',
    'a b@c.in',
    'a@b.in\n',
    'a|b@c.in',
    'a@b..in',
    '.a@c.in',
    'a,b@c.in',
    'a@c.in.',
    'a@b-.in',
    'a@b_c.in',
    `${'a'.repeat(600)}@b.in`,
  ])
    assert.equal(formats.email(text), false, text)
})

test('a URL is absolute, http or https, and names no user', () => {
  const good = [
    'http://127.0.0.1:9000/callback',
    'https://shop.example',
    'HTTPS://shop.example/a?b=c#d',
    'https://दुकान.example/',
    'https://[::1]/x',
  ]
  for (const text of good) assert.equal(formats.httpUrl(text), true, text)
  const wrong = [
    'shop.example',
    '/callback',
    '//shop.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://shop.example/',
    'https:shop.example', // the URL standard repairs these three; a merchant cannot have meant them
    'https:/shop.example',
    'https:///shop.example',
    'https:\\\\shop.example',
    'https://shop.example\\@other.example',
    'https://user@shop.example/',
    'https://user:word@shop.example/',
    ' https://shop.example/',
    'https://shop.example/ ',
    'https://shop.example/\r\nX: y',
    'https://',
  ]
  for (const text of wrong) assert.equal(formats.httpUrl(text), false, text)
})

/** Every schema of an object among a module's exports and inside them. */
function schemasIn(value: unknown, depth = 3): object[] {
  if (typeof value !== 'object' || value === null || depth === 0) return []
  if ('type' in value && value.type === 'object') return [value]
  return Object.values(value).flatMap((member) => schemasIn(member, depth - 1))
}

test('every schema of an operation is a schema, which a start no longer looks at', async () => {
  const src = join(import.meta.dirname, '../../src')
  const ajv = new Ajv({ strict: true, formats })
  const schemas: object[] = []
  for (const file of globSync('{interface,domain,adapters/acquirer}/**/*.ts', { cwd: src }))
    schemas.push(...schemasIn({ ...(await import(join(src, file))) }))
  assert.ok(schemas.length > 60, `${schemas.length}`)
  for (const schema of schemas) assert.ok(ajv.validateSchema(schema), `${JSON.stringify(schema).slice(0, 200)}: ${ajv.errorsText()}`)
  assert.equal(ajv.validateSchema({ type: 'object', properties: { a: { type: 'text' } } }), false)
})
