// Keeps a link to the payer's page of a mandate, before a message carries it: docs/pages.md, "The mandate page".

import { eventOf, NOTHING, operation } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import { mandateLinkKey } from '../../../tables/keys.ts'

const codes = ownCodes('keepMandateLink', 'kept')

export interface KeepMandateLink {
  linkHash: string
  mid: string
  subscriptionId: string
  now: number
}

export const keepMandateLink = operation({
  name: 'keepMandateLink',
  codes,
  reads: ({ linkHash }: KeepMandateLink) => ({ link: mandateLinkKey(linkHash) }),
  decide({ linkHash, mid, subscriptionId, now }, { link }) {
    if (link) return { ...NOTHING, reply: { result: codes.kept } }
    const row = { linkHash, mid, subscriptionId, createdAt: now }
    const after = { version: 1, status: 'KEPT' }
    return {
      reply: { result: codes.kept },
      changes: [{ kind: 'insert', key: mandateLinkKey(linkHash), row }],
      events: [eventOf({ type: 'link.kept', owner: mid, id: subscriptionId, before: undefined, after, at: now, data: {} })],
      tasks: [],
    }
  },
})
