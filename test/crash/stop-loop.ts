/**
 * Stops the service with SIGTERM while it creates orders, again and again, and counts missing answers: `node bin/run.mjs
 * test/crash/stop-loop.ts --store sqlite|postgres --times 50 [--seed 1]`. An acknowledged order must exist. A request that the server logs
 * as begun (by its X-Request-ID) must get an answer. A request that it never read may be cut off.
 */

import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { operations } from '../../src/api/operations.ts'
import { sign } from '../../src/interface/checksum.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { serveProcess } from '../support/run/process.ts'
import { KEY, MID, type StoreName } from '../support/run/service.ts'
import { Random } from '../support/text/random.ts'
import { fromShell, inPlace, type Place, settingsOf, within } from './place.ts'
import { untilUnderLoad } from './under-load.ts'

const CONNECTIONS = 16
const LOAD_MS_MIN = 50
const LOAD_MS_MAX = 300 // under load before a stop

export interface StopFigures {
  store: StoreName
  seed: number
  stops: number
  acknowledged: number
  /** Acknowledged orders that do not exist. */
  missing: number
  /** Requests that the log has as begun. */
  begun: number
  begunAndUnanswered: number
  /** Requests that never began and whose connection ended, by how. */
  cutOff: Record<string, number>
  /** Answers other than an order. */
  unexpected: Record<string, number>
  longestStopMs: number
}

export const stopLoop = (store: StoreName, times: number, seed: number): Promise<StopFigures> =>
  inPlace(store, 'stop', async (place) => {
    const random = new Random(seed)
    const figures: StopFigures = {
      store,
      seed,
      stops: times,
      acknowledged: 0,
      missing: 0,
      begun: 0,
      begunAndUnanswered: 0,
      cutOff: {},
      unexpected: {},
      longestStopMs: 0,
    }
    const acknowledged: string[] = []
    for (let time = 0; time < times; time++)
      await stopOnce(place, `S${time}`, LOAD_MS_MIN + random.below(LOAD_MS_MAX), figures, acknowledged)
    const there = await ordersOf(place)
    return { ...figures, acknowledged: acknowledged.length, missing: acknowledged.filter((id) => !there.has(id)).length }
  })

async function stopOnce(place: Place, prefix: string, loadMs: number, figures: StopFigures, acknowledged: string[]) {
  const service = await serveProcess({ ...settingsOf(place), MOHUR_LOG: 'debug' })
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const answered = new Set<string>()
  const lost = new Map<string, string>()
  let number = 0
  const one = async () => {
    for (;;) {
      const orderId = `${prefix}-${number++}`
      try {
        const code = await createOrder(service.url, agent, orderId)
        answered.add(nameOf(orderId))
        if (code === '0000') acknowledged.push(orderId)
        else figures.unexpected[code] = (figures.unexpected[code] ?? 0) + 1
      } catch (error) {
        const how = (error as { code?: string }).code ?? String(error)
        if (how === 'ECONNREFUSED') return // it accepts no new sockets, so no caller got an answer
        lost.set(nameOf(orderId), how)
      }
    }
  }
  const load = Promise.all(Array.from({ length: CONNECTIONS }, one))
  await untilUnderLoad(acknowledged)
  await sleep(loadMs)
  const began = performance.now()
  const code = await service.kill('SIGTERM')
  figures.longestStopMs = Math.max(figures.longestStopMs, Math.round(performance.now() - began))
  if (code !== 0) figures.unexpected[`exit ${code}`] = (figures.unexpected[`exit ${code}`] ?? 0) + 1
  await load
  agent.destroy()
  const begun = begunIn(service.log())
  figures.begun += begun.size
  figures.begunAndUnanswered += [...begun].filter((id) => !answered.has(id)).length
  for (const [id, how] of lost) if (!begun.has(id)) figures.cutOff[how] = (figures.cutOff[how] ?? 0) + 1
}

const nameOf = (orderId: string) => `stop-loop.${orderId}`

function begunIn(log: Buffer): Set<string> {
  const begun = new Set<string>()
  for (const line of log.toString().split('\n')) {
    if (!line.startsWith('{') || !line.includes('"begun"')) continue
    begun.add((JSON.parse(line) as { request: string }).request)
  }
  return begun
}

async function createOrder(url: string, agent: Agent, orderId: string): Promise<string> {
  const body = JSON.stringify(orderBody(orderId))
  const text = `{"head":{"signature":"${sign(body, KEY, 'Ab3=')}"},"body":${body}}`
  const call = request(`${url}${operations.createOrder.paths[0]}?mid=${MID}&orderId=${orderId}`, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), 'x-request-id': nameOf(orderId) },
  })
  call.end(text)
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  let reply = ''
  for await (const piece of response.setEncoding('utf8')) reply += piece
  if (response.statusCode !== 200) return `HTTP ${response.statusCode}`
  return (JSON.parse(reply) as { body: { resultInfo: { resultCode: string } } }).body.resultInfo.resultCode
}

/** Reads the database itself, beside the service. */
const ordersOf = (place: Place): Promise<Set<string>> =>
  within(place, async (rows) => new Set((await rows<{ id: string }>('select order_id as id from orders')).map(({ id }) => id)))

if (process.argv[1] === import.meta.filename)
  await fromShell(
    { times: 50 },
    (store, seed, { times }) => stopLoop(store, times, seed),
    ({ missing, begunAndUnanswered }) => missing + begunAndUnanswered === 0,
  )
