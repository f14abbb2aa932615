// List Subscriptions over HTTP, on both stores: its four codes, filters, pages, details, and whose list it is.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createStatements } from '../../../src/adapters/store/schema.ts'
import type { Query } from '../../../src/engine/decision.ts'
import { demoWorld } from '../../../src/sandbox/world.ts'
import { customerLinkKey, subscriptionKey } from '../../../src/tables/keys.ts'
import { find, type Row } from '../../../src/tables/tables.ts'
import { type Body, fix, initiated, issueSsoToken, LIST, subscription } from '../../support/mandates/subscription.ts'
import { KEY, MID, onBothStores, type Service, sharedService, whereSqlDiffers } from '../../support/run/service.ts'

const OTHER = 'OTHER000000000000001'
const OTHER_KEY = 'PONMLKJIHGFEDCBA'
const world = { ...demoWorld, merchants: [...demoWorld.merchants!, { mid: OTHER, keys: [{ clientId: 'C11', key: OTHER_KEY }] }] }

const aes = { tokenType: 'AES', token: 'unused' }
const list = ({ signed }: Service, body: Body, options: Parameters<Service['signed']>[2] = {}) =>
  signed(LIST, { mid: MID, ...body }, { head: aes, ...options })
const idsOf = (reply: { body: Body }): string[] =>
  reply.body['subscriptionDetails'].subscriptions.map((row: { subscriptionId: string }) => row.subscriptionId)
const refused = { resultInfo: { status: 'FAILURE', code: '400', message: 'request cannot be validated' } }

/** Changes a stored row as a later operation does. */
async function change({ store, ports }: Service, subscriptionId: string, more: Partial<Row<'subscriptions'>>) {
  const key = subscriptionKey(MID, subscriptionId)
  const row = { ...(await ports.query.row(key))!, ...more }
  await store.transaction((transaction) => transaction.write({ changes: [{ kind: 'update', key, row }], events: [], tasks: [] }))
}

whereSqlDiffers('list subscriptions', 'a page is found by ranges over indexes, and ordered by text', (store) => {
  const service = sharedService(store, { world })

  test('200 NO CONTENT FOUND: a customer without any', async () => {
    const running = await service()
    const reply = await list(running, { custId: 'nobody' }, { head: { ...aes, version: 'v2' } })
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.head, { version: 'v2', timestamp: String(running.clock.now()) })
    assert.deepEqual(reply.body, {
      resultInfo: { status: 'SUCCESS', code: '200', message: 'NO CONTENT FOUND' },
      subscriptionDetails: { count: 0, subscriptions: [] },
    })
  })

  test('3006 SUCCESS: short rows, newest first', async () => {
    const running = await service()
    const first = await initiated(running, subscription('L1', { userInfo: { custId: 'L' } }))
    running.clock.advance(1_000)
    const second = await initiated(running, subscription('L2', { ...fix('25.5'), userInfo: { custId: 'L' }, subscriptionFrequency: '3' }))
    const reply = await list(running, { custId: 'L' })
    assert.deepEqual(reply.body.resultInfo, { status: 'SUCCESS', code: '3006', message: 'SUCCESS' })
    assert.equal(reply.body.subscriptionDetails.count, 2)
    assert.deepEqual(idsOf(reply), [second, first])
    assert.deepEqual(reply.body.subscriptionDetails.subscriptions[0], {
      subscriptionId: second,
      subsId: second,
      orderId: 'L2',
      custId: 'L',
      status: 'INIT',
      subStatus: 'INIT',
      amountType: 'FIX',
      frequency: '3',
      frequencyUnit: 'MONTH',
      maxAmount: '25.50',
      expiryDate: '2027-06-15 00:00:00',
      createdDate: '2026-06-15 10:00:01',
    })
  })

  test('with detailRequired the rows are whole, and accounts and mobiles are masked', async () => {
    const running = await service()
    const subscriptionId = await initiated(
      running,
      subscription('D1', {
        ...fix('25.50'),
        txnAmount: { value: '0', currency: 'INR' },
        userInfo: { custId: 'D', mobile: '9876543210', email: 'a@b.in' },
        subscriptionRetryCount: '2',
        autoRetry: true,
        mandateType: 'PAPER_MANDATE',
        mandateAccountDetails: { accountNumber: '12345678901', ifsc: 'HDFC0000001', accountType: 'CA' },
      }),
    )
    await initiated(running, subscription('D2', { userInfo: { custId: 'D' }, mandateAccountDetails: { accountNumber: '1234' } }))
    const reply = await list(running, { custId: 'D', subscriptionId, detailRequired: true })
    const [row] = reply.body.subscriptionDetails.subscriptions
    const { createdDate, updatedDate, ...rest } = row
    assert.equal(createdDate, updatedDate)
    assert.deepEqual(rest, {
      subscriptionId,
      subsId: subscriptionId,
      orderId: 'D1',
      custId: 'D',
      status: 'INIT',
      subStatus: 'INIT',
      amountType: 'FIX',
      frequency: '1',
      frequencyUnit: 'MONTH',
      maxAmount: '25.50',
      expiryDate: '2027-06-15 00:00:00',
      mid: MID,
      lastOrderId: 'D1',
      lastOrderStatus: 'PENDING',
      lastOrderAmount: '0.00',
      upfrontTxnAmount: '0.00',
      renewalAmount: '25.50',
      startDate: '2026-06-15',
      graceDays: '2',
      enableRetry: '1',
      retryCount: '2',
      autoRenewal: false,
      autoRetry: true,
      communicationManager: false,
      mandateType: 'PAPER_MANDATE',
      mandateAccountDetails: { accountNumber: 'XXXXXXX8901', ifsc: 'HDFC0000001', accountType: 'CA' },
      custMobile: 'XXXXXX3210',
      custEmail: 'a@b.in',
      nextCollectionDate: '2026-06-15',
      collected: 0,
    })
    const both = await list(running, { custId: 'D', detailRequired: true })
    assert.ok(!both.text.includes('9876543210') && !both.text.includes('12345678901'))
    assert.ok(both.text.includes('"accountNumber":"XXXX"'), 'an account number of four digits is hidden whole')
    assert.equal((await list(running, { custId: 'D', detailRequired: false })).body.subscriptionDetails.subscriptions[0].mid, undefined)
  })

  test('filters by status, unit and id, alone and together', async () => {
    const running = await service()
    const make = (orderId: string, unit: string) =>
      initiated(running, subscription(orderId, { userInfo: { custId: 'F' }, subscriptionFrequencyUnit: unit }))
    const [week, month, onDemand] = [await make('F1', 'WEEK'), await make('F2', 'MONTH'), await make('F3', 'ONDEMAND')]
    await change(running, month, { status: 'ACTIVE', subStatus: 'ACTIVE', version: 2 })
    const cases: [Body, string[]][] = [
      [{ subsStatusFilter: ['ACTIVE'] }, [month]],
      [{ subsStatusFilter: ['INIT', 'INIT', 'SUSPENDED'] }, [onDemand, week]],
      [{ subsStatusFilter: ['INIT', 'ACTIVE'], frequencyUnit: 'MONTH' }, [month]],
      [{ subsStatusFilter: [] }, [onDemand, month, week]],
      [{ subsStatusFilter: null, frequencyUnit: '' }, [onDemand, month, week]],
      [{ frequencyUnit: 'DAY' }, []],
      [{ frequencyUnit: 'SEMI_ANNUALLY' }, []],
      [{ subscriptionId: week }, [week]],
      [{ subscriptionId: week, subsStatusFilter: ['ACTIVE'] }, []],
      [{ subscriptionId: 'none' }, []],
    ]
    for (const [filter, wanted] of cases) {
      const reply = await list(running, { custId: 'F', ...filter })
      assert.deepEqual(idsOf(reply).toSorted(), wanted.toSorted(), JSON.stringify(filter))
      assert.equal(reply.body.resultInfo.code, wanted.length > 0 ? '3006' : '200')
    }
  })

  test('pages follow each other without a gap or a row twice, also among rows of one millisecond', async () => {
    const running = await service()
    const made: string[] = []
    for (let at = 0; at < 7; at++) {
      made.push(await initiated(running, subscription(`P${at}`, { userInfo: { custId: 'P' } })))
      if (at % 3 === 2) running.clock.advance(1)
    }
    const seen: string[] = []
    let pageToken: string | undefined
    const sizes: number[] = []
    do {
      const reply = await list(running, { custId: 'P', pageSize: 3, ...(pageToken && { pageToken }) })
      seen.push(...idsOf(reply))
      sizes.push(reply.body.subscriptionDetails.count)
      pageToken = reply.body.subscriptionDetails.nextPageToken
    } while (pageToken)
    assert.deepEqual(sizes, [3, 3, 1])
    assert.deepEqual(seen.toSorted(), made.toSorted())
    assert.deepEqual(seen, seen.toSorted().reverse(), 'newest first: an id begins with its time')
    const whole = await list(running, { custId: 'P', pageSize: 7 })
    assert.equal(whole.body.subscriptionDetails.nextPageToken, undefined)
    const past = await list(running, { custId: 'P', pageToken: '0.1' })
    assert.equal(past.body.resultInfo.code, '200')
  })

  test('400 request cannot be validated: everything that is missing, wrong, unknown or unsigned', async () => {
    const running = await service()
    await initiated(running, subscription('R1', { userInfo: { custId: 'R' } }))
    const wrong: [Body, Parameters<Service['signed']>[2]?][] = [
      [{ custId: null }],
      [{ custId: 'R', mid: '' }],
      [{ custId: 'R', mid: 'NOBODY' }],
      [{ custId: 'R S' }],
      [{ custId: ['R'] }],
      [{ custId: 'R', subsStatusFilter: ['PAUSED'] }],
      [{ custId: 'R', subsStatusFilter: 'ACTIVE' }],
      [{ custId: 'R', subsStatusFilter: Array(21).fill('ACTIVE') }],
      [{ custId: 'R', frequencyUnit: 'ONDEMAND' }],
      [{ custId: 'R', subscriptionId: 'x'.repeat(65) }],
      [{ custId: 'R', detailRequired: 'true' }],
      ...[0, 201, 1.5, '50', -1].map((pageSize): [Body] => [{ custId: 'R', pageSize }]),
      ...['x', '1', '1.', '.1', 'A.1', '1.1.1', '1.x', 1].map((pageToken): [Body] => [{ custId: 'R', pageToken }]),
      [{ custId: 'R' }, { head: { tokenType: 'AES' } }],
      [{ custId: 'R' }, { head: { token: 'x' } }],
      [{ custId: 'R' }, { head: { ...aes, tokenType: 'CHECKSUM' } }],
      [{ custId: 'R' }, { head: { ...aes, version: 'v1.0.0' } }],
      [{ custId: 'R' }, { signature: null }],
      [{ custId: 'R' }, { signature: '' }],
      [{ custId: 'R' }, { key: OTHER_KEY }],
      [{ custId: 'R' }, { head: { tokenType: 'SSO', token: 'unknown' } }],
    ]
    for (const [body, options] of wrong) {
      const reply = await list(running, body, options)
      assert.equal(reply.status, 200)
      assert.deepEqual(reply.body, refused, JSON.stringify([body, options]))
      assert.deepEqual(Object.keys(reply.head), ['version', 'timestamp'])
    }
    for (const text of ['', 'null', '{"head":{},"body":', '{"head":{},"body":1}'])
      assert.deepEqual((await running.post(LIST, text)).body, refused)
  })

  test("never shows another customer's, nor another merchant's", async () => {
    const running = await service()
    const subscriptionId = await initiated(running, subscription('T1', { userInfo: { custId: 'T' } }))
    assert.deepEqual(idsOf(await list(running, { custId: 'T2', subscriptionId })), [])
    const theirs = await running.signed(LIST, { mid: OTHER, custId: 'T', subscriptionId }, { head: aes, key: OTHER_KEY })
    assert.equal(theirs.body.resultInfo.code, '200')
    const forged = await running.signed(LIST, { mid: MID, custId: 'T' }, { head: aes, key: OTHER_KEY })
    assert.deepEqual(forged.body, refused)
    const page = (await list(running, { custId: 'T', pageSize: 1 })).body
    assert.equal(page.subscriptionDetails.count, 1)
  })

  test('with an SSO token the first user of a customer sees the list, and no other', async () => {
    const running = await service()
    await initiated(running, subscription('U1', { userInfo: { custId: 'U' } }))
    await issueSsoToken(running, 'mine', { userId: 'user-1' })
    await issueSsoToken(running, 'theirs', { userId: 'user-2' })
    await issueSsoToken(running, 'dead', { userId: 'user-1', revokedAt: 1 })
    const as = (token: string, key = KEY) => list(running, { custId: 'U' }, { head: { tokenType: 'SSO', token }, key })
    assert.deepEqual((await as('mine', OTHER_KEY)).body, refused)
    assert.deepEqual((await as('dead')).body, refused)
    assert.equal(await running.ports.query.row(customerLinkKey(MID, 'U')), undefined, 'neither links the customer')
    assert.equal((await as('mine')).body.resultInfo.code, '3006')
    assert.deepEqual((await as('theirs')).body, refused)
    assert.equal((await as('mine')).body.resultInfo.code, '3006')
    assert.equal((await running.ports.query.row(customerLinkKey(MID, 'U')))?.userId, 'user-1')
    running.clock.advance(24 * 60 * 60_000)
    assert.deepEqual((await as('mine')).body, refused, 'expired')
  })
})

onBothStores('a store that fails under list subscriptions', (store) => {
  let failing = false
  const service = sharedService(store, {
    store(real) {
      const query: Query = {
        ...real.query,
        row: async (key) => {
          if (failing) throw new Error('the disk is on fire')
          return real.query.row(key)
        },
        rows: async (wanted) => {
          if (failing) throw new Error('the disk is on fire')
          return real.query.rows(wanted)
        },
      }
      return new Proxy(real, {
        get(target, member) {
          if (member === 'query') return query
          const value: unknown = Reflect.get(target, member, target)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    },
  })
  test('500 System Error, and the list comes back with the store', async () => {
    const running = await service()
    await initiated(running, subscription('E1'))
    failing = true
    const reply = await list(running, { custId: 'C1' })
    failing = false
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body, { resultInfo: { status: 'FAILURE', code: '500', message: 'System Error' } })
    assert.equal((await list(running, { custId: 'C1' })).body.resultInfo.code, '3006')
    assert.equal((await running.ports.query.rows(find('subscriptions', { limit: 10 }))).length, 1)
  })
})

test('every form of the list is found through an index of its customer or its id, without sorting', () => {
  const database = new DatabaseSync(':memory:')
  for (const statement of createStatements()) database.exec(statement)
  const order = 'order by created_at desc, subscription_id desc limit 51'
  for (const [filter, index] of [
    ['', 'subscriptions_of_customer'],
    [" and status in ('ACTIVE', 'INIT') and frequency_unit = 'MONTH'", 'subscriptions_of_customer'],
    [" and (created_at, subscription_id) < (1, '2')", 'subscriptions_of_customer'],
    [" and subscription_id = '2'", 'sqlite_autoindex_subscriptions_1'],
  ] as const) {
    const plan = database
      .prepare(`explain query plan select * from subscriptions where mid = '1' and cust_id = '2'${filter} ${order}`)
      .all()
    assert.deepEqual([plan.length, String(plan[0]?.['detail']).includes(`USING INDEX ${index} (mid=?`)], [1, true])
  }
})
