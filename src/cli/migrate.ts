// `mohur migrate`: every start migrates too; this is for those who want it done before.

import { acting, say } from './place.ts'

/** To open a store is to migrate it; a service that serves one has done so. */
export async function migrateCommand() {
  await acting(async () => {})
  say('the database has the newest schema')
}
