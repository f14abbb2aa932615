// The link to a payer's page of their mandate (docs/pages.md, "The mandate page"). The link is a keyed hash of the mandate's name. So every
// process writes the same link into a message that is sent again. The store keeps only a keyed hash of the link.

import type { Vault } from '../adapters/store/vault.ts'
import type { Linked } from '../domain/subscription/payer-message.ts'
import { keepMandateLink } from '../domain/subscription/payer-page/keep-mandate-link.ts'
import type { Clock } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import type { Engine } from '../engine/engine.ts'
import { look } from '../tables/tables.ts'

const LINK_LENGTH = 22 // docs/pages.md: 132 bits
export const LINK_FORM = /^[A-Za-z0-9_-]{22}$/

export interface LinkParts {
  engine: Pick<Engine, 'submit'>
  query: Query
  clock: Clock
  vault: Vault
  publicUrl(): string
}

export const linkHashOf = (vault: Vault, id: string) => vault.hash('mandateLinkId', id)

/** The link's address, for a message. After this call the store knows the link. */
export const mandateLink =
  ({ engine, query, clock, vault, publicUrl }: LinkParts) =>
  async ({ mid, subscriptionId }: Linked): Promise<string> => {
    const id = vault.hash('mandateLink', JSON.stringify([mid, subscriptionId])).slice(0, LINK_LENGTH)
    const linkHash = linkHashOf(vault, id)
    if (!(await query.row(look('mandateLinks', linkHash))))
      await engine.submit(keepMandateLink, { linkHash, mid, subscriptionId, now: clock.now() })
    return `${publicUrl()}/m/${id}`
  }
