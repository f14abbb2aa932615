// Merchant keys over the years: docs/operating.md, "Commands".

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SystemFresh } from '../src/engine/fresh.ts'
import { MerchantKeys } from '../src/http/merchant-keys.ts'
import { sign, verify } from '../src/interface/checksum.ts'
import { addMerchant, rotateKey } from '../src/merchant/keys.ts'
import { lock, MERCHANT_KEYS_MAX } from '../src/tables.ts'
import { onBothStores, TestClock } from './support/service.ts'
import { newEngine, sharedStore } from './support/stores.ts'

const MID = 'ROTATES'
const BUSY_MID = 'ROTATES_ALL_DAY'
const DAY_MS = 24 * 60 * 60_000
const ROTATIONS = 60 // five years of monthly ones
const keyOf = (number: number) => String(number).padStart(16, 'K')

const merchantOf = (mid: string) => ({
  mid,
  name: mid,
  mcc: '5411',
  checksumEnabled: true,
  signedModify: 'amount' as const,
  debitCardEmi: false,
  registersNotificationUrl: false,
  flatRefund: false,
  upiCollect: 'rule' as const,
  pageOrigins: null,
  pageLanguage: null,
  utilityCode: null,
  callbackFields: 'all' as const,
  feeHundredths: 0,
  websites: { DEFAULT: {} },
  notification: null,
  paymentModes: [],
})

/** Real time, which keys live by, moves with the test as business time does. */
class MovedClock extends TestClock {
  override realNow() {
    return this.now()
  }
}

onBothStores('merchant keys', (name) => {
  const opened = sharedStore(name)

  test('a key that is rotated for years is the newest one each time, and takes no other clientId along', async () => {
    const { store } = await opened()
    const engine = newEngine(store)
    const clock = new MovedClock()
    const keys = new MerchantKeys(store.query, clock, new SystemFresh())
    await engine.submit(addMerchant, { merchant: merchantOf(MID), clientId: 'C11', fresh: { key: keyOf(0) } })
    const other = { mid: MID, clientId: 'C12', generation: '0', position: 1, key: 'C12C12C12C12C12C', retiresAt: null }
    await store.transaction((transaction) =>
      transaction.write({
        changes: [{ kind: 'insert', key: lock('merchantKeys', MID, 'C12', '0'), row: other }],
        events: [],
        tasks: [],
      }),
    )
    for (let at = 1; at <= ROTATIONS; at++) {
      clock.advance(at % 4 === 0 ? 30 * DAY_MS : DAY_MS / 2)
      const { result } = await engine.submit(rotateKey, { mid: MID, clientId: 'C11', now: clock.realNow(), fresh: { key: keyOf(at) } })
      assert.equal(result.name, 'rotated', String(at))
      keys.forget()
      const check = (clientId: string | undefined, key: string) => keys.check(MID, clientId, 'data', sign('data', key, 'salt'))
      assert.equal(await check('C11', keyOf(at)), 'valid', `the newest, ${at}`)
      assert.equal(await check(undefined, keyOf(at - 1)), 'valid', `the one before, for a day, ${at}`)
      assert.equal(await check('C12', other.key), 'valid', `the other clientId, ${at}`)
      const signed = await keys.sign(MID, 'C11', 'data')
      assert.ok(verify('data', signed!.signature, keyOf(at)), `replies are signed with the newest, ${at}`)
      clock.advance(DAY_MS)
      keys.forget()
      assert.equal(await check('C11', keyOf(at - 1)), 'invalid', `a day later, ${at}`)
    }
    const rows = await store.query.rows({ find: 'merchantKeys', equals: { mid: MID }, limit: 1_000 })
    assert.ok(rows.length < 10, `${rows.length} keys are kept`)
  })

  test('rotating all day long ends at the limit, with every key of the day still valid', async () => {
    const { store } = await opened()
    const engine = newEngine(store)
    const now = new MovedClock().realNow()
    await engine.submit(addMerchant, { merchant: merchantOf(BUSY_MID), clientId: 'C11', fresh: { key: keyOf(0) } })
    const rotate = async (at: number, when = now) =>
      (await engine.submit(rotateKey, { mid: BUSY_MID, clientId: 'C11', now: when, fresh: { key: keyOf(at) } })).result.name
    for (let at = 1; at < MERCHANT_KEYS_MAX; at++) assert.equal(await rotate(at), 'rotated')
    assert.equal(await rotate(MERCHANT_KEYS_MAX), 'tooMany')
    const keys = new MerchantKeys(store.query, new MovedClock(), new SystemFresh())
    for (const at of [0, 1, MERCHANT_KEYS_MAX - 1])
      assert.equal(await keys.check(BUSY_MID, 'C11', 'data', sign('data', keyOf(at), 'salt')), 'valid', String(at))
    assert.equal(await rotate(MERCHANT_KEYS_MAX, now + DAY_MS), 'rotated')
  })
})
