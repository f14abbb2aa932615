// Every kind of answer at every position of a kept connection, with two merchants on one host whose name leads elsewhere later:
// docs/decisions/0015.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { createServer as createTlsServer, setDefaultCACertificates } from 'node:tls'
import { Egress, type Posted } from '../../../src/adapters/delivery/egress.ts'
import { inParallel } from '../paying/paying.ts'
import { clean, finish, type Kind, kinds, play } from './answers.ts'
import { certificate, key } from './certificate.ts'

const NAME = 'hooks.example' // the name in the certificate
const LIMITS = { connectMs: 2_000, totalMs: 2_500, idleMs: 30_000, doubtMs: 0 } // no doubt, so that every position is reached
const AT_ONCE_MS = 5_000 // far below `idleMs`, and far above the time that a busy machine takes
const AT_ONCE = 64
const UNASKED = 299 // the status of unasked answers

const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, family }) => !internal && family === 'IPv4')
  .map(({ address }) => address)
/** Later addresses of the name. The service may dial none of them. Those that lead anywhere lead to a listener that would see it. */
const ELSEWHERE = [['0.0.0.0'], ['::ffff:127.0.0.1'], own, ['127.0.0.1', '0.0.0.0'], ['10.0.0.1'], ['169.254.169.254']].filter(
  (addresses) => addresses.length > 0,
)

interface KeptConnection {
  socket: Socket
  mids: Set<string>
  requests: number
}
type Act = (socket: Socket) => void

/** A merchant's host. It answers each notification with the status that equals its id, unless `acts` has another action for it. */
export async function host(isTls: boolean) {
  const connections: KeptConnection[] = []
  const acts = new Map<number, Act>()
  const seen = (socket: Socket) => {
    const came: KeptConnection = { socket, mids: new Set(), requests: 0 }
    connections.push(came)
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (part) => {
      text += part
      for (;;) {
        const request = /^POST .*?\r\n\r\n\{"mid":"(\w+)","id":(\d+)\}/s.exec(text)
        if (!request) return
        text = text.slice(request[0].length)
        came.requests++
        came.mids.add(request[1]!)
        const id = Number(request[2])
        const act = acts.get(id)
        if (act) act(socket)
        else socket.write(clean(id))
      }
    })
  }
  const server = isTls ? createTlsServer({ key, cert: certificate }, seen) : createServer(seen)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const canaries = await Promise.all(own.map((address) => canary(address, port)))
  return {
    url: `${isTls ? 'https' : 'http'}://${NAME}:${port}/`,
    connections,
    acts,
    seenByCanaries: () => canaries.reduce((sum, { seen }) => sum + seen.connections, 0),
    close() {
      for (const { socket } of connections) socket.destroy()
      for (const { server } of canaries) server.close()
      server.close()
    },
  }
}

async function canary(address: string, port: number): Promise<{ server: Server; seen: { connections: number } }> {
  const seen = { connections: 0 }
  const server = createServer((socket) => {
    seen.connections++
    socket.destroy()
  })
  await once(server.listen({ port, host: address }), 'listening')
  return { server, seen }
}

type Host = Awaited<ReturnType<typeof host>>
type Post = (mid: string, id: number) => Promise<Posted>
interface Place {
  at: Host
  kind: Kind
  post: Post
}

const closed = (socket: Socket) => new Promise<void>((done) => (socket.closed ? done() : socket.once('close', () => done())))

/** Each answers merchant A's notifications 201 and 202 with one kind of answer, or sends that kind unasked. 203 gets a clean answer. */
const positions = {
  async first({ at, kind, post }) {
    at.acts.set(201, (socket) => play(kind, 201, socket))
    await post('A', 201)
    return [await post('A', 202)]
  },
  async reused({ at, kind, post }) {
    at.acts.set(202, (socket) => play(kind, 202, socket))
    const before = await post('A', 201)
    await post('A', 202)
    return [before]
  },
  async 'while idle'({ at, kind, post }) {
    const before = await post('A', 201)
    const [kept] = at.connections
    const began = performance.now()
    play(kind, UNASKED, kept!.socket)
    await closed(kept!.socket)
    assert.ok(performance.now() - began < AT_ONCE_MS, `${kind.what} closes an idle connection`)
    return [before, await post('A', 202)]
  },
  async 'after idle end'({ at, kind, post }) {
    const before = await post('A', 201)
    at.connections[0]!.socket.end(kind.bytes(UNASKED), 'latin1')
    return [before, await post('A', 202)]
  },
  async early({ at, kind, post }) {
    const before = await post('A', 201)
    play(kind, UNASKED, at.connections[0]!.socket)
    return [before, await post('A', 202)]
  },
  async 'second answer'({ at, kind, post }) {
    at.acts.set(201, (socket) => {
      socket.write(clean(201) + kind.bytes(UNASKED), 'latin1')
      finish(kind.ending, socket)
    })
    return [await post('A', 201), await post('A', 202)]
  },
  async 'half and second'({ at, kind, post }) {
    const bytes = kind.bytes(UNASKED)
    const half = Math.ceil(bytes.length / 2)
    at.acts.set(201, (socket) => {
      socket.write(clean(201) + bytes.slice(0, half), 'latin1')
      if (bytes === '') return finish(kind.ending, socket)
      socket.once('data', () => {
        socket.write(bytes.slice(half), 'latin1')
        finish(kind.ending, socket)
      })
    })
    return [await post('A', 201), await post('A', 202)]
  },
} satisfies Record<string, (place: Place) => Promise<readonly Posted[]>>

export type Position = keyof typeof positions
export const allPositions = Object.keys(positions) as Position[]

interface Counts {
  requests: number
  connections: number
  canaries: number
  shared: number
  unasked: number
}

/** Runs one kind at one position for merchant A. Merchant B has the same host, and the name leads elsewhere at the end. */
async function run(counts: Counts, kind: Kind, position: Position, isTls: boolean, round: number) {
  const what = `${kind.what}, ${position}${isTls ? ', over TLS' : ''}`
  const at = await host(isTls)
  let addresses: readonly string[] = ['127.0.0.1']
  const egress = new Egress('sandbox', async () => addresses, LIMITS)
  const outcomes: Posted[] = []
  const post: Post = async (mid, id) => {
    const posted = await egress.post(at.url, {}, `{"mid":"${mid}","id":${id}}`, mid)
    outcomes.push(posted)
    return posted
  }
  const answered = (httpStatus: number) => ({ outcome: 'answered', httpStatus })
  try {
    const clear = await positions[position]({ at, kind, post })
    const ids = position === 'first' ? [202] : [201, 202]
    assert.deepEqual(clear, ids.slice(0, clear.length).map(answered), what)
    assert.deepEqual(await post('A', 203), answered(203), what)
    for (const id of [211, 212, 213]) assert.deepEqual(await post('B', id), answered(id), what)
    assert.equal(at.connections.filter(({ mids }) => mids.has('B')).length, 1, `${what}: B’s own connection is kept`)

    const before = at.connections.length
    addresses = ELSEWHERE[round % ELSEWHERE.length]!
    assert.deepEqual(await post('A', 204), answered(204), `${what}: over the connection that was judged`)
    play(kind, UNASKED, at.connections.findLast(({ mids, socket }) => mids.has('A') && !socket.closed)!.socket)
    assert.deepEqual(await post('A', 205), { outcome: 'notPublic' }, `${what}: over a new one`)
    for (const { socket } of at.connections) socket.destroy()
    assert.deepEqual(await post('B', 214), { outcome: 'notPublic' }, what)
    counts.canaries += at.seenByCanaries() + at.connections.length - before
    counts.connections += at.connections.length
    counts.requests += at.connections.reduce((sum, { requests }) => sum + requests, 0)
    counts.shared += at.connections.filter(({ mids }) => mids.size > 1).length
    counts.unasked += outcomes.filter((posted) => posted.outcome === 'answered' && posted.httpStatus === UNASKED).length
  } finally {
    egress.close()
    at.close()
  }
}

export interface Case {
  kind: Kind
  position: Position
  isTls: boolean
}

/** Runs all cases, and returns how often a forbidden thing happened. A wrong answer fails at once. */
export async function runCases(cases: readonly Case[]): Promise<Counts> {
  setDefaultCACertificates([certificate])
  const counts: Counts = { requests: 0, connections: 0, canaries: 0, shared: 0, unasked: 0 }
  await inParallel(AT_ONCE, cases.length, async (at) => {
    const { kind, position, isTls } = cases[at]!
    await run(counts, kind, position, isTls, at)
  })
  return counts
}

export const summary = (cases: readonly Case[], { requests, connections, canaries, shared, unasked }: Counts) =>
  `${cases.length} cases (${kinds.length} kinds of answer, ${allPositions.length} positions, ${cases.filter(({ isTls }) => isTls).length} cases over TLS), ${requests} notifications over ${connections} connections: seen by canaries ${canaries}, of two merchants ${shared}, answers taken for another's ${unasked}`
