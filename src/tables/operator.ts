import {
  boolean,
  instant,
  integer,
  json,
  oneOf,
  optionalInstant,
  optionalInteger,
  optionalJson,
  optionalSealed,
  optionalText,
  sealed,
  table,
  text,
} from './columns.ts'

/** docs/console.md, "Roles". `console/kit/permissions.ts` says what each may do. */
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
    /** The merchants that the person sees. Null: all. */
    mids: optionalJson<readonly string[]>(),
    status: oneOf('INVITED', 'ACTIVE', 'DISABLED'),
    passwordHash: optionalSealed<string>(),
    /** Grows with each new password, at a reset, and when the person is disabled. Browsers of earlier sign-ins are then unknown. */
    passwordVersion: integer,
    /** Hashes of at most four earlier passwords. None of them may come again (PCI DSS 8.3.7). */
    formerHashes: sealed<readonly string[]>(),
    /** The secret of the authenticator app, in base32. */
    totp: optionalSealed<string>(),
    /** The app was lost and reset. The next sign-in sets one up before anything else, in the sandbox too. */
    mustSetUpApp: boolean,
    /** Keyed hashes of the remaining recovery codes. */
    recoveryHashes: json<readonly string[]>(),
    createdAt: instant,
    /** The person's last action, within a minute. 0 before the first. */
    seenAt: instant,
    /** The last time that a password or an authenticator app was set. Before the first, the time of the invitation. */
    factorsSetAt: instant,
    /** The app's last steps whose codes were accepted. No code is accepted twice. */
    totpSteps: json<readonly number[]>(),
  },
  key: ['emailHash'],
  indexes: { operatorsById: { columns: ['operatorId'], unique: true } },
  checks: ['version >= 1', "status <> 'ACTIVE' or password_hash is not null", 'must_set_up_app = 0 or totp is null'],
})

/** A link by which a person sets a password, by the keyed hash of its token. */
export const operatorTokens = table({
  columns: { tokenHash: text, operatorId: text, kind: oneOf('SETUP', 'RESET'), until: integer, usedAt: optionalInstant },
  key: ['tokenHash'],
  indexes: { operatorTokensByExpiry: { columns: ['until'] } },
})

/** A browser in which a person is signed in, by the keyed hash of its cookie. */
export const operatorSessions = table({
  columns: {
    sessionHash: text,
    operatorId: text,
    /** The person's version at the sign-in. A later one ends the session. */
    operatorVersion: integer,
    network: text,
    createdAt: instant,
    seenAt: instant,
    /** Twelve hours after the sign-in, even if it is used. */
    until: integer,
    /** When the password or code was last given for an action that needs it. */
    steppedUpAt: optionalInstant,
  },
  key: ['sessionHash'],
  indexes: {
    operatorSessionsOf: { columns: ['operatorId', 'sessionHash'] },
    operatorSessionsBySeen: { columns: ['seenAt'] },
  },
  checks: ['until >= created_at'],
})

/** Wrong passwords and codes of one account and one caller. An empty hash stands for the whole network. */
export const signInFailures = table({
  columns: {
    emailHash: text,
    /** The network, or `browser` or `session` with a keyed hash. */
    caller: text,
    failedAt: json<readonly number[]>(),
    lastAt: integer,
  },
  key: ['emailHash', 'caller'],
  indexes: { signInFailuresByAge: { columns: ['lastAt'] } },
})

/** An action that waits for a second person, or that one has decided: docs/console.md, "A second person". */
export const approvals = table({
  columns: {
    approvalId: text,
    version: integer,
    action: oneOf('payment.refund'),
    /** Null for an action that belongs to no merchant. */
    mid: optionalText,
    /** The object of the action, as the audit log names it. */
    subject: text,
    /** The version that the asker saw. */
    subjectVersion: optionalInteger,
    amountPaise: optionalInteger,
    status: oneOf('ASKED', 'GIVEN', 'REFUSED'),
    askedBy: text,
    askedAt: instant,
    until: integer,
    /** `shell` for a command. `sandbox` where the sandbox asks nobody. */
    decidedBy: optionalText,
    decidedAt: optionalInstant,
  },
  key: ['approvalId'],
  indexes: { approvalsByStatus: { columns: ['status', 'askedAt', 'approvalId'] } },
  checks: [
    'version >= 1',
    'amount_paise > 0',
    'until > asked_at',
    "(status = 'ASKED') = (decided_by is null)",
    '(decided_by is null) = (decided_at is null)',
    'decided_by <> asked_by',
    "status <> 'GIVEN' or decided_at < until",
  ],
})

/** What an approval is about. It stands beside the approval, so that one that cannot be opened can still be listed and refused. */
export const approvalCommands = table({
  columns: {
    approvalId: text,
    /** The command of the action's own operation. */
    command: sealed<Readonly<Record<string, unknown>>>(),
    reason: sealed<string>(),
  },
  key: ['approvalId'],
})
