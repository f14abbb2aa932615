// Drawn bad input to the calls about one way to pay. Each gets a code of the operation's own table, writes nothing, and causes no 5xx.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import { type ResultCode, resultCodeTables } from '../../../src/interface/result-codes.ts'
import { createOrder, type Order } from '../../support/paying/paying.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, sharedService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { watched } from '../../support/store/faults.ts'
import { Random } from '../../support/text/random.ts'

const SEED = 4_711
const REQUESTS = sized(600, 6_000)
const OF_ONE_ORDER = 40 // a token gets sixty answers a minute
const WHOLE_ODDS = 6 // of ten heads and queries

const rupees = (value: string, currency = 'INR') => ({ value, currency })
const GOOD = {
  fetchBalanceInfo: { paymentMode: 'BALANCE' },
  fetchNbPaymentChannels: { type: 'MERCHANT' },
  fetchEmiDetail: { channelCode: 'HDFC,ICICI', emiType: 'CREDIT_CARD', amount: rupees('12000.00') },
  validateVpa: { numericId: '9876512345' },
  fetchPaymentOptions: {},
} as const
const names = Object.keys(GOOD) as (keyof typeof GOOD)[]

const MEMBERS = [
  'mid',
  'orderId',
  'paymentMode',
  'type',
  'channelCode',
  'emiType',
  'amount',
  'vpa',
  'numericId',
  'numericID',
  'constructor',
]
const TEXTS = [
  'NOBODY',
  'BALANCE',
  'PPBL',
  'ADD_MONEY',
  'HDFC,',
  ',',
  `${'AB,'.repeat(40)}AB`,
  'asha@upi',
  'é'.repeat(300),
  '',
  '|',
  '\u0000',
]
const OTHERS = [
  null,
  true,
  0,
  -1,
  1.5,
  9_876_512_345,
  1e300,
  [],
  [null],
  {},
  rupees('1e9'),
  rupees('1.00', 'USD'),
  [[[]]],
  { a: { b: {} } },
]
const VALUES: readonly unknown[] = [...TEXTS, ...OTHERS, MID, 'x'.repeat(5_000)]

function drawnBody(random: Random, good: object): unknown {
  if (random.below(12) === 0) return random.pick(VALUES)
  const broken = Array.from({ length: random.below(3) }, () => [random.pick([...MEMBERS, ...Object.keys(good)]), random.pick(VALUES)])
  return { ...(random.below(5) === 0 ? {} : good), ...Object.fromEntries(broken) }
}
function drawnHead(random: Random, txnToken: string): object {
  if (random.below(10) < WHOLE_ODDS) return random.pick([{ txnToken }, { tokenType: 'TXN_TOKEN', token: txnToken }])
  const unknown = `nobody ${random.below(1e9)}`
  return random.pick([{ txnToken: unknown }, { tokenType: 'ACCESS', token: txnToken }, { tokenType: 1 }, {}, { txnToken, channelId: [] }])
}
function drawnQuery(random: Random, { orderId }: Order): string {
  const whole = `mid=${MID}&orderId=${orderId}`
  if (random.below(10) < WHOLE_ODDS) return whole
  return random.pick([`mid=${MID}`, '', `mid=NOBODY&orderId=${orderId}`, `mid=${MID}&orderId=%00`, `${whole}&mid=${MID}`, `${whole}1`])
}
/** Sometimes cut, or with a repeated key. */
function drawnText(random: Random, head: object, body: unknown): string {
  const text = JSON.stringify({ head, body })
  const cut = random.below(20)
  return cut === 0 ? text.slice(0, random.below(text.length)) : cut === 1 ? text.replace('"body"', '"head"') : text
}

onBothStores('drawn calls', (store) => {
  let written = 0
  const service = sharedService(store, {
    store: (real) =>
      watched(real, {
        write({ changes, events }) {
          written += changes.length + events.length
        },
      }),
  })

  test('are answered by the operation’s own table, and write nothing', async (t) => {
    const running = await service()
    const random = new Random(SEED)
    const counts = new Map<string, number>()
    let made: Order | undefined
    for (let at = 0; at < REQUESTS; at++) {
      if (!made || at % OF_ONE_ORDER === 0) made = await createOrder(running, `DRAWN-${at}`)
      const name = random.pick(names)
      const path = random.pick(operations[name].paths)
      const text = drawnText(random, drawnHead(random, made.txnToken), drawnBody(random, GOOD[name]))
      const before = written
      const reply = await running.post(`${path}?${drawnQuery(random, made)}`, text)
      const table = Object.values(resultCodeTables).find(({ success }) => success.operation === name)!
      assert.equal(reply.status, 200, `${text}: ${reply.text}`)
      const row = Object.values<ResultCode>(table).find(({ code }) => code === codeOf(reply))
      assert.ok(row && row.name !== 'systemError', `${path} ${text}: ${reply.text}`)
      assert.equal(written, before, text)
      counts.set(row.code, (counts.get(row.code) ?? 0) + 1)
    }
    const figures = [...counts].sort().map(([code, count]) => `${code}: ${count}`)
    t.diagnostic(`seed ${SEED}, ${REQUESTS} requests: ${figures.join(', ')}; 5xx: 0`)
    for (const code of ['0000', '1001', '1006', '1007', '1012', '2004', '2006', '2013', '2222']) assert.ok(counts.has(code), code)
  })
})
