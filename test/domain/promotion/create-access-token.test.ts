// Decisions of Create Access Token: docs/interface.md section 4.8.

import { type CreateAccessToken, createAccessToken } from '../../../src/domain/promotion/create-access-token.ts'
import { decides } from '../../support/decided/decides.ts'
import { accessToken, customer, family, MID, merchant, NOW, PAYER, SIGNED, ssoToken, UNSIGNED } from '../../support/decided/rows.ts'

const create = (more: object = {}, with_: object = {}): CreateAccessToken => ({
  request: { mid: MID, referenceId: 'REF_000001', ...more },
  ...{ caller: SIGNED, ssoTokenHash: undefined, now: NOW, fresh: { accessToken: 'token', tokenHash: 'hash' }, ...with_ },
})
const byToken = { ssoTokenHash: 'sso' }
const made = (more: object) => ({
  reply: ['success', { accessToken: 'token' }] as const,
  changes: [['insert accessTokens REF_000001', { mid: MID, tokenHash: 'hash', issuedAt: NOW, expiresAt: NOW + 900_000, ...more }]] as const,
})

decides(createAccessToken, {
  'a token is good for fifteen minutes, and shows no cards': {
    given: [merchant()],
    when: create(),
    comes: made({ custId: null, payer: null }),
  },
  'a token shows the cards of the customer that the merchant names, and of the payer who is signed in': {
    given: [merchant(), ssoToken(), family()],
    when: create({ custId: 'C' }, byToken),
    comes: made({ custId: 'C', payer: { ...PAYER, familyId: 'F' } }),
  },
  'a sign-in that opens no wallet shows no cards': {
    given: [merchant(), ssoToken({ scopes: ['txn'] }), family()],
    when: create({}, byToken),
    comes: made({ payer: null }),
  },
  'an SSO token that has expired shows no cards, and refuses nothing': {
    given: [merchant(), ssoToken({ expiresAt: NOW }), family()],
    when: create({}, byToken),
    comes: made({ payer: null }),
  },
  'an SSO token that was revoked shows no cards': {
    given: [merchant(), ssoToken({ revokedAt: NOW - 1 }), family()],
    when: create({}, byToken),
    comes: made({ payer: null }),
  },
  'an SSO token of a number whose change of owner was reported since shows no cards': {
    given: [merchant(), ssoToken(), family(), customer({ pendingVerificationSince: NOW - 1 })],
    when: create({}, byToken),
    comes: made({ payer: null }),
  },
  'a merchant that is not there has no token made': {
    given: [],
    when: create({}, { caller: UNSIGNED }),
    comes: 'invalidMid mid unknownMid',
  },
  'only the merchant makes a token': {
    given: [merchant(), accessToken()],
    when: create({}, { caller: UNSIGNED }),
    comes: 'invalidChecksum',
  },
  'a reference is used once, even after its token has expired': {
    given: [merchant(), accessToken({ expiresAt: NOW - 1 })],
    when: create(),
    comes: 'duplicateReferenceId',
  },
})
