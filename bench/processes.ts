// Starting what is measured, each in a process of its own.

import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { World } from '../src/sandbox/world.ts'
import type { Load, Measured } from './load.ts'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
export const MASTER_KEY = Buffer.alloc(32, 9).toString('base64')

export interface Served {
  port: number
  process: ChildProcess
  /** From the start of the process to the line that it listens. */
  startMs: number
  stop(): Promise<void>
}

/** Runs a file until it says where it listens. */
export async function serve(file: string, args: readonly string[] = [], environment: Record<string, string> = {}): Promise<Served> {
  const started = performance.now()
  const process_ = spawn(process.execPath, [here(file), ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
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
}

/** A folder for one service; removed when the benchmark ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function serveMohur({ folder, databaseUrl }: Place, world?: World): Promise<Served> {
  const worldFile = join(folder, 'world.json')
  if (world) writeFileSync(worldFile, JSON.stringify(world))
  return serve('../src/cli/mohur.ts', ['serve'], {
    PORT: '0',
    MOHUR_DATA: folder,
    MOHUR_MASTER_KEY: MASTER_KEY,
    MOHUR_LOG: 'warn',
    DATABASE_URL: databaseUrl ?? '',
    ...(world && { MOHUR_WORLD: worldFile }),
  })
}

/** One run of the load generator, in a fresh process. */
export async function load(given: Load): Promise<Measured> {
  const generator = fork(here('./load.ts'))
  const measured = await new Promise<Measured>((resolve, reject) => {
    generator.once('message', (message) => resolve(message as Measured))
    generator.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)))
    generator.send(given)
  })
  if (measured.unexpected > 0)
    throw new Error(`${measured.unexpected} replies were not as expected, the first: ${measured.firstUnexpected}`)
  return measured
}

export const residentMb = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024

export const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

export { sleep }
