// `mohur serve`: starts, says what to try, stops on a signal.

import { start } from '../main.ts'
import { readSettings } from '../settings.ts'
import { firstOrder } from './first-order.ts'

export async function serve() {
  const settings = readSettings(process.env)
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
