// "More time" on a mandate's page, and the language that its payer chose: docs/pages.md.

import { operation, refuse } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import { mandatePageKey } from '../../../tables/keys.ts'
import { isAwaited, isOpen, mayExtend, openUntil } from './mandate-page.ts'

const codes = ownCodes('changeMandatePage', 'changed', 'over')

export interface ChangeMandatePage {
  pageHash: string
  change: { extends: true } | { language: string }
  now: number
}

export const changeMandatePage = operation({
  name: 'changeMandatePage',
  codes,
  reads: ({ pageHash }: ChangeMandatePage) => ({ page: mandatePageKey(pageHash) }),
  decide({ change, now }, { page }) {
    if (!page || !(isOpen(page, now) || isAwaited(page, now))) return refuse(codes.over)
    if ('extends' in change && !mayExtend(page, now)) return refuse(codes.over)
    const row =
      'extends' in change
        ? { ...page, until: openUntil(now), extensions: page.extensions + 1 }
        : { ...page, view: { ...page.view, language: change.language } }
    return {
      reply: { result: codes.changed },
      changes: [{ kind: 'update', key: mandatePageKey(page.pageHash), row }],
      events: [],
      tasks: [],
    }
  },
})
