// Makes payments at a bank that closes its connections without a sign. Counts how often each was sent, and how many stayed in doubt.

import { createOrder, inParallel, pay } from '../paying/paying.ts'
import { type StoreName, startService } from '../run/service.ts'
import { Random } from '../text/random.ts'
import { ADAPTER_SECRET } from './adapter.ts'
import { type RawCall, rawBank } from './raw-bank.ts'

const WIDTH = 64 // payers at once
const MS_MAX = 20 // after an answer

/** How a connection ends that has answered. */
export const CLOSINGS = {
  'says so': ({ socket, honest }: RawCall) => socket.end(honest('connection: close\r\n')),
  'with the answer': ({ socket, honest }: RawCall) => socket.end(honest()),
  'by a reset': ({ socket, honest }: RawCall) => socket.write(honest(), () => setImmediate(() => socket.resetAndDestroy())),
  'a little later': ({ socket, honest, random }: RawCall & { random: Random }) =>
    socket.write(honest(), () => setTimeout(() => socket.end(), random.below(MS_MAX))),
} as const
export type Closing = keyof typeof CLOSINGS

export interface Figures {
  payments: number
  paid: number
  /** How many payers got an answer that leaves open whether they paid. */
  unknown: number
  /** The most often that the service sent one payment. */
  sentMost: number
  connections: number
  perSecond: number
}

export async function payAtClosingBank(store: StoreName, payments: number, closing: Closing, seed: number): Promise<Figures> {
  const random = new Random(seed)
  const bank = await rawBank((call) => CLOSINGS[closing]({ ...call, random }))
  const service = await startService(store, { env: { MOHUR_ACQUIRER_URL: bank.url, MOHUR_ACQUIRER_SECRET: ADAPTER_SECRET } })
  try {
    const answers = { paid: 0, unknown: 0 }
    const began = performance.now()
    await inParallel(WIDTH, payments, async (at) => {
      const order = await createOrder(service, `CLOSING${at}`)
      const { body } = await pay(service, order, { paymentMode: 'UPI', payerAccount: 'success@bank' })
      if (body.txnInfo?.STATUS === 'TXN_SUCCESS') answers.paid++
      else answers.unknown++
    })
    const seconds = (performance.now() - began) / 1_000
    const sent = Map.groupBy(
      bank.heard.filter(({ call }) => call === 'authorize'),
      ({ key }) => key,
    )
    const sentMost = Math.max(...[...sent.values()].map(({ length }) => length))
    return { payments: sent.size, ...answers, sentMost, connections: bank.connections.length, perSecond: Math.round(payments / seconds) }
  } finally {
    await service.close()
    await bank.close()
  }
}
