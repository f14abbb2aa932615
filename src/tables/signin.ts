import { instant, integer, json, oneOf, optionalInstant, optionalInteger, optionalSealed, table, text } from './columns.ts'

/** A user and the number of their wallet. */
export interface Payer {
  userId: string
  mobile: string
  /** The sign-in whose SSO token named the payer. Absent when the payer signed in at the checkout, for this order alone. */
  familyId?: string
}

export const signInClients = table({
  columns: { clientId: text, secretHash: text, scopes: json<readonly string[]>() },
  key: ['clientId'],
})

/** A one-time password that was sent, by the keyed hash of its state_token. The row has only a keyed hash of the password. */
export const otpChallenges = table({
  columns: {
    stateTokenHash: text,
    clientId: text,
    deviceHash: text,
    mobile: text,
    scopes: json<readonly string[]>(),
    otpHash: text,
    tries: integer,
    triesMax: integer,
    createdAt: instant,
    expiresAt: integer,
    consumedAt: optionalInstant,
  },
  key: ['stateTokenHash'],
  indexes: { otpChallengesByExpiry: { columns: ['expiresAt'] } },
  checks: [
    'tries between 0 and tries_max',
    'expires_at - created_at between 1 and 600000',
    'consumed_at is null or (consumed_at < expires_at and tries < tries_max)',
  ],
})

/** When one-time passwords were sent to a number, over the last day. */
export const otpSends = table({
  columns: { mobile: text, sentAt: json<readonly number[]>(), lastAt: integer },
  key: ['mobile'],
  indexes: { otpSendsByAge: { columns: ['lastAt'] } },
})

/** When a device gave wrong one-time passwords for a number, over the last hour. */
export const otpFailures = table({
  columns: { mobile: text, deviceHash: text, failedAt: json<readonly number[]>(), lastAt: integer },
  key: ['mobile', 'deviceHash'],
  indexes: { otpFailuresByAge: { columns: ['lastAt'] } },
})

/** All tokens of one sign-in. One one-time password makes one family. */
export const tokenFamilies = table({
  columns: {
    familyId: text,
    version: integer,
    status: oneOf('ACTIVE', 'REVOKED'),
    stateTokenHash: text,
    clientId: text,
    deviceHash: text,
    mobile: text,
    userId: text,
    scopes: json<readonly string[]>(),
    createdAt: instant,
    /** The family's SSO tokens that have not expired, oldest first. They are revoked with the family. */
    ssoTokens: json<readonly { tokenHash: string; expiresAt: number }[]>(),
    /** The time of its latest event. */
    updatedAt: instant,
  },
  key: ['familyId'],
  indexes: {
    tokenFamiliesByChallenge: { columns: ['stateTokenHash'], unique: true },
    tokenFamiliesByAge: { columns: ['createdAt'] },
  },
  checks: ['version >= 1'],
})

/** A refresh token by its keyed hash. `generation` counts the rotations of the token's family. */
export const refreshTokens = table({
  columns: {
    tokenHash: text,
    familyId: text,
    generation: integer,
    issuedAt: instant,
    expiresAt: integer,
    usedAt: optionalInstant,
    /** The result of the rotation, for a minute: a client that did not receive it may ask again. */
    successor: optionalSealed<{ refreshToken: string; ssoToken: string; expiresAt: number }>(),
    successorUntil: optionalInteger,
  },
  key: ['tokenHash'],
  indexes: {
    refreshTokensByFamily: { columns: ['familyId', 'generation'], unique: true },
    refreshTokensByExpiry: { columns: ['expiresAt'] },
    refreshTokensBySuccessor: { columns: ['successorUntil'] },
  },
  checks: ['generation >= 1'],
})

/** An access (SSO) token by its keyed hash. The token itself is never stored. */
export const ssoTokens = table({
  columns: {
    tokenHash: text,
    userId: text,
    mobile: text,
    clientId: text,
    familyId: text,
    scopes: json<readonly string[]>(),
    issuedAt: instant,
    expiresAt: integer,
    revokedAt: optionalInstant,
  },
  key: ['tokenHash'],
  indexes: { ssoTokensByExpiry: { columns: ['expiresAt'] } },
})

/** The user behind a merchant's customer, set by the first valid SSO token that arrives with the custId. */
export const customerLinks = table({
  columns: { mid: text, custId: text, userId: text, linkedAt: instant },
  key: ['mid', 'custId'],
})

export const customers = table({
  columns: {
    mobile: text,
    userId: text,
    walletBalancePaise: integer,
    /** When the verification of a new owner of the number began (docs/interface.md section 4.1). */
    pendingVerificationSince: optionalInteger,
    /** When a one-time password that was sent to the number was last used. */
    signedInAt: optionalInteger,
  },
  key: ['mobile'],
  indexes: { customersByUser: { columns: ['userId'], unique: true } },
  checks: ['wallet_balance_paise >= 0'],
})
