// The facts about a mandate's page and its link that the sandbox's drawer gets: docs/sandbox.md, "The drawer". Production has no drawer.

import type { DrawerSubject } from '../kit/page-parts.ts'
import { mandateVersionOf } from './forms.ts'
import { type LinkState, type MandatePageState, mandateStageOf } from './page-state.ts'

export const linkDrawerSubject = ({ linkId, subscription }: LinkState): DrawerSubject => ({
  ...{ address: `/m/${linkId}`, mid: subscription.mid, mobile: subscription.mandate?.payer?.mobile ?? subscription.details.mobile },
})

export function mandateDrawerSubject(seen: MandatePageState): DrawerSubject {
  const { address, page } = seen
  const version = mandateVersionOf(seen, 'open')
  return {
    ...{ address, mid: page.mid, mobile: page.mobile },
    ...(mandateStageOf(seen) === 'code' && { code: { from: 'inbox', action: `${address}/open`, field: 'code', carries: { version } } }),
  }
}
