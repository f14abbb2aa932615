// `mohur serve`: starts, says what to try, stops on a signal.

import { start } from '../main.ts'
import { readSettings, SettingError } from '../settings.ts'
import { portOf } from './command.ts'
import { firstOrder } from './first-order.ts'

export async function serve({ port, host }: { port?: string; host?: string }) {
  if (host === '') throw new SettingError('--host must not be empty')
  const given = { ...(port !== undefined && { PORT: String(portOf(port)) }), ...(host !== undefined && { HOST: host }) }
  const settings = readSettings({ ...process.env, ...given })
  const running = await start(settings)
  console.log(`Mohur listens on ${running.url}`)
  const usesDemoWorld = settings.mode === 'sandbox' && settings.world === undefined
  if (usesDemoWorld && settings.logLevel !== 'silent') console.log(firstOrder(running.url, running.edge.fresh))
  const stop = async () => {
    await running.close()
    process.exit(0)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}
