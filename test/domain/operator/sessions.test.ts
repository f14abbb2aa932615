// Decisions about sessions of the operator's staff: how they begin, go on, are proven anew and end, and which tries are counted
// (docs/console.md).

import { provePassword } from '../../../src/domain/operator/prove-password.ts'
import { endSessions, type StepUp, seeSession, stepUp } from '../../../src/domain/operator/session.ts'
import { type SignInOperator, signInOperator } from '../../../src/domain/operator/sign-in-operator.ts'
import { decides } from '../../support/decided/decides.ts'
import type { Given } from '../../support/decided/given.ts'
import { failuresBy, HOUR, NOW, operator, operatorSession, signInFailures } from '../../support/decided/rows.ts'

const MINUTE = 60_000
const STEP = NOW / 30_000
const by = { auditId: 'AUDIT', operatorId: 'OP', network: 'net', at: NOW }
const session = { sessionHash: 'NEW', network: 'net', now: NOW }
const caller = { kind: 'network', name: 'net' } as const
const browser = { kind: 'browser', name: 'B' } as const
const inSession = { kind: 'session', name: 'OLD' } as const
const row = (action: string, outcome: string, more: object = {}) =>
  ['insert auditLog AUDIT', { at: NOW, network: 'net', operatorId: 'OP', action, subject: 'operator:OP', outcome, ...more }] as const
const seen = (more: object = {}) => ['update operators E', { seenAt: NOW, ...more }] as const

/** Tries for the account from this network, and from the network. */
const tries = (...agoMs: readonly number[]) => [signInFailures('E', ...agoMs), signInFailures('', ...agoMs)]
const counted = [
  ['insert signInFailures net', { emailHash: 'E', failedAt: [NOW], lastAt: NOW }],
  ['insert signInFailures net', { emailHash: '', failedAt: [NOW], lastAt: NOW }],
] as const
const countedAlone = (name: string) => [`insert signInFailures ${name}`, { emailHash: 'E', failedAt: [NOW], lastAt: NOW }] as const
const countedBehind = (...agoMs: readonly number[]) => {
  const now = { failedAt: [...agoMs.map((ago) => NOW - ago), NOW], lastAt: NOW }
  return [
    ['update signInFailures net', now],
    ['update signInFailures net', now],
  ] as const
}
const cleared = ['delete signInFailures net'] as const
const NINE = [9, 8, 7, 6, 5, 4, 3, 2, 1]
const TEN = [10, ...NINE]
const HUNDRED = Array.from({ length: 100 }, (_, at) => HOUR - at - 1)

// ---------------------------------------------------------------------------------------------------------- sign-in

const signIn = (more: Partial<SignInOperator> = {}): SignInOperator => ({
  ...{
    emailHash: 'E',
    version: 3,
    isPasswordRight: true,
    second: 'none',
    session,
    caller,
    by: { auditId: 'AUDIT', network: 'net', at: NOW },
    ...more,
  },
})
const begunWith = (steppedUpAt: number | null) =>
  [
    'insert operatorSessions NEW',
    { operatorId: 'OP', operatorVersion: 3, network: 'net', createdAt: NOW, seenAt: NOW, until: NOW + 12 * HOUR, steppedUpAt },
  ] as const
/** By a password alone, which is also the proof. */
const begun = begunWith(NOW)
const signedIn = (what = 'password') => row('operator.sign-in', 'done', { data: { by: what } })
const entered = { reply: 'signedIn', changes: [seen(), begun, signedIn()] }
const refused = (failures = 1) => row('operator.sign-in', 'refused', { operatorId: '', data: { failures } })
const wrong = { reply: 'wrong', changes: [...counted, refused()] }

const app = (...totpSteps: number[]) => operator({ totp: 'secret', totpSteps, recoveryHashes: ['first', 'second'] })
const code = signIn({ second: { totpStep: STEP } })
const enteredByCode = (...totpSteps: number[]) => ({
  reply: 'signedIn',
  changes: [seen({ totpSteps }), begunWith(null), signedIn('totpStep')],
})
const many = Array.from({ length: 100 }, (_, at) => STEP - 100 + at)

decides(signInOperator, {
  'a password opens a session of twelve hours': { given: [operator()], when: signIn(), comes: entered },
  'a person with an app shows its code': { given: [app(STEP - 1)], when: code, comes: enteredByCode(STEP - 1, STEP) },
  'a code is taken once': { given: [app(STEP)], when: code, comes: wrong },
  'a code is not taken after a later one': { given: [app(STEP + 3)], when: code, comes: wrong },
  'a code of a clock far ahead locks no other code out': {
    given: [app(STEP + 4)],
    when: code,
    comes: enteredByCode(STEP + 4, STEP),
  },
  'a code of a clock far ahead is taken once': { given: [app(STEP + 4)], when: signIn({ second: { totpStep: STEP + 4 } }), comes: wrong },
  'a hundred codes are remembered': { given: [app(...many)], when: code, comes: enteredByCode(...many.slice(1), STEP) },
  'a password is not enough for a person with an app': { given: [app()], when: signIn(), comes: wrong },
  'a person without an app has no code': { given: [operator()], when: code, comes: wrong },
  'a recovery code is taken once': {
    given: [app()],
    when: signIn({ second: { recoveryHash: 'first' } }),
    comes: { reply: 'signedIn', changes: [seen({ recoveryHashes: ['second'] }), begunWith(null), signedIn('recoveryHash')] },
  },
  'a recovery code that is not left opens nothing': { given: [app()], when: signIn({ second: { recoveryHash: 'third' } }), comes: wrong },
  'a wrong code opens nothing': { given: [app()], when: signIn({ second: 'wrong' }), comes: wrong },
  'a wrong password is counted for the account and the network': {
    given: [operator()],
    when: signIn({ isPasswordRight: false }),
    comes: wrong,
  },
  'the right password of a person who was changed meanwhile opens nothing': {
    given: [operator({ version: 4 })],
    when: signIn(),
    comes: wrong,
  },
  'a disabled person does not sign in': { given: [operator({ status: 'DISABLED' })], when: signIn(), comes: wrong },
  'an unknown address is counted as a person’s is, and the audit log names no person': {
    given: [],
    when: signIn({ version: undefined, isPasswordRight: false }),
    comes: {
      reply: 'wrong',
      changes: [...counted, row('operator.sign-in', 'refused', { operatorId: '', subject: 'operator:', data: { failures: 1 } })],
    },
  },
  'the audit log leaves out the second wrong password': {
    given: [operator(), ...tries(1)],
    when: signIn({ isPasswordRight: false }),
    comes: { reply: 'wrong', changes: countedBehind(1) },
  },
  'the audit log has the tenth wrong password, after which the account waits': {
    given: [operator(), ...tries(...NINE)],
    when: signIn({ isPasswordRight: false }),
    comes: { reply: 'wrong', changes: [...countedBehind(...NINE), refused(10)] },
  },
  'after ten wrong passwords the right one waits, and is not counted': {
    given: [operator(), ...tries(...TEN)],
    when: signIn(),
    comes: 'waits',
  },
  'after half an hour a wrong password is forgotten for the account, and not for the network': {
    given: [operator(), ...tries(30 * MINUTE, ...NINE)],
    when: signIn({ isPasswordRight: false }),
    comes: {
      reply: 'wrong',
      changes: [countedBehind(...NINE)[0], countedBehind(30 * MINUTE, ...NINE)[1], refused(10)],
    },
  },
  'a wrong password counts to the last of its milliseconds': {
    given: [operator(), ...tries(30 * MINUTE - 1, ...NINE)],
    when: signIn(),
    comes: 'waits',
  },
  'wrong passwords that a clock far ahead has dated make no person wait': {
    given: [operator(), ...tries(...TEN.map((ago) => ago - MINUTE - 11))],
    when: signIn(),
    comes: { reply: 'signedIn', changes: [seen(), begun, cleared, signedIn()] },
  },
  'the right password clears the account, and the network’s count stays': {
    given: [operator(), ...tries(...NINE)],
    when: signIn(),
    comes: { reply: 'signedIn', changes: [seen(), begun, cleared, signedIn()] },
  },
  'a hundred wrong passwords from a network make each of its accounts wait': {
    given: [operator(), signInFailures('', ...HUNDRED)],
    when: signIn(),
    comes: 'waits',
  },
  'after an hour the network has forgotten the first': {
    given: [operator(), signInFailures('', HOUR, ...HUNDRED.slice(1))],
    when: signIn(),
    comes: entered,
  },
  'a known browser does not wait for wrong passwords of its network': {
    given: [operator(), ...tries(...TEN), signInFailures('', ...HUNDRED)],
    when: signIn({ caller: browser }),
    comes: entered,
  },
  'a wrong password in a known browser is counted for the browser alone': {
    given: [operator()],
    when: signIn({ caller: browser, isPasswordRight: false }),
    comes: { reply: 'wrong', changes: [countedAlone('browser B'), refused()] },
  },
  'after ten wrong passwords in a known browser the right one waits there': {
    given: [operator(), failuresBy('browser B', 'E', ...TEN)],
    when: signIn({ caller: browser }),
    comes: 'waits',
  },
  'wrong passwords in one known browser make no other caller wait': {
    given: [operator(), failuresBy('browser B', 'E', ...TEN)],
    when: signIn(),
    comes: entered,
  },
  'a sign-in in a known browser leaves its wrong passwords counted': {
    given: [operator(), failuresBy('browser B', 'E', ...NINE)],
    when: signIn({ caller: browser }),
    comes: entered,
  },
})

// ------------------------------------------------------------------------------------------------ the password alone

const prove = (isRight = true, version = 3) => ({ emailHash: 'E', version, isRight, caller, by })
const unproven = row('operator.password', 'refused', { data: { failures: 1 } })

decides(provePassword, {
  'the right password changes nothing': { given: [operator()], when: prove(), comes: 'proven' },
  'the right password clears what was counted': {
    given: [operator(), ...tries(...NINE)],
    when: prove(),
    comes: { reply: 'proven', changes: [cleared] },
  },
  'a wrong password counts as at a sign-in': {
    given: [operator()],
    when: prove(false),
    comes: { reply: 'wrong', changes: [...counted, unproven] },
  },
  'the audit log leaves out the second wrong password': {
    given: [operator(), ...tries(1)],
    when: prove(false),
    comes: { reply: 'wrong', changes: countedBehind(1) },
  },
  'after ten wrong passwords the right one waits': { given: [operator(), ...tries(...TEN)], when: prove(), comes: 'waits' },
  'wrong passwords of the network make no session wait, and the right one clears the session’s': {
    given: [operator(), ...tries(...TEN), failuresBy('session OLD', 'E', ...NINE)],
    when: { ...prove(), caller: inSession },
    comes: { reply: 'proven', changes: [['delete signInFailures session OLD']] },
  },
  'a person who was changed meanwhile proves nothing': { given: [operator()], when: prove(true, 2), comes: 'over' },
  'a disabled person proves nothing': { given: [operator({ status: 'DISABLED' })], when: prove(), comes: 'over' },
  'a person who is not there proves nothing': { given: [], when: prove(), comes: 'over' },
})

// ---------------------------------------------------------------------------------------------- proven anew for a step

const step = (more: Partial<StepUp> = {}): StepUp => ({
  ...{ emailHash: 'E', sessionHash: 'OLD', version: 3, isRight: true, second: 'none', session, caller, by, ...more },
})
const renewed = (more: object = {}) =>
  [
    ['delete operatorSessions OLD'],
    [
      'insert operatorSessions NEW',
      {
        ...{ operatorId: 'OP', operatorVersion: 3, network: 'net', createdAt: NOW - HOUR, seenAt: NOW, until: NOW + 11 * HOUR },
        ...{ steppedUpAt: NOW, ...more },
      },
    ],
  ] as const
const stepped = row('operator.step-up', 'done')
const unstepped = row('operator.step-up', 'refused', { data: { failures: 1 } })
const inside = [operator(), operatorSession()]

const ended: Readonly<Record<string, readonly Given[]>> = {
  'a session that was idle for fifteen minutes': [operator(), operatorSession({ seenAt: NOW - 15 * MINUTE })],
  'a session that is twelve hours old': [operator(), operatorSession({ until: NOW })],
  'a session that a clock far ahead began': [operator(), operatorSession({ until: NOW + 12 * HOUR + MINUTE + 1 })],
  'a session of before the person was changed': [operator({ version: 4 }), operatorSession()],
  'the session of a disabled person': [operator({ status: 'DISABLED' }), operatorSession()],
  'the session of another person': [operator(), operatorSession({ operatorId: 'X' })],
  'a session that is not there': [operator()],
  'a session of a person who is not there': [operatorSession()],
}

decides(stepUp, {
  'a session that is proven anew goes on under another name, until its own end': {
    given: inside,
    when: step(),
    comes: { reply: 'proven', changes: [seen(), ...renewed(), stepped] },
  },
  'a session that is about to end is seen no later than its last quarter of an hour': {
    given: [operator(), operatorSession({ until: NOW + MINUTE })],
    when: step(),
    comes: { reply: 'proven', changes: [seen(), ...renewed({ seenAt: NOW - 14 * MINUTE, until: NOW + MINUTE }), stepped] },
  },
  'a session is proven by a code that was not taken': {
    given: [app(STEP - 1), operatorSession()],
    when: step({ second: { totpStep: STEP } }),
    comes: { reply: 'proven', changes: [seen({ totpSteps: [STEP - 1, STEP] }), ...renewed(), stepped] },
  },
  'a session is not proven by a code that was taken': {
    given: [app(STEP), operatorSession()],
    when: step({ second: { totpStep: STEP } }),
    comes: { reply: 'wrong', changes: [...counted, unstepped] },
  },
  'the right password clears what was counted': {
    given: [...inside, ...tries(...NINE)],
    when: step(),
    comes: { reply: 'proven', changes: [seen(), ...renewed(), cleared, stepped] },
  },
  'a wrong password counts as at a sign-in': {
    given: inside,
    when: step({ isRight: false }),
    comes: { reply: 'wrong', changes: [...counted, unstepped] },
  },
  'the audit log leaves out the second wrong password': {
    given: [...inside, ...tries(1)],
    when: step({ isRight: false }),
    comes: { reply: 'wrong', changes: countedBehind(1) },
  },
  'after ten wrong passwords the right one waits': { given: [...inside, ...tries(...TEN)], when: step(), comes: 'waits' },
  'after ten wrong passwords in a session the right one waits there': {
    given: [...inside, failuresBy('session OLD', 'E', ...TEN)],
    when: step({ caller: inSession }),
    comes: 'waits',
  },
  'a session does not wait for wrong passwords of its network': {
    given: [...inside, ...tries(...TEN), signInFailures('', ...HUNDRED)],
    when: step({ caller: inSession }),
    comes: { reply: 'proven', changes: [seen(), ...renewed(), stepped] },
  },
  'a wrong password in a session is counted for the session alone': {
    given: inside,
    when: step({ caller: inSession, isRight: false }),
    comes: { reply: 'wrong', changes: [countedAlone('session OLD'), unstepped] },
  },
  'a person who was changed since the password was compared proves nothing': { given: inside, when: step({ version: 2 }), comes: 'over' },
  ...Object.fromEntries(Object.entries(ended).map(([what, given]) => [`${what} is not proven`, { given, when: step(), comes: 'over' }])),
})

// ------------------------------------------------------------------------------------------------------ on, and ended

const see = { sessionHash: 'OLD', emailHash: 'E', now: NOW }

decides(seeSession, {
  'a person who does something is idle no longer': {
    given: inside,
    when: see,
    comes: { reply: 'seen', changes: [['update operatorSessions OLD', { seenAt: NOW }], seen()] },
  },
  'a session is written once a minute': {
    given: [operator(), operatorSession({ seenAt: NOW - MINUTE + 1 })],
    when: see,
    comes: 'same',
  },
  'a session that is about to end is not seen after its last quarter of an hour': {
    given: [operator(), operatorSession({ seenAt: NOW - 14 * MINUTE, until: NOW + MINUTE })],
    when: see,
    comes: 'same',
  },
  'a session that was idle for almost fifteen minutes goes on': {
    given: [operator(), operatorSession({ seenAt: NOW - 15 * MINUTE + 1 })],
    when: see,
    comes: { reply: 'seen', changes: [['update operatorSessions OLD', { seenAt: NOW }], seen()] },
  },
  ...Object.fromEntries(Object.entries(ended).map(([what, given]) => [`${what} is not seen`, { given, when: see, comes: 'same' }])),
})

const third = operatorSession({ sessionHash: 'THIRD' })
const foreign = operatorSession({ sessionHash: 'X', operatorId: 'X' })
const signedOut = (sessions: number) => row('operator.sign-out', 'done', { data: { sessions } })

decides(endSessions, {
  'a person who signs out ends the session': {
    given: [operatorSession(), third],
    when: { operatorId: 'OP', sessionHash: 'OLD', by },
    comes: { reply: 'ended', changes: [['delete operatorSessions OLD'], signedOut(1)] },
  },
  'a person who signs out everywhere ends all their sessions, and no other person’s': {
    given: [operatorSession(), third, foreign],
    when: { operatorId: 'OP', by },
    comes: { reply: 'ended', changes: [['delete operatorSessions OLD'], ['delete operatorSessions THIRD'], signedOut(2)] },
  },
  'the session of another person is not ended': {
    given: [operatorSession(), foreign],
    when: { operatorId: 'OP', sessionHash: 'X', by },
    comes: 'ended',
  },
  'where no session is left the audit log has nothing': { given: [], when: { operatorId: 'OP', by }, comes: 'ended' },
})
