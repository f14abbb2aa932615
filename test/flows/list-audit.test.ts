// The audit log in portions, compared with all rows sorted by hand: drawn rows, scopes, filters and sizes. Each question is answered by an
// index.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuditListing, auditListed } from '../../src/flows/list-audit.ts'
import type { Place } from '../../src/flows/list-portions.ts'
import { auditKey } from '../../src/tables/keys.ts'
import type { Find, Row } from '../../src/tables/tables.ts'
import { plansOf } from '../support/console/plans.ts'
import { sharedService, whereSqlDiffers } from '../support/run/service.ts'
import { askedBy } from '../support/store/asked-by.ts'
import { Random } from '../support/text/random.ts'

const [SEED, ROWS, QUESTIONS] = [20_261_128, 600, 60]
const MOST = { entries: 90, rows: 40 } // so that portions are cut
const FIRST = 1_790_000_000_000
const [PEOPLE, MIDS, SUBJECTS] = [
  ['A', 'B', 'shell'],
  ['M1', 'M2', 'M3', null],
  ['order:1', 'order:2', 'operator:A'],
] as const

const random = new Random(SEED)
const rows = Array.from({ length: ROWS }, (_, nth): Row<'auditLog'> => {
  const at = FIRST + random.below(120)
  return {
    ...{ auditId: `${at}${nth.toString(16).padStart(8, '0')}`, at, operatorId: random.pick(PEOPLE), network: '', action: 'note' },
    ...{ mid: random.pick(MIDS), subject: random.pick(SUBJECTS), outcome: 'done', reason: null, reasonHash: null, data: {} },
    ...{ number: null, hash: null },
  }
})

whereSqlDiffers('the audit log in portions', 'each store plans ranges of a key and filters in its own way', (store) => {
  const running = sharedService(store)
  let isWritten = false
  const service = async () => {
    const started = await running()
    if (!isWritten)
      await started.store.transaction((transaction) =>
        transaction.write({ changes: rows.map((row) => ({ kind: 'insert', key: auditKey(row.auditId), row })), events: [], tasks: [] }),
      )
    isWritten = true
    return started
  }
  const drawn = (): AuditListing => {
    const from = FIRST + random.below(60)
    return {
      mids: random.pick([null, null, ['M1'], ['M1', 'M3'], []]),
      ...{ from, to: from + random.below(90), limit: 1 + random.below(60) },
      ...(random.below(2) === 0 && { operatorId: random.pick(PEOPLE) }),
      ...(random.below(3) === 0 && { subject: random.pick(SUBJECTS) }),
    }
  }

  test(`of ${QUESTIONS} drawn questions have each row once, the newest first`, async () => {
    const { ports } = await service()
    let shown = 0
    for (let nth = 0; nth < QUESTIONS; nth++) {
      const asked = drawn()
      const { mids, from, to, operatorId = undefined, subject = undefined } = asked
      const expected = rows
        .filter(({ at }) => at >= from && at <= to)
        .filter(({ mid }) => mids === null || (mid !== null && mids.includes(mid)))
        .filter((row) => (operatorId ?? row.operatorId) === row.operatorId && (subject ?? row.subject) === row.subject)
        .map(({ auditId }) => auditId)
      const found: string[] = []
      for (let after: Place | undefined, isMore = true; isMore; isMore = after !== undefined) {
        const portion = await auditListed(ports.query, { ...asked, after }, MOST)
        assert.ok(portion.rows.length <= asked.limit)
        found.push(...portion.rows.map(({ auditId }) => auditId))
        assert.notDeepEqual(portion.next, after ?? null, 'each portion goes on')
        after = portion.next
      }
      assert.deepEqual(found, expected.toSorted().toReversed(), JSON.stringify(asked))
      shown += found.length
    }
    assert.ok(shown > ROWS, `${shown} rows shown`)
  })

  test('are of one moment each, so a row that is written meanwhile doubles no other', async () => {
    const { ports, store } = await service()
    const asked = { mids: ['M1'], from: FIRST, to: FIRST + 200, limit: ROWS }
    let later = 0
    const query = askedBy(ports.query, async (looks, find) => {
      const found = await looks.rows(find)
      const at = FIRST + 150 + later
      const row = { ...rows[0]!, auditId: `${at}${(ROWS + later++).toString(16).padStart(8, '0')}`, at, mid: 'M2' }
      await store.transaction((transaction) =>
        transaction.write({ changes: [{ kind: 'insert', key: auditKey(row.auditId), row }], events: [], tasks: [] }),
      )
      return found
    })
    const found: string[] = []
    for (let after: Place | undefined, isMore = true; isMore; isMore = after !== undefined) {
      const portion = await auditListed(query, { ...asked, after }, MOST)
      found.push(...portion.rows.map(({ auditId }) => auditId))
      after = portion.next
    }
    assert.ok(later > 2)
    assert.deepEqual(
      found,
      rows
        .filter(({ mid }) => mid === 'M1')
        .map(({ auditId }) => auditId)
        .toSorted()
        .toReversed(),
    )
  })

  test('are each read from an index', async () => {
    const started = await service()
    const finds: Find[] = []
    const query = askedBy(started.ports.query, async (looks, find) => {
      finds.push(find as unknown as Find)
      return looks.rows(find)
    })
    for (const operatorId of [undefined, 'A'])
      for (const subject of [undefined, 'order:1'])
        for (const mids of [null, ['M1']])
          for (const after of [undefined, { at: FIRST + 40, mid: '', id: `${FIRST + 40}00000000` }]) {
            const filters = { ...(operatorId && { operatorId }), ...(subject && { subject }), ...(after && { after }) }
            await auditListed(query, { mids, from: FIRST, to: FIRST + 99, limit: 50, ...filters })
          }
    const plans = await plansOf(started, finds, true)
    assert.ok(plans.length >= 16)
    for (const [nth, plan] of plans.entries()) {
      assert.doesNotMatch(plan, /^SCAN audit_log|Seq Scan/m)
      // Behind a filter, the rows of one portion are sorted.
      if (!finds[nth]!.filter) assert.doesNotMatch(plan, /TEMP B-TREE|Sort/)
    }
  })
})
