// Decisions of sign-in: passwords, families of tokens, and the rows that are deleted.

import { applyOtpDelivery } from '../../../src/domain/signin/apply-otp-delivery.ts'
import { refreshToken } from '../../../src/domain/signin/refresh-token.ts'
import { forget, forgetSuccessor } from '../../../src/domain/signin/retention.ts'
import { revokeToken } from '../../../src/domain/signin/revoke-token.ts'
import { type SendOtp, sendOtp } from '../../../src/domain/signin/send-otp.ts'
import type { OtpMessage } from '../../../src/domain/signin/signin.ts'
import { type ValidateOtp, validateOtp } from '../../../src/domain/signin/validate-otp.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  challenge,
  client,
  customer,
  DAY,
  failures,
  family,
  HOUR,
  LIMITS,
  NOW,
  PAYER,
  refreshTokenRow,
  sends,
  ssoToken,
} from '../../support/decided/rows.ts'

const MINUTE = 60_000
const caller = { clientId: 'APP', deviceHash: 'device' }
const pendingOwner = customer({ pendingVerificationSince: NOW - 1 })

const send = (more: object = {}, with_: object = {}) => ({
  request: { phone: PAYER.mobile, ...more } as SendOtp['request'],
  ...{ caller, limits: LIMITS, now: NOW },
  fresh: { stateToken: 'state', stateTokenHash: 'stateHash', otp: '654321', otpHash: 'new', messageId: 'MSG' },
  ...with_,
})
const challenged = (scopes: readonly string[]) =>
  [
    'insert otpChallenges stateHash',
    { mobile: PAYER.mobile, otpHash: 'new', tries: 0, triesMax: 3, scopes, expiresAt: NOW + 5 * MINUTE },
  ] as const
const message = ['otp-message.due MSG +0']

decides(sendOtp, {
  'a password is sent, and counted for the number': {
    given: [client()],
    when: send(),
    comes: {
      reply: 'success',
      changes: [challenged(['wallet', 'txn']), ['insert otpSends 9999900001', { sentAt: [NOW] }]],
      tasks: message,
    },
  },
  'another ends none before it': {
    given: [client(), sends('otpSends', HOUR - 1)],
    when: send({ scopes: ['txn', 'txn'] }),
    comes: {
      reply: 'success',
      changes: [challenged(['txn']), ['update otpSends 9999900001', { sentAt: [NOW - HOUR + 1, NOW], lastAt: NOW }]],
      tasks: message,
    },
  },
  'a client that is not there sends none': { given: [], when: send(), comes: 'invalidAuthorization' },
  'a number whose owner may have changed is sent none': { given: [client(), pendingOwner], when: send(), comes: 'pendingVerification' },
  'a client asks for what it has': { given: [client()], when: send({ scopes: ['wallet', 'more'] }), comes: 'scopeNotAllowed' },
  'five within an hour': { given: [client(), sends('otpSends', 5, 4, 3, 2, 1)], when: send(), comes: 'sendLimitReached' },
  'ten within a day': {
    given: [client(), sends('otpSends', ...Array.from({ length: 10 }, (_, at) => 2 * HOUR + at))],
    when: send(),
    comes: 'sendLimitReached',
  },
})

const type = (otp = '123456', otpHash = 'right', with_: object = {}) => ({
  request: { state_token: 'state', otp } as ValidateOtp['request'],
  ...{ stateTokenHash: 'stateHash', otpHash, caller, limits: LIMITS, now: NOW },
  fresh: {
    ...{ ssoToken: 'sso', ssoTokenHash: 'sso', refreshToken: 'next', refreshTokenHash: 'next', familyId: 'F', userId: 'NEW' },
  },
  ...with_,
})
const spent = ['update otpChallenges stateHash', { consumedAt: NOW }] as const
const tokens = (userId: string) =>
  [
    ['insert tokenFamilies F', { status: 'ACTIVE', userId, ssoTokens: [{ tokenHash: 'sso', expiresAt: NOW + DAY }] }],
    ['insert ssoTokens sso', { userId, expiresAt: NOW + DAY, revokedAt: null }],
    ['insert refreshTokens next', { generation: 1, expiresAt: NOW + 30 * DAY, usedAt: null, successor: null }],
  ] as const
const COMPLETED = ['signin.completed >ACTIVE']

decides(validateOtp, {
  'the password signs in, and gives a family of tokens': {
    given: [client(), challenge(), customer()],
    when: type(),
    comes: {
      reply: 'success',
      changes: [spent, ...tokens('U'), ['update customers 9999900001', { signedInAt: NOW }]],
      events: COMPLETED,
    },
  },
  'at its first sign-in a number is a customer': {
    given: [client(), challenge()],
    when: type(),
    comes: {
      reply: 'success',
      changes: [spent, ...tokens('NEW'), ['insert customers 9999900001', { userId: 'NEW', walletBalancePaise: 0 }]],
      events: COMPLETED,
    },
  },
  'a wrong one spends a try, and counts for the number and the device': {
    given: [client(), challenge()],
    when: type('123456', 'wrong'),
    comes: {
      reply: 'wrongOtp',
      changes: [
        ['update otpChallenges stateHash', { tries: 1 }],
        ['insert otpFailures device', { failedAt: [NOW] }],
      ],
    },
  },
  'an hour’s failures are counted': {
    given: [client(), challenge(), failures(2 * HOUR, MINUTE)],
    when: type('123456', 'wrong'),
    comes: {
      reply: 'wrongOtp',
      changes: [
        ['update otpChallenges stateHash', { tries: 1 }],
        ['update otpFailures device', { failedAt: [NOW - MINUTE, NOW], lastAt: NOW }],
      ],
    },
  },
  'what is no password spends nothing': { given: [client(), challenge()], when: type('12345'), comes: 'wrongOtp' },
  'an unknown client signs no user in': { given: [challenge()], when: type(), comes: 'invalidAuthorization' },
  'nor does a token that was never issued': { given: [client()], when: type(), comes: 'badRequest state_token unknownToken' },
  'another client’s password signs no user in': {
    given: [client(), challenge({ clientId: 'OTHER' })],
    when: type(),
    comes: 'clientMismatch',
  },
  'nor does another device’s': { given: [client(), challenge({ deviceHash: 'other' })], when: type(), comes: 'deviceMismatch' },
  'nor that of a number whose owner may have changed': {
    given: [client(), challenge(), pendingOwner],
    when: type(),
    comes: 'pendingVerification',
  },
  'a client that has lost a scope gives none': {
    given: [client({ scopes: ['txn'] }), challenge()],
    when: type(),
    comes: 'scopeNotAllowed',
  },
  'a password is used once': { given: [client(), challenge({ consumedAt: NOW - 1 })], when: type(), comes: 'attemptsExceeded' },
  'within five minutes': { given: [client(), challenge({ expiresAt: NOW })], when: type(), comes: 'attemptsExceeded' },
  'with three tries': { given: [client(), challenge({ tries: 3 })], when: type(), comes: 'attemptsExceeded' },
  'and nine failures within an hour': {
    given: [client(), challenge(), failures(...Array.from({ length: 9 }, (_, at) => at + 1))],
    when: type(),
    comes: 'attemptsExceeded',
  },
})

const refresh = (with_: object = {}) => ({
  ...{ tokenHash: 'refresh', caller, limits: LIMITS, now: NOW, ...with_ },
  fresh: { ssoToken: 'sso2', ssoTokenHash: 'sso2', refreshToken: 'next', refreshTokenHash: 'next' },
})
const live = { ssoTokens: [{ tokenHash: 'sso', expiresAt: NOW + HOUR }] }
const around = [client(), customer()]
const kept = { successor: { refreshToken: 'next', ssoToken: 'sso2', expiresAt: NOW + DAY }, successorUntil: NOW + MINUTE }
const ended = [
  ['update tokenFamilies F', { status: 'REVOKED', ssoTokens: [] }] as const,
  ['update ssoTokens sso', { revokedAt: NOW }] as const,
]
const used = refreshTokenRow({ usedAt: NOW - HOUR, successor: null, successorUntil: null })

decides(refreshToken, {
  'every use gives the next token, which lives no longer than the first': {
    given: [...around, family(live), refreshTokenRow(), ssoToken()],
    when: refresh(),
    comes: {
      reply: 'success',
      changes: [
        ['update tokenFamilies F', { ssoTokens: [...live.ssoTokens, { tokenHash: 'sso2', expiresAt: NOW + DAY }] }],
        ['update refreshTokens refresh', { usedAt: NOW, ...kept }],
        ['insert refreshTokens next', { generation: 2, expiresAt: NOW + 29 * DAY, usedAt: null }],
        ['insert ssoTokens sso2', { userId: 'U', expiresAt: NOW + DAY }],
      ],
      events: ['signin.refreshed ACTIVE>ACTIVE'],
    },
  },
  'an SSO token that is over leaves the family, and is revoked': {
    given: [...around, family({ ssoTokens: [{ tokenHash: 'sso', expiresAt: NOW }] }), refreshTokenRow(), ssoToken()],
    when: refresh(),
    comes: {
      reply: 'success',
      changes: [
        ['update tokenFamilies F', { ssoTokens: [{ tokenHash: 'sso2', expiresAt: NOW + DAY }] }],
        ['update refreshTokens refresh', { usedAt: NOW, ...kept }],
        ['insert refreshTokens next', { generation: 2 }],
        ['insert ssoTokens sso2', { userId: 'U' }],
        ['update ssoTokens sso', { revokedAt: NOW }],
      ],
      events: ['signin.refreshed ACTIVE>ACTIVE'],
    },
  },
  'a lost answer is given again for a minute': {
    given: [...around, family({ ...live, version: 2 }), refreshTokenRow({ usedAt: NOW - 1, ...kept })],
    when: refresh(),
    comes: 'success',
  },
  'a used token that comes again ends the family': {
    given: [...around, family({ ...live, version: 2 }), used, ssoToken()],
    when: refresh(),
    comes: { reply: 'notRefreshable refreshToken', changes: ended, events: ['signin.revoked ACTIVE>REVOKED'] },
  },
  'so does one whose successor was used': {
    given: [...around, family({ ...live, version: 3 }), refreshTokenRow({ usedAt: NOW - 1, ...kept }), ssoToken()],
    when: refresh(),
    comes: { reply: 'notRefreshable refreshToken', changes: ended, events: ['signin.revoked ACTIVE>REVOKED'] },
  },
  'a client that is not there refreshes nothing': {
    given: [family(live), refreshTokenRow()],
    when: refresh(),
    comes: 'invalidAuthorization',
  },
  'nor does a token that was never issued': { given: around, when: refresh(), comes: 'notRefreshable refreshToken' },
  'another client’s is not refreshed': {
    given: [...around, family({ clientId: 'X' }), refreshTokenRow()],
    when: refresh(),
    comes: 'clientMismatch',
  },
  'nor another device’s': { given: [...around, family({ deviceHash: 'x' }), refreshTokenRow()], when: refresh(), comes: 'deviceMismatch' },
  'nor what was revoked': {
    given: [...around, family({ status: 'REVOKED' }), refreshTokenRow()],
    when: refresh(),
    comes: 'notRefreshable refreshToken',
  },
  'nor what is over': {
    given: [...around, family(), refreshTokenRow({ expiresAt: NOW })],
    when: refresh(),
    comes: 'notRefreshable refreshToken',
  },
  'nor that of a number whose owner may have changed': {
    given: [client(), pendingOwner, family(), refreshTokenRow()],
    when: refresh(),
    comes: 'pendingVerification',
  },
  'nor that of a former owner': {
    given: [client(), customer({ pendingVerificationSince: NOW - 3 * DAY }), family({ createdAt: NOW - 4 * DAY }), refreshTokenRow()],
    when: refresh(),
    comes: 'notRefreshable refreshToken',
  },
  'a client that has lost a scope gives none': {
    given: [client({ scopes: ['txn'] }), customer(), family(), refreshTokenRow()],
    when: refresh(),
    comes: 'scopeNotAllowed',
  },
})

const revoke = { ssoTokenHash: 'sso', caller, now: NOW }

decides(revokeToken, {
  'signing out ends the family, with every SSO token': {
    given: [client(), ssoToken(), family(live)],
    when: revoke,
    comes: { reply: 'success', changes: ended, events: ['signin.revoked ACTIVE>REVOKED'] },
  },
  'what has ended has': { given: [client(), ssoToken({ revokedAt: NOW }), family({ status: 'REVOKED' })], when: revoke, comes: 'success' },
  'a client that is not there ends nothing': { given: [ssoToken(), family(live)], when: revoke, comes: 'invalidAuthorization' },
  'nor does another': { given: [client(), ssoToken(), family({ clientId: 'X' })], when: revoke, comes: 'invalidAuthorization' },
  'nor does another device': { given: [client(), ssoToken(), family({ deviceHash: 'x' })], when: revoke, comes: 'invalidAuthorization' },
  'what is not there is not ended': { given: [client()], when: revoke, comes: 'badRequest session_token unknownToken' },
})

const deliver = (delivery: 'delivered' | 'refused' | 'unknown', attempts = 0) => ({
  ...{ messageId: 'MSG', message: { attempts, expiresAt: NOW + 5 * MINUTE } as OtpMessage, delivery, now: NOW },
})

decides(applyOtpDelivery, {
  'a message that was taken is sent': { given: [], when: deliver('delivered'), comes: 'sent' },
  'else it is tried after two seconds': {
    given: [],
    when: deliver('refused'),
    comes: { reply: 'waiting', tasks: [['otp-message.due MSG +2s', { attempts: 1, expiresAt: NOW + 5 * MINUTE }]] },
  },
  'then ever later': {
    given: [],
    when: deliver('unknown', 3),
    comes: { reply: 'waiting', tasks: [['otp-message.due MSG +16s', { attempts: 4 }]] },
  },
  'five times': { given: [], when: deliver('unknown', 4), comes: 'givenUp' },
  'a message is not tried after the password’s time': {
    given: [],
    when: { ...deliver('unknown'), message: { attempts: 0, expiresAt: NOW + 2_000 } as OtpMessage },
    comes: 'givenUp',
  },
  'a message is tried in the last millisecond of the password’s time': {
    given: [],
    when: { ...deliver('unknown'), message: { attempts: 0, expiresAt: NOW + 2_001 } as OtpMessage },
    comes: { reply: 'waiting', tasks: ['otp-message.due MSG +2s'] },
  },
})

const old = (expiresAt: number) => ssoToken({ expiresAt })
const going = (now = NOW, more: object = {}) => ({ table: 'ssoTokens' as const, id: ['sso'], now, ...more })

decides(forget, {
  'what is long over is forgotten': {
    given: [old(NOW - 30 * DAY)],
    when: going(),
    comes: { reply: 'forgotten', changes: [['delete ssoTokens sso']] },
  },
  'what is not over is kept': { given: [old(NOW + 1)], when: going(), comes: 'kept' },
  'what is not there is': { given: [], when: going(), comes: 'kept' },
})

decides(forgetSuccessor, {
  'an answer is kept for a minute': {
    given: [refreshTokenRow({ usedAt: NOW - MINUTE, ...kept, successorUntil: NOW })],
    when: { tokenHash: 'refresh', now: NOW },
    comes: { reply: 'forgotten', changes: [['update refreshTokens refresh', { successor: null, successorUntil: null }]] },
  },
  'and not less': { given: [refreshTokenRow({ usedAt: NOW, ...kept })], when: { tokenHash: 'refresh', now: NOW }, comes: 'kept' },
  'what has none has none': { given: [refreshTokenRow()], when: { tokenHash: 'refresh', now: NOW }, comes: 'kept' },
})
