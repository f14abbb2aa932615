// The service as an operator runs it: a process of its own, which may be killed.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

export interface ServedProcess {
  url: string
  /** All that it has written to standard output and standard error. */
  log(): Buffer
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

/** Starts `mohur serve` and waits until it says where it listens. */
export async function serveProcess(environment: Record<string, string>): Promise<ServedProcess> {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../../src/cli/mohur.ts'), 'serve'], {
    env: { ...process.env, PORT: '0', DATABASE_URL: '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit') as Promise<[number | null]>
  const log: Buffer[] = []
  child.stderr.on('data', (part) => log.push(part))
  const url = await new Promise<string>((resolved, rejected) => {
    child.stdout.on('data', (part) => {
      log.push(part)
      const address = /Mohur listens on (http:\/\/\S+)/.exec(Buffer.concat(log).toString())?.[1]
      if (address) resolved(address)
    })
    child.once('exit', (code) => rejected(new Error(`the service ended with ${code}: ${Buffer.concat(log)}`)))
  })
  return {
    url,
    log: () => Buffer.concat(log),
    async kill(signal) {
      child.kill(signal)
      const [code] = await ended
      return code
    },
  }
}
