// Subscription requests of a merchant. Tests change what they are about.

import assert from 'node:assert/strict'
import { familyEvent } from '../../../src/domain/signin/token-family.ts'
import { newSsoTokenKey, tokenFamilyKey } from '../../../src/tables/keys.ts'
import type { Row } from '../../../src/tables/tables.ts'
import { MID, type Reply, type Service } from '../run/service.ts'

export const CREATE = '/subscription/create'
export const LIST = '/subscription/list/all'

/** The day of the tests' clock, and a year later. */
export const TODAY = '2026-06-15'
export const NEXT_YEAR = '2027-06-15'

// biome-ignore lint/suspicious/noExplicitAny: tests put wrong values into every member
export type Body = Record<string, any>

export const subscription = (orderId: string, more: object = {}): Body => ({
  requestType: 'NATIVE_SUBSCRIPTION',
  mid: MID,
  orderId,
  websiteName: 'DEFAULT',
  txnAmount: { value: '10.00', currency: 'INR' },
  userInfo: { custId: 'C1' },
  subscriptionAmountType: 'VARIABLE',
  subscriptionMaxAmount: '100.00',
  subscriptionFrequencyUnit: 'MONTH',
  subscriptionFrequency: '1',
  subscriptionStartDate: TODAY,
  subscriptionGraceDays: '2',
  subscriptionExpiryDate: NEXT_YEAR,
  subscriptionEnableRetry: '1',
  ...more,
})

/** Makes the terms FIX at a renewal amount instead. */
export const fix = (renewalAmount: string | null, more: object = {}) => ({
  subscriptionAmountType: 'FIX',
  subscriptionMaxAmount: null,
  renewalAmount,
  ...more,
})

export const initiate = ({ signed }: Service, body: Body, options: Parameters<Service['signed']>[2] = {}): Promise<Reply> =>
  signed(`${CREATE}?mid=${body['mid']}&orderId=${body['orderId']}`, body, options)

/** Initiates, expects success, and returns the subscription's id. */
export async function initiated(service: Service, body: Body): Promise<string> {
  const reply = await initiate(service, body)
  assert.equal(reply.body.resultInfo.resultCode, '0000', reply.text)
  return reply.body.subscriptionId
}

/** Writes an SSO token and its sign-in into the store, as Validate OTP does. */
export async function issueSsoToken({ ports, store, clock }: Service, token: string, more: Partial<Row<'ssoTokens'>> = {}) {
  const tokenHash = ports.vault.hash('ssoToken', token)
  const row: Row<'ssoTokens'> = {
    tokenHash,
    userId: 'user-1',
    mobile: '9999900001',
    clientId: 'demo-app',
    familyId: `family of ${tokenHash}`,
    scopes: ['wallet'],
    issuedAt: clock.now(),
    expiresAt: clock.now() + 24 * 60 * 60_000,
    revokedAt: null,
    ...more,
  }
  const { familyId, clientId, mobile, userId, scopes, issuedAt, expiresAt } = row
  const family: Row<'tokenFamilies'> = {
    ...{ familyId, clientId, mobile, userId, scopes, version: 1, status: 'ACTIVE', createdAt: issuedAt },
    ...{ stateTokenHash: familyId, deviceHash: 'device', ssoTokens: [{ tokenHash, expiresAt }], updatedAt: issuedAt },
  }
  const event = familyEvent('signin.completed', undefined, family, issuedAt)
  await store.transaction((transaction) =>
    transaction.write({
      changes: [
        { kind: 'insert', key: newSsoTokenKey(tokenHash), row },
        { kind: 'insert', key: tokenFamilyKey(familyId), row: family },
      ],
      events: [event],
      tasks: [],
    }),
  )
  return token
}
