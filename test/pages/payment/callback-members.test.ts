// The members of a callback: every state in which a payer comes to the shop x every member (docs/interface.md section 6). Shops read the
// members of an attempt unguarded, so these exist in each state, and are empty without an attempt.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import { transactionsOfOrder } from '../../../src/tables/keys.ts'
import { DECLINED_CARD_FIELDS, leave } from '../../support/pages/cancels.ts'
import { ask, CARD_FIELDS, formsOf, newPage, openPage, Visitor } from '../../support/pages/pages.ts'
import { CARD, createOrder, type Order, pay, script } from '../../support/paying/paying.ts'
import { KEY, MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const paytmChecksum = createRequire(import.meta.url)('paytmchecksum') as {
  verifySignature(data: object, key: string, signature: string): boolean
}

const OF_THE_ORDER = ['MID', 'ORDERID', 'TXNAMOUNT', 'CURRENCY', 'STATUS', 'RESPCODE', 'RESPMSG', 'CHECKSUMHASH']
const OF_AN_ATTEMPT = ['TXNID', 'BANKTXNID', 'TXNDATE', 'GATEWAYNAME', 'BANKNAME', 'PAYMENTMODE']
const NOT_CORE = ['CUST_ID', 'BIN_NUMBER', 'CARD_LAST_NUMS', 'SUBS_ID']
const OPTIONAL = [...NOT_CORE, 'MERC_UNQ_REF', 'PROMO_CAMP_ID', 'PROMO_STATUS', 'PROMO_RESPCODE']
const MEMBERS = [...OF_THE_ORDER, ...OF_AN_ATTEMPT, ...OPTIONAL]

const ATTEMPT = ['TXNID', 'TXNDATE', 'GATEWAYNAME', 'PAYMENTMODE']
const OF_A_CARD = { filled: [...ATTEMPT, 'BANKTXNID', 'BANKNAME'], optional: ['CUST_ID', 'MERC_UNQ_REF', 'BIN_NUMBER', 'CARD_LAST_NUMS'] }
/** The cancel of an order reports the state of its last attempt, and nothing of its instrument. */
const LEFT = { says: 'TXN_FAILURE 141', optional: [] }

interface State {
  says: string
  /** The members of an attempt that are not empty. */
  filled: readonly string[]
  optional: readonly string[]
  /** The page from which the payer goes to the shop. */
  reach(here: { service: Service; order: Order; visitor: Visitor }): Promise<{ text: string }>
}

const minutes = (count: number) => count * 60_000

const states: Readonly<Record<string, State>> = {
  'paid by a card': { says: 'TXN_SUCCESS 01', ...OF_A_CARD, reach: ({ visitor }) => visitor.send({ panel: 'card' }, CARD_FIELDS) },
  'paid by UPI': {
    ...{ says: 'TXN_SUCCESS 01', filled: [...ATTEMPT, 'BANKTXNID'], optional: ['CUST_ID', 'MERC_UNQ_REF'] },
    async reach({ service, order: { orderId }, visitor }) {
      await visitor.send({ panel: 'upi' })
      await service.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId, action: 'approve' }))
      return visitor.look()
    },
  },
  'paid by the API, on the return page': {
    ...{ says: 'TXN_SUCCESS 01', ...OF_A_CARD },
    async reach({ service, order }) {
      const { body } = await pay(service, order, CARD)
      return ask(service, `/transaction/return?mid=${MID}&txnId=${body.txnId}`)
    },
  },
  'paid by a form of the shop': {
    ...{ says: 'TXN_SUCCESS 01', ...OF_A_CARD },
    reach: ({ service, order: { orderId, txnToken } }) =>
      ask(service, `${pagePaths.payByForm}?mid=${MID}&orderId=${orderId}`, { mid: MID, orderId, txnToken, ...CARD }),
  },
  'failed five times': {
    ...{ says: 'TXN_FAILURE 227', ...OF_A_CARD },
    async reach({ visitor }) {
      for (let at = 1; at < 5; at++) await visitor.send({ panel: 'card' }, DECLINED_CARD_FIELDS)
      return visitor.send({ panel: 'card' }, DECLINED_CARD_FIELDS)
    },
  },
  'waiting for the payer': {
    ...{ says: 'PENDING 402', filled: ATTEMPT, optional: ['CUST_ID', 'MERC_UNQ_REF'] },
    reach: ({ visitor }) => visitor.send({ panel: 'upi' }),
  },
  'without an answer of the bank': {
    ...{ says: 'PENDING 400', ...OF_A_CARD, filled: [...ATTEMPT, 'BANKNAME'] },
    async reach({ service, order, visitor }) {
      await script(service, order, 'timeout')
      return visitor.send({ panel: 'card' }, CARD_FIELDS)
    },
  },
  'cancelled before an attempt': { ...LEFT, filled: [], reach: ({ visitor }) => leave(visitor) },
  'cancelled after a declined attempt': {
    ...{ ...LEFT, filled: OF_A_CARD.filled },
    async reach({ visitor }) {
      await visitor.send({ panel: 'card' }, DECLINED_CARD_FIELDS)
      return leave(visitor)
    },
  },
  'cancelled after a code that was left': {
    ...{ ...LEFT, filled: [...ATTEMPT, 'BANKTXNID'] },
    async reach({ visitor }) {
      await visitor.send({ panel: 'upi' })
      await visitor.send('/cancel')
      return leave(visitor)
    },
  },
  'cancelled within the shop’s page': {
    ...{ ...LEFT, filled: [] },
    async reach({ service, order }) {
      const view = JSON.stringify({ held: 'frame', handler: true })
      const visitor = new Visitor(service, await openPage(service, order, { origin: 'https://shop.example', view }))
      await visitor.look()
      return leave(visitor)
    },
  },
  'closed by the shop': {
    ...{ ...LEFT, filled: [] },
    async reach({ service, order: { orderId }, visitor }) {
      await service.signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId })
      return visitor.look()
    },
  },
  'out of time before an attempt': {
    ...{ says: 'PENDING 402', filled: [], optional: [] },
    async reach({ service, visitor }) {
      service.clock.advance(minutes(16))
      return visitor.look()
    },
  },
  'out of time after a declined attempt': {
    ...{ says: 'PENDING 402', filled: [], optional: [] },
    async reach({ service, visitor }) {
      await visitor.send({ panel: 'card' }, DECLINED_CARD_FIELDS)
      service.clock.advance(minutes(16))
      return visitor.look()
    },
  },
}

/** The state of a member, in words. */
const seen = (value: string | undefined) => (value === undefined ? 'absent' : value === '' ? 'empty' : 'filled')

onBothStores('the members of a callback', (store) => {
  for (const callbackFields of ['all', 'core'] as const) {
    const world: World = { ...demoWorld, merchants: [{ ...demoWorld.merchants![0]!, callbackFields }] }
    const running = sharedService(store, { world })

    test(`are there in every state, for a merchant who is set to ${callbackFields}`, async (t) => {
      const service = await running()
      const wrong: string[] = []
      let pairs = 0
      for (const [at, [name, { says, filled, optional, reach }]] of Object.entries(states).entries()) {
        const { order, page } = await newPage(service, `MEMBERS_${callbackFields}_${at}`, { extendInfo: { mercUnqRef: 'ref' } })
        const visitor = new Visitor(service, page)
        await visitor.look()
        const { text } = await reach({ service, order, visitor })
        const fields = formsOf(text).find((form) => form.fields['MID'] === MID)?.fields
        assert.ok(fields, `${name}: ${text}`)
        assert.equal(`${fields['STATUS']} ${fields['RESPCODE']}`, says, name)
        const { CHECKSUMHASH, ...rest } = fields
        assert.ok(paytmChecksum.verifySignature(rest, KEY, CHECKSUMHASH!), name)
        const attempts = await service.ports.query.rows(transactionsOfOrder(MID, order.orderId))
        if (filled.includes('TXNID')) assert.equal(fields['TXNID'], attempts.at(-1)!.txnId, name)
        const isThere = (member: string) => optional.includes(member) && !(callbackFields === 'core' && NOT_CORE.includes(member))
        for (const member of MEMBERS) {
          pairs++
          const wanted = OF_THE_ORDER.includes(member) || filled.includes(member) || isThere(member) ? 'filled' : undefined
          const expected = wanted ?? (OF_AN_ATTEMPT.includes(member) ? 'empty' : 'absent')
          if (seen(fields[member]) !== expected) wrong.push(`${name}: ${member} is ${seen(fields[member])}, not ${expected}`)
        }
        assert.deepEqual(
          Object.keys(fields).filter((member) => !MEMBERS.includes(member)),
          [],
          name,
        )
      }
      t.diagnostic(`${Object.keys(states).length} states x ${MEMBERS.length} members: ${pairs - wrong.length} of ${pairs}`)
      assert.deepEqual(wrong, [])
    })
  }

  const running = sharedService(store)
  test('of a cancel pass for those of a callback at an app’s address', async () => {
    const service = await running()
    const order = await createOrder(service, 'MEMBERS_APP', { callbackUrl: 'https://shop.example/back' })
    const { text } = await leave(new Visitor(service, await openPage(service, order)))
    const { fields } = formsOf(text).find((form) => form.fields['MID'] === MID)!
    const page = await ask(service, `${pagePaths.callbackPage}?ORDER_ID=MEMBERS_APP`, fields)
    assert.match(page.text, /id="response"/)
    const altered = await ask(service, `${pagePaths.callbackPage}?ORDER_ID=MEMBERS_APP`, { ...fields, TXNID: '1' })
    assert.doesNotMatch(altered.text, /id="response"/)
  })
})
