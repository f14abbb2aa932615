// `mohur migrate`: for operators who want the migration done before a start, which migrates too.

import { inStore, say } from './place.ts'

/** Opening a store migrates it. A running service has already done so. */
export async function migrateCommand() {
  await inStore(async () => {})
  say('the database has the newest schema')
}
