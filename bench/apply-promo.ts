// Apply Promo, signed and over HTTP, for a merchant with a thousand live offers. Half of the requests name no offer and get the best, half
// name one.

import { demoWorld, type World } from '../src/sandbox/world.ts'
import type { Figure } from './bench.ts'
import { median } from './numbers.ts'
import { load, newFolder, serveMohur } from './processes.ts'
import { MID } from './requests.ts'

const OFFERS = 1_000
const REQUESTS = 40_000
const ROUNDS = 5
const WARM_UP = 2
const METHODS = ['CREDIT_CARD', 'DEBIT_CARD', 'UPI', 'NET_BANKING'] as const

export async function applyPromo(): Promise<Figure[]> {
  const served = await serveMohur({ folder: newFolder() }, { ...demoWorld, promotions: offers() } as World)
  const rates: number[] = []
  let p99Ms = 0
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const measured = await load({
      port: served.port,
      connections: 64,
      requests: REQUESTS,
      kind: 'applyPromo',
      run: `A${round}`,
      expect: '"00000000"',
    })
    if (round < WARM_UP) continue
    rates.push(measured.perSecond)
    p99Ms = Math.max(p99Ms, measured.p99Ms)
  }
  await served.stop()
  return [
    { what: 'apply promo against 1,000 live offers', figure: median(rates), unit: 'per second', bar: { atLeast: 5_000 } },
    { what: 'apply promo, p99 of the slowest round', figure: p99Ms, unit: 'ms' },
  ]
}

/** A third has a budget and a limit per customer, so that counters are read. The others differ by method, bank and amount. */
const offers = () =>
  Array.from({ length: OFFERS }, (_, at) => ({
    mid: MID,
    promocode: `OFFER${at}`,
    kind: at % 4 === 0 ? 'CASHBACK' : 'DISCOUNT',
    title: `Offer ${at}`,
    ...(at % 2 === 0 ? { flat: `${1 + (at % 90)}.00` } : { percent: String(1 + (at % 20)), upTo: `${10 + (at % 150)}.00` }),
    minAmount: `${at % 400}.00`,
    payMethods: [METHODS[at % METHODS.length]!],
    banks: at % 5 === 0 ? ['HDFC', 'ICICI'] : [],
    validFrom: '2020-01-01',
    validUpto: '2099-12-31',
    ...(at % 3 === 0 && { budget: '100000.00', maxPerCustomer: 5 }),
  }))
