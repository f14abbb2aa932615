// Outside parties that leave some calls without an answer: a bank's adapter, an SMS provider, merchants' endpoints.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startAdapter } from './adapter.ts'

/** A received call: the last part of its path, its JSON, and when it came. */
export interface Heard {
  call: string
  // biome-ignore lint/suspicious/noExplicitAny: what came is what a test looks at
  body: any
  at: number
}

export interface Party {
  url: string
  heard: Heard[]
  /** The first call that fits, now or later. */
  hears(isIt: (heard: Heard) => boolean): Promise<Heard>
  close(): Promise<void>
}

/** Asks `isSilent` about each call. A silent call never gets an answer; `answer` answers the others. */
async function party(
  isSilent: (heard: Heard) => boolean,
  answer: (request: IncomingMessage, bytes: Buffer, response: ServerResponse, heard: Heard) => Promise<void>,
): Promise<Party> {
  const heard: Heard[] = []
  const waiting = new Set<(heard: Heard) => void>()
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const bytes = Buffer.concat(parts)
    const call = { call: request.url!.split('/').at(-1)!, body: json(bytes), at: performance.now() }
    heard.push(call)
    for (const tell of waiting) tell(call)
    if (!isSilent(call)) await answer(request, bytes, response, call).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    hears: (isIt) =>
      new Promise((resolve) => {
        const before = heard.find(isIt)
        if (before) return resolve(before)
        const tell = (call: Heard) => {
          if (!isIt(call)) return
          waiting.delete(tell)
          resolve(call)
        }
        waiting.add(tell)
      }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const json = (bytes: Buffer) => {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return bytes.toString()
  }
}

/** An SMS provider or a merchant's endpoint: it answers 200, or not at all. */
export const listener = (isSilent: (heard: Heard) => boolean = () => false) =>
  party(isSilent, async (_request, _bytes, response) => void response.writeHead(200).end())

/**
 * A bank's adapter, which ends with the test, behind a proxy. The proxy leaves some calls unanswered, and cuts others off before they reach
 * the bank.
 */
export async function bank(clock: { now(): number }, isSilent: (heard: Heard) => boolean, breaks: (heard: Heard) => boolean = () => false) {
  const adapter = await startAdapter(clock)
  return party(isSilent, async (request, bytes, response, heard) => {
    if (breaks(heard)) return void response.destroy()
    const { host: _, connection: __, ...headers } = request.headers
    delete headers['content-length']
    const given = await fetch(`${adapter.url}/${heard.call}`, { method: 'POST', headers: headers as Record<string, string>, body: bytes })
    response.writeHead(given.status, Object.fromEntries(given.headers)).end(Buffer.from(await given.arrayBuffer()))
  })
}
