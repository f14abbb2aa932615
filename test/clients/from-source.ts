/**
 * Runs published clients from their sources, unmodified, against a served Mohur. A client finds this machine by its own hosts file and
 * trusts its certificate by its environment. The commit and the hashes of its files show that no line is changed. The scripts in harness/
 * play the shop around a plugin. With RECORD=1 the exchanges are written to recorded/, for recorded.test.ts.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { receiver, SECRET } from '../support/notifications/receiver.ts'
import { serveProcess } from '../support/run/process.ts'
import { KEY, MID } from '../support/run/service.ts'
import type { Client } from './client.ts'
import { type Exchange, outcomeOf, type Recorded } from './outcome.ts'
import { left, logIn, opened, order, pay, payOnPage, payOnShopPage, redirected, type ShopPageOfClient, WALLET } from './payer.ts'
import { hostsIn, take } from './sources.ts'

const ADDRESS = '127.77.0.1' // in the loopback network, so that a server on port 443 of this machine stays undisturbed
/** The command after it runs with its own hosts file, in a mount namespace that ends with it. */
const OWN_HOSTS = ['--map-root-user', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"']
const COMMANDS: Record<string, string> = {
  '.php': 'php',
  '.py': process.env['PYTHON'] ?? '/usr/bin/python3',
  '.rb': '/usr/bin/ruby',
  '.pl': 'perl',
}
const here = import.meta.dirname

function recorded({ status, reply, ...asked }: Exchange) {
  const { subscriptionId, txnToken } = reply === '' ? {} : (JSON.parse(reply).body ?? {})
  const named = asked.path.startsWith('/subscription/create') ? { subscriptionId } : { ...(txnToken && { txnToken }) }
  return { ...asked, outcome: outcomeOf(status, reply), ...named }
}

let work = ''

export interface Ran {
  how: string
  /** Each call once, as method and path. */
  calls: readonly string[]
  /** Differences from what its merchant should find; empty where there are none. */
  differences: readonly string[]
}

/** Runs each client, and yields its result as soon as it has ended. */
export async function* runFromSource(folder: string, wanted: readonly Client[]): AsyncGenerator<[client: Client, ran: Ran]> {
  work = mkdtempSync(join(tmpdir(), 'mohur-clients-'))
  try {
    const taken = wanted.map((client) => ({
      client,
      sources: [client, ...(client.beside ?? [])].map((source) => take(folder, source, work)),
    }))
    const settings = wanted.flatMap(({ settings }) => (settings && 'host' in settings ? [String(settings.host)] : []))
    const hosts = [...new Set([...taken.flatMap(({ sources }) => sources.flatMap(hostsIn)), ...settings])]
    writeFileSync(join(work, 'hosts'), ['127.0.0.1 localhost', ...hosts.map((host) => `${ADDRESS} ${host}`), ''].join('\n'))
    certificate(hosts)
    for (const { client, sources } of taken) yield [client, await run(client, sources)]
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function run(client: Client, sources: string[]): Promise<Ran> {
  const served = await serveProcess({ MOHUR_DATA: join(work, `store-${client.name}`), MOHUR_LOG: 'silent' })
  const exchanges: Exchange[] = []
  const proxy = await proxyTo(served.url, exchanges)
  const script: Recorded['script'] = []
  const stage = sources.flatMap(hostsIn).find((host) => host.includes('stage'))
  const orderId = `${client.name.replaceAll(/[^A-Za-z0-9]/g, '')}_${client.name.length}`
  let known: Record<string, unknown> = { orderId, mid: MID, key: KEY, host: stage, ...client.settings }
  const said: string[] = []
  let how = 'ran here'
  const endpoint = await receiver(undefined, { endsWithTest: false })
  const post = async (path: string, body: object, method = 'POST') => {
    const reply = await fetch(served.url + path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`)
    return (await reply.json()) as Record<string, unknown>
  }
  try {
    const notification = { url: `${endpoint.url}/told`, form: 'json', secret: SECRET }
    const merchant = { mid: MID, ...client.merchant, ...(client.hears ? { notification } : { registersNotificationUrl: true }) }
    await post('/sandbox/world', { merchants: [merchant] }, 'PUT')
    if (client.steps.some(({ name }) => name === 'wait')) script.push({ begun: new Date().toISOString() })
    for (const step of client.steps) {
      const from = exchanges.length
      if (step.name === 'order') {
        known = { ...known, txnToken: await order(served.url, String(known['orderId']), exchanges) }
        script.push(...exchanges.slice(from).map(recorded))
        continue
      }
      if (step.name === 'login') {
        await logIn(served.url, known)
        script.push({ signedIn: String(known['orderId']), mobile: WALLET })
        continue
      }
      if (step.name === 'form') {
        const { action, fields } = (await harness(client, sources, step.name, known)) as { action: string; fields: Record<string, string> }
        known = { ...known, orderId: fields['ORDER_ID'], page: await opened(served.url, action, fields, exchanges) }
        script.push(...exchanges.slice(from).map(recorded))
        continue
      }
      if (step.name === 'pay' && known['page']) {
        known = { ...known, ...(await payOnPage(served.url, String(known['page']))) }
        script.push({ paid: String(known['orderId']), txnId: String(known['txnId']), onPage: true })
        continue
      }
      if (step.name === 'redirect') {
        const { url } = await harness(client, sources, step.name, known)
        known = { ...known, page: await redirected(served.url, String(url), exchanges) }
        script.push(...exchanges.slice(from).map(recorded))
        continue
      }
      if (step.name === 'pay' && known['html']) {
        known = { ...known, ...(await payOnShopPage(served.url, known as unknown as ShopPageOfClient)) }
        how = 'ran here, paid in Chromium'
        script.push({ paid: String(known['orderId']), txnId: String(known['txnId']) })
        continue
      }
      if (step.name === 'pay') {
        known = { ...known, ...(await pay(served.url, known, client.paidBy)) }
        script.push({ paid: String(known['orderId']), txnId: String(known['txnId']), ...(client.paidBy && { by: client.paidBy }) })
        continue
      }
      if (step.name === 'leave') {
        known = { ...known, fields: await left(served.url, `${orderId}_LEFT`) }
        continue
      }
      if (step.name === 'wait') {
        await post('/sandbox/clock', { advance: step.time })
        script.push({ waited: step.time! })
        continue
      }
      if (step.name === 'told') known = { ...known, told: endpoint.journal.map(({ body }) => body) }
      const concluded = await harness(client, sources, step.name, known)
      known = { ...known, ...concluded }
      script.push(...exchanges.slice(from).map(recorded))
      for (const [member, expected] of Object.entries(step.expects ?? {})) {
        const found = concluded[member]
        const holds = expected instanceof RegExp ? expected.test(String(found)) : found === expected
        if (!holds) {
          said.push(`${step.name}: ${member} is ${JSON.stringify(found)}, not ${expected}`)
          for (const { path, body, reply } of exchanges.slice(from)) said.push(`  ${path}\n  > ${body}\n  < ${reply}`)
        }
      }
    }
  } catch (error) {
    said.push((error as Error).message)
    for (const { path, body, reply } of exchanges) said.push(`  ${path}\n  > ${body}\n  < ${reply}`)
  } finally {
    endpoint.close()
    proxy.close()
    proxy.closeAllConnections()
    await served.kill('SIGTERM')
  }
  if (process.env['RECORD'] && said.length === 0) {
    mkdirSync(join(here, 'recorded'), { recursive: true })
    const { name, kind, repository, commit, merchant } = client
    const kept: Recorded = { name, kind, repository, commit, ...(merchant && { merchant }), script }
    writeFileSync(join(here, 'recorded', `${name}.json`), `${JSON.stringify(kept, undefined, 2)}\n`)
  }
  const calls = exchanges.map(({ method, path }) => `${method} ${path.replace(/\?.*/s, '')}`)
  return { how, calls: [...new Set(calls)], differences: said }
}

/** Runs one step of a client in its own process. Its last line is its conclusion. */
async function harness({ name, harness: file }: Client, sources: string[], step: string, known: object): Promise<Record<string, unknown>> {
  if (file === undefined) throw new Error(`${name} has no harness`)
  const isPhp = extname(file) === '.php'
  const command = COMMANDS[extname(file)] ?? process.execPath
  const args = [...(isPhp ? ['-d', 'display_errors=stderr'] : []), join(here, 'harness', file), step, ...sources]
  const child = spawn('unshare', [...OWN_HOSTS, join(work, 'hosts'), command, ...args], {
    env: {
      PATH: process.env['PATH'],
      PHP_INI_SCAN_DIR: `:${work}`,
      REQUESTS_CA_BUNDLE: join(work, 'ca.pem'),
      NODE_EXTRA_CA_CERTS: join(work, 'ca.pem'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
    cwd: work,
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (part) => {
    out += part
  })
  child.stderr.on('data', (part) => {
    err += part
  })
  child.stdin.end(JSON.stringify(known))
  const code = await new Promise((done) => child.once('close', done))
  const last = out.trim().split('\n').at(-1) ?? ''
  try {
    return JSON.parse(last)
  } catch {
    throw new Error(`${file} ${step} ended with ${code}: ${err.slice(0, 1_500)} ${out.slice(-500)}`)
  }
}

async function proxyTo(url: string, exchanges: Exchange[]) {
  const server = createServer(
    { cert: readFileSync(join(work, 'cert.pem')), key: readFileSync(join(work, 'key.pem')) },
    (request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part) => parts.push(part))
      request.on('end', async () => {
        const kept = ['content-type', 'x-checksum'].flatMap((name) =>
          request.headers[name] ? [[name, String(request.headers[name])]] : [],
        )
        const headers: Record<string, string> = Object.fromEntries(kept)
        const [method, path, body] = [request.method!, request.url!, Buffer.concat(parts).toString()]
        const reply = await fetch(url + path, { method, headers, ...(body !== '' && { body }) })
        const text = await reply.text()
        exchanges.push({ method, path, headers, body, status: reply.status, reply: text })
        response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'text/plain' }).end(text)
      })
    },
  )
  await new Promise<void>((done, fail) => server.once('error', fail).listen(443, ADDRESS, done))
  return server
}

/** An authority for this run, and a certificate for the hosts that clients call. */
function certificate(hosts: readonly string[]) {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: work, stdio: 'pipe' })
  const names = `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}`
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Mohur test', '-days', '2')
  openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-out', 'csr.pem', '-subj', '/CN=gateway', '-addext', names)
  openssl(
    'x509',
    '-req',
    '-in',
    'csr.pem',
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-out',
    'cert.pem',
    '-days',
    '2',
    '-copy_extensions',
    'copy',
  )
  writeFileSync(join(work, 'ca.ini'), `curl.cainfo=${join(work, 'ca.pem')}\nopenssl.cafile=${join(work, 'ca.pem')}\n`)
}
