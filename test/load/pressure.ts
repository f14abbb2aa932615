/**
 * Honest customers beside hostile clients: `node bin/run.mjs test/load/pressure.ts [--sockets 60 --requests 2000 --readers 20 --slow
 * 2000]`. Three phases follow each other. Sockets send wrongly signed orders without waiting for replies, sockets request `/metrics` and
 * never read, and requests send no body. Meanwhile a customer creates orders. Prints how long the customer waits, the service's memory and
 * its log lines. The hostile clients have their own process.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { operations } from '../../src/api/operations.ts'
import { sign } from '../../src/interface/checksum.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { type ServedProcess, serveProcess } from '../support/run/process.ts'
import { KEY, MID } from '../support/run/service.ts'

const WRONG_KEY = 'BCDEFGHIJKLMNOPQ'
const CUSTOMERS = 4
const CUSTOMER_EVERY_MS = 20
const ADDRESSES = 16 // slow bodies come from 127.0.0.2 and on, because one address has 256 sockets
const SLOW_LIMIT_MS = 20_000
const MEGABYTE = 2 ** 20

export interface Pressure {
  sockets: number
  requests: number
  readers: number
  /** How long to watch sockets that never read. */
  unreadMs: number
  slow: number
}

interface Phase {
  seconds: number
  /** Orders that honest customers have made, and their answers of any other kind. */
  orders: number
  unexpected: Record<string, number>
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** The process's most memory, less its memory before. */
  grewMb: number
  /** The answers that the hostile clients counted. */
  heard: Record<string, number>
}

export interface PressureFigures {
  quiet: Phase
  wrongCreates: Phase
  unreadMetrics: Phase
  slowBodies: Phase
  /** The most log lines about refusals of one code within one second. */
  linesPerSecond: number
  /** Refusals in the log, by lines and counts, and refusals that were answered. */
  refusalsLogged: number
  refusalsAnswered: number
}

export async function pressure(of: Pressure): Promise<PressureFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-pressure-'))
  const service = await serveProcess({ MOHUR_DATA: folder, MOHUR_LOG: 'info', MOHUR_CONNECTIONS_PER_ADDRESS: '256' })
  try {
    await phase(service, 'W', { kind: 'none', ms: 500 }) // runs what is slow only the first time
    const quiet = await phase(service, 'Q', { kind: 'none', ms: 2_000 })
    const wrongCreates = await phase(service, 'C', { kind: 'creates', sockets: of.sockets, requests: of.requests })
    const unreadMetrics = await phase(service, 'M', { kind: 'metrics', sockets: of.readers, requests: of.requests, unreadMs: of.unreadMs })
    const slowBodies = await phase(service, 'S', { kind: 'slow', sockets: of.slow, requests: 1 })
    await sleep(1_500) // the last count is logged within a second
    await service.kill('SIGTERM')
    return {
      quiet,
      wrongCreates,
      unreadMetrics,
      slowBodies,
      ...loggedIn(service.log()),
      refusalsAnswered: wrongCreates.heard['refused'] ?? 0,
    }
  } finally {
    await service.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
}

type Press = { kind: 'none'; ms: number } | { kind: 'creates' | 'metrics' | 'slow'; sockets: number; requests: number; unreadMs?: number }

async function phase(service: ServedProcess, prefix: string, press: Press): Promise<Phase> {
  const began = performance.now()
  const agent = new Agent({ keepAlive: true, maxSockets: CUSTOMERS + 1 })
  const before = await memoryOf(service.url, agent)
  const tookMs: number[] = []
  const unexpected: Record<string, number> = {}
  let [isOver, number, most] = [false, 0, before]
  const customer = async () => {
    while (!isOver) {
      const sent = performance.now()
      const code = await createOrder(service.url, agent, `${prefix}${number++}`).catch(
        (error: Error & { code?: string }) => error.code ?? error.message,
      )
      tookMs.push(performance.now() - sent)
      if (code !== '0000') unexpected[code] = (unexpected[code] ?? 0) + 1
      await sleep(CUSTOMER_EVERY_MS)
    }
  }
  const looking = (async () => {
    while (!isOver) {
      most = Math.max(most, await memoryOf(service.url, agent).catch(() => 0))
      await sleep(200)
    }
  })()
  const customers = Array.from({ length: CUSTOMERS }, customer)
  const heard = press.kind === 'none' ? await sleep(press.ms, {}) : await pressed(service.url, press)
  isOver = true
  await Promise.all([...customers, looking])
  agent.destroy()
  tookMs.sort((a, b) => a - b)
  const at = (part: number) => Number((tookMs[Math.ceil(tookMs.length * part) - 1] ?? 0).toFixed(1))
  return {
    seconds: Number(((performance.now() - began) / 1_000).toFixed(1)),
    orders: tookMs.length,
    unexpected,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    grewMb: Math.round((most - before) / MEGABYTE),
    heard,
  }
}

/** Runs hostile clients in their own process, until they have finished. */
async function pressed(
  url: string,
  { kind, sockets, requests, unreadMs = 0 }: Exclude<Press, { kind: 'none' }>,
): Promise<Record<string, number>> {
  const args = ['--press', kind, '--url', url, '--sockets', String(sockets), '--requests', String(requests), '--unread', String(unreadMs)]
  const child: ChildProcess = spawn(process.execPath, [import.meta.filename, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout!.setEncoding('utf8').on('data', (part) => {
    out += part
  })
  await once(child, 'close')
  return JSON.parse(out) as Record<string, number>
}

function loggedIn(log: Buffer): Pick<PressureFigures, 'linesPerSecond' | 'refusalsLogged'> {
  const perSecond = new Map<string, number>()
  let refusalsLogged = 0
  const lastAt = new Map<string, number>()
  for (const line of log.toString().split('\n')) {
    if (!line.includes('"refused"')) continue
    const { time, operation, code, alike = 0, request: id } = JSON.parse(line) as Record<string, string> & { time: number; alike?: number }
    const key = `${operation} ${code}`
    // Within any second, and not only within those of the wall clock; 5 ms for its precision.
    const isNear = time - (lastAt.get(key) ?? 0) < 995
    perSecond.set(key, Math.max(perSecond.get(key) ?? 1, isNear ? 2 : 1))
    lastAt.set(key, time)
    refusalsLogged += alike + (id === undefined ? 0 : 1)
  }
  return { linesPerSecond: Math.max(0, ...perSecond.values()), refusalsLogged }
}

async function memoryOf(url: string, agent: Agent): Promise<number> {
  const text = await answerOf(request(`${url}/metrics`, { agent }).end())
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1] ?? 0)
}

async function createOrder(url: string, agent: Agent, orderId: string): Promise<string> {
  const { path, text } = order(orderId, KEY)
  const headers = { 'content-type': 'application/json', 'content-length': text.length }
  const reply = await answerOf(request(url + path, { agent, method: 'POST', headers }).end(text))
  return (JSON.parse(reply) as { body: { resultInfo: { resultCode: string } } }).body.resultInfo.resultCode
}

async function answerOf(call: ReturnType<typeof request>): Promise<string> {
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  let text = ''
  for await (const part of response.setEncoding('utf8')) text += part
  return text
}

function order(orderId: string, key: string) {
  const body = JSON.stringify(orderBody(orderId))
  const text = `{"head":{"signature":"${sign(body, key, 'Ab3=')}"},"body":${body}}`
  return { path: `${operations.createOrder.paths[0]}?mid=${MID}&orderId=${orderId}`, text }
}

// ------------------------------------------------------------------------------------------------------ those who press

async function press(kind: string, url: string, sockets: number, requests: number, unreadMs: number): Promise<Record<string, number>> {
  const { hostname, port } = new URL(url)
  const dial = (at: number): Socket => {
    const localAddress = kind === 'slow' ? `127.0.0.${2 + (at % ADDRESSES)}` : '127.0.0.1'
    return connect({ host: hostname, port: Number(port), localAddress })
  }
  const heard: Record<string, number> = {}
  const count = (what: string, more = 1) => {
    heard[what] = (heard[what] ?? 0) + more
  }
  const began = performance.now()
  const { path, text } = order('PRESSED', WRONG_KEY)
  const head = `POST ${path} HTTP/1.1\r\nHost: mohur\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`
  const bytes = {
    creates: (head + text).repeat(requests),
    metrics: 'GET /metrics HTTP/1.1\r\nHost: mohur\r\n\r\n'.repeat(requests),
    slow: `${head}{`,
  }
  const all = Array.from({ length: sockets }, async (_, at) => {
    const socket = dial(at)
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', (error: Error & { code?: string }) => count(error.code ?? 'error'))
    socket.write(bytes[kind as keyof typeof bytes])
    if (kind === 'metrics') await Promise.race([closed, sleep(unreadMs)])
    else {
      let replies = ''
      let left = requests
      socket.setEncoding('latin1').on('data', (part: unknown) => {
        replies += String(part)
        const end = replies.lastIndexOf('HTTP/1.1 ') // the last one may not be whole yet
        left -= replies.slice(0, end).split('HTTP/1.1 ').length - 1
        for (const [what, form] of Object.entries(FORMS)) count(what, replies.slice(0, end).split(form).length - 1)
        replies = replies.slice(end)
        if (left === 1 && replies.endsWith('}')) socket.end()
      })
      socket.once('close', () => {
        for (const [what, form] of Object.entries(FORMS)) count(what, replies.split(form).length - 1)
      })
      await Promise.race([closed, sleep(SLOW_LIMIT_MS * 3, undefined, { ref: false })])
      if (!socket.destroyed) count('still open')
      heard['longestMs'] = Math.max(heard['longestMs'] ?? 0, Math.round(performance.now() - began))
    }
    socket.destroy()
  })
  await Promise.all(all)
  return heard
}
const FORMS = { refused: '"resultCode":"2005"', overloaded: '"resultCode":"501"', unavailable: 'HTTP/1.1 503', tooSlow: 'HTTP/1.1 408' }

if (process.argv[1] === import.meta.filename) {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    options: { press: string, url: string, sockets: string, requests: string, readers: string, slow: string, unread: string },
  })
  const { sockets = '60', requests = '2000', readers = '20', slow = '2000', unread = '10000' } = values
  if (values.press) console.log(JSON.stringify(await press(values.press, values.url!, Number(sockets), Number(requests), Number(unread))))
  else {
    const of = {
      sockets: Number(sockets),
      requests: Number(requests),
      readers: Number(readers),
      unreadMs: Number(unread),
      slow: Number(slow),
    }
    console.log(JSON.stringify(await pressure(of), null, 1))
  }
}
