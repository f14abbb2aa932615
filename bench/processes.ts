// Starts the measured programs, each in its own process.

import { type ChildProcess, fork, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { World } from '../src/sandbox/world.ts'
import type { Load, Measured } from './load.ts'
import type { PayLoad, PayMeasured } from './pay-load.ts'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
export const CHECKOUT = here('..')
export const TICKS_PER_SECOND = 100 // USER_HZ of Linux, whatever the kernel's own rate
export const MASTER_KEY = Buffer.alloc(32, 9).toString('base64')

/** The checkout that `--against` or `--checkout` names, or the folder of `npm run pack`. */
export function checkoutAt(folder: string): string {
  if (!['node_modules', 'lib'].some((name) => existsSync(join(folder, name))))
    throw new Error(`${folder} is no checkout with its packages installed (npm ci)`)
  return resolve(folder)
}

const atExit: (() => void)[] = []
process.once('exit', () => {
  for (const each of atExit) each()
})

export interface Served {
  port: number
  pid: number
  process: ChildProcess
  /** From the start of the process to the line with its address. */
  startMs: number
  stop(): Promise<void>
}

/** Runs a file until it prints its address. */
export async function serve(file: string, args: readonly string[] = [], environment: Record<string, string> = {}): Promise<Served> {
  const started = performance.now()
  const process_ = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  atExit.push(() => process_.kill()) // a part that fails stops nothing itself
  const ended = new Promise<void>((resolve) => process_.once('exit', () => resolve()))
  const port = await new Promise<number>((resolve, reject) => {
    let output = ''
    process_.once('exit', (code) => reject(new Error(`${file} ended with ${code}: ${output}`)))
    process_.stdout.on('data', (text) => {
      output += text
      const found = /listens on http:\/\/[^:]+:(\d+)/.exec(output)
      if (found) resolve(Number(found[1]))
    })
  })
  return {
    port,
    pid: process_.pid!,
    process: process_,
    startMs: performance.now() - started,
    async stop() {
      process_.kill('SIGTERM')
      await ended
    },
  }
}

export interface Place {
  folder: string
  databaseUrl?: string
  /** The checkout of the service; by default this one. */
  checkout?: string
  environment?: Readonly<Record<string, string>>
}

/** A folder for one service. It is removed when the benchmark ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-bench-'))
  atExit.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function serveMohur({ folder, databaseUrl, checkout = CHECKOUT, environment = {} }: Place, world?: World): Promise<Served> {
  const worldFile = join(folder, 'world.json')
  if (world) writeFileSync(worldFile, JSON.stringify(world))
  return serve(join(checkout, 'bin/mohur.mjs'), ['serve'], {
    PORT: '0',
    MOHUR_DATA: folder,
    MOHUR_MASTER_KEY: MASTER_KEY,
    MOHUR_LOG: 'warn',
    MOHUR_CONNECTIONS_PER_ADDRESS: '10000', // an open loop opens as many as it needs
    DATABASE_URL: databaseUrl ?? '',
    ...(world && { MOHUR_WORLD: worldFile }),
    ...environment,
  })
}

/** A bank behind the contract of docs/acquirer.md. `environment` connects a service to it. */
export async function serveRemoteBank() {
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
  const { port, stop } = await serve(here('remote-bank.ts'), [secret])
  return { stop, environment: { MOHUR_ACQUIRER_URL: `http://127.0.0.1:${port}`, MOHUR_ACQUIRER_SECRET: secret } }
}

/** A proxy to a database that adds `delayMs` in each direction. `journeys` are the times at which clients sent after they had received. */
export async function serveProxy(databaseUrl: string, delayMs: number, { tells = false } = {}) {
  const url = new URL(databaseUrl)
  const served = await serve(here('proxy.ts'), [url.port, String(delayMs), ...(tells ? ['tells'] : [])])
  url.port = String(served.port)
  const journeys: number[] = []
  createInterface(served.process.stdout!).on('line', (line) => journeys.push(Number(line.replace('journey ', ''))))
  return { databaseUrl: url.href, journeys, stop: served.stop }
}

export const load = (given: Load) => generate<Load, Measured>('load.ts', given)
export const payLoad = (given: PayLoad) => generate<PayLoad, PayMeasured>('pay-load.ts', given)

/** One run of a load generator, in a new process. Rejects when any reply was not as expected. */
async function generate<Given extends object, Answer>(file: string, given: Given): Promise<Answer> {
  const generator = fork(here(file))
  return new Promise<Answer>((resolve, reject) => {
    generator.once('message', (message) => resolve(message as Answer))
    generator.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)))
    generator.send(given)
  })
}

export const residentMb = (pid: number) => memoryMb(pid, /VmRSS:\s+(\d+)/)
/** The most resident memory since the start. */
export const peakMb = (pid: number) => memoryMb(pid, /VmHWM:\s+(\d+)/)
const memoryMb = (pid: number, line: RegExp) => Number(line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024

/** The processor time of a process, user and system. */
export function cpuSeconds(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) / TICKS_PER_SECOND
}

/** User and system, of a PostgreSQL server, its living sessions and those that have ended. */
export function postgresSeconds(dataFolder: string): number {
  const postmaster = Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0])
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)))
    try {
      const [, parent, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number)
      const [user, system, endedUser, endedSystem] = rest.slice(9, 13)
      if (Number(pid) === postmaster) ticks += user! + system! + endedUser! + endedSystem!
      else if (parent === postmaster) ticks += user! + system!
    } catch {
      // The session has ended meanwhile, and stands in the server's own count.
    }
  return ticks / TICKS_PER_SECOND
}

/** Processor time of a service and its PostgreSQL from now on, for one order. */
export function processorTimes(pid: number, dataFolder: string | undefined) {
  const now = () => ({ service: cpuSeconds(pid), postgres: dataFolder === undefined ? 0 : postgresSeconds(dataFolder) })
  const began = now()
  return {
    forOneOf(orders: number) {
      const { service, postgres } = now()
      return { cpuMicros: (1e6 * (service - began.service)) / orders, postgresMicros: (1e6 * (postgres - began.postgres)) / orders }
    },
  }
}

export { sleep }
