// docs/moving.md names exactly the clients that `npm run clients` runs.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { listed } from './listed.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/moving.md'), 'utf8')
const [, tried] = /\n## Tried\n(.*?)\n## /s.exec(page)!

test('docs/moving.md names every client that the run prints, once, and no other', () => {
  const named = [...tried!.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name!)
  assert.deepEqual(named.sort(), listed.map(({ name }) => name).sort())
})

test('what a client lacks, needs or cannot do is one sentence', () => {
  for (const client of listed) {
    const said = ['lacks', 'needs', 'unseen', 'not'].flatMap((kind) =>
      kind in client ? [String(client[kind as keyof typeof client] ?? '')] : [],
    )
    for (const sentence of said) assert.match(sentence, /^[^.]*(\.[^. ][^.]*)*\.$/, `${client.name}: ${sentence}`)
  }
})
