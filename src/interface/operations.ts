// Every operation on one page. The first path is the interface's own; the others are spellings that clients in use send.

export interface OperationLine {
  method: 'POST'
  paths: readonly string[]
  credential: string
  section: string
  file: string
}

export const operations = {
  validateOtp: {
    method: 'POST',
    paths: ['/v4/signin/validate/otp/sv1'],
    credential: 'Authorization (Basic), x-device-identifier',
    section: '4.1',
    file: 'signin/validate-otp.ts',
  },
  listSubscriptions: {
    method: 'POST',
    paths: ['/subscription/list/all'],
    credential: 'head.signature, head.token (AES or SSO)',
    section: '4.2',
    file: 'subscription/list-subscriptions.ts',
  },
  createOrder: {
    method: 'POST',
    paths: ['/aoa-acquiring-biz/v2/order', '/theia/api/v1/initiateTransaction', '/order/initiate'],
    credential: 'head.signature',
    section: '4.5',
    file: 'order/create-order.ts',
  },
  modifyOrder: {
    method: 'POST',
    paths: ['/aoa-acquiring-biz/v2/modifyOrder', '/theia/api/v1/updateTransactionDetail'],
    credential: 'head.token (TXN_TOKEN), head.signature',
    section: '4.3',
    file: 'order/modify-order.ts',
  },
  initiateSubscription: {
    method: 'POST',
    paths: ['/subscription/create', '/theia/api/v1/subscription/create'],
    credential: 'head.signature',
    section: '4.6',
    file: 'subscription/initiate-subscription.ts',
  },
  sendOtp: {
    method: 'POST',
    paths: ['/v4/signin/otp/sv1'],
    credential: 'Authorization (Basic), x-device-identifier',
    section: '4.7',
    file: 'signin/send-otp.ts',
  },
  applyPromo: {
    method: 'POST',
    paths: ['/theia/api/v2/applyPromo'],
    credential: 'head.token (ACCESS, CHECKSUM)',
    section: '4.4',
    file: 'promotion/apply-promo.ts',
  },
  createAccessToken: {
    method: 'POST',
    paths: ['/theia/api/v1/token/create'],
    credential: 'head.token (CHECKSUM)',
    section: '4.8',
    file: 'promotion/create-access-token.ts',
  },
} as const satisfies Record<string, OperationLine>
