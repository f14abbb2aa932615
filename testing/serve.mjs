// The process of a sandbox that tests started. It ends with the tests' process, and removes its temporary folder then.

import { rmSync } from 'node:fs'

const { MOHUR_TEST_TEMPORARY: temporary, MOHUR_TEST_KEEPS: keeps } = process.env

process.on('exit', () => {
  try {
    rmSync(temporary, { recursive: true, force: true })
  } catch {
    // A system that removes no open file leaves it to `stop`.
  }
})
// A store that is thrown away needs no orderly stop. The channel to the tests closes even when SIGKILL ends them.
const end = keeps ? () => process.kill(process.pid, 'SIGTERM') : () => process.exit()
process.once('disconnect', end)
if (!process.connected) process.exit()
if (!keeps) for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, end)

await import('../bin/mohur.mjs')
