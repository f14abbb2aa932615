// User Details: docs/interface.md section 4.22. It reports a token's user, and whether the token is still valid.

import Type from 'typebox'
import { question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import { userDetails as codes } from '../../interface/result-codes.ts'
import { validNow } from './sso-token.ts'

export const reply = Type.Object({ id: replied.text, mobile: fields.mobile, expires: replied.epoch })

export interface UserDetails {
  ssoTokenHash: string
  now: number
}

export const userDetails = question({
  name: 'userDetails',
  codes,
  async answer({ ssoTokenHash, now }: UserDetails, query) {
    const ssoToken = await validNow(ssoTokenHash, now, query)
    if (!ssoToken) return { result: codes.invalidToken }
    const { userId, mobile, expiresAt } = ssoToken
    return { result: codes.success, body: { id: userId, mobile, expires: String(expiresAt) } }
  },
})
