// Operations after a sign-in, and the login at the checkout, as clients use them.

import assert from 'node:assert/strict'
import { find, type Row } from '../../../src/tables/tables.ts'
import { orderBody } from '../paying/order-body.ts'
import { MID, type Reply, type Service } from '../run/service.ts'
import { basic, inbox, receive, type SignInOptions, validate } from './signin.ts'

export const REFRESH = '/oauth2/v3/token/sv1'
export const REVOKE = '/oauth2/token/sv1'
export const DETAILS = '/user/details'

export interface Tokens {
  ssoToken: string
  refreshToken: string
}

/** Signs a number in, from OTP to tokens. */
export async function signIn(service: Service, phone: string, options: SignInOptions & { scopes?: string[] } = {}): Promise<Tokens> {
  const reply = await validate(service, await receive(service, phone, options), options)
  assert.equal(reply.body.responseCode, 'BE1400001', reply.text)
  const { access_token: ssoToken, refresh_token: refreshToken } = JSON.parse(reply.body.tokens)
  return { ssoToken, refreshToken }
}

const authorization = ({ client = ['demo-app', 'demo-secret'] }: SignInOptions) => basic(...client)

export const refresh = (service: Service, refreshToken: string, options: SignInOptions = {}): Promise<Reply> =>
  service.post(REFRESH, JSON.stringify({ grantType: 'refresh_token', refreshToken, deviceId: options.device ?? 'device-1' }), {
    authorization: authorization(options),
  })

export const revoke = (service: Service, ssoToken: string, options: SignInOptions = {}): Promise<Reply> =>
  service.call('DELETE', REVOKE, {
    authorization: authorization(options),
    'x-device-identifier': options.device ?? 'device-1',
    session_token: ssoToken,
  })

export const details = (service: Service, ssoToken: string): Promise<Reply> => service.call('GET', DETAILS, { session_token: ssoToken })

export async function refreshed(service: Service, refreshToken: string, options: SignInOptions = {}): Promise<Tokens> {
  const reply = await refresh(service, refreshToken, options)
  assert.equal(reply.status, 200, reply.text)
  return { ssoToken: reply.body.accessToken, refreshToken: reply.body.refreshToken }
}

/** HTTP status and `error` of a refresh, or `200`. */
export const errorOf = async (reply: Promise<Reply>) => {
  const { status, body } = await reply
  return body.error === undefined ? String(status) : `${status} ${body.error}`
}

/** The family of a token, and its refresh tokens in order. */
export async function familyOf({ ports: { vault, query } }: Service, ssoToken: string) {
  const [row] = await query.rows(find('ssoTokens', { equals: { tokenHash: vault.hash('ssoToken', ssoToken) }, limit: 1 }))
  const { familyId } = row!
  const [family] = await query.rows(find('tokenFamilies', { equals: { familyId }, limit: 1 }))
  const tokens = await query.rows(find('refreshTokens', { equals: { familyId }, orderBy: ['generation'], limit: 1_000 }))
  const ssoTokens = await query.rows(find('ssoTokens', { equals: { familyId }, limit: 1_000 }))
  const events = await query.rows(find('events', { equals: { aggregate: 'signin', id: familyId }, orderBy: ['version'], limit: 1_000 }))
  return { family: family!, tokens, ssoTokens, events: events.map(({ version, type }) => `${version} ${type}`) }
}

/** Asserts the rules of every family: at most one usable token, none once it is revoked, and one expiry for all. */
export async function assertFamilies({ ports: { query } }: Service) {
  const families = await query.rows(find('tokenFamilies', { limit: 1_000 }))
  const tokens = await query.rows(find('refreshTokens', { limit: 10_000 }))
  const ssoTokens = await query.rows(find('ssoTokens', { limit: 10_000 }))
  const challenges = new Map((await query.rows(find('otpChallenges', { limit: 10_000 }))).map((row) => [row.stateTokenHash, row]))
  for (const family of families) {
    const own = tokens.filter(({ familyId }) => familyId === family.familyId)
    const unused = own.filter(({ usedAt }) => usedAt === null)
    assert.ok(unused.length <= 1, `${unused.length} live refresh tokens in a family`)
    assert.equal(new Set(own.map(({ expiresAt }) => expiresAt)).size, 1)
    assert.deepEqual(
      own.map(({ generation }) => generation).sort((a, b) => a - b),
      own.map((_, at) => at + 1),
    )
    if (family.status === 'REVOKED')
      assert.ok(ssoTokens.every((token) => token.familyId !== family.familyId || token.revokedAt !== null || isOver(token)))
    assert.ok(challenges.get(family.stateTokenHash)?.consumedAt, 'a family without an OTP that was used')
  }
  assert.equal(new Set(families.map(({ stateTokenHash }) => stateTokenHash)).size, families.length)

  function isOver({ expiresAt, issuedAt }: Row<'ssoTokens'>) {
    return expiresAt <= issuedAt
  }
}

// ------------------------------------------------------------------------------------------------------- the checkout

export const LOGIN_SEND = '/login/sendOtp'
export const LOGIN_VALIDATE = '/login/validateOtp'

/** An order of the demo merchant, and what its payer has of it. */
export async function orderToPay(service: Service, orderId: string) {
  const body = orderBody(orderId, { userInfo: { custId: `C_${orderId.replaceAll('-', '_')}` } })
  const reply = await service.signed(`/theia/api/v1/initiateTransaction?mid=${MID}&orderId=${orderId}`, body)
  assert.equal(reply.body.resultInfo.resultCode, '0000', reply.text)
  return { mid: MID, orderId, txnToken: reply.body.txnToken as string }
}
export type OrderToPay = Awaited<ReturnType<typeof orderToPay>>

const login = (path: string, service: Service, { mid, orderId, txnToken }: OrderToPay, body: object) =>
  service.post(`${path}?mid=${mid}&orderId=${orderId}`, JSON.stringify({ head: { txnToken }, body }))
export const sendAt = (service: Service, order: OrderToPay, mobileNo: string) => login(LOGIN_SEND, service, order, { mobileNo })
export const validateAt = (service: Service, order: OrderToPay, otp: string) => login(LOGIN_VALIDATE, service, order, { otp })

/** Sends an OTP to the checkout and reads it from the inbox. */
export async function receiveAt(service: Service, order: OrderToPay, mobileNo: string): Promise<string> {
  const before = await inbox(service, mobileNo)
  const reply = await sendAt(service, order, mobileNo)
  assert.equal(reply.body.resultInfo?.resultCode, '01', reply.text)
  const after = await inbox(service, mobileNo)
  assert.equal(after.length, before.length + 1)
  // Several codes may have been sent at one instant, because a test's clock does not move by itself.
  return (after.find(({ text }) => !before.some((other) => other.text === text)) ?? after[0]!).otp
}

export async function signInAt(service: Service, orderId: string, txnToken: string, mobileNo: string): Promise<void> {
  const order = { mid: MID, orderId, txnToken }
  const reply = await validateAt(service, order, await receiveAt(service, order, mobileNo))
  assert.equal(reply.body.authenticated, true, reply.text)
}

export const resultOf = async (reply: Promise<Reply>) => {
  const { status, body } = await reply
  return `${status} ${body.resultInfo?.resultCode}`
}
