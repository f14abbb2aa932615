// Makes payments and refunds over a line to the bank that breaks by a seed. Then the line works again, time passes, and the books are
// compared.

import assert from 'node:assert/strict'
import { createOrder, inParallel, pay } from '../paying/paying.ts'
import { refund } from '../paying/refunds.ts'
import { codeOf } from '../run/replies.ts'
import { type StoreName, startService } from '../run/service.ts'
import { assertHolds } from '../store/verify.ts'
import { Random } from '../text/random.ts'
import { ADAPTER_SECRET, startAdapter } from './adapter.ts'
import { booksEqualBank } from './books.ts'
import { breakingLine } from './breaking-line.ts'

const WIDTH = 16
const A_ROUND = 50 // payments; in each round the bank proves anew that it keeps connections, so that kept ones break too
const BREAKS = 0.15
const MEANS = ['success', 'success', 'success', 'success', 'declined', 'pending'] as const
const REFUNDED = 0.3 // of the paid ones
const SECOND_MS = 1_000
const DISPROVED_FOR_MS = 10 * 60 * SECOND_MS
const WEEK_MS = 8 * 24 * 60 * 60 * SECOND_MS
const ALL = 100_000

export interface Broken {
  payments: number
  broken: number
  /** By the status of the transaction: when the payer got the answer, and after time has passed. */
  first: Record<string, number>
  last: Record<string, number>
  refunds: number
}

export async function payOverBreakingLine(store: StoreName, payments: number, seed: number): Promise<Broken> {
  const random = new Random(seed)
  let clock = { now: () => 0 }
  const adapter = await startAdapter({ now: () => clock.now() })
  const line = await breakingLine(adapter.url, random)
  const service = await startService(store, { env: { MOHUR_ACQUIRER_URL: line.url, MOHUR_ACQUIRER_SECRET: ADAPTER_SECRET } })
  clock = service.clock
  let refunds = 0
  const payOne = async (orderId: string) => {
    const order = await createOrder(service, orderId)
    const { body } = await pay(service, order, { paymentMode: 'UPI', payerAccount: `${random.pick(MEANS)}@bank` })
    if (body.txnInfo?.STATUS !== 'TXN_SUCCESS' || random.fraction() >= REFUNDED) return
    refunds++
    assert.equal(codeOf(await refund(service, { ...order, txnId: body.txnId }, `R-${orderId}`, '40.00')), '601')
    service.tasks.wake()
  }
  const counted = async () => {
    const transactions = await service.ports.query.rows({ find: 'transactions', limit: ALL })
    return Object.fromEntries([...Map.groupBy(transactions, ({ status }) => status)].map(([status, rows]) => [status, rows.length]))
  }
  try {
    for (let done = 0; done < payments; done += A_ROUND) {
      line.breaks = 0
      service.clock.pass(DISPROVED_FOR_MS)
      await payOne(`PROVES${done}`)
      service.clock.pass(SECOND_MS)
      await inParallel(WIDTH, WIDTH, (at) => payOne(`KEPT${done}-${at}`))
      line.breaks = BREAKS
      await inParallel(WIDTH, Math.min(A_ROUND, payments - done) - WIDTH - 1, (at) => payOne(`BREAKS${done}-${at}`))
    }
    const first = await counted()
    line.breaks = 0
    await service.tasks.advance(service.clock.now() + WEEK_MS, async (instant) =>
      service.clock.advance(Math.max(0, instant - service.clock.now())),
    )
    const last = await counted()
    const sent = Map.groupBy(
      adapter.calls.filter(({ call }) => call === 'authorize'),
      ({ key }) => key,
    )
    for (const [key, calls] of sent) assert.equal(calls.length, 1, `${key} was sent ${calls.length} times`)
    await booksEqualBank(service, await adapter.bank.journal(0, service.clock.now()))
    await assertHolds(service)
    return { payments, broken: line.broken, first, last, refunds }
  } finally {
    await service.close()
    await line.close()
    await adapter.close()
  }
}
