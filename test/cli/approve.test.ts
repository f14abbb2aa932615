// `mohur approve`: lists what waits for a second person, approves and refuses, inside the service that has the store.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { approve } from '../../src/cli/approve.ts'
import { carriedOut } from '../../src/cli/place.ts'
import { readSettings } from '../../src/settings.ts'
import { approvalKey } from '../../src/tables/keys.ts'
import { type Person, personOf } from '../support/console/desk.ts'
import { APPROVALS_ON, approvalRow, askedBy, changed, REASON, refundsOf, returned } from '../support/console/refunds.ts'
import { refund } from '../support/paying/refunds.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'

onBothStores('mohur approve', (store) => {
  let service: Service
  let asker: Person
  before(async () => {
    service = await startService(store, { env: APPROVALS_ON })
    asker = await personOf(service, ['finance'])
  })
  after(() => service.close())

  const asked = (by = asker) => askedBy(service, by)
  async function run(given: Parameters<typeof approve>[0]): Promise<string> {
    const said: string[] = []
    const settings = readSettings({ MOHUR_DATA: service.place.dataFolder, DATABASE_URL: service.place.databaseUrl ?? '' })
    await carriedOut({ settings, ports: service.ports, url: service.url, said }, () => approve(given))
    return said.join('\n')
  }
  const statusOf = async (id: string) => (await approvalRow(service, id)).status

  test('lists what waits, the oldest first, and nothing else', async () => {
    assert.equal(await run({}), 'nothing waits')
    const [first, second] = [await asked(), await asked()]
    const lines = (await run({})).split('\n')
    assert.equal(lines.length, 3)
    assert.match(
      lines[1]!,
      new RegExp(
        `^${first.id} .* ${asker.email} .*refund .*${MID} .*transaction:${first.payment.txnId} .*20000\\.00 +20000\\.00 .* ${REASON}$`,
      ),
    )
    assert.match(lines[2]!, new RegExp(`^${second.id}`))
    assert.match(await run({ id: first.id }), /is approved, and the refund is made/)
    assert.match(await run({ id: second.id, refuse: true }), /is refused/)
    assert.equal(await run({}), 'nothing waits')
    assert.deepEqual([await statusOf(first.id), await statusOf(second.id)], ['GIVEN', 'REFUSED'])
    assert.deepEqual(await returned(service, await refundsOf(service, first.payment)), { paise: 20_000_00, times: 1 })
  })

  test('says that more wait than it lists', async () => {
    const { id } = await asked()
    const row = await approvalRow(service, id)
    const changes = Array.from({ length: 100 }, (_, nth) => {
      const approvalId = `${id}${nth}`
      return { kind: 'insert' as const, key: approvalKey(approvalId), row: { ...row!, approvalId } }
    })
    await service.store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
    const lines = (await run({})).split('\n')
    assert.equal(lines.length, 102)
    assert.match(lines.at(-1)!, /^more wait: these are the first 100\./)
    for (const { approvalId } of [row!, ...changes.map(({ row: { approvalId } }) => ({ approvalId }))])
      await run({ id: approvalId, refuse: true })
    assert.equal(await run({}), 'nothing waits')
  })

  test('refuses by a sentence, and changes nothing', async () => {
    await assert.rejects(run({ id: 'NONE' }), /nothing with the id NONE was asked/)
    await assert.rejects(run({ refuse: true }), /--refuse needs the ID/)
    const [decided, changedSince] = [await asked(), await asked()]
    await run({ id: decided.id })
    for (const isRefused of [false, true]) await assert.rejects(run({ id: decided.id, refuse: isRefused }), /a person has decided already/)
    await refund(service, changedSince.payment, 'M', '1.00')
    assert.match(await run({}), new RegExp(`^${changedSince.id} .* 19999\\.00 \\(changed since\\) `, 'm'))
    await assert.rejects(run({ id: changedSince.id }), /has changed since \(changed\)/)
    const gone = await personOf(service, ['finance'])
    const ofGone = await asked(gone)
    await changed(service, gone, { status: 'DISABLED' })
    await assert.rejects(run({ id: ofGone.id }), /the person who asked can no longer sign in/)
    for (const { id } of [changedSince, ofGone]) assert.equal(await statusOf(id), 'ASKED')
    const late = await asked()
    service.clock.set(72 * 3_600_000)
    await assert.rejects(run({ id: late.id }), /its 72 hours are over/)
  })
})
