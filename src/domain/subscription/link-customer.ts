// The first valid SSO token that comes with a custId decides which user the customer is: docs/interface.md section 4.2.

import { operation, refuse } from '../../engine/decision.ts'
import { listSubscriptions as codes } from '../../interface/result-codes.ts'
import { customerLinkKey, ssoTokenKey } from '../../tables/keys.ts'
import { customerOf, linkChanges, valid } from '../signin/sso-token.ts'

export interface LinkCustomer {
  mid: string
  custId: string
  ssoTokenHash: string
  now: number
}

export const linkCustomer = operation({
  name: 'linkCustomer',
  codes,
  reads: ({ mid, custId, ssoTokenHash }: LinkCustomer) => ({ ssoToken: ssoTokenKey(ssoTokenHash), link: customerLinkKey(mid, custId) }),
  readsNext: (_command, { ssoToken }) => ({ customer: customerOf(ssoToken) }),
  decide({ mid, custId, now }, { ssoToken, link, customer }) {
    const user = valid(ssoToken, customer, now)
    if (!user) return refuse(codes.badRequest, undefined, 'head.token', 'unknownPayer')
    return {
      reply: { result: codes.success },
      changes: linkChanges(mid, custId, user, link, now), // List Subscriptions then compares the stored link
      events: [],
      tasks: [],
    }
  },
})
