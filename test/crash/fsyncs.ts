/**
 * Compares acknowledged orders with fsyncs: `node bin/run.mjs test/crash/fsyncs.ts --store sqlite|postgres [--orders 200]`. Orders are
 * created one after another, so that each is a commit of its own. `strace` counts the fsyncs of the service, or of PostgreSQL: at least one
 * for each order. Needs strace and the right to trace other processes, which root has.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { operations } from '../../src/api/operations.ts'
import { sign } from '../../src/interface/checksum.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { serveProcess } from '../support/run/process.ts'
import { KEY, MID, type StoreName } from '../support/run/service.ts'
import { startPostgres } from '../support/store/postgres.ts'

const ATTACHES_WITHIN_MS = 10_000

export interface FsyncFigures {
  store: StoreName
  acknowledged: number
  commits: number
  fsyncs: number
}

export async function fsyncs(store: StoreName, orders: number): Promise<FsyncFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-fsyncs-'))
  const postgres = store === 'postgres' ? await startPostgres() : undefined
  try {
    const DATABASE_URL = (await postgres?.createDatabase()) ?? ''
    const service = await serveProcess({ MOHUR_DATA: join(folder, 'data'), DATABASE_URL, MOHUR_LOG: 'silent' })
    const server = postgres && Number(readFileSync(join(postgres.dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0])
    const file = join(folder, 'trace')
    const tracer = await trace(server === undefined ? [service.pid] : [server, ...childrenOf(server)], file)
    await createOrder(service.url, 'WARM') // what the service does only once
    const [commits, calls] = [await commitsOf(service.url), fsyncsIn(file)]
    let acknowledged = 0
    for (let at = 0; at < orders; at++) if (await createOrder(service.url, `F${at}`)) acknowledged++
    const figures = { store, acknowledged, commits: (await commitsOf(service.url)) - commits, fsyncs: fsyncsIn(file) - calls }
    tracer.kill('SIGINT')
    await once(tracer, 'exit')
    await service.kill('SIGTERM')
    return figures
  } finally {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const isSound = ({ acknowledged, commits, fsyncs }: FsyncFigures) => acknowledged > 0 && commits >= acknowledged && fsyncs >= commits

async function trace(pids: readonly number[], file: string) {
  const args = ['-f', '-e', 'trace=fsync,fdatasync', '-o', file, ...pids.flatMap((pid) => ['-p', String(pid)])]
  const tracer = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  tracer.stderr.on('data', (part) => {
    said += part
  })
  const end = performance.now() + ATTACHES_WITHIN_MS
  while (said.split(' attached').length - 1 < pids.length) {
    if (tracer.exitCode !== null || performance.now() > end) throw new Error(`strace does not look on: ${said}`)
    await sleep(20)
  }
  return tracer
}

/** Calls that have succeeded, also those that strace prints in two lines because another process's call interrupted them. */
const fsyncsIn = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /(fsync|fdatasync)\b.*= 0$/.test(line)).length

const childrenOf = (pid: number) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => {
      try {
        return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${each}/stat`, 'utf8'))?.[1]) === pid
      } catch {
        return false // it has ended
      }
    })

/** Batches that wrote; each is one commit. */
async function commitsOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^mohur_batch_size_count (\d+)$/m.exec(text)![1])
}

async function createOrder(url: string, orderId: string): Promise<boolean> {
  const body = JSON.stringify(orderBody(orderId))
  const reply = await fetch(`${url}${operations.createOrder.paths[0]}?mid=${MID}&orderId=${orderId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"head":{"signature":"${sign(body, KEY, 'Ab3=')}"},"body":${body}}`,
  })
  return ((await reply.json()) as { body: { resultInfo: { resultCode: string } } }).body.resultInfo.resultCode === '0000'
}

if (process.argv[1] === import.meta.filename) {
  const string = { type: 'string' } as const
  const { values } = parseArgs({ options: { store: { ...string, default: 'sqlite' }, orders: { ...string, default: '200' } } })
  if (values.store !== 'sqlite' && values.store !== 'postgres') throw new Error('--store is sqlite or postgres')
  const figures = await fsyncs(values.store, Number(values.orders))
  console.log(JSON.stringify(figures))
  process.exitCode = isSound(figures) ? 0 : 1
}
