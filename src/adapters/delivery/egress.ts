// The only place that dials addresses which merchants named. A URL is parsed once, its name resolved once, every address judged, and
// exactly a judged address dialled. So a name that resolves to something else a moment later, a redirect or a proxy leads nowhere.
// No endpoint can cost more than fifteen seconds and some kilobytes. A connection may be kept for the next notification to the same
// merchant.

import { Resolver } from 'node:dns/promises'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { formats } from '../../interface/fields.ts'
import { isLoopback, isPublic } from './addresses.ts'
import { Connection, EndpointConnections, KEPT } from './connections.ts'
import { type DeliveryRequest, exchangeWithEndpoint, Stale } from './exchange.ts'

/** docs/interface.md section 8 (Mohur). `connectMs` is for TCP and TLS together, `totalMs` is half a task's lease. */
const LIMITS = { connectMs: 5_000, totalMs: 15_000, ...KEPT }
const PORTS = ['', '443', '8443'] // in production; WHATWG writes a scheme's own port as an empty text

const DNS_TIMEOUT_MS = 2_000
const DNS_TRIES = 2

/**
 * `refused`: the URL itself may not be dialled, and never will be. `notPublic`: the name has an address that may not be dialled. DNS may say
 * otherwise a moment later. Neither dials anything.
 */
export type Posted = { outcome: 'answered'; httpStatus: number } | { outcome: 'refused' | 'notPublic' | 'timeout' | 'unreachable' }
/** Returns every address of a name. For a name without an address, it rejects or returns an empty list. */
export type Resolve = (name: string) => Promise<readonly string[]>

class NotPublic extends Error {
  override readonly name = 'NotPublic'
}
class TooSlow extends Error {
  override readonly name = 'TooSlow'
}
class Stopped extends Error {
  override readonly name = 'Stopped'
}

export class Egress {
  readonly #isSandbox: boolean
  readonly #resolve: Resolve
  readonly #limits: typeof LIMITS
  readonly #underWay = new Set<Limit>()
  readonly #kept: EndpointConnections
  #isClosed = false

  /** The sandbox also dials this machine itself, and plain http at any port. */
  constructor(mode: 'sandbox' | 'production', resolve: Resolve = resolveName, limits: Partial<typeof LIMITS> = {}) {
    this.#isSandbox = mode === 'sandbox'
    this.#resolve = resolve
    this.#limits = { ...LIMITS, ...limits }
    this.#kept = new EndpointConnections(this.#limits)
  }

  /**
   * One POST for the merchant `mid`. A fault is an outcome. `post` rejects only when the process stops or is about to stop, which is no
   * party's failure.
   */
  async post(text: string, headers: Readonly<Record<string, string>>, body: string, mid: string): Promise<Posted> {
    const url = this.#parse(text)
    if (!url) return { outcome: 'refused' }
    if (this.#isClosed) throw new Stopped('the process stops')
    const total = limit(this.#limits.totalMs)
    this.#underWay.add(total)
    try {
      return { outcome: 'answered', httpStatus: await this.#ask({ url, headers, body, total: total.signal }, mid) }
    } catch (error) {
      if (error instanceof Stopped) throw error
      return { outcome: error instanceof NotPublic ? 'notPublic' : error instanceof TooSlow ? 'timeout' : 'unreachable' }
    } finally {
      total.end()
      this.#underWay.delete(total)
    }
  }

  /** Uses a kept connection. If there is none, or the kept connection proves to be over, this dials a new one. */
  async #ask(asked: DeliveryRequest, mid: string): Promise<number> {
    const owner = `${asked.url.origin} ${mid}` // an origin has no space
    const kept = this.#kept.take(owner, this.#isAllowed)
    if (kept) {
      try {
        return await this.#exchangeWithEndpoint(kept, asked, owner)
      } catch (error) {
        if (!(error instanceof Stale)) throw error
      }
    }
    const addresses = await within(asked.total, this.#addressesOf(asked.url.hostname))
    if (!addresses.every((address) => this.#isAllowed(address))) throw new NotPublic('a name of an address that may not be dialled')
    return await this.#exchangeWithEndpoint(await this.#dialAny(asked.url, addresses, asked.total), asked, owner)
  }

  async #exchangeWithEndpoint(connection: Connection, asked: DeliveryRequest, owner: string): Promise<number> {
    try {
      const { httpStatus, keepMs } = await exchangeWithEndpoint(connection, asked)
      this.#kept.keep(owner, connection, keepMs)
      return httpStatus
    } catch (error) {
      connection.socket.destroy()
      throw error
    }
  }

  /** True when `post` would dial this URL now. False for a name that cannot be resolved. */
  async allows(text: string): Promise<boolean> {
    const url = this.#parse(text)
    if (!url) return false
    const total = limit(this.#limits.connectMs)
    try {
      const addresses = await within(total.signal, this.#addressesOf(url.hostname))
      return addresses.length > 0 && addresses.every(this.#isAllowed)
    } catch {
      return false
    } finally {
      total.end()
    }
  }

  /** Breaks off the requests under way. Afterwards no request begins, and no connection is kept. */
  close() {
    this.#isClosed = true
    this.#kept.close()
    for (const { stop } of this.#underWay) stop(new Stopped('the process stops'))
  }

  /** False when no request can ever reach this URL, as far as is known without DNS. */
  mayReach(text: string): boolean {
    return this.#parse(text) !== undefined
  }

  /** Undefined for a URL that may never be dialled. */
  #parse(text: string): URL | undefined {
    if (!formats.httpUrl(text)) return undefined
    const url = new URL(text)
    // A dot at the end, for the DNS root, does not change a name. Certificates and SNI have names without that dot.
    if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
    if (url.hostname === '' || url.hostname.endsWith('.')) return undefined
    if (!this.#isSandbox && !(url.protocol === 'https:' && PORTS.includes(url.port))) return undefined
    return (addressesIn(url.hostname) ?? []).every(this.#isAllowed) ? url : undefined
  }

  #addressesOf = async (hostname: string): Promise<readonly string[]> => addressesIn(hostname) ?? this.#resolve(hostname)

  #isAllowed = (address: string) => isPublic(address) || (this.#isSandbox && isLoopback(address))

  /** Tries the first IPv4 address, then the first IPv6 address. So a machine with only one of the families still connects. */
  async #dialAny(url: URL, addresses: readonly string[], total: AbortSignal): Promise<Connection> {
    const candidates = [4, 6].flatMap((family) => addresses.find((address) => isIP(address) === family) ?? [])
    const connecting = limit(this.#limits.connectMs)
    const signal = AbortSignal.any([total, connecting.signal])
    let failure = new Error('the name has no address')
    try {
      for (const address of candidates) {
        try {
          return await this.#dial(url, address, signal)
        } catch (error) {
          if (error instanceof NotPublic) throw error
          failure = error as Error
        }
      }
      throw failure
    } finally {
      connecting.end()
    }
  }

  async #dial(url: URL, address: string, signal: AbortSignal): Promise<Connection> {
    const isTls = url.protocol === 'https:'
    const tcp = connectTcp({ host: address, port: Number(url.port || (isTls ? 443 : 80)), autoSelectFamily: false, noDelay: true })
    await connected(tcp, 'connect', signal)
    if (!this.#isAllowed(tcp.remoteAddress ?? '')) {
      tcp.destroy()
      throw new NotPublic('the connection leads to an address that may not be dialled')
    }
    if (!isTls) return new Connection(tcp, tcp)
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const tls = connectTls({
      socket: tcp,
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true, // even if the environment says otherwise
    })
    await connected(tls, 'secureConnect', signal)
    tls.disableRenegotiation()
    return new Connection(tls, tcp)
  }
}

/** The addresses of a host that needs no DNS: an IP address, or localhost. Undefined for any other host. */
function addressesIn(hostname: string): readonly string[] | undefined {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(literal)) return [literal]
  // RFC 6761: no DNS server is asked about this name.
  return /^(.*\.)?localhost$/.test(hostname) ? ['127.0.0.1', '::1'] : undefined
}

interface Limit {
  signal: AbortSignal
  stop(reason: Error): void
  end(): void
}

function limit(ms: number): Limit {
  const controller = new AbortController()
  const stop = (reason: Error) => controller.abort(reason)
  const timer = setTimeout(() => stop(new TooSlow(`no end after ${ms} ms`)), ms)
  return { signal: controller.signal, stop, end: () => clearTimeout(timer) }
}

function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => {}) // it may reject after the wait has ended
  if (signal.aborted) return Promise.reject(signal.reason)
  return Promise.race([
    work,
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
  ])
}

async function connected(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  socket.on('error', () => {}) // a late error concerns no caller
  try {
    await within(
      signal,
      new Promise<void>((resolve, reject) => {
        socket.once(event, resolve)
        socket.once('error', reject)
        socket.once('close', () => reject(new Error('closed before it was open')))
      }),
    )
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** Asks DNS itself and never a hosts file, so that one slow name blocks no thread that others need. */
async function resolveName(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES })
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}
