// A shop's own gateway on Express and Sequelize. Its arguments are the database and the folder into which bench/peers/peers.ts has installed
// both packages. They are no dependencies of Mohur, so only what is used here has types.

import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { announce, CREATE_PATH, gateway, KEEP_ALIVE_MS, PAY_PATH, POOL, type Request } from './gateway.ts'

type Reply = { json(value: object): void }
interface App {
  use(handler: unknown): void
  post(path: string, handler: (request: { body: Request }, reply: Reply) => Promise<void>): void
  listen(port: number, host: string, ready: () => void): Server
}
interface Model {
  create(row: object, options?: object): Promise<unknown>
  update(row: object, options: object): Promise<[changed: number]>
}
interface Sequelize {
  define(name: string, columns: object, options?: object): Model
  sync(): Promise<unknown>
  transaction<Result>(work: (transaction: unknown) => Promise<Result>): Promise<Result>
}

const packages = createRequire(join(process.argv[3]!, 'package.json'))
const express = packages('express') as { (): App; json(): unknown }
const { Sequelize, DataTypes } = packages('sequelize') as {
  Sequelize: new (url: string, options: object) => Sequelize
  DataTypes: Record<'TEXT' | 'BIGINT', object>
}

const sequelize = new Sequelize(process.argv[2]!, { dialect: 'postgres', logging: false, pool: { max: POOL } })
const text = () => ({ type: DataTypes.TEXT, allowNull: false }) // Sequelize writes into each description
const orders = sequelize.define('order', {
  orderId: { ...text(), primaryKey: true },
  ...{ txnToken: text(), custId: text(), status: text(), body: text() },
  amountPaise: { type: DataTypes.BIGINT, allowNull: false },
})
const payments = sequelize.define('payment', {
  orderId: { ...text(), references: { model: 'orders', key: 'orderId' } },
  ...{ payerAccount: text(), status: text() },
})
await sequelize.sync()

const { create, pay } = gateway({
  async insert(order) {
    await orders.create({ ...order, status: 'CREATED' })
  },
  pay: ({ orderId, txnToken, payerAccount, succeeds }) =>
    sequelize.transaction(async (transaction) => {
      const where = { orderId, txnToken, status: 'CREATED' }
      const [changed] = await orders.update({ status: succeeds ? 'PAID' : 'CREATED' }, { where, transaction })
      if (changed === 1) await payments.create({ orderId, payerAccount, status: succeeds ? 'TXN_SUCCESS' : 'TXN_FAILURE' }, { transaction })
      return changed === 1
    }),
})

const app = express()
app.use(express.json())
app.post(CREATE_PATH, async ({ body }, reply) => reply.json(await create(body)))
app.post(PAY_PATH, async ({ body }, reply) => reply.json(await pay(body)))
const server = app.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
server.keepAliveTimeout = KEEP_ALIVE_MS
