// Calls the unmodified routes of a backend as its framework does. This file plays Express, its settings and the ids that it draws. The
// backend's code contains a merchant's mid and key and the gateway's host. It is loaded with those of the demo merchant and the service, as
// a merchant sets them.
import { readFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const [step, root] = process.argv.slice(2)
const known = JSON.parse(await text(process.stdin))
const routes = new Map()
const played = {
  dotenv: { config() {} },
  express: { Router: () => ({ post: (path, handler) => routes.set(path, handler) }) },
  uuid: { v4: () => 'drawn' },
}
const load = Module._load
Module._load = (name, ...others) => played[name] ?? load(name, ...others)
const file = join(root, 'paymentRoute.js')
const code = readFileSync(file, 'utf8')
  .replace(/^(\s*MID : )'[^']*'/m, `$1${JSON.stringify(known.mid)}`)
  .replace(/'(https:\/\/)?[a-z-]+\.[a-z]+\.in(?=['/])/g, `'$1${known.host}`)
  .replace(/^(\s*merchantKey : )'[^']*'/m, `$1${JSON.stringify(known.key)}`)
const routing = new Module(file)
routing.filename = file
routing.paths = createRequire(file).resolve.paths('dotenv')
console.log = () => {}
routing._compile(code, file)

const asked = (path, body) =>
  new Promise((done, fail) =>
    routes.get(path)({ body }, { json: (reply) => done(reply.body), sendStatus: (error) => fail(new Error(String(error))) }),
  )

const { orderId, txnToken } = known
const path = {
  create: '/payment',
  options: '/fetchPayOption',
  balance: '/fetchWalletBalanceInfo',
  banks: '/fetchNBBankList',
  vpa: '/validateUserVPA',
  bin: '/validateUserCardDetails',
  status: '/fetchTransactionStatus',
  pays: '/processTransaction',
}[step]
const more = {
  create: { amount: 499.5, email: 'asha@example.in' },
  vpa: { vpa: 'asha@upi' },
  bin: { cardNo: '411111' },
  pays: { paymentMode: 'BALANCE' },
}[step]
const body = await asked(path, { orderId, txnToken, ...more })
const { resultInfo, merchantPayOption, balanceInfo, nbPayOption, binDetail, valid } = body
const told = {
  code: resultInfo?.resultCode,
  status: resultInfo?.resultStatus,
  valid,
  ...(body.txnToken && { txnToken: body.txnToken }),
  ...(body.txnId && { txnId: body.txnId }),
  modes: merchantPayOption?.paymentModes.length,
  balance: balanceInfo?.value,
  banks: nbPayOption?.payChannelOptions.length,
  card: binDetail?.paymentMode,
}
process.stdout.write(`${JSON.stringify(told)}\n`)
