// Adds a process's uses of a key in the last hour to the key's row. No decision depends on these uses.

import { isTooFarAhead } from '../../engine/clock.ts'
import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import type { Row } from '../../tables/tables.ts'
import { keyOf } from './keys.ts'

const codes = ownCodes('recordKeyUse', 'recorded', 'gone')

export interface RecordKeyUse extends Pick<Row<'merchantKeys'>, 'mid' | 'clientId' | 'generation' | 'key'> {
  /** Real time; null when the key signed no request. */
  seenAt: number | null
  wrong: number
  realNow: number
}

export const recordKeyUse = operation({
  name: 'recordKeyUse',
  codes,
  reads: ({ mid, clientId, generation }: RecordKeyUse) => ({ row: keyOf(mid, clientId, generation) }),
  decide({ mid, clientId, generation, key, seenAt, wrong, realNow }, { row }) {
    // A world file may have replaced the key.
    if (row?.key !== key) return { ...NOTHING, reply: { result: codes.gone } }
    const before = row.lastSeenAt !== null && isTooFarAhead(row.lastSeenAt, realNow) ? null : row.lastSeenAt
    const lastSeenAt = seenAt === null ? row.lastSeenAt : Math.max(seenAt, before ?? seenAt)
    const after = { ...row, lastSeenAt, wrongSignatures: row.wrongSignatures + wrong }
    return {
      ...NOTHING,
      reply: { result: codes.recorded },
      changes: [{ kind: 'update', key: keyOf(mid, clientId, generation), row: after }],
    }
  },
})
