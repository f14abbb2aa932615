import { boolean, instant, integer, json, oneOf, optionalInstant, optionalJson, optionalSealed, sealed, table, text } from './columns.ts'

/** docs/console.md, "Roles": what each may do stands in `console/kit/permissions.ts`. */
export type OperatorRole = 'admin' | 'finance' | 'operations' | 'support' | 'developer' | 'auditor'

/** A person of the operator's staff, by the keyed hash of their e-mail address in lower case. */
export const operators = table({
  columns: {
    emailHash: text,
    operatorId: text,
    version: integer,
    email: sealed<string>(),
    name: sealed<string>(),
    roles: json<readonly OperatorRole[]>(),
    /** The merchants that the person sees; null: all. */
    mids: optionalJson<readonly string[]>(),
    status: oneOf('INVITED', 'ACTIVE', 'DISABLED'),
    passwordHash: optionalSealed<string>(),
    /** Grows with each password, and when one ends. A browser that was in before is known by it. */
    passwordVersion: integer,
    /** Of the four passwords before, none of which may come again (PCI DSS 8.3.7). */
    formerHashes: sealed<readonly string[]>(),
    /** The secret of the authenticator app, in base32. */
    totp: optionalSealed<string>(),
    /** The app was lost and reset: the next sign-in sets one up before anything else, in the sandbox too. */
    mustSetUpApp: boolean,
    /** Keyed hashes of the recovery codes that are left. */
    recoveryHashes: json<readonly string[]>(),
    createdAt: instant,
    /** When they last did something, within a minute; 0 before. */
    seenAt: instant,
    /** The last steps of the app whose codes were taken: none is taken twice. */
    totpSteps: json<readonly number[]>(),
  },
  key: ['emailHash'],
  indexes: { operatorsById: { columns: ['operatorId'], unique: true } },
  checks: ['version >= 1', "status <> 'ACTIVE' or password_hash is not null", 'must_set_up_app = 0 or totp is null'],
})

/** A link by which a person sets a password, by the keyed hash of what stands in it. */
export const operatorTokens = table({
  columns: { tokenHash: text, operatorId: text, kind: oneOf('SETUP', 'RESET'), until: integer, usedAt: optionalInstant },
  key: ['tokenHash'],
  indexes: { operatorTokensByExpiry: { columns: ['until'] } },
})

/** A browser in which somebody is signed in, by the keyed hash of its cookie. */
export const operatorSessions = table({
  columns: {
    sessionHash: text,
    operatorId: text,
    /** Of the person when they signed in: a later one ends the session. */
    operatorVersion: integer,
    network: text,
    createdAt: instant,
    seenAt: instant,
    /** Twelve hours after the sign-in, whatever is done. */
    until: integer,
    /** When the password or code was last given for something that needs it. */
    steppedUpAt: optionalInstant,
  },
  key: ['sessionHash'],
  indexes: {
    operatorSessionsOf: { columns: ['operatorId', 'sessionHash'] },
    operatorSessionsBySeen: { columns: ['seenAt'] },
  },
  checks: ['until >= created_at'],
})

/** Wrong passwords and codes of one account and one caller; under an empty hash all of a network's. */
export const signInFailures = table({
  columns: {
    emailHash: text,
    /** The network; or `browser` or `session` and a keyed hash. */
    caller: text,
    failedAt: json<readonly number[]>(),
    lastAt: integer,
  },
  key: ['emailHash', 'caller'],
  indexes: { signInFailuresByAge: { columns: ['lastAt'] } },
})
