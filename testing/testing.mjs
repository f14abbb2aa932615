// A whole Mohur inside a test suite: docs/sandbox.md, "In a test suite". Plain JavaScript without packages, because shops test on Node 18 to
// 26. A package has this file as CommonJS too (bin/pack.mjs).

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canRunMohur, installedNode } from '../bin/installed-node.mjs'
import { callbackIn, formOf } from './page.mjs'

const START_MAX_MS = 30_000 // Mohur's choice: ten at once on two busy processors took a sixth of it
const STOP_MAX_MS = 20_000 // longer than the service's own limit, docs/operating/watch.md
const LINES_KEPT = 20

const SERVE = fileURLToPath(new URL('./serve.mjs', import.meta.url))
const { fetch } = globalThis // before a test replaces it

/** The caller's settings, and options for the caller's own Node, are not the sandbox's. */
const OF_CALLER = /^(MOHUR_.*|npm_.*|PORT|HOST|DATABASE_URL|NODE_(?!EXTRA_CA_CERTS$).*)$/

/** @type {import('./testing.d.mts').startSandbox} */
export async function startSandbox({ node, world, port = 0, folder, databaseUrl, log } = {}) {
  const binary = node ?? (canRunMohur ? process.execPath : installedNode())
  const temporary = mkdtempSync(join(tmpdir(), 'mohur-sandbox-'))
  const remove = () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
  const isKept = folder !== undefined || databaseUrl !== undefined
  const worldFile = join(temporary, 'world.json')
  if (world !== undefined) writeFileSync(worldFile, JSON.stringify(world))
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_CALLER.test(name))),
    MOHUR_DATA: folder === undefined ? temporary : resolve(folder),
    DATABASE_URL: databaseUrl ?? '',
    MOHUR_LOG: log === undefined ? 'error' : 'info',
    MOHUR_TEST_TEMPORARY: temporary,
    ...(world !== undefined && { MOHUR_WORLD: worldFile }),
    ...(isKept ? { MOHUR_TEST_KEEPS: '1' } : { NODE_DISABLE_COMPILE_CACHE: '1' }), // it would be thrown away
  }
  // In a group of its own, so that Ctrl-C reaches the tests alone, and they still find the sandbox while they end.
  const child = spawn(binary, [SERVE, 'serve', '--port', String(port), '--host', '127.0.0.1'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: process.platform !== 'win32',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
  let url
  try {
    url = await addressOf(child, log)
  } catch (error) {
    child.kill('SIGKILL')
    await ended
    remove()
    throw error
  }
  for (const each of [child, child.channel, child.stdout, child.stderr]) each?.unref() // tests that forget `stop` still end

  let stopped
  const stop = () => {
    stopped ??= end(child, ended).then(remove)
    return stopped
  }
  return { url, stop, ...(Symbol.asyncDispose && { [Symbol.asyncDispose]: stop }), ...requestsTo(url) }
}

async function end(child, ended) {
  child.ref()
  const limit = setTimeout(() => child.kill('SIGKILL'), STOP_MAX_MS)
  child.kill('SIGTERM')
  await ended
  clearTimeout(limit)
}

/** The address that the service prints. Rejects with its last lines when it ends first, or prints none in time. */
function addressOf(child, log) {
  const lines = []
  return new Promise((resolve, reject) => {
    const fail = (what) => reject(new Error([`the sandbox ${what}`, ...lines].join('\n  ')))
    const limit = setTimeout(() => fail(`did not start within ${START_MAX_MS / 1_000} seconds`), START_MAX_MS)
    child.once('error', (error) => fail(`cannot run ${child.spawnfile}: ${error.message}`))
    child.once('close', (code, signal) => fail(`ended on ${signal ?? code} before it listened`)) // after its last line, unlike `exit`
    const hear = (line) => {
      lines.push(line)
      if (lines.length > LINES_KEPT) lines.shift()
      log?.(line)
      const address = /^Mohur listens on (http:\/\/\S+)/.exec(line)?.[1]
      if (address === undefined) return
      clearTimeout(limit)
      resolve(address)
    }
    for (const stream of [child.stdout, child.stderr]) byLines(stream, hear)
    child.once('exit', () => clearTimeout(limit))
  })
}

function byLines(stream, hear) {
  let rest = ''
  stream.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) hear(line)
  })
  stream.on('end', () => rest && hear(rest))
}

function requestsTo(url) {
  const ask = async (path, body, method = body === undefined ? 'GET' : 'POST') => {
    const response = await fetch(url + path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${text}`)
    return JSON.parse(text || '{}')
  }
  const query = (path, given) => ask(`${path}?${new URLSearchParams(given)}`)
  return {
    async merchant({ settings } = {}) {
      const mid = `T${randomBytes(9).toString('hex')}`
      const key = randomBytes(8).toString('hex')
      await ask('/sandbox/world', { merchants: [{ keys: [{ clientId: 'C11', key }], ...settings, mid }] }, 'PUT')
      return { mid, key: settings?.keys?.[0]?.key ?? key }
    },
    clock: {
      now: async () => (await ask('/sandbox/clock')).now,
      advance: (period) => moveClock(ask, { advance: period }),
      to: (instant) => moveClock(ask, { to: instant }),
    },
    bank: {
      script: (script) => ask('/sandbox/bank/script', script),
      journal: (since) => query('/sandbox/bank/journal', since === undefined ? {} : { since }),
    },
    inbox: async (mobile) => (await query('/sandbox/inbox', { mobile })).messages,
    notifications: async (which) => (await query('/sandbox/notifications', which)).notifications,
    payer: {
      act: (act) => ask('/sandbox/payer', act),
      pay: (order, how = CARD) => pay(url, order, how),
      page: (page) => pageAt(page),
    },
  }
}

/** One request moves the clock for half a minute at most, and says how far it came. */
async function moveClock(ask, move) {
  const ran = {}
  let asked = move
  let before
  while (true) {
    const { now, ran: some, to, arrived = true, why } = await ask('/sandbox/clock', asked)
    for (const [task, count] of Object.entries(some)) ran[task] = (ran[task] ?? 0) + count
    if (arrived) return { now, ran }
    if (now === before) throw new Error(`the clock stands at ${now} and does not come to ${to}: ${why}`)
    before = now
    asked = { to }
  }
}

// ------------------------------------------------------------------------------------------------ the payment page

/** The sandbox's bank takes it. */
const CARD = { mode: 'CREDIT_CARD', cardNumber: '4111 1111 1111 1111', expiry: '12/40', cvv: '123' }

async function pay(url, { mid, orderId, txnToken }, how) {
  const opening = await send(`${url}/theia/api/v1/showPaymentPage?${new URLSearchParams({ mid, orderId })}`, { mid, orderId, txnToken })
  const form = formOf(opening.text, how)
  if (form === undefined) throw new Error(`the payment page has no such way to pay: ${JSON.stringify(how)}\n${opening.said}`)
  const { page, text, status, said } = await send(new URL(form.action, opening.page).href, { ...form.fields, ...how })
  if (status !== 200) throw new Error(`the payment page answered HTTP ${status}: ${said}`)
  return { page, callback: callbackIn(text) }
}

async function pageAt(page) {
  const { text } = await send(page)
  return { page, callback: callbackIn(text) }
}

/** Follows the page's redirects. */
async function send(address, fields) {
  const form = fields && { method: 'POST', body: new URLSearchParams(fields) }
  const response = await fetch(address, { ...form, headers: { 'user-agent': 'mohur/testing' } })
  const text = await response.text()
  return { page: response.url, status: response.status, text, said: wordsOf(text) }
}

const wordsOf = (html) => html.replace(/<(style|script)\b.*?<\/\1>|<[^>]+>/gs, ' ').replace(/\s+/g, ' ').trim().slice(0, 500)
