// Deletes a signature a day after Modify Order took it. After a day nothing looks it up: docs/decisions/0004.

import { operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { usedSignatureKey } from '../../tables/keys.ts'
import { SIGNATURE_REUSE_MS } from './order.ts'

const codes = ownCodes('purgeSignature', 'forgotten', 'kept')

export interface PurgeSignature {
  mid: string
  signatureHash: string
  now: number
}

export const purgeSignature = operation({
  name: 'purgeSignature',
  codes,
  reads: ({ mid, signatureHash }: PurgeSignature) => ({ used: usedSignatureKey(mid, signatureHash) }),
  decide({ mid, signatureHash, now }, { used }) {
    const isOld = used !== undefined && now >= used.usedAt + SIGNATURE_REUSE_MS // it may have been used again since the sweep found it
    return {
      reply: { result: isOld ? codes.forgotten : codes.kept },
      changes: isOld ? [{ kind: 'delete', key: usedSignatureKey(mid, signatureHash) }] : [],
      events: [],
      tasks: [],
    }
  },
})
