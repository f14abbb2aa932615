// `mohur promo explain` beside a running service: the rules that it names, and that it agrees with Apply Promo.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { explained } from '../../src/cli/promo.ts'
import { rules } from '../../src/domain/promotion/evaluate.ts'
import { dateInIndia } from '../../src/engine/clock.ts'
import { readSettings } from '../../src/settings.ts'
import { applied, count, promotionWorld } from '../support/paying/promotions.ts'
import { program } from '../support/run/checkout.ts'
import { MID, onBothStores, type Service, type StoreName, startService } from '../support/run/service.ts'
import { sharedPostgres } from '../support/store/postgres.ts'

const TODAY = '2026-06-15' // of the test's clock
const world = promotionWorld([
  { promocode: 'PLAIN', flat: '75.00' },
  { promocode: 'BANK', percent: '10', upTo: '100.00', minAmount: '200.00', payMethods: ['NET_BANKING', 'CREDIT_CARD'], banks: ['HDFC'] },
  { promocode: 'BIN', percent: '12.5', bins: ['411111'], kind: 'CASHBACK', visible: false },
  { promocode: 'ITEMS', flat: '50.00', skus: ['SKU1', 'SKU2'] },
  { promocode: 'TWICE', flat: '10.00', maxPerCustomer: 2 },
  { promocode: 'SCARCE', flat: '10.00', budget: '100.00', fundedBy: 'bank' },
  { promocode: 'OVER', flat: '1.00', validUpto: '2026-06-14' },
  { promocode: 'LATER', flat: '1.00', validFrom: '2026-06-16' },
])

const card = (transactionAmount: string, more: object = {}) => ({
  paymentOptions: [{ transactionAmount, payMethod: 'CREDIT_CARD', ...more }],
  totalTransactionAmount: transactionAmount,
})

interface Said {
  isGiven: boolean
  /** `rule yes|no` of each line, in order. */
  rules: string[]
  lines: string[]
}

async function beside(store: StoreName) {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-explain-'))
  const environment = { MOHUR_DATA: folder, DATABASE_URL: store === 'postgres' ? await (await sharedPostgres()).createDatabase() : '' }
  const service = await startService(store, { world, env: environment })
  const file = join(folder, 'cart.json')
  /** Runs in this process what the command runs in its own. */
  const explain = async (code: string, cart: object | string, more: { on?: string; cart?: string } = {}): Promise<Said> => {
    writeFileSync(file, typeof cart === 'string' ? cart : JSON.stringify(cart))
    const { lines, isGiven } = await explained({ mid: MID, code, cart: file, ...more }, readSettings(environment))
    return { isGiven, lines, rules: lines.slice(1, -1).map((line) => line.split(/\s+/, 2).join(' ')) }
  }
  const command = async (...args: string[]) => {
    const child = spawn(process.execPath, [program, 'promo', ...args], {
      env: { ...process.env, ...environment },
    })
    let [out, err] = ['', '']
    child.stdout.on('data', (part) => (out += part))
    child.stderr.on('data', (part) => (err += part))
    const [code] = (await once(child, 'close')) as [number]
    return { code, out, err }
  }
  const close = async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { service, folder, file, explain, command, close }
}

onBothStores('mohur promo explain', (store) => {
  let opened: ReturnType<typeof beside> | undefined
  const running = () => {
    opened ??= beside(store)
    return opened
  }
  after(async () => (await opened)?.close())

  test('every rule is named with its verdict, in the order in which they are judged', async () => {
    const { explain } = await running()
    const said = await explain('BANK', { ...card('1500.00', { bankCode: 'HDFC' }), custId: 'CUST_1' }, { on: TODAY })
    assert.deepEqual(said.lines, [
      `BANK of ${MID}, on ${TODAY} in India`,
      'known           yes  discount "BANK"',
      'validFrom       yes  0001-01-01',
      'validUpto       yes  9999-12-31',
      'payMethods      yes  NET_BANKING, CREDIT_CARD',
      'banks           yes  HDFC',
      'bins            yes  any',
      'customer        yes  any',
      'skus            yes  any',
      'minAmount       yes  Rs 200.00, of Rs 1500.00',
      'benefit         yes  Rs 100.00, which is 10.00% on Rs 1500.00, at most Rs 100.00',
      'maxPerCustomer  yes  no limit, used 0 times by CUST_1',
      'budget          yes  no limit of merchant, used Rs 0.00 in 0 payments',
      'Given',
    ])
    assert.deepEqual(
      said.rules.map((line) => line.split(' ')[0]),
      ['known', 'validFrom', 'validUpto', ...Object.keys(rules), 'maxPerCustomer', 'budget'],
    )
  })

  test('it says of each cart what Apply Promo says, and why', async () => {
    const { service, explain } = await running()
    const items = (...ids: string[]) => ({ cartDetails: { items: ids.map((id) => ({ id, price: '40.00', quantity: 2 })) } })
    for (const [promocode, cart, no] of [
      ['PLAIN', card('60.00'), []],
      ['BANK', { ...card('300.00'), paymentOptions: { transactionAmount: '300.00', payMethod: 'UPI' } }, ['payMethods']],
      ['BANK', card('300.00', { bankCode: 'SBI' }), ['banks']],
      ['BANK', card('199.99', { bankCode: 'HDFC' }), ['minAmount']],
      ['BIN', card('300.00', { cardNo: '4111111111111111' }), []],
      ['BIN', card('300.00', { cardNo: '5555555555554444' }), ['bins']],
      ['BIN', card('0.01', { cardNo: '4111111111111111' }), ['benefit']],
      ['ITEMS', { ...card('300.00'), ...items('SKU2', 'SKU3') }, []],
      ['ITEMS', { ...card('300.00'), ...items('SKU3') }, ['skus']],
      ['NOSUCH', card('300.00'), ['known']],
      ['OVER', card('300.00'), ['validUpto']],
      ['LATER', card('300.00'), ['validFrom']],
    ] as const) {
      const said = await explain(promocode, cart, { on: TODAY })
      const { breakup } = await applied(service, { ...cart, promocode })
      const verdict = breakup.promocodeApplied === promocode ? 'Given' : `Not given: ${breakup.promotext}`
      assert.deepEqual([said.lines.at(-1), said.isGiven], [verdict, verdict === 'Given'], `${promocode} ${JSON.stringify(cart)}`)
      assert.deepEqual(
        said.rules.filter((line) => line.endsWith(' no')),
        no.map((rule) => `${rule} no`),
        said.lines.join('\n'),
      )
      const paise = breakup.instantDiscount === '0.00' ? breakup.cashbackAmount : breakup.instantDiscount
      if (verdict === 'Given')
        assert.ok(
          said.lines.some((line) => line.startsWith(`benefit         yes  Rs ${paise},`)),
          said.lines.join('\n'),
        )
    }
  })

  test('customer limit and budget are judged by the counters as they stand', async () => {
    const { service, explain } = await running()
    await count(
      service.store,
      { promocode: 'TWICE', custId: '', uses: 3, amountPaise: 3_000, budgetPaise: null, usesMax: null },
      { promocode: 'TWICE', custId: 'CUST_1', uses: 2, amountPaise: 2_000, budgetPaise: null, usesMax: 2 },
      { promocode: 'SCARCE', custId: '', uses: 10, amountPaise: 9_001, budgetPaise: 10_000, usesMax: null },
    )
    const last = async (code: string, custId: string | undefined) => {
      const said = await explain(code, { ...card('300.00'), ...(custId && { custId }) }, { on: TODAY })
      return [said.isGiven, ...said.lines.slice(-3)]
    }
    const everybody = 'budget          yes  no limit of merchant, used Rs 30.00 in 3 payments'
    const limit = 'This offer has been used as often as one customer may'
    assert.deepEqual(await last('TWICE', 'CUST_1'), [
      false,
      `maxPerCustomer  no   2, used 2 times by CUST_1: ${limit}`,
      everybody,
      `Not given: ${limit}`,
    ])
    assert.deepEqual(await last('TWICE', 'CUST_2'), [true, 'maxPerCustomer  yes  2, used 0 times by CUST_2', everybody, 'Given'])
    assert.deepEqual(await last('TWICE', undefined), [true, 'maxPerCustomer  yes  2, no customer is named', everybody, 'Given'])
    assert.deepEqual(await last('SCARCE', 'CUST_1'), [
      false,
      'maxPerCustomer  yes  no limit, used 0 times by CUST_1',
      'budget          no   Rs 100.00 of bank, used Rs 90.01 in 10 payments: This offer is used up',
      'Not given: This offer is used up',
    ])
  })

  test('without a date it is today in India, and in the sandbox the day to which its clock was moved', async () => {
    const { service, explain } = await running()
    const dayOf = async () => /on (\S+) in India/.exec((await explain('PLAIN', card('300.00'))).lines[0]!)![1]
    const before = dateInIndia(Date.now())
    assert.ok([before, dateInIndia(Date.now())].includes((await dayOf())!))
    await service.post('/sandbox/clock', '{"to":"2044-02-29T09:00:00+05:30"}')
    assert.equal(await dayOf(), '2044-02-29')
  })

  test('the command prints it and ends with 0 when the promotion is given, with 1 when not', async () => {
    const { file, command } = await running()
    writeFileSync(file, JSON.stringify(card('300.00')))
    const asked = ['explain', '--mid', MID, '--cart', file, '--code']
    const [given, refused] = await Promise.all([command(...asked, 'PLAIN'), command(...asked, 'NOSUCH')])
    assert.match(given.out, /^PLAIN of .*\nknown .*\nGiven\n$/s)
    assert.deepEqual([given.code, given.err, refused.code, refused.err], [0, '', 1, ''])
    assert.match(refused.out, /\nNot given: This promo code is not valid\n$/)
  })

  test('a caller’s mistake is one sentence, and nothing of a card is in it', async () => {
    const { explain } = await running()
    for (const [cart, more, sentence] of [
      ['{', {}, /not a JSON object that Apply Promo would take/],
      [' '.repeat(70_000), {}, /not a JSON object/],
      [{ ...card('300.00'), mid: 'ANOTHER' }, {}, /names another mid/],
      [{}, {}, /paymentOptions is missing, totalTransactionAmount is missing/],
      [{ ...card('300.00'), totalTransactionAmount: '299.00' }, {}, /totalTransactionAmount is wrong/],
      [card('300.00', { cardNo: '41111111111111112222222' }), {}, /paymentOptions\[0\]\.cardNo is wrong/],
      [card('300.00'), { on: '2026-02-30' }, /--on must be a date/],
      [card('300.00'), { cart: '/no/such/file' }, /\/no\/such\/file cannot be read \(ENOENT\)/],
    ] as const) {
      await assert.rejects(explain('PLAIN', cart, more), ({ name, message }: Error) => {
        assert.equal(name, 'SettingError')
        assert.match(message, sentence)
        assert.ok(!message.includes('4111') && !message.includes('\n'), message)
        return true
      })
    }
  })
})

test('where there is no database that is said with an exit code of its own, and none is made', async () => {
  const { service, explain, command, file, folder, close } = await beside('sqlite')
  try {
    await stopped(service)
    assert.ok((await explain('PLAIN', card('300.00'), { on: TODAY })).isGiven, 'a service that is stopped is as good')
    const database = join(folder, 'mohur.sqlite')
    rmSync(database)
    assert.deepEqual(await command('explain', '--mid', MID, '--code', 'PLAIN', '--cart', file), {
      code: 66,
      out: '',
      err: `there is no database at ${database}: is MOHUR_DATA right? The first \`mohur migrate\` or \`mohur merchant add\` makes one\n`,
    })
    assert.ok(!existsSync(database))
    assert.equal((await command('explain')).code, 2)
    assert.equal((await command()).code, 2)
  } finally {
    await close()
  }
})

/** Closes it once; a later `close` closes nothing twice. */
async function stopped(service: Service) {
  await service.close()
  service.close = async () => {}
}
