// Merchant keys over the years: docs/operating/rotate-a-key.md.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Vault } from '../../src/adapters/store/vault.ts'
import { addMerchant, NEW_KEY, rotateKey } from '../../src/domain/merchant/keys.ts'
import { SystemRandom } from '../../src/engine/random.ts'
import { MerchantKeys } from '../../src/flows/merchant-keys.ts'
import { sign, verify } from '../../src/interface/checksum.ts'
import { loadWorld, readWorld } from '../../src/sandbox/world.ts'
import { MERCHANT_KEYS_MAX } from '../../src/tables/keys.ts'
import { lock } from '../../src/tables/tables.ts'
import { onBothStores, TestClock } from '../support/run/service.ts'
import { sized } from '../support/run/sizes.ts'
import { newEngine, openStore, sharedStore } from '../support/store/stores.ts'
import { Random } from '../support/text/random.ts'

const MID = 'ROTATES'
const BUSY_MID = 'ROTATES_ALL_DAY'
const NAMED_MID = 'ROTATES_NAMED'
const DOUBLED_MID = 'ROTATES_DOUBLED'
const LEAKED_MID = 'ROTATES_LEAKED'
const DAY_MS = 24 * 60 * 60_000
const ROTATIONS = 60 // five years of monthly ones
const RACES = sized(30, 200)
const RACES_SEED = 20261126
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
  supportContact: null,
  version: 0,
  status: 'ACTIVE' as const,
  callbackFields: 'all' as const,
  feeHundredths: 0,
  websites: { DEFAULT: {} },
  notification: null,
  paymentModes: [],
})

/** Keys live by real time, which moves with business time here. */
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
    const keys = new MerchantKeys(store.query, clock, new SystemRandom())
    await engine.submit(addMerchant, { merchant: merchantOf(MID), clientId: 'C11', fresh: { key: keyOf(0) } })
    const other = { mid: MID, clientId: 'C12', generation: '0', position: 1, key: 'C12C12C12C12C12C', ...NEW_KEY }
    await store.transaction((transaction) =>
      transaction.write({
        changes: [{ kind: 'insert', key: lock('merchantKeys', MID, 'C12', '0'), row: other }],
        events: [],
        tasks: [],
      }),
    )
    for (let at = 1; at <= ROTATIONS; at++) {
      clock.advance(at % 4 === 0 ? 30 * DAY_MS : DAY_MS / 2)
      const { result } = await engine.submit(rotateKey, {
        mid: MID,
        clientId: 'C11',
        now: clock.now(),
        realNow: clock.realNow(),
        fresh: { key: keyOf(at) },
      })
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
      (await engine.submit(rotateKey, { mid: BUSY_MID, clientId: 'C11', now: when, realNow: when, fresh: { key: keyOf(at) } })).result.name
    for (let at = 1; at < MERCHANT_KEYS_MAX; at++) assert.equal(await rotate(at), 'rotated')
    assert.equal(await rotate(MERCHANT_KEYS_MAX), 'tooMany')
    const keys = new MerchantKeys(store.query, new MovedClock(), new SystemRandom())
    for (const at of [0, 1, MERCHANT_KEYS_MAX - 1])
      assert.equal(await keys.check(BUSY_MID, 'C11', 'data', sign('data', keyOf(at), 'salt')), 'valid', String(at))
    assert.equal(await rotate(MERCHANT_KEYS_MAX, now + DAY_MS), 'rotated')
  })

  test(`each of several rotations at once reports what it did, ${RACES} drawn races from a seed`, async (t) => {
    const first = await opened()
    const others = name === 'postgres' ? [await openStore(name, first.place)] : []
    const engines = [first, ...others].map(({ store }) => newEngine(store))
    const now = new MovedClock().realNow()
    t.diagnostic(`seed ${RACES_SEED}`)
    const random = new Random(RACES_SEED)
    const reported: Record<string, number> = {}
    for (let race = 0; race < RACES; race++) {
      const mid = `ROTATES_AT_ONCE_${race}`
      await engines[0]!.submit(addMerchant, { merchant: merchantOf(mid), clientId: 'C11', fresh: { key: keyOf(0) } })
      // One key too many would show at a merchant near the limit.
      const had = [1, 3, MERCHANT_KEYS_MAX - 2, MERCHANT_KEYS_MAX - 1][random.below(4)]!
      const rows = Array.from({ length: had }, (_, at) => ({
        ...{ mid, clientId: 'C12', generation: String(at), position: 1, key: keyOf(500 + at), ...NEW_KEY },
        retiresAt: at === had - 1 ? null : now + DAY_MS,
      }))
      await first.store.transaction((transaction) =>
        transaction.write({
          changes: rows.map((row) => ({ kind: 'insert', key: lock('merchantKeys', mid, 'C12', row.generation), row })),
          events: [],
          tasks: [],
        }),
      )
      const commands = Array.from({ length: 2 + random.below(4) }, (_, at) => {
        const clientId = random.below(3) === 0 ? 'C12' : 'C11'
        return { mid, clientId, atOnce: random.below(4) === 0, now, realNow: now, fresh: { key: keyOf(100 + at) } }
      })
      const names = await Promise.all(
        commands.map(async (command, at) => (await engines[at % engines.length]!.submit(rotateKey, command)).result.name),
      )
      for (const each of names) reported[each] = (reported[each] ?? 0) + 1
      const kept = await first.store.query.rows({ find: 'merchantKeys', equals: { mid }, limit: 1_000 })
      assert.ok(kept.length <= MERCHANT_KEYS_MAX, `race ${race}: ${kept.length} keys`)
      for (const [clientId, before] of Object.entries({ C11: 0, C12: had - 1 })) {
        const of = commands.flatMap((command, at) => (command.clientId === clientId ? [{ at, answer: names[at]!, command }] : []))
        const made = of.filter(({ answer }) => answer === 'rotated' || answer === 'ended')
        assert.deepEqual(
          of.filter((each) => !made.includes(each)).map(({ answer }) => answer),
          of.filter((each) => !made.includes(each)).map(() => 'tooMany'),
          `race ${race}, ${clientId}: ${names}`,
        )
        const newest = kept.filter((key) => key.clientId === clientId && key.retiresAt === null)
        assert.deepEqual(
          newest.map(({ generation }) => generation),
          [String(before + made.length)],
          `race ${race}, ${clientId}`,
        )
        const keys = made.length === 0 ? [newest[0]!.key] : made.map(({ command }) => command.fresh.key)
        assert.ok(keys.includes(newest[0]!.key), `race ${race}, ${clientId}: the newest is one that a rotation printed`)
      }
      const hasRoom = had + 1 + commands.length <= MERCHANT_KEYS_MAX
      if (hasRoom) assert.ok(!names.includes('tooMany'), `race ${race}: ${names}`)
    }
    t.diagnostic(`${name}, ${engines.length} engine(s): ${JSON.stringify(reported)}`)
    assert.ok(reported['rotated']! > RACES && reported['ended']! > 0 && reported['tooMany']! > 0)
    await Promise.all(others.map((other) => other.close()))
  })

  test('a world file that names a rotated key, of whatever age, neither revives nor doubles it, and says so', async () => {
    const { store } = await opened()
    const clock = new MovedClock()
    const keys = new MerchantKeys(store.query, clock, new SystemRandom())
    const living = async () => {
      keys.forget()
      const valid = async (at: number) => (await keys.check(NAMED_MID, 'C11', 'data', sign('data', keyOf(at), 'salt'))) === 'valid'
      return (await Promise.all([0, 1, 2, 3, 4].map(async (at) => ((await valid(at)) ? [at] : [])))).flat()
    }
    const load = (at: number) =>
      loadWorld(store, new Vault(Buffer.alloc(32, 1)), worldOf(NAMED_MID, keyOf(at)), { signedModify: 'amount', now: clock.now() })
    const rotate = (at: number) =>
      newEngine(store).submit(rotateKey, {
        mid: NAMED_MID,
        clientId: 'C11',
        now: clock.now(),
        realNow: clock.realNow(),
        fresh: { key: keyOf(at) },
      })
    assert.deepEqual(await load(4), [])
    assert.deepEqual(await load(0), [], 'until the first rotation the file says which it is')
    assert.deepEqual(await living(), [0])
    await rotate(1)
    assert.deepEqual(await load(1), [], 'the file names the newest')
    await rotate(2)
    assert.match((await load(1)).join(), /ROTATES_NAMED, clientId C11, .*ignored/)
    assert.deepEqual(await living(), [0, 1, 2])
    clock.advance(DAY_MS)
    assert.deepEqual(await living(), [2])
    for (const at of [3, 4]) await rotate(at)
    for (const at of [0, 1, 2, 3]) assert.equal((await load(at)).length, 1)
    assert.deepEqual(await living(), [2, 3, 4])
    clock.advance(DAY_MS)
    assert.deepEqual(await living(), [4])
  })

  test('a rotation ends every key without an end, also one that was set by hand beside the newest', async () => {
    const { store } = await opened()
    const clock = new MovedClock()
    const engine = newEngine(store)
    const rotate = (at: number) =>
      engine.submit(rotateKey, { mid: DOUBLED_MID, clientId: 'C11', now: clock.now(), realNow: clock.realNow(), fresh: { key: keyOf(at) } })
    await engine.submit(addMerchant, { merchant: merchantOf(DOUBLED_MID), clientId: 'C11', fresh: { key: keyOf(1) } })
    await rotate(1)
    const first = { mid: DOUBLED_MID, clientId: 'C11', generation: '0', position: 0, key: keyOf(1), ...NEW_KEY }
    await store.transaction(async (transaction) => {
      const key = lock('merchantKeys', DOUBLED_MID, 'C11', '0')
      await transaction.read([key])
      await transaction.write({ changes: [{ kind: 'update', key, row: first }], events: [], tasks: [] })
    })
    assert.equal((await rotate(2)).result.name, 'rotated')
    clock.advance(DAY_MS)
    const keys = new MerchantKeys(store.query, clock, new SystemRandom())
    assert.equal(await keys.check(DOUBLED_MID, 'C11', 'data', sign('data', keyOf(1), 'salt')), 'invalid')
    assert.equal(await keys.check(DOUBLED_MID, 'C11', 'data', sign('data', keyOf(2), 'salt')), 'valid')
  })

  test('with --now every older key of that clientId ends at once, those of a day of rotations too, and no other clientId’s', async () => {
    const { store } = await opened()
    const clock = new MovedClock()
    const engine = newEngine(store)
    const add = { merchant: merchantOf(LEAKED_MID), clientId: 'C11', fresh: { key: keyOf(0) } }
    await engine.submit(addMerchant, add)
    const other = { mid: LEAKED_MID, clientId: 'C12', generation: '0', position: 1, key: 'C12C12C12C12C12C', ...NEW_KEY }
    const key = lock('merchantKeys', LEAKED_MID, 'C12', '0')
    await store.transaction((transaction) => transaction.write({ changes: [{ kind: 'insert', key, row: other }], events: [], tasks: [] }))
    const rotate = async (at: number, atOnce: boolean) => {
      const command = { mid: LEAKED_MID, clientId: 'C11', now: clock.now(), realNow: clock.realNow(), atOnce, fresh: { key: keyOf(at) } }
      return (await engine.submit(rotateKey, command)).result.name
    }
    for (const at of [1, 2, 3]) assert.equal(await rotate(at, false), 'rotated')
    assert.equal(await rotate(4, true), 'ended')
    const keys = new MerchantKeys(store.query, clock, new SystemRandom())
    for (const [at, worth] of [...[0, 1, 2, 3].map((at) => [at, 'invalid'] as const), [4, 'valid'] as const])
      assert.equal(await keys.check(LEAKED_MID, 'C11', 'data', sign('data', keyOf(at), 'salt')), worth, String(at))
    assert.equal(await keys.check(LEAKED_MID, 'C12', 'data', sign('data', other.key, 'salt')), 'valid')
  })
})

const worldOf = (mid: string, key: string) => readWorld({ merchants: [{ mid, keys: [{ clientId: 'C11', key }] }] })
