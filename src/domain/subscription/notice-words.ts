// The words for a notice's result: docs/interface.md sections 4.38 and 6.

import { dateTimeInIndia } from '../../engine/clock.ts'
import * as fields from '../../interface/fields.ts'
import type { Row } from '../../tables/tables.ts'

/** The words for each result. The codes are Mohur's choice. */
export interface NoticeEnd {
  status: 'SUCCESS' | 'FAILURE' | 'PENDING'
  code: string
  message: string
}
export const ends: Readonly<Record<Row<'notices'>['status'], NoticeEnd>> = {
  SUCCESS: { status: 'SUCCESS', code: '0', message: 'The customer was notified' },
  PENDING: { status: 'PENDING', code: '1', message: 'The notice is on its way' },
  FAILURE: { status: 'FAILURE', code: '2', message: 'The notice could not be delivered' },
  OPTED_OUT: { status: 'FAILURE', code: '3', message: 'The customer does not want this debit' },
}
/** The cycle was cancelled, paused or over, so the notice is not sent any more. */
export const CYCLE_ENDED: NoticeEnd = { status: 'FAILURE', code: '4', message: 'The cycle ended before the notice was sent' }

export function noticeInWords({ content, status, requestedAt, answeredAt }: Row<'notices'>, end = ends[status]) {
  return {
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
