// The commands of docs/acquirer-cashfree.md, "Before the first rupee", with a simulator of Cashfree instead of the account.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { accountAt, idOf, UPI, WEBHOOK } from '../../support/cashfree/account.ts'
import { CashfreeSimulator } from '../../support/cashfree/simulator.ts'
import { pay, statusOf } from '../../support/paying/paying.ts'
import { refundStatusOf } from '../../support/paying/refunds.ts'
import { KEY, MID, startService } from '../../support/run/service.ts'
import { bash, blocksOf, needsProgram } from '../../support/text/shell-blocks.ts'

test('the commands of the page open the payment page of an order of ₹1, and refund the rupee', async () => {
  for (const program of ['bash', 'curl']) needsProgram(program)
  const folder = mkdtempSync(join(tmpdir(), 'mohur-rupee-'))
  const bank = await CashfreeSimulator.start()
  const service = await startService('sqlite', { env: accountAt(bank.url) })
  try {
    const blocks = blocksOf('docs/acquirer-cashfree.md')
    const [first, refund] = ['PAY_URL=', '/refund/apply'].map((part) => blocks.find((block) => block.includes(part)))
    const order = first!
      .replace('https://pay.shop.example', service.url)
      .replace('MID=SHOP1', `MID=${MID}`)
      .replace(/^read .*$/m, `KEY=${KEY}`)
    const opened = await bash(order, folder)
    assert.deepEqual([opened.code, opened.err], [0, ''], opened.out)
    const [address, orderId, txnToken] = /^http\S+orderId=(\w+)&txnToken=(\w+)$/m.exec(opened.out)!
    const page = await fetch(address)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /₹1\.00/)

    const { txnId } = (await pay(service, { orderId: orderId!, txnToken: txnToken! }, UPI)).body
    bank.settle(idOf(txnId), 'SUCCESS')
    const webhook = bank.webhook(idOf(txnId))
    assert.equal((await service.call('POST', WEBHOOK, webhook.headers, webhook.body)).status, 200)
    await service.tasks.runDue()
    assert.equal((await statusOf(service, { orderId: orderId! })).body.resultInfo.resultStatus, 'TXN_SUCCESS')

    const [definitions] = order.split('\nANSWER=')
    const refunded = await bash(`${definitions}\n${refund}`, folder)
    assert.deepEqual([refunded.code, refunded.err], [0, ''], refunded.out)
    assert.match(refunded.out, /"resultCode":"601"/)
    await service.tasks.runDue()
    assert.equal((await refundStatusOf(service, { orderId: orderId! }, `R_${orderId}`)).body.resultInfo.resultStatus, 'TXN_SUCCESS')
    assert.deepEqual(
      bank.orders.get(idOf(txnId))!.refunds.map(({ amount }) => amount),
      [1],
    )
  } finally {
    await service.close()
    await bank.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
