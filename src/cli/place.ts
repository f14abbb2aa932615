// Where a command that writes does its work: in the store that it opens, or inside the running service (control.ts). The embedded store has
// one process.

import { AsyncLocalStorage } from 'node:async_hooks'
import { openInItsMode } from '../adapters/store/open.ts'
import type { Clock } from '../engine/clock.ts'
import { Engine } from '../engine/engine.ts'
import { type Random, SystemRandom } from '../engine/random.ts'
import { type Act, type ActOf, type Auditing, auditing } from '../flows/auditing.ts'
import type { Ports } from '../flows/ports.ts'
import { clockOf } from '../sandbox/clock.ts'
import { readSettings, SettingError, type Settings } from '../settings.ts'

/** What every command that writes needs. */
export interface ActingParts extends Pick<Ports, 'engine' | 'query' | 'vault' | 'isStopping'> {
  clock: Clock
  fresh: Random
  mode: Settings['mode']
}

/** The service that carries a command out, and the lines for the terminal. */
export interface Served {
  settings: Settings
  ports: Ports
  url: string
  said: string[]
}
const served = new AsyncLocalStorage<Served>()

/** The service ended before the command was done. */
export class ServiceLost extends SettingError {
  override readonly name = 'ServiceLost'
}

export const carriedOut = <T>(by: Served, work: () => Promise<T>): Promise<T> => served.run(by, work)
/** Undefined when the command runs in a process of its own. */
export const service = (): Served | undefined => served.getStore()
export const settingsHere = (): Settings => service()?.settings ?? readSettings(process.env)

export function say(line: string) {
  const by = service()
  if (by) by.said.push(line)
  else console.log(line)
}

/** A person at a terminal, in the audit log. */
export const SHELL = { operatorId: 'shell', network: '' }

/** These parts, with an audit row for each decision of the command. */
export const asShell = <Parts extends Auditing>(parts: Parts, act: Act | ActOf): Parts => ({
  ...parts,
  engine: auditing(parts, SHELL, act),
})

/** Does a command's work. Each decision that it submits adds one audit row. */
export const acting = <T>(act: Act | ActOf, work: (parts: ActingParts) => Promise<T>): Promise<T> =>
  inStore((parts) => work(asShell(parts, act)))

/** For a command that submits no decision. */
export async function inStore<T>(work: (parts: ActingParts) => Promise<T>): Promise<T> {
  const by = service()
  if (by) return work({ ...by.ports, mode: by.settings.mode })
  const { store, vault, mode } = await openInItsMode(settingsHere())
  try {
    const [clock, fresh] = [await clockOf(store.query, mode), new SystemRandom()]
    return await work({ engine: new Engine(store, clock, fresh), query: store.query, clock, fresh, vault, mode, isStopping: () => false })
  } finally {
    await store.close()
  }
}
