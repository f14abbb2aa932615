// How often one request of the payment page reads a row: the page, its order, and the payer's wallet, sign-in and cards once. A post that no
// decision has refused shows the page from the rows that it has read. A post by a stored card has read the cards before, for the card's kind.
// A price reads its offer's counter once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { ask, CARD_FIELDS, formsOf, newPage } from '../../support/pages/pages.ts'
import { createOrder, pay } from '../../support/paying/paying.ts'
import { promotionWorld } from '../../support/paying/promotions.ts'
import { onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const world = promotionWorld([
  { promocode: 'TENTH', kind: 'DISCOUNT', percent: '10', budget: '1000.00', payMethods: ['CREDIT_CARD', 'UPI', 'EMI'] },
])
const OFFERED = { simplifiedPaymentOffers: { applyAvailablePromo: true }, txnAmount: { value: '5000.00', currency: 'INR' } }

const TABLES = ['pages', 'orders', 'customers', 'customerLinks', 'savedCards']

/** The reads of the page's requests by table, without the decisions' own. */
function counted({ ports: { query } }: Service) {
  const reads = new Map<string, number>()
  const { row, rows } = query
  const count = (table: string) => reads.set(table, (reads.get(table) ?? 0) + 1)
  Object.assign(query, {
    row: (key: Parameters<typeof row>[0]) => {
      count(key.table)
      return row.call(query, key)
    },
    rows: (find: Parameters<typeof rows>[0]) => {
      count(find.find)
      return rows.call(query, find)
    },
  })
  return {
    counters: () => reads.get('promotionCounters') ?? 0,
    of: async (work: () => Promise<{ status: number }>, status: number) => {
      reads.clear()
      assert.equal((await work()).status, status)
      return Object.fromEntries(TABLES.map((table) => [table, reads.get(table) ?? 0]))
    },
    stop: () => Object.assign(query, { row, rows }),
  }
}

onBothStores('one request of the payment page', (store) => {
  const running = sharedService(store, { world })

  test('reads its rows once for a page, a price and a refused post', async (t) => {
    const service = await running()
    const payer = { paytmSsoToken: await issueSsoToken(service, 'sso of READS'), userInfo: { custId: 'READS' } }
    const before = await createOrder(service, 'READS_BEFORE', payer)
    const card = { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032', storeInstrument: '1' }
    await pay(service, before, card)
    const { page } = await newPage(service, 'READS_PAGE', { ...payer, ...OFFERED })
    const forms = formsOf((await ask(service, page)).text)
    const saved = forms.find(({ fields }) => fields['panel'] === 'saved')!.fields
    const emi = formsOf((await ask(service, `${page}?emi=HDFC`)).text).find(({ fields }) => fields['panel'] === 'emi')!.fields
    const ofEmi = { ...emi, ...CARD_FIELDS, cardNumber: '4012888888881881', plan: 'HDFC|3' }

    const reads = counted(service)
    const is = async (name: string, work: () => Promise<{ status: number }>, status: number) => {
      const found = await reads.of(work, status)
      t.diagnostic(`${name}: ${JSON.stringify(found)}`)
      return found
    }
    const once = { pages: 1, orders: 1, customers: 1, customerLinks: 1, savedCards: 1 }
    try {
      assert.deepEqual(await is('page', () => ask(service, page), 200), once)
      const price = { digits: '41111111', mode: 'EMI', emiBank: 'HDFC' }
      const wallet = { ...once, customerLinks: 0, savedCards: 0 }
      assert.deepEqual(await is('price of a card’s plans', () => ask(service, `${page}/price`, price), 200), wallet)
      assert.deepEqual(
        await is('price of a card that is not known', () => ask(service, `${page}/price`, { mode: 'CREDIT_CARD' }), 200),
        wallet,
      )
      const share = { ...saved, share: '1' }
      assert.deepEqual(await is('price of a kept card and the wallet', () => ask(service, `${page}/price`, share), 200), once)
      assert.equal(reads.counters(), 1)
      assert.deepEqual(await is('post of a plan, refused', () => ask(service, `${page}/pay`, ofEmi), 422), once)
      const twice = { ...once, customers: 2, customerLinks: 2, savedCards: 2 }
      const wrong = { ...saved, cvv: '1' }
      assert.deepEqual(await is('post of a kept card, refused', () => ask(service, `${page}/pay`, wrong), 422), twice)
    } finally {
      reads.stop()
    }
  })
})
