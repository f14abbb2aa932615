// The service as an operator runs it: in its own process, which a test may kill.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fromCheckout, program } from './checkout.ts'

export interface ServedProcess {
  url: string
  pid: number
  /** Everything that it has written to standard output and standard error. */
  log(): Buffer
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

/** Settings of the tests themselves (docs/contributing/tests.md). A service would report them as misspelt settings. */
const OF_TESTS = /^MOHUR_(BROWSER|CHROMIUM|LONG|HISTORIES|HISTORIES_FROM|CLIENTS|LANGUAGES|NGINX|POSTGRES|SEED)$/
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_TESTS.test(name)))

/** Starts `mohur serve` and waits until it prints its address. */
export async function serveProcess(
  environment: Record<string, string>,
  args: readonly string[] = [],
  file = program,
): Promise<ServedProcess> {
  const child = spawn(process.execPath, [file, 'serve', ...args], {
    env: { ...inherited, PORT: '0', DATABASE_URL: '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit') as Promise<[number | null]>
  const log: Buffer[] = []
  child.stderr.on('data', (part) => log.push(part))
  const url = await new Promise<string>((resolved, rejected) => {
    child.stdout.on('data', (part) => {
      log.push(part)
      const address = /Mohur listens on (http:\/\/[^\s"]+)/.exec(Buffer.concat(log).toString())?.[1]
      if (address) resolved(address)
    })
    child.once('exit', (code) => rejected(new Error(`the service ended with ${code}: ${Buffer.concat(log)}`)))
  })
  return {
    url,
    pid: child.pid!,
    log: () => Buffer.concat(log),
    async kill(signal) {
      child.kill(signal)
      const [code] = await ended
      return code
    },
  }
}

export async function mohurCommand(args: readonly string[], environment: Record<string, string> = {}, input = '', file = program) {
  const child = spawn(process.execPath, [file, ...args], { env: { ...inherited, DATABASE_URL: '', ...environment } })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (part) => {
    out += part
  })
  child.stderr.setEncoding('utf8').on('data', (part) => {
    err += part
  })
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number]
  return { out, err, code }
}

/** Runs one command in this process, as `mohurCommand` does in its own. So a table of commands takes the time of one start. */
export async function mohurHere(args: readonly string[], environment: Record<string, string> = {}) {
  const { commands } = await fromCheckout<typeof import('../../../src/cli/commands.ts')>('src/cli/commands.ts')
  const { readArguments } = await fromCheckout<typeof import('../../../src/cli/command.ts')>('src/cli/command.ts')
  const { exits, failureOf } = await fromCheckout<typeof import('../../../src/cli/exits.ts')>('src/cli/exits.ts')
  const [first = '', second = ''] = args
  const name = Object.hasOwn(commands, first) ? first : `${first} ${second}`
  const was = { env: process.env, log: console.log, error: console.error }
  let [out, err, code] = ['', '', 0]
  process.env = { ...inherited, DATABASE_URL: '', ...environment }
  console.log = (line) => {
    out += `${line}\n`
  }
  console.error = (line) => {
    err += `${line}\n`
  }
  try {
    const { given, argument, rest } = readArguments(name, commands[name]!, args.slice(name === first ? 1 : 2))
    await commands[name]!.run(given, argument, rest)
    code = Number(process.exitCode ?? 0)
  } catch (error) {
    const { exit, sentence } = failureOf(error, process.env)
    err += `${sentence ?? error}\n`
    code = exits[exit].code
  } finally {
    process.env = was.env
    console.log = was.log
    console.error = was.error
    process.exitCode = 0
  }
  return { out, err, code }
}
