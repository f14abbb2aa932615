// A peer of the bench that pays twice, or takes a wrong checksum, would be compared for work that it does not do.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { Connection } from '../../../bench/connection.ts'
import { serve } from '../../../bench/processes.ts'
import { orderIdOf, payRequest, requestsOf } from '../../../bench/requests.ts'
import { sharedPostgres } from '../../support/store/postgres.ts'

const peer = (name: string) => resolve(import.meta.dirname, `../../../bench/peers/${name}.ts`)
const ROWS = 'SELECT o.status AS state, p.status AS payment FROM orders o LEFT JOIN payments p USING (order_id) ORDER BY o.order_id, p.id'

async function shop(file: string, place: string, rows: () => Promise<object[]> | object[]) {
  const served = await serve(file, [place])
  const line = new Connection(served.port)
  const ask = async (request: Buffer) => /"resultCode":"(\d+)"/.exec(String(await line.ask(request)))?.[1]
  try {
    const [first, second] = requestsOf('createOrder', 'O', 2)
    assert.equal(await ask(Buffer.from(String(second).replace('499.00', '499.01'))), '2005')
    const token = /"txnToken":"([^"]+)"/.exec(String(await line.ask(first!)))![1]!
    const pay = (payer: string, txnToken = token) => ask(payRequest(orderIdOf('O', 0), txnToken, payer))
    assert.deepEqual([await pay('success@upi', 'other'), await pay('declined@upi')], ['1006', '227'])
    assert.deepEqual([await pay('success@upi'), await pay('success@upi')], ['01', '1006'])
    assert.deepEqual(
      (await rows()).map((row) => ({ ...row })),
      [
        { state: 'PAID', payment: 'TXN_FAILURE' },
        { state: 'PAID', payment: 'TXN_SUCCESS' },
      ],
    )
  } finally {
    line.close()
    await served.stop()
  }
}

test('the peer on node:sqlite refuses a wrong checksum and a wrong token, and pays an order once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-peer-'))
  try {
    await shop(peer('fastify-sqlite'), folder, () => {
      using database = new DatabaseSync(join(folder, 'shop.db'))
      return database.prepare(ROWS).all()
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the peer on pg refuses a wrong checksum and a wrong token, and pays an order once', async () => {
  const url = await (await sharedPostgres()).createDatabase()
  await shop(peer('fastify-pg'), url, async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(ROWS)
    await client.end()
    return rows
  })
})
