// Create Order's body, as the demo merchant sends it for ₹10. A test adds what it is about.

import { MID } from '../run/service.ts'

export const orderBody = <More extends object>(orderId: string, more?: More) => ({
  requestType: 'PAYMENT' as const,
  mid: MID,
  orderId,
  txnAmount: { value: '10.00', currency: 'INR' as const },
  userInfo: { custId: 'C1' },
  websiteName: 'DEFAULT',
  ...more,
})
