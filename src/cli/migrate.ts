// `mohur migrate`: every start migrates too; this is for those who want it done before.

import { openInItsMode } from '../adapters/store/open.ts'
import { readSettings } from '../settings.ts'

export async function migrateCommand() {
  const { store } = await openInItsMode(readSettings(process.env))
  await store.close()
  console.log('the database has the newest schema')
}
