// Stands between a process and PostgreSQL, sees each statement, and lets it through, late, changed, or not at all.

import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Fate =
  | 'passes'
  /** The connection is cut before the server has seen the statement. */
  | 'cut before'
  /** The server has carried it out, and the connection is cut before its answer. */
  | 'cut behind'
  /** The server gets this instead. */
  | { instead: string }

export interface Statement {
  text: string
  /** The process id of the server's process for it. */
  backend: number
  /** The options with which its connection was opened. */
  options: string
  /** Resolves once everything before it on its connection is answered. */
  reached(): Promise<void>
}

export interface StatementProxy {
  /** The database's address through this proxy. */
  url: string
  /** Called for each statement before the server sees it. Later statements of its connection wait. */
  judge: (statement: Statement) => Fate | Promise<Fate>
  /** The statements after which a client began to wait. Statements sent before the answers have come travel with them. */
  journeys: readonly string[]
  close(): Promise<void>
}

/** `delayMs` is added each way. The order of messages stays. */
export async function proxyStatements(to: string, { delayMs = 0 } = {}): Promise<StatementProxy> {
  const target = new URL(to)
  const { port, hostname } = target
  const sockets = new Set<Socket>()
  const proxy = {
    url: '',
    judge: (_: Statement): Fate | Promise<Fate> => 'passes',
    journeys: [] as string[],
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true).on('error', () => {})
      socket.once('close', () => {
        for (const one of [client, upstream]) {
          sockets.delete(one)
          one.destroySoon()
        }
      })
    }
    serve(client, upstream, { delayMs, judge: (statement) => proxy.judge(statement), journey: (text) => proxy.journeys.push(text) })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  target.port = String((server.address() as { port: number }).port)
  proxy.url = target.href
  return proxy
}

interface Parts {
  delayMs: number
  judge(statement: Statement): Fate | Promise<Fate>
  journey(text: string): void
}

function serve(client: Socket, upstream: Socket, { delayMs, judge, journey }: Parts) {
  const texts = new Map<string, string>()
  let [backend, sent, answered, cutAt] = [0, 0, 0, Number.POSITIVE_INFINITY]
  const cut = () => {
    client.destroy()
    upstream.destroy()
  }
  const arrive = (socket: Socket, bytes: Buffer) => {
    if (delayMs === 0) socket.write(bytes)
    else setTimeout(() => socket.writable && socket.write(bytes), delayMs)
  }

  const fromServer = messages(false, (type, bytes) => {
    if (type === 'K') backend = bytes.readInt32BE(5)
    // The server's first "ready" comes before any statement.
    if (type === 'Z' && ++answered > cutAt) return cut()
    if (answered < cutAt || type === 'Z') arrive(client, bytes)
  })
  upstream.on('data', fromServer)

  let before: Promise<void> = Promise.resolve()
  let pieces: Buffer[] = []
  let [text, options] = ['', '']
  const fromClient = messages(true, (type, bytes) => {
    if (type === '') options = startOptions(bytes)
    if (type === 'P') texts.set(word(bytes, 5), word(bytes, 6 + word(bytes, 5).length))
    if (type === 'B') text = texts.get(word(bytes, 6 + word(bytes, 5).length)) ?? ''
    if (type === 'Q') text = word(bytes, 5)
    pieces.push(bytes)
    if (type !== 'S' && type !== 'Q' && type !== '' && type !== 'X') return
    const [whole, asked] = [Buffer.concat(pieces), { text }]
    pieces = []
    const isStatement = type === 'S' || type === 'Q'
    if (isStatement && sent + 1 <= answered) journey(text)
    const number = isStatement ? ++sent : sent
    const reached = async () => {
      while (answered < number && !upstream.destroyed) await sleep(1)
    }
    before = before.then(async () => {
      const fate = isStatement ? await judge({ ...asked, backend, options, reached }) : 'passes'
      if (fate === 'cut before') return cut()
      if (fate === 'cut behind') cutAt = number
      arrive(upstream, typeof fate === 'object' ? simpleQuery(fate.instead) : whole)
      while (fate === 'cut behind' && !upstream.destroyed) await sleep(1)
    })
  })
  client.on('data', fromClient)
}

/** Splits the bytes into messages. Only a client's first message has no letter. */
function messages(isFirstBare: boolean, take: (type: string, bytes: Buffer) => void) {
  let rest: Buffer = Buffer.alloc(0)
  let bare = isFirstBare
  return (chunk: Buffer) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    for (;;) {
      const head = bare ? 0 : 1
      if (rest.length < head + 4) return
      const length = head + rest.readInt32BE(head)
      if (rest.length < length) return
      take(bare ? '' : String.fromCharCode(rest[0]!), rest.subarray(0, length))
      bare = false
      rest = rest.subarray(length)
    }
  }
}

const word = (bytes: Buffer, at: number) => bytes.toString('utf8', at, bytes.indexOf(0, at))

/** The options in a client's first message, whose names and values each end with a zero. */
function startOptions(bytes: Buffer): string {
  const words = bytes.toString('utf8', 8).split('\0')
  return words[words.indexOf('options') + 1] ?? ''
}

function simpleQuery(text: string): Buffer {
  const bytes = Buffer.from(`Q0000${text}\0`)
  bytes.writeInt32BE(bytes.length - 1, 1)
  return bytes
}
