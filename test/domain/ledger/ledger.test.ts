// Every movement of money has two sides: the bank's amount, the wallets, the merchant's earnings, and what Mohur keeps.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LedgerLine, movement } from '../../../src/domain/ledger/ledger.ts'
import { demoWorld } from '../../../src/sandbox/world.ts'
import { newCustomerKey } from '../../../src/tables/keys.ts'
import { find, look } from '../../../src/tables/tables.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { CARD, createOrder, type Order, pay, script } from '../../support/paying/paying.ts'
import { MID, type Service, sharedService, whereSqlDiffers } from '../../support/run/service.ts'

const world = {
  ...demoWorld,
  merchants: demoWorld.merchants!.map((merchant) => ({ ...merchant, fee: '2.5' })),
  customers: [{ mobile: '9999900001', walletBalance: '60.00' }],
}

test('a movement that does not balance is a fault of the code, and never written', () => {
  const lines: LedgerLine[] = [
    ['acquirer_receivable', 100],
    ['merchant_payable', -99],
  ]
  assert.throws(() => movement(MID, 'capture:1', '1', 0, lines), /1 paise are left over/)
})

test('a line of nothing is left out, the others keep their order', () => {
  const changes = movement(MID, 'capture:1', '1', 7, [
    ['acquirer_receivable', 100],
    ['wallet_hold', 0],
    ['merchant_payable', -100],
  ])
  assert.deepEqual(
    changes.map((change) => ('row' in change ? change.key.id.join(' ') : '')),
    [`${MID} capture:1 1`, `${MID} capture:1 2`],
  )
})

const linesOf = async ({ store }: Service, subject: string) => {
  const entries = await store.query.rows(find('ledgerEntries', { equals: { owner: MID, subject }, limit: 100 }))
  return [...entries]
    .sort((a, b) => (a.movement + a.line < b.movement + b.line ? -1 : 1))
    .map(({ movement, account, debitPaise, creditPaise }) => `${movement.split(':')[0]} ${account} ${debitPaise - creditPaise}`)
}
const balanceOf = async ({ store }: Service) => (await store.query.row(look('customers', '9999900001')))!.walletBalancePaise
async function setBalance({ store }: Service, walletBalancePaise: number) {
  const key = newCustomerKey('9999900001')
  const row = (await store.query.row(key))!
  await store.transaction(async (transaction) => {
    await transaction.read([key])
    await transaction.write({ changes: [{ kind: 'update', key, row: { ...row, walletBalancePaise } }], events: [], tasks: [] })
  })
}
const trialBalance = async ({ store }: Service) =>
  (await store.query.rows(find('ledgerEntries', { limit: 1_000 }))).reduce(
    (sum, { debitPaise, creditPaise }) => sum + debitPaise - creditPaise,
    0,
  )

whereSqlDiffers('the ledger', 'the CHECKs of its rows are each engine’s own', (store) => {
  const service = sharedService(store, { world })
  const signedIn = async (orderId: string): Promise<Order> => {
    const running = await service()
    const ssoToken = await issueSsoToken(running, `token of ${orderId}`)
    return createOrder(running, orderId, { paytmSsoToken: ssoToken })
  }

  test('a captured payment: the bank owes it, the merchant has earned it, and Mohur’s fee is taken off', async () => {
    const running = await service()
    const { body } = await pay(running, await createOrder(running, 'FEE'), CARD)
    assert.deepEqual(await linesOf(running, body.txnId), [
      'capture acquirer_receivable 10000',
      'capture merchant_payable -10000',
      'capture merchant_payable 250',
      'capture fees_income -250',
    ])
  })

  test('a hybrid payment holds the wallet’s part until the bank has answered', async () => {
    const running = await service()
    const { body } = await pay(running, await signedIn('HYBRID'), { ...CARD, paymentFlow: 'HYBRID' })
    assert.equal(await balanceOf(running), 0)
    assert.deepEqual((await linesOf(running, body.txnId)).slice(0, 3), [
      'capture acquirer_receivable 4000',
      'capture wallet_hold 6000',
      'capture merchant_payable -10000',
    ])
  })

  test('an amount that a failed payment held is in the wallet again', async () => {
    const running = await service()
    await setBalance(running, 3_000)
    const order = await signedIn('HELD')
    await script(running, order, 'declined')
    const { body } = await pay(running, order, { ...CARD, paymentFlow: 'HYBRID' })
    assert.equal(body.resultInfo.resultCode, '0001')
    assert.equal(await balanceOf(running), 3_000)
    assert.deepEqual(await linesOf(running, body.txnId), [
      'hold customer_wallet 3000',
      'hold wallet_hold -3000',
      'release wallet_hold 3000',
      'release customer_wallet -3000',
    ])
  })

  test('debits and credits of everything are equal', async () => {
    assert.equal(await trialBalance(await service()), 0)
  })
})
