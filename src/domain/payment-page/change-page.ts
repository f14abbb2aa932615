// Changes a payment page: more time, the language that its payer chose, or the number that they sign in by (docs/pages.md).

import { operation, refuse } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { pageKey } from '../../tables/keys.ts'
import { look } from '../../tables/tables.ts'
import { mayExtend, openUntil } from './page.ts'

const codes = ownCodes('changePage', 'changed', 'over')

export interface ChangePage {
  pageHash: string
  change: { extends: true } | { language: string } | { mobile: string }
  now: number
}

export const changePage = operation({
  name: 'changePage',
  codes,
  reads: ({ pageHash }: ChangePage) => ({ page: pageKey(pageHash) }),
  readsNext: (_command, { page }) => ({ order: page && look('orders', page.mid, page.orderId) }),
  decide({ change, now }, { page, order }) {
    if (!page || !order || ('extends' in change && !mayExtend(page, order, now))) return refuse(codes.over)
    const row =
      'extends' in change
        ? { ...page, until: openUntil(order, now), extensions: page.extensions + 1 }
        : { ...page, view: { ...page.view, ...change } }
    return {
      reply: { result: codes.changed },
      changes: [{ kind: 'update', key: pageKey(page.pageHash), row }],
      events: [],
      tasks: [],
    }
  },
})
