// What the sandbox's drawer learns of a payment page: docs/sandbox.md, "The drawer". Production has no drawer.

import type { DrawerSubject } from '../kit/page-parts.ts'
import { codeSentTo } from './options.ts'
import { type PageState, stageOf } from './page-state.ts'

export function drawerSubjectOf(seen: PageState): DrawerSubject {
  const { address, order, latest } = seen
  const stage = stageOf(seen)
  const isEnded = stage === 'paid' || stage === 'closed' || stage === 'over'
  const sentTo = stage === 'choices' && order.payer === null ? codeSentTo(seen) : undefined
  return {
    ...{
      address,
      mid: order.mid,
      mobile: sentTo ?? (seen.isSameBrowser ? order.payer?.mobile : undefined) ?? order.details.userInfo['mobile'],
    },
    order: { orderId: order.orderId, stage: stage === 'choices' ? 'begins' : isEnded ? 'ended' : 'waits' },
    ...(stage === 'otp' && {
      code: { from: 'bank', action: `${address}/otp`, field: 'otp', carries: { attempt: String(latest!.attempt) } },
    }),
    ...(sentTo !== undefined && { code: { from: 'inbox', action: `${address}/sign-in/otp`, field: 'code', carries: {} } }),
  }
}
