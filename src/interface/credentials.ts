// Who may call what: docs/interface.md section 5. Each operation has a list of alternatives; of one alternative everything has to come.

import type { operations } from './operations.ts'

/** Where a credential stands, and what it is. */
export const credentialPlaces = {
  /** The checksum over the body. */
  signature: 'head.signature',
  /** The same in another place, with `tokenType` `CHECKSUM`. */
  checksum: 'head.token',
  /** The same over the whole request. */
  requestChecksum: 'x-checksum',
  /** Bearer of one order, also as `tokenType` `TXN_TOKEN` and `token`. */
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

const bySignature = [['signature']] as const
const byTxnToken = [['txnToken']] as const
const byEitherToken = [['txnToken'], ['accessToken']] as const

export const credentials: Readonly<Record<keyof typeof operations, readonly (readonly CredentialName[])[]>> = {
  validateOtp: [['client', 'device']],
  listSubscriptions: [['signature'], ['signature', 'ssoToken']],
  createOrder: [['signature'], []], // without one where the merchant's setting checksumEnabled is off
  modifyOrder: [['txnToken'], ['txnToken', 'signature']], // which of them, the merchant's setting signedModify says
  initiateSubscription: bySignature,
  sendOtp: [['client', 'device']],
  applyPromo: [['accessToken'], ['checksum']],
  createAccessToken: [['checksum']],
  processTransaction: byTxnToken,
  directBankRequest: byTxnToken,
  orderStatus: bySignature,
  closeOrder: bySignature,
  applyRefund: bySignature,
  refundStatus: bySignature,
  orderList: bySignature,
  refundList: bySignature,
  registerNotificationUrl: [['requestChecksum']],
  refreshToken: [['client', 'refreshToken']],
  revokeToken: [['client', 'device', 'sessionToken']],
  userDetails: [['sessionToken']],
  sendCheckoutOtp: byTxnToken,
  validateCheckoutOtp: byTxnToken,
  fetchPaymentOptions: byEitherToken,
  fetchBinDetail: byEitherToken,
  validateVpa: byEitherToken,
  fetchAllPaymentOffers: [['checksum'], ['ssoToken'], ['accessToken']],
  checkSubscriptionStatus: bySignature,
  cancelSubscription: bySignature,
  modifySubscriptionStatus: bySignature,
  preNotify: bySignature,
  preNotifyStatus: bySignature,
  renewSubscription: bySignature,
  consultSubscription: bySignature,
  editSubscription: bySignature,
  transactionStatus: byTxnToken,
  fetchBalanceInfo: byTxnToken,
  fetchNbPaymentChannels: byEitherToken,
  fetchEmiDetail: byTxnToken,
}
