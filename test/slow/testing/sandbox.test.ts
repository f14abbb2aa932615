// `startSandbox` of mohur/testing: a whole service beside the tests, which ends with them.

import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createNetServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { order, type Sandbox, startSandbox } from '../../support/run/sandboxes.ts'
import { sharedPostgres } from '../../support/store/postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'mohur-testing-'))
const temporary = (name: string) => mkdtempSync(join(folder, name))
let sandbox: Sandbox
before(async () => {
  sandbox = await startSandbox()
})
after(async () => {
  await sandbox.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('ten tests at once share a sandbox, each with a merchant and notifications of its own', async (t) => {
  const received: string[] = []
  const endpoint = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (part) => received.push(part))
    request.on('end', () => response.end())
  })
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  t.after(() => endpoint.close())
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/notify`
  const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
  const one = async (at: number) => {
    const merchant = await sandbox.merchant({ settings: { name: `Shop ${at}`, notification: { url, form: 'json', secret } } })
    const made = await order(sandbox, merchant, 'ORDER_1')
    const { callback } = await sandbox.payer.pay(made)
    assert.deepEqual([callback!.url, callback!.fields['STATUS']], ['https://shop.example/back', 'TXN_SUCCESS'])
    const notifications = await sandbox.notifications({ mid: merchant.mid })
    assert.deepEqual(
      notifications.map(({ orderId, status }) => [orderId, status]),
      [['ORDER_1', 'DELIVERED']],
    )
    return merchant.mid
  }
  const mids = await Promise.all(Array.from({ length: 10 }, (_, at) => one(at)))
  assert.equal(new Set(mids).size, 10)
  for (const mid of mids) assert.equal(received.filter((body) => body.includes(mid)).length, 1)
})

test('the payer approves in the UPI app and at a bank, and the bank fails as its script says', async () => {
  const merchant = await sandbox.merchant({ settings: { upiCollect: 'always' } })
  const { mid } = merchant
  for (const [orderId, form] of [
    ['UPI', { mode: 'UPI' }],
    ['BANK', { mode: 'NET_BANKING', bank: 'HDFC' }],
  ] as const) {
    const waiting = await sandbox.payer.pay(await order(sandbox, merchant, orderId), form)
    assert.equal(waiting.callback?.fields['STATUS'], 'PENDING')
    await sandbox.payer.act({ mid, orderId, action: 'approve' })
    const { callback } = await sandbox.payer.page(waiting.page)
    assert.equal(callback!.fields['STATUS'], 'TXN_SUCCESS')
  }
  const scripted = await order(sandbox, merchant, 'SCRIPTED')
  await sandbox.bank.script({ mid, orderId: 'SCRIPTED', outcomes: ['insufficient'] })
  assert.equal((await sandbox.payer.pay(scripted, { mode: 'UPI', by: 'upiId', upiId: 'pays@upi' })).callback, undefined)
  const outcomes = (await sandbox.bank.journal()).filter(({ key }) => key.startsWith(`${mid}:`)).map(({ outcome }) => outcome)
  assert.deepEqual(outcomes, ['success', 'success', 'insufficientFunds'])
  await assert.rejects(sandbox.payer.act({ mid, orderId: 'SCRIPTED', action: 'approve' }), /HTTP 404/)
})

test('a wrong way to pay, and a wrong setting of a merchant, are said', async () => {
  const merchant = await sandbox.merchant()
  const made = await order(sandbox, merchant, 'ORDER_1')
  await assert.rejects(sandbox.payer.pay(made, { mode: 'BARTER' }), /no such way to pay: \{"mode":"BARTER"\}/)
  const card = { mode: 'CREDIT_CARD', cardNumber: '4111 1111 1111 1112', expiry: '12/40', cvv: '123' }
  await assert.rejects(sandbox.payer.pay(made, card), /HTTP 422: .*card number/i)
  await assert.rejects(sandbox.merchant({ settings: { mcc: 'food' } }), /HTTP 400 .*mcc/)
  assert.deepEqual(await sandbox.inbox('9999900001'), [])
})

test('a year passes by one call, and what became due has run', async () => {
  const own = await startSandbox()
  const merchant = await own.merchant()
  await order(own, merchant, 'ORDER_1')
  const from = Date.parse(await own.clock.now())
  const { now, ran } = await own.clock.advance('P1Y')
  assert.ok(Date.parse(now) - from >= 365 * 86_400_000, now)
  assert.equal(ran['order-expiry.due'], 1)
  await own.stop()
})

test('ten sandboxes run at once, on ports of their own, and leave no folder', async () => {
  const TMPDIR = temporary('ten-')
  const was = process.env['TMPDIR']
  process.env['TMPDIR'] = TMPDIR
  try {
    const ten = await Promise.all(Array.from({ length: 10 }, () => startSandbox()))
    assert.equal(new Set(ten.map(({ url }) => url)).size, 10)
    assert.equal(readdirSync(TMPDIR).length, 10)
    await Promise.all(ten.flatMap((each) => [each.stop(), each.stop()]))
    await ten[0]!.stop()
    for (const { url } of ten) await assert.rejects(fetch(`${url}/healthz`))
    assert.deepEqual(readdirSync(TMPDIR), [])
  } finally {
    if (was === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = was
  }
})

test('the shop’s own settings are not the sandbox’s', async () => {
  const given = { PORT: '1', HOST: 'nowhere.invalid', DATABASE_URL: 'postgres://nowhere.invalid/shop', MOHUR_MODE: 'production' }
  const were = { ...process.env }
  Object.assign(process.env, given, { NODE_OPTIONS: '--require=./nothing.cjs' })
  try {
    const own = await startSandbox()
    assert.match(own.url, /^http:\/\/127\.0\.0\.1:\d{4,5}$/)
    await own.stop()
  } finally {
    for (const name of [...Object.keys(given), 'NODE_OPTIONS'])
      if (were[name] === undefined) delete process.env[name]
      else process.env[name] = were[name]
  }
})

test('a folder or a database that the caller names is kept', async () => {
  const kept = join(temporary('kept-'), 'with spaces', 'store')
  const databaseUrl = await (await sharedPostgres()).createDatabase()
  for (const options of [{ folder: kept }, { folder: temporary('key-'), databaseUrl }]) {
    const first = await startSandbox(options)
    const merchant = await first.merchant()
    const made = await order(first, merchant, 'ORDER_1')
    await first.stop()
    const second = await startSandbox(options)
    assert.equal((await second.payer.pay(made)).callback!.fields['STATUS'], 'TXN_SUCCESS')
    await second.stop()
    assert.ok(existsSync(options.folder))
  }
})

test('a world of the caller takes the demo world’s place', async () => {
  const own = await startSandbox({ world: { merchants: [{ mid: 'MINE', keys: [{ clientId: 'C11', key: 'ABCDEFGHIJKLMNOP' }] }] } })
  const made = await order(own, { mid: 'MINE', key: 'ABCDEFGHIJKLMNOP' }, 'ORDER_1')
  assert.equal((await own.payer.pay(made)).callback!.fields['MID'], 'MINE')
  await own.stop()
})

test('a start that cannot be says why, in the words of the service', async () => {
  const taken = createNetServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  await assert.rejects(startSandbox({ port }), new RegExp(`ended on 76 before it listened\n {2}port ${port} on 127\\.0\\.0\\.1 is taken`))
  taken.close()
  const file = join(folder, 'file')
  writeFileSync(file, '')
  await assert.rejects(startSandbox({ folder: join(file, 'store') }), /ended on 73 before it listened\n {2}.*store/)
  await assert.rejects(startSandbox({ world: { merchant: [] } }), /ended on 2 before it listened\n {2}MOHUR_WORLD: /)
  await assert.rejects(startSandbox({ node: join(folder, 'no-node') }), /cannot run .*no-node: .*ENOENT/)
})

test('a start that never answers ends within its bound, with what it had said', async () => {
  const silent = join(folder, 'silent')
  writeFileSync(silent, '#!/bin/sh\necho "I have begun"\nexec sleep 600\n')
  chmodSync(silent, 0o755)
  const began = performance.now()
  await assert.rejects(startSandbox({ node: silent }), /did not start within 30 seconds\n {2}I have begun/)
  assert.ok(performance.now() - began < 40_000)
})

test('a caller hears each line of the service', async () => {
  const lines: string[] = []
  const own = await startSandbox({ log: (line) => lines.push(line) })
  await own.stop()
  assert.ok(lines.includes(`Mohur listens on ${own.url}`), lines.join('\n'))
})
