/**
 * Runs published clients, unmodified, against a served Mohur: `node bin/run.mjs test/clients/run.ts <folder> [names]`, where
 * `<folder>` holds the clients' repositories as git directories or checkouts, by the names of published.ts (`owner+name`,
 * `owner+name/repo` or `name`). Needs Debian's php-cli, php-curl, python3, python3-requests, python3-pycryptodome, ruby-actionview, ruby-actionpack, util-linux
 * and openssl, and may listen on port 443 of a loopback address. With RECORD=1 what crossed the wire is written to recorded/, for recorded.test.ts.
 *
 * A client finds this machine by a hosts file of its own and trusts its certificate by its environment; no line of it is changed, which
 * its commit and the hashes of its files show. What plays the shop around a plugin stands in harness/.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { sign } from '../../src/interface/checksum.ts'
import { receiver, SECRET } from '../support/notifications/receiver.ts'
import { leave } from '../support/pages/cancels.ts'
import { ask, CARD_FIELDS, formOf, goesTo, openPage, Visitor } from '../support/pages/pages.ts'
import { serveProcess } from '../support/run/process.ts'
import { KEY, MID, type Service } from '../support/run/service.ts'
import { type Asked, outcomeOf, type Recorded } from './outcome.ts'
import { type Client, clients, type Source } from './published.ts'

const WALLET = '9999900001' // a customer of the demo world, with a balance
const ADDRESS = '127.77.0.1' // of the loopback network, so that a server on port 443 of this machine stays as it is
/** What follows runs with a hosts file of its own, in a mount namespace that ends with it. */
const OWN_HOSTS = ['--map-root-user', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"']
const COMMANDS: Record<string, string> = { '.php': 'php', '.py': process.env['PYTHON'] ?? '/usr/bin/python3', '.rb': '/usr/bin/ruby' }
const here = import.meta.dirname

interface Exchange extends Asked {
  status: number
  reply: string
}
function recorded({ status, reply, ...asked }: Exchange) {
  const { subscriptionId, txnToken } = reply === '' ? {} : (JSON.parse(reply).body ?? {})
  const named = asked.path.startsWith('/subscription/create') ? { subscriptionId } : { ...(txnToken && { txnToken }) }
  return { ...asked, outcome: outcomeOf(status, reply), ...named }
}

const [folder, ...names] = process.argv.slice(2)
if (!folder) throw new Error('name the folder that holds the clients: see the head of this file')
const work = mkdtempSync(join(tmpdir(), 'mohur-clients-'))
let failed = 0
try {
  const wanted = clients.filter(({ name }) => names.length === 0 || names.includes(name))
  const taken = wanted.map((client) => ({ client, sources: [client, ...(client.beside ?? [])].map(take) }))
  const settings = wanted.flatMap(({ settings }) => (settings && 'host' in settings ? [String(settings.host)] : []))
  const hosts = [...new Set([...taken.flatMap(({ sources }) => sources.flatMap(hostsIn)), ...settings])]
  writeFileSync(join(work, 'hosts'), ['127.0.0.1 localhost', ...hosts.map((host) => `${ADDRESS} ${host}`), ''].join('\n'))
  certificate(hosts)
  for (const { client, sources } of taken) await run(client, sources)
} finally {
  rmSync(work, { recursive: true, force: true })
}
process.exit(failed > 0 ? 1 : 0)

async function run(client: Client, sources: string[]) {
  const served = await serveProcess({ MOHUR_DATA: join(work, `store-${client.name}`), MOHUR_LOG: 'silent' })
  const exchanges: Exchange[] = []
  const proxy = await proxyTo(served.url, exchanges)
  const script: Recorded['script'] = []
  const stage = sources.flatMap(hostsIn).find((host) => host.includes('stage'))
  const orderId = `${client.name.replaceAll(/[^A-Za-z0-9]/g, '')}_${client.name.length}`
  let known: Record<string, unknown> = { orderId, mid: MID, key: KEY, host: stage, ...client.settings }
  const said: string[] = []
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
          failed++
          said.push(`${step.name}: ${member} is ${JSON.stringify(found)}, not ${expected}`)
          for (const { path, body, reply } of exchanges.slice(from)) said.push(`  ${path}\n  > ${body}\n  < ${reply}`)
        }
      }
    }
  } catch (error) {
    failed++
    said.push((error as Error).message)
    for (const { path, body, reply } of exchanges) said.push(`  ${path}\n  > ${body}\n  < ${reply}`)
  } finally {
    endpoint.close()
    proxy.close()
    proxy.closeAllConnections()
    await served.kill('SIGTERM')
  }
  const calls = exchanges.map(({ method, path }) => `${method} ${path.replace(/\?.*/s, '')}`)
  console.log(
    `${said.length === 0 ? 'works' : 'FAILS'}  ${client.kind}: ${client.name} (${client.repository} ${client.commit.slice(0, 12)})`,
  )
  for (const call of new Set(calls)) console.log(`         ${call}`)
  for (const line of said) console.log(`       ! ${line}`)
  if (process.env['RECORD'] && said.length === 0) {
    mkdirSync(join(here, 'recorded'), { recursive: true })
    const { name, kind, repository, commit } = client
    const kept: Recorded = { name, kind, repository, commit, script }
    writeFileSync(join(here, 'recorded', `${name}.json`), `${JSON.stringify(kept, undefined, 2)}\n`)
  }
}

/** The client's files in a folder of their own, as its commit has them. */
function take({ repository, commit, files, only = [] }: Source): string {
  const [owner, name] = repository.split('/')
  const place = [`${owner}+${name}/repo`, `${owner}+${name}`, name!].map((path) => resolve(folder!, path)).find((path) => existsSync(path))
  if (!place) throw new Error(`${repository} is not in ${folder}`)
  const target = join(work, `${owner}+${name}@${commit.slice(0, 12)}`)
  if (existsSync(target)) return target
  mkdirSync(target)
  const tar = execFileSync('git', ['-C', place, 'archive', commit, ...only], { maxBuffer: 256 * 1024 * 1024 })
  execFileSync('tar', ['-x', '-C', target], { input: tar })
  symlinkSync(join(here, '../../node_modules'), join(target, 'node_modules')) // `paytmchecksum` of npm, for those that run on Node
  for (const [path, expected] of Object.entries(files)) {
    const found = createHash('sha256')
      .update(readFileSync(join(target, path)))
      .digest('hex')
    if (found !== expected) throw new Error(`${repository} ${path}: its hash is ${found}`)
  }
  return target
}

/** The gateway's hosts that a client's own files name. */
function hostsIn(source: string): string[] {
  const files = readdirSync(source, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /\.(php|py|rb|md|js)$/.test(entry.name),
  )
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
  return texts.flatMap((text) => [...text.matchAll(/[/'"]([a-z0-9.-]*paytm[a-z0-9-]*\.(?:com|in))\b/g)].map(([, host]) => host!))
}

/** One step of a client in a process of its own: what it concluded is the last line that it writes. */
async function harness({ harness: file }: Client, sources: string[], step: string, known: object): Promise<Record<string, unknown>> {
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

/** An order for a client that makes none: its own would be a form in the payer's browser. Gives the token. */
async function order(url: string, orderId: string, exchanges: Exchange[]): Promise<string> {
  const amount = { value: '499.50', currency: 'INR' }
  const userInfo = { custId: 'CUST_1' }
  const given = JSON.stringify({ requestType: 'Payment', mid: MID, orderId, websiteName: 'DEFAULT', txnAmount: amount, userInfo })
  const path = `/theia/api/v1/initiateTransaction?mid=${MID}&orderId=${orderId}`
  const headers = { 'content-type': 'application/json' }
  const body = `{"head":{"signature":"${sign(given, KEY, 'salt')}"},"body":${given}}`
  const reply = await fetch(url + path, { method: 'POST', headers, body })
  const text = await reply.text()
  exchanges.push({ method: 'POST', path, headers, body, status: reply.status, reply: text })
  return JSON.parse(text).body.txnToken
}

/** The payer of an order signs in at its checkout. */
async function logIn(url: string, { orderId, txnToken, mid }: Record<string, unknown>) {
  const call = async (path: string, body: object) => {
    const text = JSON.stringify({ head: { txnToken }, body })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${url}${path}?mid=${mid}&orderId=${orderId}`, { method: 'POST', headers, body: text })
    if (((await reply.json()) as { body: { resultInfo: { resultCode: string } } }).body.resultInfo.resultCode !== '01')
      throw new Error(path)
  }
  await call('/login/sendOtp', { mobileNo: WALLET })
  const { messages } = (await (await fetch(`${url}/sandbox/inbox?mobile=${WALLET}`)).json()) as { messages: { otp: string }[] }
  await call('/login/validateOtp', { otp: messages[0]!.otp })
}

/** As the payer's browser does with the token that the client got; what comes back is what it would take to the shop. */
async function pay(
  url: string,
  { orderId, txnToken, mid }: Record<string, unknown>,
  by: object = { paymentMode: 'PPBL' },
): Promise<Record<string, unknown>> {
  const reply = await fetch(`${url}/theia/api/v1/processTransaction?mid=${mid}&orderId=${orderId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ head: { txnToken }, body: { mid, orderId, ...by } }),
  })
  const { body } = (await reply.json()) as { body: { txnId: string; txnInfo: Record<string, string> } }
  return { txnId: body.txnId, fields: body.txnInfo }
}

/** As the payer's browser sends the client's form; gives the page that it is sent on to. */
async function opened(url: string, action: string, fields: Record<string, string>, exchanges: Exchange[]): Promise<string> {
  const { pathname, search } = new URL(action)
  const body = new URLSearchParams(fields).toString()
  const answer = await ask({ url }, pathname + search, body)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  exchanges.push({ method: 'POST', path: pathname + search, headers, body, status: answer.status, reply: '' })
  return goesTo(answer)
}

/** By card, without script; what comes back is the form that the page sends to the shop. */
async function payOnPage(url: string, page: string): Promise<Record<string, unknown>> {
  const { text } = await new Visitor({ url } as Service, page).send({ panel: 'card' }, CARD_FIELDS)
  const { fields } = formOf(text, { MID })
  return { txnId: fields['TXNID'], fields }
}

/** Of an order of this name, without an attempt; what the page sends to the shop. */
async function left(url: string, orderId: string): Promise<Record<string, string>> {
  const service = { url } as Service
  const page = await openPage(service, { orderId, txnToken: await order(url, orderId, []) })
  const { text } = await leave(new Visitor(service, page))
  return formOf(text, { MID }).fields
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

/** An authority that lives for this run, and a certificate of the hosts that clients call. */
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
