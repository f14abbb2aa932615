// A served store keeps its account at Cashfree while payments, debits or refunds are open: docs/acquirer-cashfree.md, "Settings".

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountAt, idOf, PAYER, UPI, WEBHOOK } from '../../support/cashfree/account.ts'
import { CashfreeSimulator } from '../../support/cashfree/simulator.ts'
import { createOrder, type Order, pay, statusOf } from '../../support/paying/paying.ts'
import { refund, refundStatusOf } from '../../support/paying/refunds.ts'
import { mohurCommand, type ServedProcess, serveProcess } from '../../support/run/process.ts'
import { onBothStores } from '../../support/run/service.ts'
import { spokenTo } from '../../support/run/spoken-to.ts'
import { place } from '../../support/store/at-rest.ts'

const POLLS_MAX = 6_000 // another process does the work, on a busy machine too
const POLL_MS = 20

onBothStores('the account of a served store', (store) => {
  const ends: (() => Promise<unknown>)[] = []
  after(async () => {
    for (const end of ends.reverse()) await end()
  })

  async function world() {
    const bank = await CashfreeSimulator.start()
    ends.push(() => bank.stop())
    const at = await place(store)
    const one = { ...at, ...accountAt(bank.url) }
    const two = { ...one, MOHUR_CASHFREE_CLIENT_ID: 'TEST_OF_ANOTHER_ACCOUNT' }
    return { bank, one, two, none: at }
  }
  async function during<T>(environment: Record<string, string>, work: (served: ServedProcess) => Promise<T>): Promise<T> {
    const served = await serveProcess(environment)
    try {
      return await work(served)
    } finally {
      await served.kill('SIGTERM') // after SIGKILL the next process would wait for its leases
    }
  }
  const refusesToStart = (environment: Record<string, string>) =>
    assert.rejects(serveProcess(environment), (error: Error) => {
      assert.match(error.message, /^the service ended with 2/)
      assert.match(error.message, /payments, debits or refunds are still open at the acquirer before it/)
      return true
    })
  async function until(isSo: () => Promise<boolean>) {
    for (let polls = 0; polls < POLLS_MAX; polls++) {
      if (await isSo()) return
      await sleep(POLL_MS)
    }
    assert.fail('it did not come to pass')
  }

  test('with an open payment, and then with an open refund, no other account is served, and none is asked', async () => {
    const { bank, one, two, none } = await world()
    const paid = await during(one, async ({ url }) => {
      const order = await createOrder(spokenTo(url), 'STAYS', PAYER)
      return { ...order, txnId: (await pay(spokenTo(url), order, UPI)).body.txnId as string }
    })
    const asked = bank.recorded.length
    await refusesToStart(two)
    for (const other of [two, none]) {
      const { code, err } = await mohurCommand(['order', 'ask', paid.txnId], other)
      assert.deepEqual([code, bank.recorded.length], [2, asked], err)
      assert.match(
        err,
        /^MOHUR_CASHFREE_CLIENT_ID (names another account than before|is gone): run the command with the settings of the service/,
      )
    }
    bank.refundBegins = 'PENDING'
    await during(one, async ({ url }) => {
      bank.settle(idOf(paid.txnId), 'SUCCESS')
      const { headers, body } = bank.webhook(idOf(paid.txnId))
      await fetch(url + WEBHOOK, { method: 'POST', headers, body })
      await until(async () => (await statusOf(spokenTo(url), paid)).body.resultInfo.resultStatus === 'TXN_SUCCESS')
      await refund(spokenTo(url), paid, 'REF_STAYS', '10.00')
      await until(async () => bank.orders.get(idOf(paid.txnId))!.refunds.length === 1)
    })
    await refusesToStart(none)
    await during(one, async ({ url }) => {
      bank.orders.get(idOf(paid.txnId))!.refunds[0]!.status = 'SUCCESS'
      await spokenTo(url).post('/sandbox/clock', JSON.stringify({ advance: 'P1D' }))
      const { body } = await refundStatusOf(spokenTo(url), paid, 'REF_STAYS')
      assert.equal(body.resultInfo.resultStatus, 'TXN_SUCCESS')
    })
    await during(two, async ({ url }) => assert.equal((await statusOf(spokenTo(url), paid)).body.resultInfo.resultStatus, 'TXN_SUCCESS'))
    assert.equal((await mohurCommand(['verify'], one)).code, 0)
  })

  test('a command with other settings does not take the account from the service', async () => {
    const { bank, one, two } = await world()
    const open = (served: ServedProcess, orderId: string): Promise<Order> => createOrder(spokenTo(served.url), orderId, PAYER)
    const ended = await during(one, async (served) => {
      const failed = await open(served, 'FAILED')
      bank.begins = 'FAILED'
      const { txnId } = (await pay(spokenTo(served.url), failed, UPI)).body
      await spokenTo(served.url).post('/sandbox/clock', JSON.stringify({ advance: 'P3D' }))
      assert.equal((await statusOf(spokenTo(served.url), failed)).body.resultInfo.resultStatus, 'TXN_FAILURE')
      return txnId as string
    })
    assert.equal((await mohurCommand(['order', 'ask', ended], two)).code, 2)
    bank.begins = 'PENDING'
    await during(one, async (served) => void (await pay(spokenTo(served.url), await open(served, 'AFTER'), UPI)))
    await during(one, async ({ url }) => assert.equal((await statusOf(spokenTo(url), { orderId: 'AFTER' })).status, 200))
  })
})
