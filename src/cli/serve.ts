// `mohur serve`: starts, says what to try, stops on a signal.

import { ROLES } from '../domain/operator/operator.ts'
import { SystemClock } from '../engine/clock.ts'
import type { Running } from '../main.ts'
import { readSettings, SettingError } from '../settings.ts'
import { type Command, portOf } from './command.ts'
import { stopBy } from './stop.ts'

/** The time for callers whose next request is under way on an idle connection. */
const STOP_GRACE_MS = 250 // docs/operating/watch.md
const INFO = 30 // pino's number, because every line is JSON in production

/** The address for entering a sandbox's console: a link, until a person has set a password by the link. */
async function consoleDoor({ ports, url }: Running): Promise<string> {
  const { operatorLink } = await import('../flows/operator-links.ts')
  const person = { email: 'admin@sandbox.test', name: 'Sandbox', roles: ROLES, mids: null }
  const made = await operatorLink(ports, { kind: 'SETUP', person, by: { operatorId: 'shell', network: '' } })
  return 'link' in made ? `${url}/console/set-up/${made.link}` : `${url}/console (${person.email})`
}

export async function serve({ port, host }: { port?: string; host?: string }, commands: Readonly<Record<string, Command>>) {
  if (host === '') throw new SettingError('--host must not be empty')
  const given = { ...(port !== undefined && { PORT: String(portOf(port)) }), ...(host !== undefined && { HOST: host }) }
  const settings = readSettings({ ...process.env, ...given })
  const { start } = await import('../main.ts') // loaded after the settings are read, so that an unusable setting is reported at once
  const running = await start(settings)
  const control = import('./control.ts').then(({ openControl }) => openControl({ running, settings, commands, warn: console.error }))
  // Ctrl-C reaches a process from its terminal and again from its launcher. Only the first signal acts.
  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    const { every } = new SystemClock()
    await stopBy(
      () =>
        running.close(
          STOP_GRACE_MS,
          control.then(
            (close) => close(),
            () => {}, // `await control` below throws the same error
          ),
        ),
      { every, exit: process.exit, say: console.error },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  await control
  if (stopping) return
  const line = `Mohur listens on ${running.url}`
  console.log(settings.mode === 'production' ? JSON.stringify({ level: INFO, time: Date.now(), msg: line }) : line)
  const usesDemoWorld = settings.mode === 'sandbox' && settings.world === undefined
  if (usesDemoWorld && settings.logLevel !== 'silent')
    console.log((await import('./first-order.ts')).firstOrder(running.url, running.ports.fresh, await consoleDoor(running)))
}
