// Fetch All Payment Offers: docs/interface.md section 4.33.

import Type, { type Static } from 'typebox'
import { question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import type { FaultCodes } from '../../interface/request.ts'
import { fetchAllPaymentOffers as codes } from '../../interface/result-codes.ts'
import type { Signed, Wire } from '../../interface/wire.ts'
import { accessTokenKey, merchantKey } from '../../tables/keys.ts'
import { validNow } from '../signin/sso-token.ts'
import { isAlive } from './access-token.ts'
import { offersOf, offersReply } from './offers.ts'
import type { LivePromotions } from './promotion.ts'

const head = Type.Object({
  clientId: Type.Optional(fields.name),
  requestId: Type.Optional(fields.string()),
  requestTimeStamp: Type.Optional(fields.requestTimestamp),
  channelId: Type.Optional(fields.channelId),
  tokenType: Type.Enum(['CHECKSUM', 'SSO', 'ACCESS']),
  token: Type.Unknown(),
})
const body = Type.Object({ mid: fields.mid })

const faults: FaultCodes<(typeof codes)['success']> = {
  missing: () => ({ result: codes.missingElement }),
  wrong: () => ({ result: codes.invalidField }),
}

export const wire: Wire<typeof head, typeof body, (typeof codes)['success']> = {
  query: ['mid'],
  queryFor: ({ tokenType }) => (tokenType === 'ACCESS' ? ['referenceId'] : []),
  head,
  body,
  faults,
  unreadable: codes.invalidField,
  missingParam: () => ({ result: codes.invalidField }),
  midMismatch: codes.midMismatch,
  systemError: codes.systemError,
}

export const reply = Type.Object({ paymentOffers: offersReply })

export interface FetchAllPaymentOffers {
  request: Static<typeof body>
  credential:
    | ({ tokenType: 'CHECKSUM' } & Signed)
    | { tokenType: 'SSO'; tokenHash: string }
    | { tokenType: 'ACCESS'; referenceId: string; tokenHash: string }
  promotions: LivePromotions
  now: number
}

export const fetchAllPaymentOffers = question({
  name: 'fetchAllPaymentOffers',
  codes,
  async answer({ request: { mid }, credential, promotions, now }: FetchAllPaymentOffers, query) {
    switch (credential.tokenType) {
      case 'CHECKSUM':
        if (credential.signature !== 'valid') return { result: codes.invalidChecksum }
        break
      case 'SSO': {
        const [ssoToken, merchant] = await Promise.all([validNow(credential.tokenHash, now, query), query.row(merchantKey(mid))])
        if (!merchant || !ssoToken) return { result: codes.sessionExpired }
        break
      }
      case 'ACCESS': {
        const accessToken = await query.row(accessTokenKey(mid, credential.referenceId))
        if (!accessToken || !isAlive(accessToken, credential.tokenHash, now)) return { result: codes.sessionExpired }
        break
      }
      default:
        return credential satisfies never
    }
    return { result: codes.success, body: { paymentOffers: offersOf(promotions) } }
  },
})
