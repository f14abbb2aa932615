// The console, sign-in and payers' pages compare each time by the guard of engine/clock.ts (docs/decisions/0013). A comparison without the
// guard is listed here with its reason.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { timesOfConsole, timesOfPages, timesOfSignIn } from '../support/clocks/times.ts'

const SRC = join(import.meta.dirname, '../../src')
/** Lists ask for periods, and nothing opens or locks by them, so `console/screens` is not among the rooms. */
const ROOMS = [
  ...['console/kit', 'console/people', 'console/routes.ts', 'domain/operator', 'domain/signin', 'domain/payment-page', 'domain/merchant'],
  ...['domain/subscription/payer-page', 'domain/order/checkout-otp.ts', 'domain/order/send-checkout-otp.ts'],
  ...['domain/order/validate-checkout-otp.ts', 'pages', 'api/signin', 'flows/otp-message-due.ts', 'flows/operator-links.ts'],
  ...['flows/merchant-keys.ts'],
]

const TIME = String.raw`(?:[\w#.?!()]*(?:\b[nN]ow|[nN]ow\(\)|elapsed\(\)|At|[uU]ntil|Since|_MS)\b[!)]*)`
const COMPARED = new RegExp(
  String.raw`(?:${TIME}(?: \+ \w+)?)\s[<>]=?\s[\w#.?!(]+(?: \+ \w+)?|[\w#.?!()]+\s[<>]=?\s${TIME}(?: \+ \w+)?`,
  'g',
)
const GUARDED = /\b(?:lasts|lastsUntil|isTooFarAhead|within)\((?:[^()]|\([^()]*\))*\bnow\b/g

/** Comparisons without the guard. */
const BARE: Readonly<Record<string, string>> = {
  'domain/operator/operator.ts: now) >= session.seenAt + SEEN_EVERY_MS':
    'how often a session is written; whether it stands was asked before',
  'domain/operator/approval.ts: person.factorsSetAt > askedAt':
    'two times that are kept; after a wrong one another person approves, or this one sets their password again',
  'domain/signin/apply-otp-delivery.ts: dueAt >= message.expiresAt': 'when a message is given up; tries are counted too',
  'domain/signin/refresh-token.ts: now >= token.expiresAt': 'a token lives until its own end',
  'domain/signin/refresh-token.ts: now < (token.successorUntil': 'a token lives until its own end, and so does a lost answer',
  'domain/signin/retention.ts: now >= at + keepMs': 'how long a row is kept',
  'domain/signin/retention.ts: now >= token.successorUntil': 'how long a row is kept',
  'domain/signin/signin.ts: customer.signedInAt < LATELY_MS': 'spares a number the ceilings of a flood; its own limits hold',
  'domain/signin/signin.ts: now < customer.pendingVerificationSince + PENDING_VERIFICATION_MS':
    'the operator’s word, which guards a wallet; the operator takes it back',
  'domain/signin/signin.ts: createdAt <= (customer?.pendingVerificationSince': 'two times that are kept',
  'domain/signin/sso-token.ts: now < ssoToken.expiresAt': 'a token lives until its own end',
  'domain/signin/token-family.ts: (now < createdAt + REFRESH_TOKEN_VALIDITY_MS': 'a token lives until its own end',
  'domain/signin/token-family.ts: now < expiresAt': 'a token lives until its own end',
  'domain/signin/validate-otp.ts: now >= challenge.expiresAt': 'its beginning is guarded beside it',
  'domain/payment-page/open-page.ts: now >= order.txnTokenIssuedAt + TXN_TOKEN_VALIDITY_MS': 'a token lives until its own end',
  'domain/payment-page/page.ts: now) > now': 'the end of the order',
  'domain/subscription/payer-page/mandate-page.ts: now < subscription.updatedAt + LINK_VALIDITY_AFTER_END_MS':
    'a link opens nothing without a code, and its mandate keeps its time',
  'domain/order/checkout-otp.ts: now >= order.txnTokenIssuedAt + TXN_TOKEN_VALIDITY_MS': 'a token lives until its own end',
  'domain/payment-page/page.ts: now) > page.until': 'whether more time would give any, of a page that is open',
  'domain/subscription/payer-page/mandate-page.ts: openUntil(now) > page.until': 'the same',
  'pages/payment/view/step.ts: transaction.initiatedAt >= page.openedAt':
    'two times that are kept; a wrong one costs a press at the bank’s button',
  'pages/kit/layout.ts: now <= SOON_MS': 'whether a page says that little time is left',
  'flows/merchant-keys.ts: this.#clock.elapsed() < kept.until': 'the time that passes',
  'flows/merchant-keys.ts: now < retiresAt': 'a sweep corrects the end: test/flows/misdated-rows.test.ts',
  'domain/merchant/keys.ts: until < key.retiresAt': 'the earlier of two ends',
  'domain/merchant/keys.ts: retiresAt <= realNow': 'which key makes room for another',
}

/** Comparisons with the guard. Each names the time that meets both jumps, or the file that tests it. */
const GUARDS: Readonly<Record<string, string>> = {
  'domain/operator/operator.ts: lastsUntil(session.until, SESSION_MAX_MS, now': 'a session of the console',
  'domain/operator/operator.ts: lasts(session.seenAt, IDLE_MS, now': 'a session of the console',
  'domain/operator/operator.ts: lasts(steppedUpAt, STEP_UP_MS, now': 'a proof in a session',
  'domain/operator/operator.ts: lastsUntil(until, LINK_VALIDITY_MS, now': 'a link that sets a password',
  'domain/operator/operator.ts: isTooFarAhead((each - 1) * TOTP_STEP_MS, now': 'test/console/clock-jumps.test.ts',
  'domain/operator/approval.ts: lastsUntil(until, APPROVAL_MS, now': 'test/domain/operator/approval.test.ts',
  'domain/operator/failures.ts: lasts(at, ms, now': 'ten wrong tries of a pair',
  'console/kit/callers.ts: lasts(at, KNOWN_BROWSER_MS, now': 'a cookie of a known browser',
  'console/people/me.ts: lasts(Number(at), APP_SHOWN_MS, now': 'a page that sets up an app',
  'domain/signin/signin.ts: lasts(at, spanMs, now': 'five one-time passwords for a number',
  'domain/signin/signin.ts: within(DAY_MS, sends?.sentAt ?? [], now': 'five codes at checkouts for a number',
  'domain/signin/signin.ts: within(HOUR_MS, sentAt, now': 'five codes for a mandate’s page',
  'domain/signin/validate-otp.ts: isTooFarAhead(challenge.createdAt, now': 'a one-time password',
  'domain/signin/validate-otp.ts: within(HOUR_MS, failures?.failedAt ?? [], now': 'nine wrong one-time passwords of a device',
  'domain/signin/retention.ts: isTooFarAhead(at - (misdated?.aheadMs ?? 0), now': 'a session of the console',
  'domain/payment-page/page.ts: lastsUntil(until, PAGE_VALIDITY_MS, now': 'a payment page',
  'domain/order/checkout-otp.ts: lastsUntil(expiresAt, CHECKOUT_OTP_VALIDITY_MS, now': 'a code at the checkout',
  'domain/subscription/payer-page/mandate-page.ts: lastsUntil(until, PAGE_VALIDITY_MS, now': 'a mandate’s page',
  'domain/subscription/payer-page/mandate-page.ts: isTooFarAhead(askedAt, now': 'a code that opens a mandate’s page',
  'domain/subscription/payer-page/mandate-page.ts: lastsUntil(until, OTP_VALIDITY_MAX_MS, now': 'a code that opens a mandate’s page',
  'domain/subscription/payer-page/mandate-page.ts: lastsUntil(codeUntil, OTP_VALIDITY_MAX_MS, now': 'a code that opens a mandate’s page',
  'domain/merchant/redate-key.ts: isTooFarAhead(key.retiresAt - ROTATION_OVERLAP_MS, now': 'test/flows/misdated-rows.test.ts',
  'flows/otp-message-due.ts: lastsUntil(message.expiresAt, message.validityMs, clock.now': 'test/flows/misdated-rows.test.ts',
}

function foundIn(pattern: RegExp): string[] {
  const files = ROOMS.flatMap((room) => {
    const isFolder = statSync(join(SRC, room)).isDirectory()
    return isFolder ? readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)) : [room]
  })
  const found = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const lines = readFileSync(join(SRC, file), 'utf8').split('\n')
      const code = lines.filter((line) => !/^\s*(?:\/\/|\/?\*|import )/.test(line)).map((line) => line.replace(/ \/\/ .*/, ''))
      return code.flatMap((line) => [...line.matchAll(pattern)].map(([match]) => `${file}: ${match}`))
    })
  return [...new Set(found)].sort()
}

test('no time is compared in these rooms without the guard but those that are listed', () => {
  assert.deepEqual(foundIn(COMPARED), Object.keys(BARE).sort())
})

test('every time that goes by the guard is tried under both jumps', () => {
  assert.deepEqual(foundIn(GUARDED), Object.keys(GUARDS).sort())
  const tried = [...timesOfConsole, ...timesOfSignIn, ...timesOfPages].map(({ name }) => name)
  for (const where of Object.values(GUARDS))
    assert.ok(where.startsWith('test/') ? existsSync(join(SRC, '..', where)) : tried.includes(where), where)
})

test('a new comparison is found, and code that only looks like one is not', () => {
  const planted = [
    'if (now < row.until) x',
    'row.seenAt > now',
    'now >= row.at + SPAN_MS',
    'clock.realNow() < link.until',
    'now <= x.failedAt',
  ]
  for (const line of planted) assert.equal([...line.matchAll(COMPARED)].length, 1, line)
  for (const line of ['(now: number) => now + SPAN_MS', 'Map<string, At>', 'html`<b data-until>`'])
    assert.equal([...line.matchAll(COMPARED)].length, 0, line)
})
