// Payments that wait for their bank, of the merchants that a person sees. Older payments of other merchants do not take their places.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pendingPayments } from '../../src/flows/pending-payments.ts'
import { whereSqlDiffers } from '../support/run/service.ts'
import { aRefund, aTransaction } from '../support/store/listed-rows.ts'
import { sharedStore } from '../support/store/stores.ts'

const [OLDER, UNTIL] = [50, 10_000]

whereSqlDiffers('payments that wait for their bank', 'one statement filters an index by merchants', (name) => {
  const opened = sharedStore(name)

  test('are listed for the merchants that are named, the oldest first, however many older ones others have', async () => {
    const { store } = await opened()
    const others = Array.from({ length: OLDER }, (_, at) => [
      aTransaction({ mid: 'OTHER', txnId: `T${at}`, initiatedAt: 1_000 + at, status: 'PENDING' }),
      aRefund({ mid: 'OTHER', refId: `R${at}`, requestedAt: 1_000 + at, status: 'PENDING' }),
    ]).flat()
    const own = [
      aTransaction({ mid: 'OWN', txnId: 'LATE', initiatedAt: 3_000, status: 'UNKNOWN' }),
      aRefund({ mid: 'OWN', refId: 'BACK', requestedAt: 2_500, status: 'PENDING' }),
      aTransaction({ mid: 'OWN', txnId: 'PAID', initiatedAt: 2_000 }),
      aTransaction({ mid: 'OWN', txnId: 'EARLY', initiatedAt: 2_000, status: 'PENDING' }),
    ]
    await store.transaction((transaction) => transaction.write({ changes: [...others, ...own], events: [], tasks: [] }))
    const listed = async (mids: readonly string[] | null, limit: number) =>
      (await pendingPayments(store.query, { mids, until: UNTIL, limit })).map(({ mid, id }) => `${mid} ${id}`)
    assert.deepEqual(await listed(['OWN'], 10), ['OWN EARLY', 'OWN BACK', 'OWN LATE'])
    assert.deepEqual(await listed(['NONE', 'OWN'], 1), ['OWN EARLY', 'OWN BACK'], 'one more says that there are more')
    assert.deepEqual(await listed([], 10), [])
    assert.equal((await listed(null, 2 * OLDER + 3)).length, 2 * OLDER + 3)
  })
})
