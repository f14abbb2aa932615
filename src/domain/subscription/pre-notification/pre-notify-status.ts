// Pre Notify Status: docs/interface.md section 4.38. This question only reads, so the service answers it outside the batches.

import Type, { type Static } from 'typebox'
import { question } from '../../../engine/decision.ts'
import * as fields from '../../../interface/fields.ts'
import * as replied from '../../../interface/replied.ts'
import { preNotifyStatus as codes } from '../../../interface/result-codes.ts'
import type { Signed } from '../../../interface/wire.ts'
import { newestNotice } from '../../../tables/keys.ts'
import { look, type Row } from '../../../tables/tables.ts'
import { hasEnded } from '../collection/collection.ts'
import { ids, managingWire } from '../manage-request.ts'
import { CYCLE_ENDED, ends, type NoticeEnd, noticeInWords } from '../notice-words.ts'
import { authenticationReply } from '../subscription-view.ts'

const body = Type.Object({
  mid: fields.mid,
  ...ids,
  referenceId: Type.Optional(fields.string()),
  /** Mohur's own id of the notice, under the name that clients use. */
  noticeId: Type.Optional(fields.string()),
  orderId: Type.Optional(fields.orderId),
})

export const wire = managingWire(body, codes)

export const reply = Type.Object({
  subsId: replied.id,
  txnDate: Type.String({ pattern: '^[0-9]{2}-[0-9]{2}-[0-9]{4} 00:00$' }),
  txnMessage: replied.text,
  notificationStatus: Type.Enum(['SUCCESS', 'PENDING', 'FAILURE']),
  notificationStatusCode: Type.Enum(['0', '1', '2', '3', '4']),
  notificationStatusMessage: replied.text,
  notificationDate: Type.String({ pattern: '^[0-9]{2}-[0-9]{2}-[0-9]{4} [0-9]{2}:[0-9]{2}$' }),
  authentication: Type.Optional(authenticationReply),
})

export interface PreNotifyStatus {
  request: Static<typeof body>
  caller: Signed
  /** From `subsId` or `subscriptionId`. */
  subscriptionId: string
}

export const preNotifyStatus = question({
  name: 'preNotifyStatus',
  codes,
  async answer({ request, caller, subscriptionId }: PreNotifyStatus, query) {
    // Only a known merchant has a key, so this line refuses an unknown merchant too.
    if (caller.signature !== 'valid') return { result: codes.badRequest, cause: 'signature' }
    const { mid, referenceId, noticeId, orderId } = request
    // Beside `subsId` alone, an orderId belongs to Check Subscription Status: docs/interface.md section 5.1.
    const isNamedByOrder = orderId !== undefined && request.subscriptionId !== undefined
    if (referenceId === undefined && noticeId === undefined && !isNamedByOrder) return { result: codes.referenceMissing }
    if (!(await query.row(look('subscriptions', mid, subscriptionId)))) return { result: codes.notFound }
    const named = {
      ...(referenceId !== undefined && { referenceId }),
      ...(noticeId !== undefined && { noticeId }),
      ...(orderId !== undefined && { orderId }),
    }
    const [notice] = await query.rows(newestNotice({ mid, subscriptionId, ...named }))
    if (!notice) return { result: codes.noticeNotFound }
    const cycle = await query.row(look('collections', mid, notice.collectionId))
    const isOver = notice.status === 'PENDING' && cycle !== undefined && hasEnded(cycle)
    const said = cycle?.notices === notice.number && cycle.authentication !== 'NONE' && { authentication: cycle.authentication }
    return { result: codes.success, body: { ...shown(notice, isOver ? CYCLE_ENDED : ends[notice.status]), ...said } }
  },
})

const shown = (notice: Row<'notices'>, end: NoticeEnd) => ({
  subsId: notice.subscriptionId,
  txnDate: `${fields.dayFirst(notice.debitDate)} 00:00`,
  ...noticeInWords(notice, end),
})
