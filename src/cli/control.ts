// The control socket of a service on the embedded store. That store has one process, so commands that write are sent to the service. The
// service carries them out. Only the owner of the folder may open the socket.

import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { loggedStack } from '../engine/logged-error.ts'
import { SystemRandom } from '../engine/random.ts'
import type { Running } from '../main.ts'
import { forget } from '../sandbox/routes.ts'
import { SettingError, type Settings } from '../settings.ts'
import type { Command } from './command.ts'
import { exits, failureOf } from './exits.ts'
import { carriedOut, ServiceLost } from './place.ts'

type Commands = Readonly<Record<string, Command>>

const [BODY_MAX, ANSWER_MAX] = [17 * 1024 * 1024, 64 * 1024 * 1024] // docs/operating/commands.md; Mohur's choice
const PATH_MAX = 107 // a Unix socket's path on Linux
const HALF_MS = 10_000 // Mohur's choice: a request that does not arrive whole in this time is dropped

interface Sent {
  command: string
  given: Readonly<Record<string, string | string[] | boolean>>
  argument?: string | undefined
  rest: readonly string[]
}
interface Answered {
  lines: readonly string[]
  exit: number
  /** For the standard error. */
  sentence?: string
}

export const socketOf = ({ dataFolder }: Pick<Settings, 'dataFolder'>): string => join(dataFolder, 'control.sock')
const hasSocket = ({ databaseUrl }: Pick<Settings, 'databaseUrl'>) => !databaseUrl && process.platform !== 'win32'

// --------------------------------------------------------------------------------------------------------------- service

export interface ControlParts {
  running: Pick<Running, 'ports' | 'url'>
  settings: Settings
  commands: Commands
  /** Writes to the standard error of the service. */
  warn(why: string): void
}

/**
 * Returns a function that closes the socket. When no socket can be opened, `warn` gets the reason. This process holds the store's lock, so
 * an existing socket file is left over.
 */
export async function openControl({ running, settings, commands, warn }: ControlParts): Promise<() => Promise<void>> {
  const path = socketOf(settings)
  if (!hasSocket(settings)) return async () => {}
  if (Buffer.byteLength(path) > PATH_MAX) {
    warn(
      `${path} is longer than ${PATH_MAX} bytes, so there is no control socket: stop the service before a command that writes, or shorten MOHUR_DATA`,
    )
    return async () => {}
  }
  try {
    rmSync(path, { force: true })
  } catch (error) {
    warn(
      `${path} cannot be removed (${(error as NodeJS.ErrnoException).code}), so there is no control socket: stop the service before a command that writes`,
    )
    return async () => {}
  }
  const [open, atWork] = [new Set<Socket>(), new Set<Socket>()]
  const server = createServer({ requestTimeout: HALF_MS, headersTimeout: HALF_MS, connectionsCheckingInterval: 1_000 }, (asked, answer) => {
    void take(asked, answer, { running, settings, commands, warn, atWork })
  })
  server.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  const before = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(path, resolve)
    })
  } finally {
    process.umask(before)
  }
  chmodSync(path, 0o600)
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      // A stop waits for running commands, not for idle connections.
      for (const socket of open) if (!atWork.has(socket)) socket.destroy()
    })
}

interface TakingParts extends ControlParts {
  /** Connections whose command is being carried out. */
  atWork: Set<Socket>
}

async function take(asked: IncomingMessage, answer: ServerResponse, { atWork, ...parts }: TakingParts) {
  const reply = (status: number, body: object) => {
    answer
      .writeHead(status, { 'content-type': 'application/json', ...(status !== 200 && { connection: 'close' }) })
      .end(JSON.stringify(body))
  }
  try {
    const sent = asked.method === 'POST' && asked.url === '/command' ? readSent(await bodyOf(asked), parts.commands) : undefined
    if (sent) {
      atWork.add(asked.socket)
      answer.on('close', () => atWork.delete(asked.socket))
      answer.setHeader('connection', 'close')
      reply(200, await carryOut(sent, parts))
    } else reply(400, { error: 'no command is meant' })
  } catch {
    reply(400, { error: 'the request cannot be read' })
  }
}

async function bodyOf(asked: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of asked as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_MAX) throw new Error('too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Undefined for a text that no command line could send. Mohur's own client has checked its line by the same table. */
function readSent(text: string, commands: Commands): Sent | undefined {
  const { command, given, argument, rest } = JSON.parse(text) as Partial<Record<keyof Sent, unknown>>
  if (typeof command !== 'string' || !Object.hasOwn(commands, command) || !commands[command]!.writes) return undefined
  if (argument !== undefined && typeof argument !== 'string') return undefined
  if (!isTexts(rest) || typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  const { options }: Command = commands[command]!
  const fits = Object.entries(given).every(([name, value]) => {
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (!option) return false
    if (option.multiple) return isTexts(value)
    return typeof value === (option.value === undefined ? 'boolean' : 'string')
  })
  const isWhole = Object.entries(options).every(([name, { needed }]) => !needed || Object.hasOwn(given, name))
  return fits && isWhole ? { command, given: given as Sent['given'], argument, rest } : undefined
}
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((each) => typeof each === 'string')

async function carryOut({ command, given, argument, rest }: Sent, { running, settings, commands, warn }: ControlParts): Promise<Answered> {
  const { ports, url } = running
  const said: string[] = []
  const by = { settings, ports: { ...ports, fresh: new SystemRandom() }, url, said }
  try {
    await carriedOut(by, () => commands[command]!.run(given, argument, rest))
    return { lines: said, exit: exits.done.code }
  } catch (error) {
    const { exit, sentence = 'an unexpected error: the standard error of the service has its stack' } = failureOf(error, process.env)
    if (exit === 'unforeseen') warn(`${command}: ${loggedStack(error)}`)
    return { lines: said, exit: exits[exit].code, sentence }
  } finally {
    forget(ports) // merchants' keys and offers are kept for five seconds: read them again
  }
}

// ----------------------------------------------------------------------------------------------------------------- command

/** The service's answer. Undefined when no service runs. Then the command opens the store itself. */
export async function sendToService(settings: Settings, sent: Sent): Promise<Answered | undefined> {
  if (!hasSocket(settings)) return undefined
  const path = socketOf(settings)
  if (Buffer.byteLength(path) > PATH_MAX) return undefined
  return new Promise((resolve, reject) => {
    let isSent = false
    const lost = () => {
      if (!isSent) return resolve(undefined) // no service listens, or not for this user: opening the store will show what is wrong, if anything is
      reject(
        new ServiceLost(`the service ended before it answered, so \`${sent.command}\` may or may not be done. Check, then run it again.`),
      )
    }
    const asked = request({ socketPath: path, path: '/command', method: 'POST', agent: false }, (answer) => {
      const chunks: Buffer[] = []
      let size = 0
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size <= ANSWER_MAX) chunks.push(chunk)
      })
      answer.on('error', lost)
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Answered)
        else reject(new SettingError('the service has another version and does not know this command. Restart the service.'))
      })
    })
    asked.on('socket', (socket) =>
      socket.once('connect', () => {
        isSent = true
      }),
    )
    asked.on('error', lost)
    asked.end(JSON.stringify(sent))
  })
}
