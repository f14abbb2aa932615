// A key that was rotated under a clock far ahead would live until that clock's time and a day. The key's day begins when the clock is right
// again: docs/decisions/0013.

import { AHEAD_MAX_MS, isTooFarAhead } from '../../engine/clock.ts'
import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { find, type Row } from '../../tables/tables.ts'
import { keyOf, ROTATION_OVERLAP_MS } from './keys.ts'

const PORTION = 500 // Mohur's choice: keys that one query finds

export const misdatedKeys = (now: number) =>
  find('merchantKeys', { orderBy: ['retiresAt'], beyond: [now + ROTATION_OVERLAP_MS + AHEAD_MAX_MS], limit: PORTION, unopened: true })

const codes = ownCodes('redateKey', 'redated', 'kept')

export interface RedateKey extends Pick<Row<'merchantKeys'>, 'mid' | 'clientId' | 'generation'> {
  now: number
}

export const redateKey = operation({
  name: 'redateKey',
  codes,
  reads: ({ mid, clientId, generation }: RedateKey) => ({ key: keyOf(mid, clientId, generation) }),
  decide({ now }, { key }) {
    if (!key || key.retiresAt === null || !isTooFarAhead(key.retiresAt - ROTATION_OVERLAP_MS, now))
      return { ...NOTHING, reply: { result: codes.kept } }
    const row = { ...key, retiresAt: now + ROTATION_OVERLAP_MS }
    const { mid, clientId, generation } = key
    return { ...NOTHING, reply: { result: codes.redated }, changes: [{ kind: 'update', key: keyOf(mid, clientId, generation), row }] }
  },
})
