// /openapi.json serves the committed document: in every sandbox, and in production where the operator wants it.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { startService } from '../support/run/service.ts'

const committed = readFileSync(resolve(import.meta.dirname, '../../docs/openapi.json'), 'utf8')

async function servedWith(env: Record<string, string>) {
  const service = await startService('sqlite', { env })
  try {
    const response = await fetch(`${service.url}/openapi.json`)
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
  } finally {
    await service.close()
  }
}
const production = { MOHUR_MODE: 'production', MOHUR_MASTER_KEY: randomBytes(32).toString('base64') }

test('a sandbox serves docs/openapi.json as it stands', async () => {
  const { status, type, text } = await servedWith({})
  assert.deepEqual([status, type], [200, 'application/json; charset=utf-8'])
  assert.ok(text === committed)
})

test('production serves it with MOHUR_DOCS=on alone', async () => {
  assert.equal((await servedWith(production)).status, 404)
  const { status, text } = await servedWith({ ...production, MOHUR_DOCS: 'on' })
  assert.equal(status, 200)
  assert.ok(text === committed)
})
