// README.md, "Production in five steps", as far as it goes without a bank: the merchant's key works, and no payment is possible.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { sign } from '../../../src/interface/checksum.ts'
import { mohurCommand, serveProcess } from '../../support/run/process.ts'

const readme = readFileSync(resolve(import.meta.dirname, '../../../README.md'), 'utf8')

test('the steps of README.md end at a service that creates orders, refuses payments with 501 and has no sandbox', async () => {
  const [, steps] = /^## Production in five steps\n(.*?)^## /ms.exec(readme)!
  const [, line] = /`npx mohur (merchant add [^`]+)`/.exec(steps!)!
  const [, mid] = /--mid (\S+)/.exec(line!)!
  const folder = mkdtempSync(join(tmpdir(), 'mohur-production-'))
  const environment = {
    MOHUR_MODE: 'production',
    MOHUR_DATA: folder,
    MOHUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    MOHUR_LOG: 'error',
  }
  try {
    const added = await mohurCommand(line!.split(' '), environment)
    assert.equal(added.code, 0, added.err)
    const [key] = /\b\w{16}\b/.exec(added.out)!
    const service = await serveProcess(environment)
    try {
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
      assert.equal((await fetch(`${service.url}/sandbox/shop`)).status, 404)
      const post = async (path: string, head: object, body: string) => {
        const response = await fetch(`${service.url}${path}?mid=${mid}&orderId=FIRST`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: `{"head":${JSON.stringify(head)},"body":${body}}`,
        })
        return ((await response.json()) as { body: { txnToken?: string; resultInfo: { resultStatus: string; resultCode: string } } }).body
      }
      const order = { requestType: 'PAYMENT', mid, orderId: 'FIRST', websiteName: 'DEFAULT', userInfo: { custId: 'C1' } }
      const text = JSON.stringify({ ...order, txnAmount: { value: '1.00', currency: 'INR' } })
      const created = await post('/aoa-acquiring-biz/v2/order', { signature: sign(text, key!, 'Ab3=') }, text)
      assert.equal(created.resultInfo.resultStatus, 'S', JSON.stringify(created))
      const card = { mid, orderId: 'FIRST', paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' }
      const paid = await post('/theia/api/v1/processTransaction', { txnToken: created.txnToken }, JSON.stringify(card))
      assert.equal(paid.resultInfo.resultCode, '501', JSON.stringify(paid))
    } finally {
      await service.kill('SIGTERM')
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
