// Create order with a million stored orders against a thousand. Rounds alternate.

import { orderEvent } from '../src/domain/order/order.ts'
import { orderKey } from '../src/tables/keys.ts'
import type { Row } from '../src/tables/tables.ts'
import type { Figure } from './bench.ts'
import { fill } from './fill.ts'
import { median } from './numbers.ts'
import { load, newFolder, serveMohur } from './processes.ts'
import { MID } from './requests.ts'

const FEW = 1_000
const MANY = 1_000_000
const REQUESTS = 40_000
const ROUNDS = 5
const WARM_UP = 1
const DAY_MS = 86_400_000

export async function decay(): Promise<Figure[]> {
  const served = []
  for (const count of [FEW, MANY]) {
    const place = { folder: newFolder() }
    await fill(place, count, (at) => storedOrder(at, count))
    served.push(await serveMohur(place))
  }
  const [few, many] = served
  const ratios: number[] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const run = (port: number) =>
      load({ port, connections: 64, requests: REQUESTS, kind: 'createOrder', run: `D${round}`, expect: '"0000"' })
    const ratio = 1 / ((await run(few!.port)).perSecond / (await run(many!.port)).perSecond)
    if (round >= WARM_UP) ratios.push(ratio)
  }
  await Promise.all(served.map((each) => each.stop()))
  return [{ what: 'create order at 1,000,000 stored ÷ at 1,000, SQLite', figure: median(ratios), unit: 'ratio', bar: { atLeast: 0.85 } }]
}

/** An order of the last day, as create-order.ts writes it. None expires during the measurement. */
function storedOrder(at: number, count: number) {
  const issuedAt = Date.now() - Math.floor(((count - at) / count) * (DAY_MS / 2))
  const row: Row<'orders'> = {
    mid: MID,
    orderId: `STORED-${String(at).padStart(8, '0')}`,
    version: 1,
    status: 'CREATED',
    requestType: 'PAYMENT',
    subscriptionId: null,
    amountPaise: 49_900,
    modifyCount: 0,
    unsignedModifyCount: 0,
    consentOrderId: null,
    custId: `CUST_${at % 10_000}`,
    searchTerms: '',
    websiteName: 'DEFAULT',
    callbackUrl: 'http://127.0.0.1:9000/callback',
    peonUrl: null,
    txnTokenHash: `stored${String(at).padStart(37, '0')}`,
    txnTokenIssuedAt: issuedAt,
    expiresAt: issuedAt + DAY_MS,
    paymentModes: {},
    details: {
      userInfo: { custId: `CUST_${at % 10_000}` },
      goodsInfo: [{ description: 'Cotton shirt', quantity: '1' }],
      extendInfo: { udf1: 'store-12' },
    },
    transactionCount: 0,
    leftCount: 0,
    txnId: null,
    payer: null,
    updatedAt: issuedAt,
  }
  return {
    changes: [{ kind: 'insert' as const, key: orderKey(row.mid, row.orderId), row }],
    events: [orderEvent('order.created', undefined, row, issuedAt)],
  }
}
