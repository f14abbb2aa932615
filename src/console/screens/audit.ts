// The audit log: what people and commands did, refused acts included. The file has no reasons, because they are texts that people wrote.

import type { FastifyInstance } from 'fastify'
import { actionWords } from '../../domain/audit/actions.ts'
import { dateTimeInIndia } from '../../engine/clock.ts'
import { auditListed, withReasons } from '../../flows/list-audit.ts'
import { emailHashOf, isEmail } from '../../flows/operator-links.ts'
import { html } from '../../pages/html.ts'
import { operatorKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import type { ConsoleParts } from '../kit/parts.ts'
import { orderAddress, paymentAddress, subscriptionAddress } from './addresses.ts'
import { addList } from './list.ts'
import { namesOf } from './timeline.ts'

type Line = Row<'auditLog'> & { who: string }

export function addAudit(scope: FastifyInstance, parts: ConsoleParts) {
  const { aside } = parts
  addList<Line>(scope, parts, {
    ...{
      chapter: 'audit',
      title: 'Audit log',
      states: { any: 'any' },
      filters: ['person', 'subject'],
      admits: 'audit',
      isByRealTime: true,
    },
    empty: 'No entries match. Try a longer period.',
    columns: [
      { name: 'Time (IST)', value: ({ at }) => dateTimeInIndia(at) },
      { name: 'Person', value: ({ who }) => who },
      { name: 'Action', value: ({ action }) => action, cell: ({ action }) => actionWords(action) },
      { name: 'Merchant', value: ({ mid }) => mid ?? '' },
      { name: 'Subject', value: ({ subject }) => subject, cell: subjectOf },
      { name: 'Outcome', value: ({ outcome }) => outcome },
      { name: 'Reason', value: ({ reason }) => reason ?? '', isOfPage: true },
    ],
    async ask({ mids, from, to, after, limit, person, subject, isOfFile }) {
      const operatorId = person === undefined ? undefined : await idOf(parts, person)
      const asked = {
        mids,
        from,
        to,
        after,
        limit,
        ...(operatorId !== undefined && { operatorId }),
        ...(subject !== undefined && { subject }),
      }
      const { rows, ...rest } = await auditListed(aside, asked)
      const whole = isOfFile ? rows : await withReasons(aside, rows)
      const nameOf = await namesOf(
        aside,
        whole.map(({ operatorId }) => operatorId),
      )
      return { ...rest, rows: whole.map((row) => ({ ...row, who: row.operatorId === '' ? 'nobody signed in' : nameOf(row.operatorId) })) }
    },
  })
}

/** A person by their e-mail address, or by their id. Any other text finds nothing. */
async function idOf({ aside, ports }: ConsoleParts, person: string): Promise<string> {
  const operator = isEmail(person) ? await aside.row(operatorKey(emailHashOf(ports.vault, person))) : undefined
  return operator?.operatorId ?? person
}

const PAGES: Readonly<Record<string, (mid: string, id: string) => string>> = {
  ...{ order: orderAddress, transaction: paymentAddress, subscription: subscriptionAddress },
}
function subjectOf({ mid, subject }: Line) {
  const colon = subject.indexOf(':')
  const page = PAGES[subject.slice(0, colon)]
  const text = html`<bdi>${subject}</bdi>`
  return mid === null || !page ? text : html`<a href="${page(mid, subject.slice(colon + 1))}">${text}</a>`
}
