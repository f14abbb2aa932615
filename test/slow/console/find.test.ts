// Drawn orders of two merchants, half of them never paid. Each is found by any text that a caller reads out from it, and no order of
// another merchant is. The seed is fixed.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { find, type Row } from '../../../src/tables/tables.ts'
import { ask, type Person, personOf } from '../../support/console/desk.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { CARD } from '../../support/paying/paying.ts'
import { OTHER_KEY, OTHER_MID, promotionWorld } from '../../support/paying/promotions.ts'
import { KEY, MID, onBothStores, type Service, startService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { allTermsKept } from '../../support/store/terms-kept.ts'
import { Random } from '../../support/text/random.ts'

const ORDERS = sized(200, 1_000)
const SEED = 20_261_125
const KEYS: Readonly<Record<string, string>> = { [MID]: KEY, [OTHER_MID]: OTHER_KEY }
const MINUTE_MS = 60_000

interface Drawn {
  mid: string
  orderId: string
  custId: string
  mobile: string
  email: string
  isPaid: boolean
}

onBothStores('the search of the console', (store) => {
  test(`${ORDERS} drawn orders: each is found by what is read out, and by no person who does not see its merchant`, async (t) => {
    const random = new Random(SEED)
    const service = await startService(store, { world: promotionWorld([]) })
    after(() => service.close())
    const all = await personOf(service, ['support'])
    const one = await personOf(service, ['support'], [MID])
    const drawn: Drawn[] = []
    for (let at = 0; at < ORDERS; at++) drawn.push(await made(service, { at, random }))
    service.clock.advance(2 * MINUTE_MS)
    await service.tasks.runDue()
    await allTermsKept(service)

    const payments = await service.ports.query.rows(find('transactions', { orderBy: ['mid', 'txnId'], limit: ORDERS }))
    const by = new Map<string, number>()
    let [found, foreign] = [0, 0]
    for (const order of drawn) {
      const payment = payments.find(({ mid, orderId }) => mid === order.mid && orderId === order.orderId)
      const [name, typed] = random.pick(waysTo(order, payment))
      by.set(name, (by.get(name) ?? 0) + 1)
      const answer = await asked(service, all, typed)
      assert.ok(leadsTo(answer, order, payment), `${name} ${typed} of ${order.mid} ${order.orderId}: ${answer.location ?? answer.text}`)
      found++
      const theirs = await asked(service, one, typed)
      if (order.mid === MID) assert.ok(leadsTo(theirs, order, payment))
      else if (theirs.status === 303 || theirs.text.includes(OTHER_MID)) foreign++
    }
    assert.equal(foreign, 0)
    t.diagnostic(
      `${store}: ${found} of ${ORDERS} found, ${drawn.filter(({ isPaid }) => !isPaid).length} of them unpaid; foreign rows ${foreign}; ${[...by].map(([name, times]) => `${name} ${times}`).join(', ')}`,
    )
  })
})

async function made(service: Service, { at, random }: { at: number; random: Random }): Promise<Drawn> {
  const mid = random.pick([MID, OTHER_MID])
  const order = {
    mid,
    orderId: `CALLED_${at}`,
    custId: `CUST${at}_${random.below(1_000)}`,
    mobile: String(6_000_000_000 + at * 1_000 + random.below(1_000)),
    email: `Payer.${at}@Example.test`,
    isPaid: at % 2 === 0,
  }
  const { orderId, custId, mobile, email } = order
  const body = orderBody(orderId, { mid, userInfo: { custId, mobile, email } })
  const created = await service.signed(`/aoa-acquiring-biz/v2/order?mid=${mid}&orderId=${orderId}`, body, { key: KEYS[mid]! })
  assert.equal(created.body.resultInfo.resultCode, '0000', created.text)
  if (!order.isPaid) return order
  const { txnToken } = created.body
  const means = { head: { txnToken }, body: { requestType: 'NATIVE', mid, orderId, ...CARD } }
  const paid = await service.post(`/theia/api/v1/processTransaction?mid=${mid}&orderId=${orderId}`, JSON.stringify(means))
  assert.equal(paid.body.resultInfo.resultCode, '0000', paid.text)
  return order
}

/** What a caller may read out, and how staff may type it. */
function waysTo({ orderId, custId, mobile, email }: Drawn, payment: Row<'transactions'> | undefined) {
  const ways: [name: string, typed: string][] = [
    ['order id', orderId],
    ['customer', custId],
    ['mobile', mobile],
    ['mobile', `+91 ${mobile.slice(0, 5)} ${mobile.slice(5)}`],
    ['mobile', `0${mobile}`],
    ['e-mail', email],
    ['e-mail', email.toUpperCase()],
  ]
  if (payment) ways.push(['payment', payment.txnId], ['RRN', payment.bankTxnId!], ['RRN', ` ${payment.bankTxnId} `])
  return ways
}

const asked = (service: Service, { cookie }: Person, typed: string) =>
  ask(service, `/console/find?${new URLSearchParams({ q: typed })}`, { cookie })

/** One hit leads to the order itself. A number that several orders have leads to a list that contains the order. */
function leadsTo(
  { status, location, text }: { status: number; location: string | null; text: string },
  order: Drawn,
  payment?: Row<'transactions'>,
) {
  const addresses = [
    `/console/orders/${order.mid}/${order.orderId}`,
    ...(payment ? [`/console/payments/${order.mid}/${payment.txnId}`] : []),
  ]
  return status === 303 ? addresses.includes(location ?? '') : addresses.some((address) => text.includes(`href="${address}"`))
}
