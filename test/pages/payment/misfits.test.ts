// Rows of a page that cannot be true together. After a commit between two reads the page reads again. If the rows still disagree, it shows
// a plain page without an amount.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, CARD_FIELDS, newPage, Visitor, wordsOf } from '../../support/pages/pages.ts'
import { pay } from '../../support/paying/paying.ts'
import { onBothStores, type Service, sharedService } from '../../support/run/service.ts'

type Query = Service['ports']['query']

/** Replaces the service's reads until the work is done. */
async function readingBy<T>({ ports: { query } }: Service, other: (own: Query) => Partial<Query>, work: () => Promise<T>): Promise<T> {
  const { row, rows, atOneMoment } = query
  const own = { ...query, row: row.bind(query), rows: rows.bind(query), atOneMoment: atOneMoment.bind(query) } as Query
  Object.assign(query, other(own))
  try {
    return await work()
  } finally {
    Object.assign(query, { row, rows, atOneMoment })
  }
}

onBothStores('rows of a payment page that do not fit each other', (store) => {
  const running = sharedService(store)

  test('are read again where a payment came between two reads', async () => {
    const service = await running()
    const { page, order } = await newPage(service, 'MISFIT_BETWEEN')
    const visitor = new Visitor(service, page)
    await visitor.look()
    // A first attempt that fails, so that the page reads attempts.
    await visitor.send({ panel: 'card' }, { ...CARD_FIELDS, cardNumber: '4000000000000002' })
    let isPaid = false
    const between = (own: Query): Partial<Query> => ({
      rows: async (find) => {
        if (find.find === 'transactions' && !isPaid) {
          isPaid = true
          await pay(service, order, { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' })
        }
        return own.rows(find)
      },
    })
    const { status, text } = await readingBy(service, between, () => ask(service, page))
    assert.ok(isPaid)
    assert.equal(status, 200)
    assert.match(wordsOf(text), /₹100\.00 paid/)
  })

  test('and that stay so lead to a plain page, without an amount', async () => {
    const service = await running()
    const { page } = await newPage(service, 'MISFIT_STAYS')
    const paid = (own: Query): Partial<Query> => {
      const row = async (key: { table: string }) => {
        const found = await own.row(key as Parameters<Query['row']>[0])
        return key.table === 'orders' && found ? { ...found, status: 'PAID' } : found
      }
      return { row, atOneMoment: (work: (looks: Query) => Promise<unknown>) => work({ ...own, row } as Query) } as Partial<Query>
    }
    const { status, text } = await readingBy(service, paid, () => ask(service, page))
    assert.equal(status, 500)
    assert.doesNotMatch(text, /₹|<form/)
    assert.equal((await ask(service, page)).status, 200, 'and are shown as soon as they fit')
  })
})
