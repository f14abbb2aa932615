#!/usr/bin/env node

// The command line: `mohur <command>`.

import { start } from '../main.ts'
import { readSettings } from '../settings.ts'

const settings = readSettings(process.env)
const running = await start(settings)
console.log(`Mohur listens on ${running.url}`)
const stop = async () => {
  await running.close()
  process.exit(0)
}
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
