// Sign-in as a client of the interface does it: Basic authorization, a device, flat JSON.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import type { Reply, Service } from '../run/service.ts'

export const SEND = '/v4/signin/otp/sv1'
export const VALIDATE = '/v4/signin/validate/otp/sv1'
export const LOCALE = '?locale=en-IN'
export const basic = (clientId: string, secret: string) => `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`

export const signInWorld: World = {
  ...demoWorld,
  signInClients: [
    { clientId: 'demo-app', clientSecret: 'demo-secret', scopes: ['wallet', 'profile'] },
    { clientId: 'other-app', clientSecret: 'other-secret', scopes: ['profile'] },
    { clientId: 'colon-app', clientSecret: 'se:cr:et', scopes: [] },
    { clientId: 'भारत', clientSecret: 'गुप्त 🔑', scopes: ['profile'] },
  ],
}

export interface SignInOptions {
  client?: readonly [clientId: string, secret: string]
  device?: string
  query?: string
  headers?: Readonly<Record<string, string>>
}

const headersOf = ({ client = ['demo-app', 'demo-secret'], device = 'device-1', headers }: SignInOptions) => ({
  authorization: basic(...client),
  'x-device-identifier': device,
  ...headers,
})

export const send = (service: Service, body: object, options: SignInOptions = {}): Promise<Reply> =>
  service.post(`${SEND}${options.query ?? LOCALE}`, JSON.stringify(body), headersOf(options))

export const validate = (service: Service, body: object, options: SignInOptions = {}): Promise<Reply> =>
  service.post(`${VALIDATE}${options.query ?? LOCALE}`, JSON.stringify(body), headersOf(options))

export async function inbox(service: Service, mobile: string): Promise<{ at: string; kind: string; text: string; otp: string }[]> {
  const response = await fetch(`${service.url}/sandbox/inbox?mobile=${mobile}`)
  assert.equal(response.status, 200)
  return ((await response.json()) as { messages: [] }).messages
}

/** Sends an OTP and reads it from the inbox. */
export async function receive(service: Service, phone: string, options: SignInOptions & { scopes?: string[] } = {}) {
  const before = await inbox(service, phone)
  const reply = await send(service, { phone, ...(options.scopes && { scopes: options.scopes }) }, options)
  assert.equal(reply.body.responseCode, 'BE1400001', reply.text)
  const after = await inbox(service, phone)
  // Several codes may have been sent at one instant, because a test's clock does not move by itself.
  const message = after.find((one) => !before.some((other) => other.text === one.text && other.at === one.at))
  return { state_token: reply.body.state_token as string, otp: message!.otp }
}

export async function changeWorld(service: Service, world: World) {
  const response = await fetch(`${service.url}/sandbox/world`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(world),
  })
  assert.equal(response.status, 200, await response.text())
}

/** Six digits other than these. */
export const otherThan = (otp: string) => String((Number(otp) + 1) % 1_000_000).padStart(6, '0')

/** Posts with exactly these headers, names and values in turn, so that a header may come twice. */
export function rawPost(service: Service, path: string, body: string, headers: string[]): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const all = ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body)), ...headers]
    const sent = request(service.url + path, { method: 'POST', headers: ['host', 'localhost', ...all] }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part) => parts.push(part))
      response.on('end', () => {
        const text = Buffer.concat(parts).toString()
        const parsed = text.startsWith('{') ? JSON.parse(text) : {}
        resolve({
          status: response.statusCode ?? 0,
          text,
          head: undefined,
          body: parsed,
          hint: String(response.headers['mohur-hint'] ?? ''),
        })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** HTTP status and responseCode of a reply. */
export const codeOf = async (reply: Promise<Reply>) => {
  const { status, body } = await reply
  return `${status} ${body.responseCode}`
}
