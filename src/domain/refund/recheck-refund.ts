// A person wants the bank asked about a refund now. So the next query is due now, before its scheduled time. It only asks: it never sends
// the refund again, and it takes no place in the schedule.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { refundKey, taskKey } from '../../tables/keys.ts'
import { refundTask } from './refund.ts'

/** `busy`: a process is calling the bank now. `sending`: no call about the refund has had a result yet, so there is nothing to ask. */
const codes = ownCodes('recheckRefund', 'absent', 'ended', 'busy', 'sending', 'asking')

export interface RecheckRefund {
  mid: string
  refId: string
  now: number
  /** Compared with the lease of a process that is asking. */
  realNow: number
}

export const recheckRefund = operation({
  name: 'recheckRefund',
  codes,
  reads: ({ mid, refId }: RecheckRefund) => ({
    refund: refundKey(mid, refId),
    task: taskKey('refund.due', `${mid}:${refId}`),
  }),
  decide({ now, realNow }, { refund, task }) {
    if (!refund) return { ...NOTHING, reply: { result: codes.absent } }
    if (refund.status !== 'PENDING' || !task) return { ...NOTHING, reply: { result: codes.ended } }
    if (task.leaseUntil > realNow) return { ...NOTHING, reply: { result: codes.busy } }
    if (refund.checks === 0) return { ...NOTHING, reply: { result: codes.sending } }
    // A query that is due already runs by itself.
    if (task.dueAt <= now) return { ...NOTHING, reply: { result: codes.asking } }
    return { ...NOTHING, reply: { result: codes.asking }, tasks: [refundTask(refund, now, task.dueAt)] }
  },
})
