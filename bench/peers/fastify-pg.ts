// A shop's own gateway on Fastify and pg, without an ORM. Its argument is the database.

import { fastify } from 'fastify'
import pg from 'pg'
import { announce, CREATE_PATH, gateway, PAY_PATH, POOL, type Request, TABLES } from './gateway.ts'

const pool = new pg.Pool({ connectionString: process.argv[2], max: POOL })
await pool.query(TABLES('bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY'))

const INSERT = 'INSERT INTO orders (order_id, txn_token, amount_paise, cust_id, status, body) VALUES ($1, $2, $3, $4, $5, $6)'
const UPDATE = "UPDATE orders SET status = $3 WHERE order_id = $1 AND txn_token = $2 AND status = 'CREATED'"
const PAYMENT = 'INSERT INTO payments (order_id, payer_account, status) VALUES ($1, $2, $3)'

const { create, pay } = gateway({
  async insert({ orderId, txnToken, amountPaise, custId, body }) {
    await pool.query({ name: 'insert', text: INSERT, values: [orderId, txnToken, amountPaise, custId, 'CREATED', body] })
  },
  async pay({ orderId, txnToken, payerAccount, succeeds }) {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      const values = [orderId, txnToken, succeeds ? 'PAID' : 'CREATED']
      const { rowCount } = await client.query({ name: 'update', text: UPDATE, values })
      if (rowCount === 1)
        await client.query({ name: 'payment', text: PAYMENT, values: [orderId, payerAccount, succeeds ? 'TXN_SUCCESS' : 'TXN_FAILURE'] })
      await client.query('COMMIT')
      return rowCount === 1
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    } finally {
      client.release()
    }
  },
})

const app = fastify()
app.post<{ Body: Request }>(CREATE_PATH, ({ body }) => create(body))
app.post<{ Body: Request }>(PAY_PATH, ({ body }) => pay(body))
announce(await app.listen({ host: '127.0.0.1', port: 0 }))
