// `mohur sandbox reset`. When a service runs on the embedded store, the service's own reset does the work.

import { openAcquirer } from '../adapters/open-acquirer.ts'
import { readReference } from '../adapters/reference/read-reference.ts'
import { InUseError } from '../adapters/store/database.ts'
import { openInItsMode, reading } from '../adapters/store/open.ts'
import { SystemClock } from '../engine/clock.ts'
import { SystemRandom } from '../engine/random.ts'
import { urlOf, worldOf } from '../main.ts'
import { resetSandbox } from '../sandbox/reset.ts'
import { demoWorld } from '../sandbox/world.ts'
import { readSettings, SettingError } from '../settings.ts'
import { say, service } from './place.ts'

const DONE = 'the sandbox is as it was at its first start; every running process follows within a second'

export async function reset() {
  const by = service()
  if (by) {
    if (by.settings.mode === 'production') refuseProduction(by.settings.mode)
    const { status } = await fetch(`${by.url}/sandbox/reset`, { method: 'POST' })
    if (status !== 200) throw new SettingError(`the service could not reset the sandbox (HTTP ${status}): its log says why`)
    return say(DONE)
  }
  const settings = readSettings(process.env)
  // Check the mode before the store is opened for writing.
  await reading(settings, async ({ mode }) => refuseProduction(mode))
  const world = worldOf({ ...settings, mode: 'sandbox' }, undefined, settings.publicUrl ?? urlOf(settings.host, settings.port)) ?? demoWorld
  const { store, database, vault, mode } = await openInItsMode(settings).catch((error: unknown) => inUse(error, settings.dataFolder))
  try {
    refuseProduction(mode)
    const clock = new SystemClock()
    const unreported = { onEvent: () => {}, doubted: () => {}, conflict: () => {} }
    const parts = { clock, fresh: new SystemRandom(), publicUrl: () => '', reference: readReference(settings.reference), ...unreported }
    const bank = await openAcquirer({ ...settings, mode }, database, parts)
    try {
      const startOver = async () => clock.now()
      await resetSandbox({ database, store, vault, bank: bank.sandbox?.bank, world, startOver })
    } finally {
      await bank.close()
    }
  } finally {
    await store.close()
  }
  say(DONE)
}

function refuseProduction(mode: string) {
  if (mode !== 'sandbox') throw new SettingError(`only a sandbox store can be reset; this one has the mode ${mode}`)
}

function inUse(error: unknown, folder: string): never {
  if (!(error instanceof InUseError)) throw error
  throw new InUseError(
    `the service is using the store in ${folder}. Press the button of its page /sandbox/reset (or curl -X POST it), or stop the service and run this again.`,
  )
}
