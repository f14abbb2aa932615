// A processor's adapter as docs/acquirer.md asks for one, over the sandbox's bank. The public Standard Webhooks package signs for it, not
// Mohur's code. A test can make it lie, or break the contract in a way that people do.

import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Kysely } from 'kysely'
import { Webhook } from 'standardwebhooks'
import type { Amend, Authorize, Collect, Notify, RefundCall, Register } from '../../../src/adapters/acquirer/acquirer.ts'
import { SandboxAcquirer } from '../../../src/adapters/acquirer/sandbox/sandbox.ts'
import { SandboxBank } from '../../../src/adapters/acquirer/sandbox/sandbox-bank.ts'
import { openSqlite } from '../../../src/adapters/store/database.ts'
import type { Clock } from '../../../src/engine/clock.ts'
import { SystemRandom } from '../../../src/engine/random.ts'

export const ADAPTER_SECRET = `whsec_${Buffer.from('a secret that a bank and we share').toString('base64')}`
export const OTHER_SECRET = `whsec_${Buffer.from('a secret that somebody else has..').toString('base64')}`

interface Answered {
  status: number
  type: string
  id: string
  at: number
  secret: string
  body: object | string
  /** Replaces the signed text on its way. */
  sent?: string
  headers?: Record<string, string>
}

/** False answers to a call whose work was done. */
export const LIES = {
  'HTTP 500': (answer: Answered) => ({ ...answer, status: 500 }),
  'HTTP 202': (answer: Answered) => ({ ...answer, status: 202 }),
  'a redirect': (answer: Answered) => ({ ...answer, status: 307, headers: { location: '/elsewhere' } }),
  'a page': (answer: Answered) => ({ ...answer, type: 'text/html', body: '<!doctype html><h1>Success</h1>' }),
  'a page that says it is JSON': (answer: Answered) => ({ ...answer, body: '<!doctype html><h1>Success</h1>' }),
  'text as its type': (answer: Answered) => ({ ...answer, type: 'text/plain' }),
  'half of the JSON': (answer: Answered) => ({ ...answer, body: JSON.stringify(answer.body).slice(0, -9) }),
  nothing: (answer: Answered) => ({ ...answer, body: '' }),
  'a list': (answer: Answered) => ({ ...answer, body: [answer.body] }),
  'a megabyte': (answer: Answered) => ({ ...answer, body: { ...(answer.body as object), more: 'x'.repeat(2 ** 20) } }),
  'no signature': (answer: Answered) => ({ ...answer, secret: '' }),
  'the signature of another secret': (answer: Answered) => ({ ...answer, secret: OTHER_SECRET }),
  'a body changed on the way': (answer: Answered) => ({ ...answer, sent: `${JSON.stringify(answer.body)} ` }),
  'the signature of another call': (answer: Answered) => ({ ...answer, id: 'answer_status_00000000000000000000000000000000' }),
  'the signature of the call itself': (answer: Answered) => ({ ...answer, id: answer.id.slice('answer_'.length) }),
  'an old signature': (answer: Answered) => ({ ...answer, at: answer.at - 600_000 }),
  'another key': (answer: Answered) => ({ ...answer, body: { ...(answer.body as object), key: 'SHOP:1' } }),
  'an amount in a text': (answer: Answered) => ({ ...answer, body: { ...(answer.body as object), amountPaise: '49900' } }),
  'a broken amount': (answer: Answered) => ({ ...answer, body: { ...(answer.body as object), amountPaise: 499.5 } }),
  'no amount': (answer: Answered) => ({ ...answer, body: { ...(answer.body as object), amountPaise: undefined } }),
  'more given back than taken': (answer: Answered) => ({ ...answer, body: { ...(answer.body as object), refundedPaise: 10 ** 12 } }),
  'no reference': (answer: Answered) => ({ ...answer, body: { ...(answer.body as object), reference: null } }),
  'a reference with a pipe': (answer: Answered) => ({ ...answer, body: { ...(answer.body as object), reference: '1|2' } }),
  'an outcome of its own': (answer: Answered) => ({ ...answer, body: { ...(answer.body as object), outcome: 'SUCCESS' } }),
  'an error in a success': (answer: Answered) => ({ ...answer, body: { error: 'internal', key: (answer.body as { key: string }).key } }),
  'a page of no bank': (answer: Answered) => ({
    ...answer,
    body: { ...(answer.body as object), outcome: 'pending', next: { kind: 'bankForm', actionUrl: 'http://evil.example/', content: {} } },
  }),
  'a link that is a script': (answer: Answered) => ({
    ...answer,
    body: { ...(answer.body as object), outcome: 'pending', next: { kind: 'deepLink', deepLink: 'javascript:alert(1)' } },
  }),
} satisfies Record<string, (answer: Answered) => Answered>
type Members = Record<string, unknown>
/** How the connection ends, before the work is done or after it. */
export const BREAKS = ['is refused', 'breaks off', 'breaks off when the work is done', 'is silent when the work is done'] as const
/** Answers that are well formed and false. */
const UNTRUTHS = {
  'a failure': (answer: Answered) => ({
    ...answer,
    body: { key: (answer.body as { key: string }).key, outcome: 'failure', failure: 'declined' },
  }),
  /** Not a lie: the work is not done (`serve`). */
  'a failure without the work': (answer: Answered) => answer,
  'that it is undecided': (answer: Answered) => ({ ...answer, body: { key: (answer.body as Members)['key'], outcome: 'pending' } }),
  'a pending mandate': (answer: Answered) => ({
    ...answer,
    body: { key: (answer.body as Members)['key'], outcome: 'pending', mandateReference: 'MANDATE-OF-A-LIE' },
  }),
  'a mandate by another name': (answer: Answered) => ({
    ...answer,
    body: { ...(answer.body as Members), mandateReference: 'MANDATE-OF-ANOTHER-NAME' },
  }),
  'no mandate': (answer: Answered) => ({ ...answer, body: { ...(answer.body as Members), mandateReference: null } }),
  /** A proxy answers so before an adapter that is still starting. */
  'HTTP 404': (answer: Answered) => ({ ...answer, status: 404, secret: '' }),
  /** Answers the first of six debits twice, and the second not at all. The third has another form, the fourth another key. */
  'a spoilt batch': (answer: Answered) => {
    const [first, , third, fourth, ...others] = (answer.body as { answers: Members[] }).answers
    const spoilt = [first, first, { ...third, amountPaise: '49900' }, { ...fourth, key: 'SHOP:9' }]
    return { ...answer, body: { ...(answer.body as object), answers: [...spoilt, ...others] } }
  },
}
export type Lie = keyof typeof LIES | keyof typeof UNTRUTHS | (typeof BREAKS)[number]

export const FLAWS = [
  'takes unsigned calls',
  'takes old calls',
  'takes a call for another',
  'pays a key twice',
  'pays once, and races',
  'takes another amount under one key',
  'pays what it called absent',
  'gives back more than it took',
  'gives back nothing that it called absent',
  'says that all was given back',
  'answers late what is paid',
  'does not sign',
  'chokes on a new member',
  'takes every one-time password',
  'counts a one-time password twice',
  'debits a key twice',
  'only says that it pauses',
  'debits what was not approved',
  'answers the first of many',
  'pays what it called back',
  'calls back what is paid',
  'names no payee in its links',
  'writes a space as + in its links',
  'writes @ as %40 in its links',
] as const
export type Flaw = (typeof FLAWS)[number]

const OF_LINKS: Partial<Record<Flaw, (answer: string) => string>> = {
  'names no payee in its links': (answer) => answer.replace(/pa=[^&]*&pn=[^&]*&/, ''),
  'writes a space as + in its links': (answer) => answer.replaceAll('%20', '+'),
  'writes @ as %40 in its links': (answer) => answer.replace('pa=mohur@', 'pa=mohur%40'),
}

export interface Adapter {
  url: string
  bank: SandboxBank
  acquirer: SandboxAcquirer
  /** Each call that it accepted, in order. */
  calls: { call: string; key: string; body: Record<string, unknown> }[]
  /** How often the service asked for its capabilities. */
  asked: number
  /** How many requests came to the address that a redirect named. */
  strays: number
  /** The next answers to this call are lies. */
  lie(call: string, ...lies: Lie[]): void
  forgive(): void
  /** Notifies the service that the state of a key has changed. `as` changes the request. */
  tell(publicUrl: string, key: string, as?: { id?: string; at?: number; secret?: string; sent?: string; path?: string }): Promise<Response>
  close(): Promise<void>
}

/** Its capabilities for mandates. An adapter from before mandates has nothing at the addresses of these calls. */
export interface Able {
  modes?: readonly string[] | undefined
  collectMany?: boolean
  /** False for an adapter from before the call `cancel`. */
  cancels?: boolean
}
const MANDATE_CALLS = ['register', 'notify', 'collect', 'collectMany', 'amend', 'revoke', 'pause', 'resume'] as const
const ALL_MODES = ['PPBL', 'UPI', 'CREDIT_CARD', 'DEBIT_CARD', 'BANK_MANDATE', 'SVC_DIGITAL_CREDIT']

export async function startAdapter(
  clock: Pick<Clock, 'now'>,
  flaws: readonly Flaw[] = [],
  { modes, collectMany = true, cancels = true }: Able = { modes: ALL_MODES },
): Promise<Adapter> {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-adapter-'))
  const database = openSqlite(join(folder, 'bank.sqlite'))
  const bank = await SandboxBank.open(database.writer as Kysely<unknown>, false)
  const fresh = new SystemRandom()
  const acquirer = new SandboxAcquirer({ bank, clock: clock as Clock, fresh, publicUrl: () => adapter.url, onEvent: () => {} })
  const has = (flaw: Flaw) => flaws.includes(flaw)
  const lies = new Map<string, Lie[]>()
  const contents = new Map<string, string>() // by key, to recognise another call under a used key
  const dead = new Set<string>() // keys that it answered with absent
  const kinds = new Map<string, 'notice' | 'mandate'>() // keys of notices and mandates
  const otps = new Map<string, Promise<object>>() // by the id of the call
  const doneAt = new Map<string, number>()

  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const adapter: Adapter = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/psp`,
    bank,
    acquirer,
    calls: [],
    asked: 0,
    strays: 0,
    lie: (call, ...more) => void lies.set(call, [...(lies.get(call) ?? []), ...more]),
    forgive: () => lies.clear(),
    tell(
      publicUrl,
      key,
      { id = `report_${fresh.hex(16)}`, at = Date.now(), secret = ADAPTER_SECRET, sent, path = '/acquirer/webhook' } = {},
    ) {
      const body = JSON.stringify({ key })
      return fetch(publicUrl + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headersOf(secret, id, at, body) },
        body: sent ?? body,
      })
    },
    async close() {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await acquirer.close()
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  after(() => adapter.close())
  return adapter

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const text = Buffer.concat(parts).toString()
    if (request.url === '/elsewhere') adapter.strays++
    const call = /^\/psp\/([a-zA-Z]+)$/.exec(request.url!)?.[1] ?? ''
    const knows = [
      'authorize',
      'status',
      'refund',
      'otp',
      ...(cancels ? ['cancel'] : []),
      ...(modes ? [...MANDATE_CALLS, 'capabilities'] : []),
    ].includes(call)
    const method = call === 'capabilities' ? 'GET' : 'POST'
    if (request.method !== method || !knows || (call === 'collectMany' && !collectMany)) return void response.writeHead(404).end()
    const id = String(request.headers['webhook-id'] ?? '')
    const isForThis = id.startsWith(`${call}_`) || has('takes a call for another') || has('takes unsigned calls')
    if (!isSigned(request, text) || !isForThis) return void response.writeHead(401).end()
    const body = call === 'capabilities' ? { key: '' } : parsed(call === 'collectMany' ? text.replace('{', '{"key":"",') : text)
    if (typeof body?.['key'] !== 'string') return void response.writeHead(400).end()
    if (has('chokes on a new member') && 'aMemberOfTomorrow' in body) return void response.writeHead(400).end()
    const lie = lies.get(call)?.shift()
    if (lie === 'is refused') return void response.writeHead(503).end()
    if (lie === 'breaks off') return void response.destroy()
    const key = body['key']
    if (call === 'capabilities') adapter.asked++
    else adapter.calls.push({ call, key, body })
    const failure = { outcome: 'failure', failure: 'declined' }
    const answer = lie === 'a failure without the work' ? failure : await work(call, key, id, body)
    if (lie === 'breaks off when the work is done') return void response.destroy()
    if (lie === 'is silent when the work is done') return
    if (answer === 'conflict') return void response.writeHead(409).end()
    const secret = has('does not sign') ? '' : ADAPTER_SECRET
    const honest: Answered = { status: 200, type: 'application/json', id: `answer_${id}`, at: Date.now(), secret, body: { key, ...answer } }
    send(response, lie ? { ...LIES, ...UNTRUTHS }[lie](honest) : honest)
  }

  function isSigned({ headers }: IncomingMessage, text: string): boolean {
    if (has('takes unsigned calls')) return true
    const given = { ...(headers as Record<string, string>) }
    const old = Number(given['webhook-timestamp'])
    if (has('takes old calls') && given['webhook-id'])
      return new Webhook(ADAPTER_SECRET).sign(given['webhook-id'], new Date(old * 1_000), text) === given['webhook-signature']
    try {
      // The library parses the signed text as JSON, and a GET signs an empty text.
      if (text === '')
        return new Webhook(ADAPTER_SECRET).sign(given['webhook-id']!, new Date(old * 1_000), '') === given['webhook-signature']
      new Webhook(ADAPTER_SECRET).verify(text, given)
      return true
    } catch {
      return false
    }
  }

  async function work(call: string, key: string, id: string, body: Record<string, unknown>): Promise<object | 'conflict'> {
    const { mandates } = acquirer
    if (call === 'capabilities') return { modes, ...(collectMany && { collectMany }) }
    if (call === 'collectMany') {
      const { calls } = body as unknown as { calls: (Collect & Record<string, unknown>)[] }
      const answers = await Promise.all(calls.map((each) => work('collect', each.key, id, each)))
      if (answers.includes('conflict')) return 'conflict'
      if (has('answers the first of many')) answers.length = 1
      return { answers: answers.map((answer, at) => ({ key: calls[at]!.key, ...(answer as object) })) }
    }
    if (call === 'status' && kinds.has(key)) return kinds.get(key) === 'notice' ? mandates.noticeStatus(key) : mandates.status(key)
    if (call === 'status') {
      if (has('answers late what is paid') && Date.now() - (doneAt.get(key) ?? 0) < 1_000) return { outcome: 'pending' }
      const answer = await acquirer.status(key)
      if (answer.outcome === 'absent') dead.add(key)
      const isWrong = has('says that all was given back') && answer.outcome === 'success' && answer.refundedPaise
      return isWrong ? { ...answer, refundedPaise: answer.amountPaise } : answer
    }
    if (call === 'cancel') return cancel(key)
    if (call === 'otp') {
      const { action, otp } = body as { action: 'submit' | 'resend' | 'cancel'; otp: string }
      const given = has('takes every one-time password') ? '123123' : otp
      const before = has('counts a one-time password twice') ? undefined : otps.get(id)
      const answer = before ?? acquirer.otp(key, action === 'submit' ? { type: action, otp: given } : { type: action })
      otps.set(id, answer)
      return answer
    }
    // The adapter keeps no card number, so it recognises the same call by a digest.
    const content = createHash('sha256')
      .update(JSON.stringify({ call, ...body }))
      .digest('hex')
    const before = contents.get(key)
    if (before !== undefined && before !== content && !has('takes another amount under one key')) return 'conflict'
    contents.set(key, content)
    if ((MANDATE_CALLS as readonly string[]).includes(call)) return workOfMandate(call, key, body)
    if (call === 'refund') {
      const refund = body as unknown as RefundCall
      if (has('gives back more than it took')) return { outcome: 'success', reference: 'R1', amountPaise: refund.amountPaise }
      if (has('gives back nothing that it called absent') && dead.has(key)) return { outcome: 'failure', failure: 'timedOut' }
      return acquirer.refund(refund)
    }
    if (dead.has(key) && before === undefined && !has('pays what it called absent')) return { outcome: 'failure', failure: 'timedOut' }
    doneAt.set(key, Date.now())
    const { mandate } = body as unknown as Authorize
    if (mandate) kinds.set(mandate.key, 'mandate')
    const twice = has('pays a key twice') && before !== undefined
    const races = has('pays once, and races') && (await acquirer.status(key)).outcome === 'absent'
    const as = twice || races ? `${key}:${fresh.hex(4)}` : key
    if (races) await acquirer.authorize(body as unknown as Authorize)
    const answer = JSON.stringify(await acquirer.authorize({ ...(body as unknown as Authorize), key: as }))
    return JSON.parse(flaws.reduce((text, flaw) => OF_LINKS[flaw]?.(text) ?? text, answer))
  }

  async function cancel(key: string): Promise<object> {
    const before = await acquirer.status(key)
    if (before.outcome === 'absent') dead.add(key)
    const failure = { outcome: 'failure', failure: 'cancelled' }
    if (has('calls back what is paid') && before.outcome === 'success') return failure
    if (!has('pays what it called back') || before.outcome !== 'pending') return acquirer.cancel(key)
    await acquirer.payerActs({ key }, 'approve')
    return failure
  }

  /** Takes another key each time, or debits without the payer's approval. */
  function flawed({ key, notifyKey, ...call }: Collect): Collect {
    const isAsked = notifyKey !== undefined && !has('debits what was not approved')
    return { ...call, key: has('debits a key twice') ? `${key}:${fresh.hex(4)}` : key, ...(isAsked && { notifyKey }) }
  }

  function workOfMandate(call: string, key: string, body: Record<string, unknown>): Promise<object> {
    const { mandates } = acquirer
    const { mandateReference } = body as { mandateReference: string }
    if (call !== 'collect') kinds.set(key, call === 'notify' ? 'notice' : 'mandate')
    switch (call) {
      case 'register':
        return mandates.register(body as unknown as Register)
      case 'notify':
        return mandates.notify(body as unknown as Notify)
      case 'collect':
        return mandates.collect(flawed(body as unknown as Collect))
      case 'amend':
        return mandates.amend(body as unknown as Amend)
      case 'revoke':
        return mandates.revoke(key, mandateReference)
      case 'pause':
        if (has('only says that it pauses')) return Promise.resolve({ outcome: 'paused' })
        return mandates.pause(key, mandateReference)
      default:
        return mandates.resume(key, mandateReference)
    }
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function headersOf(secret: string, id: string, at: number, body: string): Record<string, string> {
  if (secret === '') return {}
  const signature = new Webhook(secret).sign(id, new Date(at), body)
  return { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(at / 1_000)), 'webhook-signature': signature }
}

function send(response: ServerResponse, { status, type, id, at, secret, body, sent, headers = {} }: Answered) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': type, ...headersOf(secret, id, at, text), ...headers })
  response.end(sent ?? text)
}
