// Lists one customer's subscriptions, with a million stored against a thousand. Each customer has twenty.

import { subscriptionEvent } from '../src/domain/subscription/subscription.ts'
import { subscriptionKey } from '../src/tables/keys.ts'
import type { Row } from '../src/tables/tables.ts'
import type { Figure } from './bench.ts'
import { fill } from './fill.ts'
import { median } from './numbers.ts'
import { load, newFolder, serveMohur } from './processes.ts'
import { MID } from './requests.ts'

const FEW = 1_000
const MANY = 1_000_000
const PER_CUSTOMER = 20
const REQUESTS = 5_000
const ROUNDS = 7
const WARM_UP = 2

export async function listSubscriptions(): Promise<Figure[]> {
  const served = []
  for (const count of [FEW, MANY]) {
    const place = { folder: newFolder() }
    await fill(place, count, (at) => storedSubscription(at, count))
    served.push(await serveMohur(place))
  }
  const [few, many] = served
  // One connection, because the figure is the time of one listing, not how many fit side by side.
  const run = async (port: number) =>
    (await load({ port, connections: 1, requests: REQUESTS, kind: 'listSubscriptions', run: 'L', expect: '"3006"' })).p50Ms
  const rounds: { few: number; many: number }[] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const measured = { few: await run(few!.port), many: await run(many!.port) }
    if (round >= WARM_UP) rounds.push(measured)
  }
  await Promise.all(served.map((each) => each.stop()))
  return [
    { what: 'list a customer’s 20 subscriptions at 1,000 stored, p50', figure: median(rounds.map(({ few }) => few)), unit: 'ms' },
    {
      what: 'list at 1,000,000 stored ÷ at 1,000, time',
      figure: median(rounds.map(({ few, many }) => many / few)),
      unit: 'ratio',
      bar: { atMost: 1.3 },
    },
  ]
}

function storedSubscription(at: number, count: number) {
  const createdAt = Date.now() - (count - at) * 10
  const row: Row<'subscriptions'> = {
    mid: MID,
    subscriptionId: `S${String(at).padStart(12, '0')}`,
    version: 1,
    status: 'INIT',
    subStatus: 'INIT',
    orderId: `SUBS-${at}`,
    custId: `CUST_${at % (count / PER_CUSTOMER)}`,
    amountType: 'FIX',
    txnAmountPaise: 100,
    renewalAmountPaise: 49_900,
    maxAmountPaise: 49_900,
    frequencyUnit: 'MONTH',
    frequency: 1,
    startDate: '2026-12-01',
    expiryDate: '2030-12-01',
    graceDays: 1,
    enableRetry: true,
    retryCount: 1,
    autoRenewal: true,
    autoRetry: true,
    communicationManager: true,
    appInvokeDevice: '3P',
    mandateType: null,
    paymentModes: ['UPI', 'CREDIT_CARD'],
    details: { mobile: '9999900001' },
    createdAt,
    updatedAt: createdAt,
    paymentMode: null,
    consentedAt: null,
    mandate: null,
    wakesAt: null,
    edit: null,
  }
  const change = { kind: 'insert' as const, key: subscriptionKey(row.mid, row.subscriptionId), row }
  return { changes: [change], events: [subscriptionEvent('subscription.created', undefined, row, createdAt)] }
}
