// Decisions about the operator's staff: how they are invited and changed, and how they set a password (docs/console.md).

import { type ChangeOperator, changeOperator } from '../../../src/domain/operator/change-operator.ts'
import { type ResetAuthenticator, resetAuthenticator } from '../../../src/domain/operator/reset-authenticator.ts'
import { type SetPassword, setPassword } from '../../../src/domain/operator/set-password.ts'
import { type SetUpOperator, setUpOperator } from '../../../src/domain/operator/set-up-operator.ts'
import { decides } from '../../support/decided/decides.ts'
import { HOUR, MID, NOW, operator, operatorSession, operatorToken } from '../../support/decided/rows.ts'

const MINUTE = 60_000
const by = { auditId: 'AUDIT', operatorId: 'BOSS', network: 'net', at: NOW }
const invited = (more: Parameters<typeof operator>[0] = {}) =>
  operator({ status: 'INVITED', passwordHash: null, passwordVersion: 0, version: 1, ...more })
const wrote = (action: string, data: object, operatorId = 'BOSS') =>
  ['insert auditLog AUDIT', { at: NOW, network: 'net', operatorId, subject: 'operator:OP', outcome: 'done', action, data }] as const

// --------------------------------------------------------------------------------------------------------- invited

const setUp = (kind: 'SETUP' | 'RESET' = 'SETUP', more: Partial<SetUpOperator> = {}): SetUpOperator => ({
  ...{ emailHash: 'E', kind, person: { email: 'staff@shop.example', name: 'New', roles: ['finance', 'support'], mids: [MID] } },
  ...{ within: null, fresh: { operatorId: 'OP', tokenHash: 'LINK' }, by, ...more },
})
const person = (mids: readonly string[] | null) => ({ ...setUp().person, mids })
const link = (kind: string) => ['insert operatorTokens LINK', { operatorId: 'OP', kind, until: NOW + 15 * MINUTE, usedAt: null }] as const
const newPerson = {
  ...{ operatorId: 'OP', version: 1, name: 'New', roles: ['finance', 'support'], mids: [MID], status: 'INVITED', passwordHash: null },
  ...{
    passwordVersion: 0,
    formerHashes: [],
    totp: null,
    mustSetUpApp: false,
    totpSteps: [],
    recoveryHashes: [],
    createdAt: NOW,
    factorsSetAt: NOW,
    seenAt: 0,
  },
}
const made = [['insert operators E', newPerson], link('SETUP'), wrote('operator.invite', { roles: 'finance support' })] as const
const reset = [link('RESET'), wrote('operator.reset', { roles: 'support' })] as const

decides(setUpOperator, {
  'a person is invited by a link that is good for fifteen minutes': {
    given: [],
    when: setUp(),
    comes: { reply: ['made', { operatorId: 'OP' }], changes: made },
  },
  'a person who is invited again has the name, roles and merchants that are wanted now': {
    given: [invited({ mids: null })],
    when: setUp(),
    comes: {
      reply: 'linked',
      changes: [
        ['update operators E', { version: 2, name: 'New', roles: ['finance', 'support'], mids: [MID] }],
        link('SETUP'),
        wrote('operator.invite', { roles: 'finance support' }),
      ],
    },
  },
  'a person who has forgotten their password gets a link and keeps their roles': {
    given: [operator()],
    when: setUp('RESET'),
    comes: { reply: 'linked', changes: reset },
  },
  'a person who was invited may have forgotten nothing, and gets a link all the same': {
    given: [invited()],
    when: setUp('RESET'),
    comes: { reply: 'linked', changes: reset },
  },
  'a person whose app and password were reset is not invited anew, and keeps their roles': {
    given: [invited({ passwordVersion: 2, formerHashes: ['old'] })],
    when: setUp(),
    comes: 'known',
  },
  'a person who was disabled before their first password is invited anew': {
    given: [invited({ passwordVersion: 1, mids: null })],
    when: setUp(),
    comes: {
      reply: 'linked',
      changes: [
        ['update operators E', { version: 2, name: 'New', roles: ['finance', 'support'], mids: [MID] }],
        link('SETUP'),
        wrote('operator.invite', { roles: 'finance support' }),
      ],
    },
  },
  'a person who signs in is not invited': { given: [operator()], when: setUp(), comes: 'known' },
  'a person who is not there has forgotten no password': { given: [], when: setUp('RESET'), comes: 'unknown' },
  'a disabled person is not invited': { given: [operator({ status: 'DISABLED' })], when: setUp(), comes: 'disabled' },
  'a disabled person gets no link': { given: [operator({ status: 'DISABLED' })], when: setUp('RESET'), comes: 'disabled' },
  'a person who sees a merchant gives that merchant': {
    given: [],
    when: setUp('SETUP', { within: [MID, 'OTHER'] }),
    comes: { reply: 'made', changes: made },
  },
  'a person gives no merchant that they do not see': {
    given: [],
    when: setUp('SETUP', { person: person([MID, 'OTHER']), within: [MID] }),
    comes: 'foreign',
  },
  'a person who sees some merchants does not give all': {
    given: [],
    when: setUp('SETUP', { person: person(null), within: [MID] }),
    comes: 'foreign',
  },
  'a person does not manage another who sees more': {
    given: [invited({ mids: null })],
    when: setUp('SETUP', { within: [MID] }),
    comes: 'foreign',
  },
})

// ------------------------------------------------------------------------------------------------- without their app

const app = { totp: 'secret', totpSteps: [7], recoveryHashes: ['first'] }
const lost = (more: Partial<ResetAuthenticator> = {}): ResetAuthenticator => ({
  ...{ emailHash: 'E', version: 3, within: null, tokenHash: 'LINK', by, ...more },
})
const anew = {
  ...{ version: 4, status: 'INVITED', passwordHash: null, passwordVersion: 2, formerHashes: ['old'] },
  ...{ totp: null, mustSetUpApp: true, totpSteps: [], recoveryHashes: [] },
}
const begunAnew = (...ended: readonly string[]) => ({
  reply: 'linked',
  changes: [
    ['update operators E', anew],
    link('RESET'),
    ...ended.map((name) => [`delete operatorTokens ${name}`] as const),
    wrote('operator.reset-authenticator', { roles: 'support' }),
  ] as const,
})

decides(resetAuthenticator, {
  'a person without their app loses password, app and recovery codes, and gets a link': {
    given: [operator(app)],
    when: lost(),
    comes: begunAnew(),
  },
  'the earlier links end, and no other person’s': {
    given: [operator(app), operatorToken({ tokenHash: 'SECOND' }), operatorToken({ tokenHash: 'X', operatorId: 'X' })],
    when: lost(),
    comes: begunAnew('SECOND'),
  },
  'the shell resets by no version': {
    given: [operator(app)],
    when: { emailHash: 'E', within: null, tokenHash: 'LINK', by },
    comes: begunAnew(),
  },
  'all four passwords of before are kept': {
    given: [operator({ ...app, formerHashes: ['third', 'second', 'first'] })],
    when: lost(),
    comes: {
      reply: 'linked',
      changes: [['update operators E', { ...anew, formerHashes: ['old', 'third', 'second', 'first'] }], ...begunAnew().changes.slice(1)],
    },
  },
  'an admin resets the app of a person who sees their merchants alone': {
    given: [operator(app)],
    when: lost({ within: [MID, 'OTHER'] }),
    comes: begunAnew(),
  },
  'a person who is not there has no app': { given: [], when: lost(), comes: 'unknown' },
  'an admin of other merchants resets no app': { given: [operator(app)], when: lost({ within: ['OTHER'] }), comes: 'foreign' },
  'an admin of some merchants resets no app of a person who sees all': {
    given: [operator({ ...app, mids: null })],
    when: lost({ within: [MID] }),
    comes: 'foreign',
  },
  'a person does not reset their own app': {
    given: [operator(app)],
    when: lost({ by: { ...by, operatorId: 'OP' } }),
    comes: 'own',
  },
  'the app of a disabled person is not reset': { given: [operator({ ...app, status: 'DISABLED' })], when: lost(), comes: 'disabled' },
  'a person without an app has none to reset': { given: [operator()], when: lost(), comes: 'noApp' },
  'a reset of what was seen before a change is refused': { given: [operator({ ...app, version: 4 })], when: lost(), comes: 'stale' },
})

// --------------------------------------------------------------------------------------------------------- changed

const change = (to: ChangeOperator['to'], more: Partial<ChangeOperator> = {}): ChangeOperator => ({
  ...{ emailHash: 'E', version: 3, action: 'operator.roles', to, by, ...more },
})
const figures = { roles: 'support', mids: 1, isAllMerchants: false }

decides(changeOperator, {
  'another role and all merchants end the sessions of before': {
    given: [operator()],
    when: change({ roles: ['admin', 'finance'], mids: null }),
    comes: {
      reply: 'changed',
      changes: [
        ['update operators E', { version: 4, roles: ['admin', 'finance'], mids: null }],
        wrote('operator.roles', { roles: 'admin finance', mids: 0, isAllMerchants: true }),
      ],
    },
  },
  'the session in which a person changes their own goes on': {
    given: [operator(), operatorSession()],
    when: change({ totp: 'secret' }, { action: 'operator.totp', sessionHash: 'OLD' }),
    comes: {
      reply: 'changed',
      changes: [
        ['update operators E', { version: 4, totp: 'secret', factorsSetAt: NOW }],
        ['update operatorSessions OLD', { operatorVersion: 4 }],
        wrote('operator.totp', figures),
      ],
    },
  },
  'a person is disabled': {
    given: [operator()],
    when: change({ status: 'DISABLED' }, { action: 'operator.disable' }),
    comes: {
      reply: 'changed',
      changes: [['update operators E', { version: 4, status: 'DISABLED', passwordVersion: 2 }], wrote('operator.disable', figures)],
    },
  },
  'a person who is disabled loses their links, and no other person does': {
    given: [operator(), operatorToken(), operatorToken({ tokenHash: 'X', operatorId: 'X' })],
    when: change({ status: 'DISABLED' }, { action: 'operator.disable' }),
    comes: {
      reply: 'changed',
      changes: [
        ['update operators E', { version: 4, status: 'DISABLED', passwordVersion: 2 }],
        ['delete operatorTokens LINK'],
        wrote('operator.disable', figures),
      ],
    },
  },
  'a person whose roles change keeps their link': {
    given: [operator(), operatorToken()],
    when: change({ roles: ['finance'] }),
    comes: {
      reply: 'changed',
      changes: [['update operators E', { version: 4, roles: ['finance'] }], wrote('operator.roles', { ...figures, roles: 'finance' })],
    },
  },
  'a person with a password is enabled': {
    given: [operator({ status: 'DISABLED' })],
    when: change({ status: 'ACTIVE' }, { action: 'operator.enable' }),
    comes: {
      reply: 'changed',
      changes: [['update operators E', { version: 4, status: 'ACTIVE' }], wrote('operator.enable', figures)],
    },
  },
  'a person without a password is invited when they are enabled': {
    given: [operator({ status: 'DISABLED', passwordHash: null })],
    when: change({ status: 'ACTIVE' }, { action: 'operator.enable' }),
    comes: {
      reply: 'changed',
      changes: [['update operators E', { version: 4, status: 'INVITED' }], wrote('operator.enable', figures)],
    },
  },
  'a person who was changed meanwhile is not changed by what was seen before': {
    given: [operator({ version: 4 })],
    when: change({ mids: null }),
    comes: 'stale',
  },
  'a person who is not there is not changed': { given: [], when: change({ mids: null }), comes: 'unknown' },
})

// -------------------------------------------------------------------------------------------------------- passwords

const set = (more: Partial<SetPassword> = {}): SetPassword => ({
  ...{ emailHash: 'E', version: 3, passwordHash: 'new', by: { auditId: 'AUDIT', network: 'net', at: NOW }, ...more },
})
const byLink = (more: Partial<SetPassword> = {}) => set({ tokenHash: 'LINK', ...more })
const used = ['update operatorTokens LINK', { usedAt: NOW }] as const
const changed = (more: object = {}) =>
  [
    'update operators E',
    { version: 4, passwordHash: 'new', passwordVersion: 2, formerHashes: ['old'], factorsSetAt: NOW, ...more },
  ] as const
const written = (isByLink: boolean) => wrote('operator.password', { byLink: isByLink }, 'OP')
const session = { sessionHash: 'NEW', network: 'net', now: NOW }

decides(setPassword, {
  'a link sets the first password and signs in': {
    given: [invited(), operatorToken()],
    when: byLink({ version: 1, session }),
    comes: {
      reply: 'set',
      changes: [
        ['update operators E', { version: 2, status: 'ACTIVE', passwordHash: 'new', passwordVersion: 1, factorsSetAt: NOW }],
        used,
        [
          'insert operatorSessions NEW',
          {
            ...{ operatorId: 'OP', operatorVersion: 2, network: 'net', createdAt: NOW, seenAt: NOW, until: NOW + 12 * HOUR },
            steppedUpAt: NOW,
          },
        ],
        written(true),
      ],
    },
  },
  'a link sets another password, and signs no person in who has to show a code': {
    given: [operator({ totp: 'secret' }), operatorToken({ kind: 'RESET' })],
    when: byLink(),
    comes: { reply: 'set', changes: [changed(), used, written(true)] },
  },
  'a person who is signed in sets another password without a link': {
    given: [operator()],
    when: set(),
    comes: { reply: 'set', changes: [changed(), written(false)] },
  },
  'the three passwords before the present one are kept': {
    given: [operator({ formerHashes: ['third', 'second', 'first'] })],
    when: set(),
    comes: { reply: 'set', changes: [changed({ formerHashes: ['old', 'third', 'second'] }), written(false)] },
  },
  'a new password deletes the other links of the person, and no other person’s': {
    given: [operator(), operatorToken(), operatorToken({ tokenHash: 'SECOND' }), operatorToken({ tokenHash: 'X', operatorId: 'X' })],
    when: byLink(),
    comes: { reply: 'set', changes: [changed(), used, ['delete operatorTokens SECOND'], written(true)] },
  },
  'a password that was set without a link deletes every link of the person': {
    given: [operator(), operatorToken()],
    when: set(),
    comes: { reply: 'set', changes: [changed(), ['delete operatorTokens LINK'], written(false)] },
  },
  'a link sets a password once': { given: [operator(), operatorToken({ usedAt: NOW - 1 })], when: byLink(), comes: 'over' },
  'a link sets no password after its fifteen minutes': {
    given: [operator(), operatorToken({ until: NOW })],
    when: byLink(),
    comes: 'over',
  },
  'a link that a wrong clock has dated sets no password': {
    given: [operator(), operatorToken({ until: NOW + 16 * MINUTE + 1 })],
    when: byLink(),
    comes: 'over',
  },
  'the link of another person sets no password': { given: [operator(), operatorToken({ operatorId: 'X' })], when: byLink(), comes: 'over' },
  'a link that is not there sets no password': { given: [operator()], when: byLink(), comes: 'over' },
  'a person who was changed meanwhile sets no password': { given: [operator({ version: 4 })], when: set(), comes: 'changed' },
  'a disabled person sets no password': {
    given: [operator({ status: 'DISABLED' }), operatorToken()],
    when: byLink(),
    comes: 'changed',
  },
  'a person who is not there sets no password': { given: [operatorToken()], when: byLink(), comes: 'changed' },
})
