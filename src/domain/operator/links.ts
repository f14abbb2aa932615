// The links by which a person sets a password. Setting or resetting a password ends the earlier links, and so does disabling the person.

import type { Change } from '../../engine/decision.ts'
import { operatorTokenKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { LINK_VALIDITY_MS, type Operator } from './operator.ts'

type Link = Row<'operatorTokens'>

export const newLink = ({ operatorId }: Operator, { tokenHash, kind, at }: Pick<Link, 'tokenHash' | 'kind'> & { at: number }): Change => ({
  kind: 'insert',
  key: operatorTokenKey(tokenHash),
  row: { tokenHash, operatorId, kind, until: at + LINK_VALIDITY_MS, usedAt: null },
})

export const otherLinks = (links: readonly Link[], operator: Operator | undefined, tokenHash: string | undefined) =>
  links
    .filter((link) => link.operatorId === operator?.operatorId && link.tokenHash !== tokenHash)
    .map((link) => operatorTokenKey(link.tokenHash))

/** Deletes links, because another person may have one of them, and would set another password. */
export const ended = (links: readonly (Link | undefined)[]): Change[] =>
  links.flatMap((link): Change[] => (link ? [{ kind: 'delete', key: operatorTokenKey(link.tokenHash) }] : []))
