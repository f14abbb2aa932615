// The client secret of an account at Cashfree goes out with each call, and comes back where Cashfree, a proxy or a stranger echoes it.
// After a kill no byte of the store and of the log contains it.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sign } from '../../../src/interface/checksum.ts'
import { CashfreeSimulator, CLIENT_ID, CLIENT_SECRET } from '../../support/cashfree/simulator.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { type ServedProcess, serveProcess } from '../../support/run/process.ts'
import { KEY, MID, storeNames } from '../../support/run/service.ts'
import { startPostgres } from '../../support/store/postgres.ts'
import { bytesBelow, found } from '../../support/text/found.ts'

const CONTROL = 'PlainControlValue7f3a'
const ECHO = JSON.stringify({ message: CLIENT_SECRET, code: CLIENT_SECRET, type: 'api_error' })

async function payAround({ url }: ServedProcess, bank: CashfreeSimulator) {
  const post = async (path: string, text: string, headers: Record<string, string> = {}) => {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text }
    return (await fetch(url + path, sent)).text()
  }
  const signed = (path: string, body: object) => {
    const text = JSON.stringify(body)
    return post(path, `{"head":{"signature":${JSON.stringify(sign(text, KEY, 'salt'))}},"body":${text}}`)
  }
  const payment = async (orderId: string) => {
    const order = orderBody(orderId, { userInfo: { custId: CONTROL, mobile: '9876543210' } })
    const { body } = JSON.parse(await signed(`/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=${orderId}`, order))
    const means = { requestType: 'NATIVE', mid: MID, orderId, paymentMode: 'UPI', channelCode: 'UPIPUSH' }
    const head = { txnToken: body.txnToken }
    return post(`/theia/api/v1/processTransaction?mid=${MID}&orderId=${orderId}`, JSON.stringify({ head, body: means }))
  }
  const told = (webhook: { body: string; headers: Record<string, string> }) =>
    post('/acquirer/cashfree/webhook', webhook.body, webhook.headers)

  assert.match(await payment('SECRET_OK'), /upi:\/\/pay/)
  const [id] = bank.orders.keys()
  bank.settle(id!, 'SUCCESS')
  const webhook = bank.webhook(id!)
  for (const signature of [CLIENT_SECRET, '', `${CLIENT_SECRET} ${webhook.headers['x-webhook-signature']}`])
    await told({ ...webhook, headers: { ...webhook.headers, 'x-webhook-signature': signature, 'x-client-secret': CLIENT_SECRET } })
  await told(bank.webhook(id!, { tags: { key: CLIENT_SECRET } }))
  await told({ ...webhook, body: webhook.body + CLIENT_SECRET })
  await told(webhook)
  const says = (outcome: string) => async () => (await signed('/v3/order/status', { mid: MID, orderId: 'SECRET_OK' })).includes(outcome)
  await until(says('TXN_SUCCESS'))
  bank.fail('POST', /^\/orders$/, { when: 'before', status: 401, body: ECHO }, { when: 'before', status: 500, body: CLIENT_SECRET })
  for (const orderId of ['SECRET_401', 'SECRET_500']) await payment(orderId)
  bank.fail('POST', /sessions$/, { when: 'before', status: 400, body: ECHO }, { when: 'after', how: 'break' })
  for (const orderId of ['SECRET_400', 'SECRET_LOST']) await payment(orderId)
  bank.fail('GET', /payments$/, { when: 'after', status: 200, body: `[{"order_id":"${CLIENT_SECRET}` })
  await told(bank.webhook([...bank.orders.keys()].at(-1)!))
  await until(async () => (await fetch(`${url}/healthz`)).ok && bank.faults.length === 0)
}

/** Asks again, a bounded number of times. Each query is a request, which takes its own time. */
async function until(isSo: () => Promise<boolean>) {
  for (let times = 0; times < 2_000; times++) if (await isSo()) return
  assert.fail('it did not come to pass')
}

for (const store of storeNames) {
  test(`the client secret of Cashfree is in no file and no line of a process that was killed (${store})`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mohur-cashfree-secret-'))
    const postgres = store === 'postgres' ? await startPostgres({ durable: true }) : undefined
    const bank = await CashfreeSimulator.start()
    let service: ServedProcess | undefined
    try {
      const data = join(folder, 'data')
      service = await serveProcess({
        MOHUR_DATA: data,
        MOHUR_LOG: 'debug',
        DATABASE_URL: (await postgres?.createDatabase()) ?? '',
        MOHUR_CASHFREE_CLIENT_ID: CLIENT_ID,
        MOHUR_CASHFREE_CLIENT_SECRET: CLIENT_SECRET,
        MOHUR_CASHFREE_URL: bank.url,
      })
      await payAround(service, bank)
      await service.kill('SIGKILL')
      await postgres?.kill()
      const log = service.log()
      assert.match(log.toString(), /the acquirer was not understood/)
      assert.match(log.toString(), /the acquirer says what no program can settle/)
      const bytes = Buffer.concat([bytesBelow(postgres?.dataFolder ?? data), log])
      assert.deepEqual(found(bytes, [CLIENT_SECRET, CONTROL]), [CONTROL], 'nothing but what the search has to find')
    } finally {
      await service?.kill('SIGKILL')
      await postgres?.stop()
      await bank.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  })
}
