// Opens a payment page by a valid txnToken, or by a signed form: docs/pages.md. The page's own id is new each time, and opens nothing but
// the page. The page shows the order's present state.

import { operation, refuse } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { pageKey } from '../../tables/keys.ts'
import { look, type Row } from '../../tables/tables.ts'
import { TXN_TOKEN_VALIDITY_MS } from '../order/order.ts'
import { mayOpen, openUntil } from './page.ts'

const codes = ownCodes('openPage', 'opened', 'unknown', 'expired')

export interface OpenPage {
  mid: string
  orderId: string
  /**
   * The order's valid token, or the keyed hash of the signed form that made the order. The form opens a page for as long as the order
   * lives.
   */
  by: { txnTokenHash: string } | { formHash: string }
  kind: Row<'pages'>['kind']
  embeddingOrigin: string | null
  agentHash: string
  view: Row<'pages'>['view']
  now: number
  fresh: { pageHash: string }
}

export const openPage = operation({
  name: 'openPage',
  codes,
  reads: ({ mid, orderId }: OpenPage) => ({ order: look('orders', mid, orderId) }),
  decide({ by, kind, embeddingOrigin, agentHash, view, now, fresh }, { order }) {
    const isOpener = 'formHash' in by ? order?.details.formHash === by.formHash : order?.txnTokenHash === by.txnTokenHash
    if (!order || !isOpener || order.requestType === 'RENEWAL') return refuse(codes.unknown)
    const isOver = 'txnTokenHash' in by && now >= order.txnTokenIssuedAt + TXN_TOKEN_VALIDITY_MS
    if (isOver || !mayOpen(order, now)) return refuse(codes.expired)
    const { pageHash } = fresh
    const { mid, orderId } = order
    const row: Row<'pages'> = {
      pageHash,
      mid,
      orderId,
      kind,
      openedAt: now,
      until: openUntil(order, now),
      extensions: 0,
      embeddingOrigin,
      agentHash,
      view: 'formHash' in by ? { ...view, byForm: true } : view,
    }
    return { reply: { result: codes.opened }, changes: [{ kind: 'insert', key: pageKey(pageHash), row }], events: [], tasks: [] }
  },
})
