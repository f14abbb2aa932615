// Rows that a decision finds, each in its usual state. A test passes what differs.

import { NEW_KEY } from '../../../src/domain/merchant/keys.ts'
import { newTransaction, OF_NO_CYCLE } from '../../../src/domain/transaction/transaction.ts'
import { dayEnds } from '../../../src/engine/clock.ts'
import type { Category } from '../../../src/reference/reference.ts'
import type { Row, TableName } from '../../../src/tables/tables.ts'
import type { Given } from './given.ts'

/** An instant in India. */
export const at = (text: string) => Date.parse(`${text.replace(' ', 'T')}+05:30`)
export const NOW = at('2026-06-15 10:00')
export const HOUR = 3_600_000
export const DAY = 24 * HOUR
export const [MID, ORDER, SUBSCRIPTION, TXN] = ['M', 'O', 'S', 'T']

const row =
  <T extends TableName>(table: T, usual: Row<T>) =>
  (more: Partial<Row<T>> = {}) =>
    ({ table, row: { ...usual, ...more } }) as Extract<Given, { table: T }>

export const merchant = row('merchants', {
  ...{ mid: MID, name: 'Shop', mcc: '5999', checksumEnabled: true, signedModify: 'optional', debitCardEmi: false, version: 0 },
  ...{ websites: { DEFAULT: {} }, notification: { url: 'https://shop.example/all', form: 'json', secret: 's' }, feeHundredths: 0 },
  ...{ paymentModes: ['BALANCE', 'UPI', 'CREDIT_CARD', 'NET_BANKING', 'BANK_MANDATE'], callbackFields: 'all', status: 'ACTIVE' },
  ...{ registersNotificationUrl: false, flatRefund: false, upiCollect: 'rule', pageOrigins: null, pageLanguage: null },
  ...{ utilityCode: null, supportContact: null },
})
export const order = row('orders', {
  ...{ mid: MID, orderId: ORDER, version: 1, status: 'CREATED', requestType: 'PAYMENT', subscriptionId: null, amountPaise: 100_00 },
  ...{ modifyCount: 0, unsignedModifyCount: 0, custId: 'C', searchTerms: '', websiteName: 'DEFAULT', callbackUrl: null, peonUrl: null },
  ...{ txnTokenHash: 'hash', txnTokenIssuedAt: NOW - 60_000, expiresAt: NOW + DAY, paymentModes: {}, details: { userInfo: {} } },
  ...{ transactionCount: 0, leftCount: 0, txnId: null, payer: null, updatedAt: NOW - 60_000, consentOrderId: null },
})
export const firstOrder = (more: Partial<Row<'orders'>> = {}) =>
  order({
    status: 'PAID',
    requestType: 'NATIVE_SUBSCRIPTION',
    subscriptionId: SUBSCRIPTION,
    version: 3,
    txnId: TXN,
    transactionCount: 1,
    ...more,
  })
export const transaction = row('transactions', {
  ...newTransaction({
    ...{ mid: MID, txnId: TXN, orderId: ORDER, attempt: 1, paymentMode: 'UPI', channel: 'UPI', flow: 'NONE', amountPaise: 100_00 },
    ...{ orderVersion: 1, discountPaise: 0, walletPaise: 0, bankPaise: 100_00, promocode: null, instrument: { vpa: 'payer@upi' } },
    ...{ payer: null, initiatedAt: NOW - 60_000, ...OF_NO_CYCLE },
  }),
})
export const paid = (more: Partial<Row<'transactions'>> = {}) =>
  transaction({ status: 'SUCCESS', result: 'success', version: 2, capturedPaise: 100_00, bankTxnId: 'B', ...more })

/** Active, collected by Mohur on the first of each month by UPI, 100 rupees. The next cycle is July's. */
export const subscription = row('subscriptions', {
  ...{ mid: MID, subscriptionId: SUBSCRIPTION, version: 3, status: 'ACTIVE', subStatus: 'ACTIVE', orderId: ORDER, custId: 'C' },
  ...{
    amountType: 'FIX',
    txnAmountPaise: 100_00,
    renewalAmountPaise: 100_00,
    maxAmountPaise: 100_00,
    frequencyUnit: 'MONTH',
    frequency: 1,
  },
  ...{ startDate: '2026-06-01', expiryDate: '2027-05-31', graceDays: 2, enableRetry: true, retryCount: 3, autoRenewal: true },
  ...{ autoRetry: true, communicationManager: false, appInvokeDevice: '3P', mandateType: null, paymentModes: ['UPI'], details: {} },
  ...{ createdAt: at('2026-06-01 09:00'), updatedAt: at('2026-06-01 09:00'), paymentMode: 'UPI', consentedAt: at('2026-06-01 09:00') },
  ...{ mandate: { reference: 'UMN', instrument: { vpa: 'payer@upi' } }, wakesAt: dayEnds('2027-05-31'), edit: null },
})
export const CYCLE = 'S.20260701'
export const cycle = row('collections', {
  ...{ mid: MID, collectionId: CYCLE, version: 1, subscriptionId: SUBSCRIPTION, dueDate: '2026-07-01', number: 1, status: 'SCHEDULED' },
  ...{ windowFrom: '2026-07-01', windowTo: '2026-07-03', rail: 'UPI', amountType: 'FIX', amountPaise: 100_00, maxPaise: 100_00 },
  ...{ attempts: 0, attemptsMax: 4, noticeNeeded: true, notices: 0, noticedAt: null, noticedPaise: null, orderId: null, txnId: null },
  ...{ sentAt: null, nextAt: at('2026-06-29 18:00'), createdAt: at('2026-06-01 09:00'), updatedAt: at('2026-06-01 09:00') },
  ...{ authentication: 'NONE', unwanted: 'NO' },
})
/** The cycle after it. */
export const following = (more: Partial<Row<'collections'>> = {}) =>
  cycle({
    ...{ collectionId: 'S.20260801', dueDate: '2026-08-01', number: 2, windowFrom: '2026-08-01', windowTo: '2026-08-03' },
    ...{ nextAt: at('2026-07-30 18:00'), ...more },
  })
export const NOTICED = at('2026-06-29 18:00')
export const noticed = (more: Partial<Row<'collections'>> = {}) =>
  cycle({ status: 'NOTIFIED', version: 2, notices: 1, noticedAt: NOTICED, noticedPaise: 100_00, nextAt: at('2026-07-01 06:00'), ...more })
/** One attempt is in flight: it was sent, or waits for its hour with `sentAt: null`. */
export const inFlight = (more: Partial<Row<'collections'>> = {}) =>
  noticed({ status: 'IN_FLIGHT', version: 3, attempts: 1, orderId: 'A1', txnId: 'T1', sentAt: at('2026-07-01 06:00'), ...more })
export const notice = row('notices', {
  ...{ mid: MID, noticeId: 'N', subscriptionId: SUBSCRIPTION, collectionId: CYCLE, number: 1, referenceId: 'R', orderId: null },
  ...{ status: 'SUCCESS', amountPaise: 100_00, debitDate: '2026-07-01', content: { txnMessage: 'subscription' } },
  ...{ requestedAt: NOTICED, answeredAt: NOTICED },
})
export const attemptOrder = (more: Partial<Row<'orders'>> = {}) =>
  order({
    ...{ orderId: 'A1', status: 'IN_PROCESS', requestType: 'RENEWAL', subscriptionId: SUBSCRIPTION, consentOrderId: ORDER, txnId: 'T1' },
    ...{ txnTokenHash: '', txnTokenIssuedAt: 0, expiresAt: 0, transactionCount: 1, ...more },
  })
export const attempt = (more: Partial<Row<'transactions'>> = {}) =>
  transaction({
    ...{ txnId: 'T1', orderId: 'A1', channel: '', collectionId: CYCLE, collectionAttempt: 1, sentAt: at('2026-07-01 06:00') },
    ...{ initiatedAt: at('2026-07-01 06:00'), updatedAt: at('2026-07-01 06:00'), ...more },
  })
export const customer = row('customers', {
  mobile: '9999900001',
  userId: 'U',
  walletBalancePaise: 500_00,
  pendingVerificationSince: null,
  signedInAt: null,
})
export const PAYER = { userId: 'U', mobile: '9999900001' } as NonNullable<Row<'orders'>['payer']>

export const SIGNED = { signature: 'valid' } as const
export const UNSIGNED = { signature: 'invalid' } as const
export const reference = { category: (): Category | undefined => undefined }

/** Open, with a code that was sent a minute ago. */
export const mandatePage = row('mandatePages', {
  ...{ pageHash: 'P', mid: MID, subscriptionId: SUBSCRIPTION, agentHash: 'agent', askedAt: NOW - 120_000, openedAt: NOW - 90_000 },
  ...{ until: NOW + 10 * 60_000, extensions: 0, mobile: PAYER.mobile, codeHash: 'right', codeFor: 'open', tries: 0, triesMax: 3 },
  ...{ codeUntil: NOW + 4 * 60_000, usedAt: null, view: {} as Row<'mandatePages'>['view'] },
})
export const task = row('tasks', {
  ...{ task: '', subject: '', dueAt: NOW + HOUR, attempts: 1, fence: 1, leaseUntil: 0, payload: {}, addedAt: NOW - 60_000 },
})

/** Ten rupees off by the shop's promotion, reserved by this payment. */
export const redemption = row('redemptions', {
  ...{ mid: MID, txnId: TXN, version: 1, orderId: ORDER, promocode: 'TEN', custId: 'C', kind: 'DISCOUNT', amountPaise: 10_00 },
  ...{ fundedBy: 'shop', status: 'RESERVED', updatedAt: NOW - 60_000 },
})
/** How often a promotion was used: by all customers, or by one. */
export const counter = row('promotionCounters', {
  ...{ mid: MID, promocode: 'TEN', custId: '', uses: 0, amountPaise: 0, budgetPaise: null, usesMax: null },
})
export const counters = (uses: number) => ['', 'C'].map((custId) => counter({ custId, uses, amountPaise: uses * 10_00 }))
export const promotion = row('promotions', {
  ...{ mid: MID, promocode: 'TEN', kind: 'DISCOUNT', title: 'Ten rupees off', flatPaise: 10_00, percentHundredths: null, upToPaise: null },
  ...{ minAmountPaise: 0, payMethods: [], banks: [], bins: [], skus: [], validFrom: '2026-01-01', validUpto: '2026-12-31' },
  ...{ budgetPaise: null, fundedBy: 'shop', maxPerCustomer: null, visible: true },
})
export const savedCard = row('savedCards', {
  ...{ mid: MID, custId: 'C', savedCardId: 'CARD', paymentMode: 'CREDIT_CARD', savedAt: NOW - DAY },
  card: { userId: PAYER.userId, bin: '41111111', last4: '1111', scheme: 'VISA', expiry: '122030', token: 'token' },
})
/** An active sign-in. */
export const family = row('tokenFamilies', {
  ...{ familyId: 'F', clientId: 'APP', mobile: PAYER.mobile, userId: PAYER.userId, scopes: ['wallet'], version: 1, status: 'ACTIVE' },
  ...{ createdAt: NOW - DAY, stateTokenHash: 'state', deviceHash: 'device', ssoTokens: [], updatedAt: NOW - DAY },
})
/** Thirty rupees of the payment, requested a minute ago. */
export const refund = row('refunds', {
  ...{ mid: MID, refId: 'R', version: 1, refundId: 'RX', orderId: ORDER, txnId: TXN, status: 'PENDING', result: 'pending' },
  ...{ amountPaise: 30_00, bankPaise: 30_00, walletPaise: 0, contentHash: 'content', bankTxnId: null, details: { keyedBy: 'refId' } },
  ...{ requestedAt: NOW - 60_000, updatedAt: NOW - 60_000, checks: 0 },
})
export const ssoToken = row('ssoTokens', {
  ...{ tokenHash: 'sso', userId: PAYER.userId, mobile: PAYER.mobile, clientId: 'APP', familyId: 'F', scopes: ['wallet'] },
  ...{ issuedAt: NOW - 60_000, expiresAt: NOW + DAY, revokedAt: null },
})
export const customerLink = row('customerLinks', { mid: MID, custId: 'C', userId: PAYER.userId, linkedAt: NOW - DAY })
export const mandateLink = row('mandateLinks', { linkHash: 'L', mid: MID, subscriptionId: SUBSCRIPTION, createdAt: NOW - DAY })
/** Codes that were sent to the payer's number, each as long ago as given. */
export const sends = <T extends 'mandateCodeSends' | 'checkoutOtpSends' | 'otpSends'>(table: T, ...agoMs: readonly number[]) => {
  const sentAt = agoMs.map((ago) => NOW - ago)
  return { table, row: { mobile: PAYER.mobile, sentAt, lastAt: Math.max(...sentAt) } } as Extract<Given, { table: T }>
}
export const LIMITS = {
  ...{ otpValidityMs: 300_000, triesMax: 3, failuresPerHour: 9, sendsPerHour: 5, sendsPerDay: 10, ssoValidityMs: DAY },
}
export const usedSignature = row('usedSignatures', { mid: MID, signatureHash: 'sig', orderId: ORDER, usedAt: NOW - 60_000 })
export const setting = row('settings', { name: '', value: '' })
/** Sent a minute ago. */
export const checkoutOtp = row('checkoutOtps', {
  ...{ mid: MID, orderId: ORDER, mobile: PAYER.mobile, otpHash: 'right', tries: 0, sentAt: [NOW - 60_000], expiresAt: NOW + 60_000 },
  consumedAt: null,
})
export const client = row('signInClients', { clientId: 'APP', secretHash: 'secret', scopes: ['wallet', 'txn'] })
export const challenge = row('otpChallenges', {
  ...{ stateTokenHash: 'stateHash', clientId: 'APP', deviceHash: 'device', mobile: PAYER.mobile, scopes: ['wallet'], otpHash: 'right' },
  ...{ tries: 0, triesMax: 3, createdAt: NOW - 60_000, expiresAt: NOW + 4 * 60_000, consumedAt: null },
})
/** Wrong passwords, each as long ago as given. */
export const failures = (...agoMs: readonly number[]) => {
  const failedAt = agoMs.map((ago) => NOW - ago)
  return row('otpFailures', { mobile: PAYER.mobile, deviceHash: 'device', failedAt, lastAt: Math.max(...failedAt) })()
}
export const refreshTokenRow = row('refreshTokens', {
  ...{ tokenHash: 'refresh', familyId: 'F', generation: 1, issuedAt: NOW - DAY, expiresAt: NOW + 29 * DAY, usedAt: null },
  ...{ successor: null, successorUntil: null },
})
/** The order's stream to the merchant, which is delivering its second notification. */
export const stream = row('notificationStreams', {
  ...{ mid: MID, orderId: ORDER, endpoint: 'merchant', status: 'ACTIVE', last: 2, next: 2, attempts: 0, updatedAt: NOW - 60_000 },
})
export const notification = row('notifications', {
  ...{ mid: MID, orderId: ORDER, endpoint: 'merchant', sequence: '000002', notificationId: 'M:O:merchant:2', status: 'OPEN' },
  ...{ form: 'json', url: 'https://shop.example/all', event: 'order|O|2', content: {}, attempts: 0, createdAt: NOW - 60_000 },
  deliveredAt: null,
})
export const stoppedEndpoint = row('stoppedEndpoints', { mid: MID, url: 'https://shop.example/all', stoppedAt: NOW - 60_000 })

export const merchantKey = row('merchantKeys', {
  ...{ mid: MID, clientId: 'C11', generation: '0', position: 0, key: 'first', ...NEW_KEY },
})
export const page = row('pages', {
  ...{ pageHash: 'P', mid: MID, orderId: ORDER, kind: 'full', openedAt: NOW - 10 * 60_000, until: NOW + 5 * 60_000, extensions: 0 },
  ...{ embeddingOrigin: null, agentHash: 'agent', view: {} },
})
export const accessToken = row('accessTokens', {
  ...{ mid: MID, referenceId: 'REF_000001', tokenHash: 'access', issuedAt: NOW - 60_000, expiresAt: NOW + 14 * 60_000 },
  ...{ custId: null, payer: null },
})

/** A member of the staff, who signs in by a password alone. */
export const operator = row('operators', {
  ...{ emailHash: 'E', operatorId: 'OP', version: 3, email: 'staff@shop.example', name: 'Staff', roles: ['support'], mids: [MID] },
  ...{ status: 'ACTIVE', passwordHash: 'old', passwordVersion: 1, formerHashes: [] },
  ...{ totp: null, mustSetUpApp: false, recoveryHashes: [], totpSteps: [] },
  ...{ createdAt: NOW - DAY, factorsSetAt: NOW - DAY, seenAt: NOW - DAY },
})
/** Another person asked for a refund an hour ago. */
export const approval = row('approvals', {
  ...{
    approvalId: 'A',
    version: 1,
    action: 'payment.refund',
    mid: MID,
    subject: `transaction:${TXN}`,
    subjectVersion: 9,
    amountPaise: 30_00,
  },
  ...{ status: 'ASKED', askedBy: 'ASKER', askedAt: NOW - HOUR, until: NOW + 71 * HOUR },
  ...{ decidedBy: null, decidedAt: null },
})
/** That person signed in an hour ago, and was active a minute ago. */
export const operatorSession = row('operatorSessions', {
  ...{ sessionHash: 'OLD', operatorId: 'OP', operatorVersion: 3, network: 'net', createdAt: NOW - HOUR, seenAt: NOW - 60_000 },
  ...{ until: NOW + 11 * HOUR, steppedUpAt: null },
})
export const operatorToken = row('operatorTokens', {
  ...{ tokenHash: 'LINK', operatorId: 'OP', kind: 'SETUP', until: NOW + 10 * 60_000, usedAt: null },
})
/** Wrong passwords for one account from a caller, or for all accounts from a network, each as long ago as given. */
export const failuresBy = (caller: string, emailHash: string, ...agoMs: readonly number[]) => {
  const failedAt = agoMs.map((ago) => NOW - ago)
  return row('signInFailures', { emailHash, caller, failedAt, lastAt: Math.max(...failedAt) })()
}
export const signInFailures = (emailHash: string, ...agoMs: readonly number[]) => failuresBy('net', emailHash, ...agoMs)
