// One of several processes that migrate a database at once. It says that it is ready, waits for a line, migrates, and prints what it did.

import { once } from 'node:events'
import { migrate, migrations } from '../../../src/adapters/store/migrate.ts'
import type { StoreName } from '../run/service.ts'
import { openDatabase } from './stores.ts'

const [store, place, ...planted] = process.argv.slice(2)
console.log('ready')
await once(process.stdin, 'data')
process.stdin.destroy()
try {
  const database = openDatabase(store as StoreName, place!)
  const all = { ...migrations, ...(planted.length > 0 && { '0002-planted': { statements: planted } }) }
  try {
    console.log(JSON.stringify({ made: await migrate(database, all) }))
  } finally {
    await database.close()
  }
} catch (error) {
  console.log(JSON.stringify({ refused: (error as Error).name }))
}
