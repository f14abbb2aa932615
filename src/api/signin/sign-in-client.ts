// The sign-in client that a request comes from, and the ceilings of sign-in: docs/interface.md sections 4.1 and 5.

import { timingSafeEqual } from 'node:crypto'
import type { Ports } from '../../flows/ports.ts'
import { basicCredentials, headerOf } from '../../http/request-headers.ts'
import type { Fault } from '../../interface/request.ts'
import { signInClientKey } from '../../tables/keys.ts'

const DEVICE_LENGTH = 255 // Mohur's choice: docs/interface.md section 8
/** Counts characters, as the schemas do. Some characters are two code units long. */
export const isDeviceTooLong = (device: string) => [...device].length > DEVICE_LENGTH
export const DEVICE_FAULT: AtFault = { path: 'x-device-identifier', asks: { keyword: 'maxLength', limit: DEVICE_LENGTH } }

type AtFault = Pick<Fault, 'path' | 'asks'>
/** The wrong parameter, and the rule that it broke. */
export const at = (fault: AtFault | undefined) => fault && { parameter: fault.path, cause: fault.asks }
export const missing = (path: string): AtFault => ({ path, asks: { keyword: 'required' } })
export const TOKEN_BYTES = 32 // 256 bits: no guess finds one
/** No client has this hash. A comparison with it makes an unknown client cost the same time as a wrong secret. */
const NOBODYS_HASH = '0'.repeat(43)

/** The client that the Authorization header names, if the secret in it is the client's own. */
export async function authorizedClient(rawHeaders: readonly string[], { query, vault }: Ports): Promise<string | undefined> {
  const credentials = basicCredentials(headerOf(rawHeaders, 'authorization'))
  if (!credentials) return undefined
  const { clientId, secret } = credentials
  const given = Buffer.from(vault.hash('clientSecret', `${clientId}:${secret}`))
  const client = await query.row(signInClientKey(clientId))
  const isRight = timingSafeEqual(given, Buffer.from(client?.secretHash ?? NOBODYS_HASH))
  return client && isRight ? clientId : undefined
}

/**
 * The hash of a token that a caller sent. No row has the hash of a value that is no text, or no text of Mohur's. The value is then a wrong
 * credential, not a wrong field.
 */
export const tokenHash = ({ vault }: Pick<Ports, 'vault'>, kind: 'accessToken' | 'ssoToken', token: unknown): string =>
  vault.hash(kind, typeof token === 'string' ? token : '')

export const ssoTokenHashOf = (ports: Pick<Ports, 'vault'>, svcSsoToken: unknown): string | undefined =>
  svcSsoToken === undefined ? undefined : tokenHash(ports, 'ssoToken', svcSsoToken)

/** The token that opens an order for its payer, and its hash. Only the hash is kept. */
export function freshTxnToken({ fresh, vault }: Pick<Ports, 'fresh' | 'vault'>, now: number) {
  const txnToken = `${fresh.hex(16)}${now}`
  return { txnToken, txnTokenHash: vault.hash('txnToken', txnToken) }
}

/** Tokens in the form that callers get. Their first letters show people and secret scanners the kind of token. */
export function freshTokens({ fresh, vault }: Ports) {
  const ssoToken = `mohur_sso_${fresh.text(TOKEN_BYTES)}`
  const refreshToken = `mohur_rt_${fresh.text(TOKEN_BYTES)}`
  return {
    ssoToken,
    ssoTokenHash: vault.hash('ssoToken', ssoToken),
    refreshToken,
    refreshTokenHash: vault.hash('refreshToken', refreshToken),
  }
}
