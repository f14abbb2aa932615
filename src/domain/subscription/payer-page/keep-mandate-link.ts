// A link to a payer's page of his mandate, before it goes out in a message: docs/pages.md, "The mandate page".

import { operation } from '../../../engine/decision.ts'
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
    const done = { reply: { result: codes.kept }, events: [], tasks: [] }
    if (link) return { ...done, changes: [] }
    const row = { linkHash, mid, subscriptionId, createdAt: now }
    return { ...done, changes: [{ kind: 'insert', key: mandateLinkKey(linkHash), row }] }
  },
})
