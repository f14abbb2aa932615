// Approvals that a damaged or forged store has: without their audit rows, or, in a table that lost its CHECKs, given by their asker.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { find } from '../../../src/tables/tables.ts'
import { verify } from '../../../src/verify/verify.ts'
import { personOf } from '../../support/console/desk.ts'
import { APPROVALS_ON, askedBy, give } from '../../support/console/refunds.ts'
import { type Service, startService, storeNames } from '../../support/run/service.ts'
import { named } from '../../support/store/tampering.ts'

const PLANTED = 20
const ofPayment = (id: string) => `subject = (select subject from approvals where approval_id = '${id}')`

for (const store of storeNames)
  describe(`approvals that were not given as they say (${store})`, () => {
    let service: Service
    const ids: string[] = []
    before(async () => {
      service = await startService(store, { env: APPROVALS_ON })
      const [asker, giver] = [await personOf(service, ['finance']), await personOf(service, ['operations'])]
      for (let nth = 0; nth < PLANTED; nth++) {
        const { id } = await askedBy(service, asker, 11_000)
        await give(service, giver, id)
        ids.push(id)
      }
      await service.tasks.runDue()
    })
    after(() => service.close())

    test('are named, each of them', async (t) => {
      const given = await service.ports.query.rows(find('approvals', { equals: { status: 'GIVEN' }, limit: 100 }))
      assert.equal(given.length, PLANTED)
      assert.deepEqual(
        (await verify(service.place)).filter(({ breaches }) => breaches > 0),
        [],
      )
      let found = 0
      for (const [nth, id] of ids.entries()) {
        const plants = [
          { does: [`delete from audit_log where action = 'approval.give' and ${ofPayment(id)}`] },
          { does: [`delete from audit_log where action = 'payment.refund' and ${ofPayment(id)}`] },
          { does: [`update audit_log set outcome = 'over' where action = 'approval.give' and ${ofPayment(id)}`] },
          { does: [`update audit_log set operator_id = 'X' where action = 'approval.give' and ${ofPayment(id)}`] },
          {
            loses: ['approvals'],
            does: [
              `update approvals set decided_by = asked_by where approval_id = '${id}'`,
              `update audit_log set operator_id = (select asked_by from approvals where approval_id = '${id}') where action = 'approval.give' and ${ofPayment(id)}`,
            ],
          },
        ]
        const names = await named(service, plants[nth % plants.length]!)
        if (names.includes('I61')) found++
        assert.ok(names.includes('I61'), `plant ${nth % plants.length}: ${names}`)
      }
      t.diagnostic(`${store}: planted ${PLANTED}, found ${found}`)
    })

    test('cannot be written: the table refuses its asker as its giver, and a decision without a person or too late', async () => {
      const row = (await service.ports.query.rows(find('approvals', { limit: 1 })))[0]!
      for (const more of [
        { decidedBy: row.askedBy },
        { decidedBy: null },
        { decidedAt: null },
        { status: 'ASKED' as const },
        { decidedAt: row.until },
        { amountPaise: 0 },
      ]) {
        const planted = { ...row, approvalId: 'PLANTED', ...more }
        const key = { table: 'approvals', id: ['PLANTED'], mode: 'lock', name: 'approvals\u0000PLANTED' } as const
        const writes = { changes: [{ kind: 'insert' as const, key, row: planted }], events: [], tasks: [] }
        await assert.rejects(
          service.store.transaction((transaction) => transaction.write(writes)),
          JSON.stringify(more),
        )
      }
    })
  })
