/**
 * Kills the service with SIGKILL while it creates orders, starts it again, and counts losses: `node bin/run.mjs test/crash/kill-loop.ts
 * --store sqlite|postgres --times 50 [--seed 1]`. An acknowledged order must exist afterwards, once, with its one event and the token that
 * its caller got. An order whose answer never came may exist or not; when its caller asks again, it must not become two.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Vault } from '../../src/adapters/store/vault.ts'
import { operations } from '../../src/api/operations.ts'
import { sign } from '../../src/interface/checksum.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { program } from '../support/run/checkout.ts'
import { KEY, MID, type StoreName } from '../support/run/service.ts'
import { Random } from '../support/text/random.ts'
import { fromShell, inPlace, MASTER_KEY, type Place, settingsOf, within } from './place.ts'
import { untilUnderLoad } from './under-load.ts'

const CONNECTIONS = 16
const LOAD_MS_MAX = 400 // under load before a kill
const START_MS_MAX = 300 // of a start that is itself killed, every fifth time
const START_LIMIT_MS = 120_000

export interface Figures {
  store: StoreName
  seed: number
  kills: number
  killsDuringStart: number
  acknowledged: number
  unanswered: number
  /** Acknowledged orders that do not exist, or that have another token. */
  missing: number
  /** Orders that exist twice, in rows, events or answers. */
  duplicates: number
  /** Orders without their event, and events without their order. */
  torn: number
  /** Answers other than success and, for a repeated order, duplicate. */
  unexpected: Record<string, number>
}

interface Acknowledged {
  orderId: string
  txnToken: string
}

export const killLoop = (store: StoreName, times: number, seed: number): Promise<Figures> =>
  inPlace(store, 'crash', (place) => run({ ...place, times, seed }))

interface Loop extends Place {
  times: number
  seed: number
}

async function run(loop: Loop): Promise<Figures> {
  const random = new Random(loop.seed)
  const acknowledged: Acknowledged[] = []
  const unanswered = new Set<string>()
  const unexpected: Record<string, number> = {}
  let duplicates = 0
  let killsDuringStart = 0
  const record = (order: Acknowledged) => {
    appendFileSync(join(loop.folder, 'acknowledged'), `${order.orderId} ${order.txnToken}\n`)
    acknowledged.push(order)
  }
  const note = (code: string) => {
    unexpected[code] = (unexpected[code] ?? 0) + 1
  }

  for (let time = 0; time < loop.times; time++) {
    if (time % 5 === 4) {
      const starting = launch(loop)
      await sleep(random.below(START_MS_MAX))
      await kill(starting)
      killsDuringStart++
    }
    const service = launch(loop)
    const url = await listening(service)
    // First the orders of the last round whose answer never came: each exists or not, and must not become two.
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    const asked = [...unanswered]
    unanswered.clear()
    await Promise.all(
      asked.map(async (orderId) => {
        const reply = await createOrder(url, agent, orderId).catch(() => undefined)
        if (reply?.code === '0000') record({ orderId, txnToken: reply.txnToken! })
        else if (reply?.code !== '324') note(reply?.code ?? 'no answer to a repeated order')
      }),
    )
    const load = drive(url, agent, `K${time}`, {
      record,
      note,
      lost: (orderId) => unanswered.add(orderId),
    })
    await untilUnderLoad(acknowledged)
    await sleep(random.below(LOAD_MS_MAX))
    await kill(service)
    await load
    agent.destroy()
  }

  // A last start recovers from the last kill.
  const last = launch(loop)
  await listening(last)
  await kill(last)
  const found = await inspect(loop, acknowledged)
  duplicates += found.duplicates + (acknowledged.length - new Set(acknowledged.map(({ orderId }) => orderId)).size)
  const { missing, torn } = found
  const { store, seed, times } = loop
  return {
    store,
    seed,
    kills: times,
    killsDuringStart,
    acknowledged: acknowledged.length,
    unanswered: unanswered.size,
    missing,
    duplicates,
    torn,
    unexpected,
  }
}

const launch = (loop: Loop): ChildProcess =>
  spawn(process.execPath, [program, 'serve'], { stdio: ['ignore', 'pipe', 'inherit'], env: { PORT: '0', ...settingsOf(loop) } })

async function listening(service: ChildProcess): Promise<string> {
  const tooLate = setTimeout(() => service.kill('SIGKILL'), START_LIMIT_MS)
  try {
    for await (const line of createInterface({ input: service.stdout! })) {
      const url = /^Mohur listens on (\S+)/.exec(line)?.[1]
      if (url) return url
    }
    throw new Error(`the service ended while it started, with ${service.exitCode ?? service.signalCode ?? 'its output closed'}`)
  } finally {
    clearTimeout(tooLate)
    service.stdout!.resume()
  }
}

async function kill(service: ChildProcess) {
  if (service.exitCode !== null || service.signalCode !== null) return
  const ended = once(service, 'exit')
  service.kill('SIGKILL')
  await ended
}

/** Creates orders over a few connections until the service is gone. */
async function drive(
  url: string,
  agent: Agent,
  prefix: string,
  { record, note, lost }: { record: (order: Acknowledged) => void; note: (code: string) => void; lost: (orderId: string) => void },
) {
  let number = 0
  const one = async () => {
    for (;;) {
      const orderId = `${prefix}-${number++}`
      try {
        const { code, txnToken } = await createOrder(url, agent, orderId)
        if (code === '0000') record({ orderId, txnToken: txnToken! })
        else note(code)
      } catch {
        lost(orderId)
        return
      }
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
}

async function createOrder(url: string, agent: Agent, orderId: string): Promise<{ code: string; txnToken: string | undefined }> {
  const body = JSON.stringify(orderBody(orderId))
  const text = `{"head":{"signature":"${sign(body, KEY, 'Ab3=')}"},"body":${body}}`
  const call = request(`${url}${operations.createOrder.paths[0]}?mid=${MID}&orderId=${orderId}`, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
  })
  call.end(text)
  const [response] = await once(call, 'response')
  let reply = ''
  for await (const piece of response.setEncoding('utf8')) reply += piece
  const { resultInfo, txnToken } = JSON.parse(reply).body
  return { code: resultInfo.resultCode, txnToken }
}

/** Reads the database itself, beside the service. */
const inspect = (loop: Loop, acknowledged: readonly Acknowledged[]) =>
  within(loop, async (rows) => {
    if (loop.store === 'sqlite') {
      const [state] = await rows<{ integrity_check: string }>('pragma integrity_check')
      if (state?.integrity_check !== 'ok') throw new Error(`the database is damaged: ${state?.integrity_check}`)
    }
    const orders = await rows<{ id: string; hash: string }>('select order_id as id, txn_token_hash as hash from orders')
    const events = await rows<{ id: string }>("select id from events where type = 'order.created'")
    const hashes = new Map(orders.map(({ id, hash }) => [id, hash]))
    const created = new Set(events.map(({ id }) => id))
    const vault = new Vault(MASTER_KEY)
    return {
      missing: acknowledged.filter(({ orderId, txnToken }) => hashes.get(orderId) !== vault.hash('txnToken', txnToken)).length,
      duplicates: orders.length - hashes.size + (events.length - created.size),
      torn: orders.filter(({ id }) => !created.has(id)).length + [...created].filter((id) => !hashes.has(id)).length,
    }
  })

const isSound = ({ missing, duplicates, torn, unexpected }: Figures) => missing + duplicates + torn + Object.keys(unexpected).length === 0

if (process.argv[1] === import.meta.filename)
  await fromShell({ times: 50 }, (store, seed, { times }) => killLoop(store, times, seed), isSound)
