// Writes docs/examples and docs/openapi.json anew after a change of the interface: `node bin/run.mjs
// test/support/described/write-document.ts`. Tests compare both.

import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { openapiText } from '../../../src/cli/openapi/openapi.ts'
import { recordExamples } from './exchanges.ts'

const docs = resolve(import.meta.dirname, '../../../docs')
mkdirSync(resolve(docs, 'examples'), { recursive: true })
for (const [name, example] of Object.entries(await recordExamples('sqlite')))
  writeFileSync(resolve(docs, `examples/${name}.json`), `${JSON.stringify(example, undefined, 2)}\n`)
writeFileSync(resolve(docs, 'openapi.json'), openapiText())
