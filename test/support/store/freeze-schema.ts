// Writes the schema of src/tables as the first migration, once, at the first release: docs/release.md, "Freeze the schema at 0.1.0". `node
// bin/run.mjs test/support/store/freeze-schema.ts`

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { migrations } from '../../../src/adapters/store/migrate.ts'
import { createStatements } from '../../../src/adapters/store/schema.ts'

const FILE = resolve(import.meta.dirname, '../../../src/adapters/store/migrations/0001-schema.ts')

export const frozenSchema = () => `// The schema of 0.1.0. A released migration is never edited.

export const statements = [
${createStatements()
  .map((statement) => `  ${/[\n']/.test(statement) ? `\`${statement}\`` : `'${statement}'`},`)
  .join('\n')}
]
/** The hash of the words that stores of the last unreleased version keep. */
export const words = '${migrations['0001-schema']!.words}'
`

if (process.argv[1] === import.meta.filename) writeFileSync(FILE, frozenSchema(), { flag: 'wx' })
