// A shop's own gateway on Fastify and node:sqlite. Each order is a commit with an fsync of its own. Its argument is the folder.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fastify } from 'fastify'
import { announce, CREATE_PATH, gateway, PAY_PATH, type Request, TABLES } from './gateway.ts'

const database = new DatabaseSync(join(process.argv[2]!, 'shop.db'))
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${TABLES('integer PRIMARY KEY')}`)

const insertOrder = database.prepare(
  "INSERT INTO orders (order_id, txn_token, amount_paise, cust_id, status, body) VALUES (?, ?, ?, ?, 'CREATED', ?)",
)
const update = database.prepare("UPDATE orders SET status = ? WHERE order_id = ? AND txn_token = ? AND status = 'CREATED'")
const insertPayment = database.prepare('INSERT INTO payments (order_id, payer_account, status) VALUES (?, ?, ?)')

const { create, pay } = gateway({
  insert({ orderId, txnToken, amountPaise, custId, body }) {
    insertOrder.run(orderId, txnToken, amountPaise, custId, body)
  },
  pay({ orderId, txnToken, payerAccount, succeeds }) {
    database.exec('BEGIN IMMEDIATE')
    try {
      const isOpen = update.run(succeeds ? 'PAID' : 'CREATED', orderId, txnToken).changes === 1
      if (isOpen) insertPayment.run(orderId, payerAccount, succeeds ? 'TXN_SUCCESS' : 'TXN_FAILURE')
      database.exec('COMMIT')
      return isOpen
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  },
})

const app = fastify()
app.post<{ Body: Request }>(CREATE_PATH, ({ body }) => create(body))
app.post<{ Body: Request }>(PAY_PATH, ({ body }) => pay(body))
announce(await app.listen({ host: '127.0.0.1', port: 0 }))
