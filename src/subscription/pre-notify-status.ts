// Pre Notify Status: docs/interface.md section 4.38. It only reads, so it is answered beside the batches.

import Type, { type Static } from 'typebox'
import { dateTimeInIndia } from '../engine/clock.ts'
import { question } from '../engine/decision.ts'
import * as fields from '../interface/fields.ts'
import { preNotifyStatus as codes } from '../interface/result-codes.ts'
import type { Signed } from '../interface/wire.ts'
import { look, newestNotice, type Row } from '../tables.ts'
import { hasEnded } from './collection.ts'
import { ids, managingWire } from './managing.ts'

const body = Type.Object({
  mid: fields.mid,
  ...ids,
  referenceId: Type.Optional(fields.string()),
  /** Ours, by the name that clients have for it. */
  noticeId: Type.Optional(fields.string()),
  orderId: Type.Optional(fields.orderId),
})

export const wire = managingWire(body, codes)

export interface PreNotifyStatus {
  request: Static<typeof body>
  caller: Signed
  /** By whichever name, in body or query. */
  subscriptionId: string
}

export const preNotifyStatus = question({
  name: 'preNotifyStatus',
  codes,
  async answer({ request: { mid, referenceId, noticeId, orderId }, caller, subscriptionId }: PreNotifyStatus, query) {
    // Nobody but a known merchant has a key, so this refuses an unknown one as well.
    if (caller.signature !== 'valid') return { result: codes.badRequest }
    if (referenceId === undefined && noticeId === undefined && orderId === undefined) return { result: codes.referenceMissing }
    if (!(await query.row(look('subscriptions', mid, subscriptionId)))) return { result: codes.notFound }
    const named = {
      ...(referenceId !== undefined && { referenceId }),
      ...(noticeId !== undefined && { noticeId }),
      ...(orderId !== undefined && { orderId }),
    }
    const [notice] = await query.rows(newestNotice({ mid, subscriptionId, ...named }))
    if (!notice) return { result: codes.noticeNotFound }
    const cycle = notice.status === 'PENDING' && (await query.row(look('collections', mid, notice.collectionId)))
    return { result: codes.success, body: shown(notice, cycle && hasEnded(cycle) ? CYCLE_ENDED : ends[notice.status]) }
  },
})

/** What is told of each end; the codes are ours. */
interface End {
  status: 'SUCCESS' | 'FAILURE' | 'PENDING'
  code: string
  message: string
}
const ends: Readonly<Record<Row<'notices'>['status'], End>> = {
  SUCCESS: { status: 'SUCCESS', code: '0', message: 'The customer was notified' },
  PENDING: { status: 'PENDING', code: '1', message: 'The notice is on its way' },
  FAILURE: { status: 'FAILURE', code: '2', message: 'The notice could not be delivered' },
  OPTED_OUT: { status: 'FAILURE', code: '3', message: 'The customer does not want this debit' },
}
/** Cancelled, paused or over: nobody sends it any more. */
const CYCLE_ENDED: End = { status: 'FAILURE', code: '4', message: 'The cycle ended before the notice was sent' }

function shown({ subscriptionId, debitDate, content, requestedAt, answeredAt }: Row<'notices'>, end: End) {
  return {
    subsId: subscriptionId,
    txnDate: `${fields.dayFirst(debitDate)} 00:00`,
    txnMessage: content.txnMessage,
    notificationStatus: end.status,
    notificationStatusCode: end.code,
    notificationStatusMessage: end.message,
    notificationDate: minuteOf(answeredAt ?? requestedAt),
  }
}

/** DD-MM-YYYY HH:MM in India. */
function minuteOf(at: number) {
  const [day = '', time = ''] = dateTimeInIndia(at).split(' ')
  return `${fields.dayFirst(day)} ${time.slice(0, 'HH:MM'.length)}`
}
