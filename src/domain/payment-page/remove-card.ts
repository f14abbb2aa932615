// A payer removes a card that the merchant keeps: docs/pages.md. Only the payer who signed in when the card was kept sees it or pays by it.
// So only they may remove it. A payment under way by that card goes on.

import { NOTHING, operation, refuse } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { newCustomerKey, orderKey, pageKey, savedCardKey } from '../../tables/keys.ts'
import { signInOf, standing } from '../signin/signed-in-payer.ts'
import { isOpen } from './page.ts'

const codes = ownCodes('removeCard', 'removed', 'unknown', 'over')

export interface RemoveCard {
  pageHash: string
  savedCardId: string
  now: number
}

export const removeCard = operation({
  name: 'removeCard',
  codes,
  reads: ({ pageHash }: RemoveCard) => ({ page: pageKey(pageHash) }),
  readsNext: (_command, { page }) => ({ order: page && orderKey(page.mid, page.orderId) }),
  readsLast: ({ savedCardId }, { order }) => ({
    owner: order?.payer ? newCustomerKey(order.payer.mobile) : undefined,
    family: signInOf(order?.payer),
    savedCard: order && savedCardKey(order.mid, order.custId, savedCardId),
  }),
  decide({ now }, { page, order, owner, family, savedCard }) {
    if (!page || !order || !isOpen(page, now) || order.status !== 'CREATED') return refuse(codes.over)
    const payer = standing(order.payer, { customer: owner, family }, now)
    if (!savedCard || savedCard.card.userId !== payer?.userId) return refuse(codes.unknown)
    const key = savedCardKey(order.mid, order.custId, savedCard.savedCardId)
    return { ...NOTHING, reply: { result: codes.removed }, changes: [{ kind: 'delete', key }] }
  },
})
