// The credentials by which callers are known: docs/interface.md section 5.

export const credentialPlaces = {
  /** The checksum over the body. */
  signature: 'head.signature',
  /** The checksum over the body, with `tokenType` `CHECKSUM`. */
  checksum: 'head.token',
  /** The checksum over the whole request. */
  requestChecksum: 'x-checksum',
  /** The bearer token of one order. It may also come in `token`, with `tokenType` `TXN_TOKEN`. */
  txnToken: 'head.txnToken',
  /** With `tokenType` `ACCESS`. */
  accessToken: 'head.token',
  /** With `tokenType` `SSO`. */
  ssoToken: 'head.token',
  client: 'authorization',
  device: 'x-device-identifier',
  sessionToken: 'session_token',
  refreshToken: 'refreshToken',
} as const
export type CredentialName = keyof typeof credentialPlaces
