// Every guest of a shop that numbers its customers is customer 0. Nothing is stored for that number, and no offer counts it
// (docs/interface.md section 4.9).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customerLinkKey, savedCardsOf } from '../../../src/tables/keys.ts'
import { find } from '../../../src/tables/tables.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { CARD, createOrder, pay } from '../../support/paying/paying.ts'
import { promotionWorld } from '../../support/paying/promotions.ts'
import { MID, onBothStores, sharedService } from '../../support/run/service.ts'

const MOBILE = '9999900001'

onBothStores('guests', (store) => {
  const running = sharedService(store, { world: promotionWorld([{ promocode: 'ONCE', flat: '10.00', maxPerCustomer: 1 }]) })

  for (const [custId, isKnown] of [
    ['0', false],
    ['00', true],
  ] as const)
    test(`of the customer ${custId} ${isKnown ? 'card and link are kept' : 'neither card nor link is kept'}`, async () => {
      const service = await running()
      const userId = service.ports.vault.hash('userId', MOBILE)
      const paytmSsoToken = await issueSsoToken(service, `sso of ${custId}`, { userId, mobile: MOBILE })
      const order = await createOrder(service, `GUEST_${custId}`, { userInfo: { custId }, paytmSsoToken })
      const paid = await pay(service, order, { ...CARD, storeInstrument: '1' })
      assert.equal(paid.body.resultInfo.resultCode, '0000')
      const link = await service.ports.query.row(customerLinkKey(MID, custId))
      const cards = await service.ports.query.rows(savedCardsOf(MID, custId))
      assert.deepEqual([link !== undefined, cards.length], [isKnown, isKnown ? 1 : 0])
    })

  for (const [custId, given] of [
    ['0', '1001 Invalid promoCode'],
    ['C7', '0000 Success'],
  ] as const)
    test(`an offer with a limit for each customer: ${custId} gets ${given}`, async () => {
      const service = await running()
      const order = await createOrder(service, `OFFER_${custId}`, { userInfo: { custId } })
      const { resultCode, resultMsg } = (await pay(service, order, { ...CARD, promoCode: 'ONCE' })).body.resultInfo
      assert.equal(`${resultCode} ${resultMsg}`, given)
      const counted = await service.ports.query.rows(find('promotionCounters', { equals: { mid: MID, custId }, limit: 10 }))
      assert.equal(counted.length, custId === '0' ? 0 : 1)
    })
})
