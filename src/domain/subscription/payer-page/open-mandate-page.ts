// The sent code opens a mandate's page for fifteen minutes: docs/pages.md, "The mandate page".

import { operation, refuse } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import { mandatePageKey } from '../../../tables/keys.ts'
import { isAwaited, isOpen, openUntil, type TypedCode, tried } from './mandate-page.ts'

const codes = ownCodes('openMandatePage', 'right', 'wrong', 'over', 'used', 'exceeded')

export interface OpenMandatePage extends TypedCode {
  now: number
}

export const openMandatePage = operation({
  name: 'openMandatePage',
  codes,
  reads: ({ pageHash }: OpenMandatePage) => ({ page: mandatePageKey(pageHash) }),
  decide(command, { page }) {
    const { now } = command
    if (!page) return refuse(codes.over)
    if (isOpen(page, now)) return refuse(codes.used) // a second press of the button: the page is open
    if (!isAwaited(page, now)) return refuse(codes.over)
    const { verdict, page: after } = tried(page, command, 'open', now)
    const row = verdict === 'right' ? { ...after, openedAt: now, until: openUntil(now) } : after
    return {
      reply: { result: codes[verdict] },
      changes: row === page ? [] : [{ kind: 'update', key: mandatePageKey(page.pageHash), row }],
      events: [],
      tasks: [],
    }
  },
})
