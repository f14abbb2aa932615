// The first valid SSO token that comes with a custId decides which user the customer is: docs/interface.md section 4.2.

import { operation, refuse } from '../../engine/decision.ts'
import { listSubscriptions as codes } from '../../interface/result-codes.ts'
import { customerLinkKey, ssoTokenKey } from '../../tables/keys.ts'
import { linkChanges, signInReads, valid } from '../signin/sso-token.ts'

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
  readsNext: (_command, { ssoToken }) => signInReads(ssoToken),
  decide({ mid, custId, now }, { ssoToken, link, customer, family }) {
    const user = valid(ssoToken, { customer, family }, now)
    if (!user) return refuse(codes.badRequest, undefined, 'head.token', 'unknownPayer')
    return {
      reply: { result: codes.success },
      changes: linkChanges(mid, custId, user, link, now), // List Subscriptions then compares the stored link
      events: [],
      tasks: [],
    }
  },
})
