// A merchant's server that takes notifications, and an operation that notifies, for tests without payments.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { notificationReads, notify } from '../../../src/domain/notification/notification.ts'
import { operation } from '../../../src/engine/decision.ts'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import { merchantKey } from '../../../src/tables/keys.ts'
import { KEY, MID, type Service } from '../run/service.ts'

export const SECRET = `whsec_${Buffer.from('a secret of four and twenty').toString('base64')}`

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** How a receiver answers: by a status, or by any action on the response. */
export type Behaviour = number | ((response: ServerResponse, received: Received) => void)

/** Answers by `behave`, and keeps each request. It ends with the current test, unless `endsWithTest` is false. */
export async function receiver(behave: (received: Received) => Behaviour = () => 200, { endsWithTest = true } = {}) {
  const journal: Received[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const received = { path: request.url!, headers: request.headers, body: Buffer.concat(parts).toString() }
      journal.push(received)
      const behaviour = behave(received)
      if (typeof behaviour === 'number') response.writeHead(behaviour).end()
      else behaviour(response, received)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  if (endsWithTest) after(close)
  return { journal, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

/** The demo merchant with an endpoint. More merchants may be added; all have the same key. */
export function notifiedWorld(url: string, form: 'json' | 'classic', others: readonly { mid: string; url: string }[] = []): World {
  const notification = { url, form, secret: SECRET }
  return {
    ...demoWorld,
    merchants: [
      { ...demoWorld.merchants![0]!, notification },
      ...others.map(({ mid, url }) => ({ mid, keys: [{ clientId: 'C11', key: KEY }], notification: { ...notification, url } })),
    ],
  }
}

const reported = { operation: 'tell', name: 'told', code: '', status: 'S', message: '', rank: 0 } as const

interface Tell {
  mid: string
  orderId: string
  peonUrl: string | null
  content: Readonly<Record<string, string>>
  now: number
}

export const tell = operation({
  name: 'tell',
  codes: { reported },
  reads: ({ mid, orderId }: Tell) => ({ merchant: merchantKey(mid), ...notificationReads(mid, orderId) }),
  decide({ mid, orderId, peonUrl, content, now }, state) {
    const { changes, tasks } = notify({ order: { mid, orderId, peonUrl }, event: `order|${orderId}|1`, content }, state, now)
    return { reply: { result: reported }, changes, events: [], tasks }
  },
})

/** Notifies of the event at `place` of an order. */
export async function notifyOf(service: Service, orderId: string, place: number, { mid = MID, peonUrl = null as string | null } = {}) {
  await service.ports.engine.submit(tell, { mid, orderId, peonUrl, content: contentOf(mid, orderId, place), now: service.clock.now() })
}

export const contentOf = (mid: string, orderId: string, place: number): Record<string, string> => ({
  mid,
  orderId,
  txnId: `TXN${orderId}${place}`,
  txnAmount: `${place}.00`,
  currency: 'INR',
  status: 'TXN_SUCCESS',
  respCode: '01',
  respMsg: 'Txn Success',
  txnType: 'SALE',
  paymentMode: 'UPI',
  bankTxnId: '',
  custId: 'CUST_1',
  txnDate: '2026-06-15 10:00:00.0',
  udf1: 'नमस्ते {"} & = +',
})

/** The official checksum library, as a merchant's receiver calls it. */
export interface ChecksumLibrary {
  verifySignature(data: string | Record<string, string>, key: string, signature: string): boolean
}
const checksum = createRequire(import.meta.url)('paytmchecksum') as ChecksumLibrary
const webhook = new Webhook(SECRET)

/** Reads a notification as a careful receiver does: its content and number, or why it is refused. */
export function read({ headers, body }: Received): { id: string; orderId: string; place: number; fields: Record<string, string> } | string {
  try {
    webhook.verify(body, headers as Record<string, string>, { jsonParse: false })
  } catch (error) {
    return `webhook headers: ${(error as Error).message}`
  }
  const id = String(headers['webhook-id'])
  if (headers['content-type'] === 'application/json') {
    const text = /^\{"head":\{"signature":"([^"]+)"\},"body":(\{.*\})\}$/.exec(body)
    if (!text || !checksum.verifySignature(text[2]!, KEY, text[1]!)) return 'checksum'
    const fields = JSON.parse(text[2]!) as Record<string, string>
    return { id, orderId: fields['orderId']!, place: Number(fields['txnAmount']), fields }
  }
  const { CHECKSUMHASH, ...fields } = Object.fromEntries(new URLSearchParams(body))
  if (!checksum.verifySignature({ ...fields }, KEY, CHECKSUMHASH!)) return 'checksum'
  return { id, orderId: fields['ORDERID']!, place: Number(fields['TXNAMOUNT']), fields }
}
