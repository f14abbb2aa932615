// What the script needs to show an attempt by UPI in place of the choices: docs/pages.md, "With script". It is the view of the page that
// a reload shows, in numbers and texts.

import { formatRupees } from '../kit/amounts.ts'
import type { PageParts } from '../kit/page-parts.ts'
import { codeRuns } from './draw/qr.ts'
import type { FoundPage } from './found/found.ts'
import { stageOf } from './found/page-state.ts'
import { viewOf } from './view/view-of.ts'

/** Undefined where a reload would show more than this: another step, or a notice. The script then loads the page anew. */
export function upiState(found: FoundPage, { drawer }: Pick<PageParts, 'drawer'>) {
  if (stageOf(found) !== 'upi') return undefined
  const { main, notices, total } = viewOf(found)
  if (main.kind !== 'step' || main.upi?.link === undefined || main.cancel === undefined || notices.length > 0) return undefined
  const { link, apps, label, payee, amount, sandbox } = main.upi
  return {
    ...{ attempt: main.attempt, apps, label, sandbox, outcomes: drawer?.outcomes },
    ...{ payee, amount },
    code: codeRuns(link),
    total: { amount: formatRupees(total.paise), rows: total.rows.map((row) => [row.label, formatRupees(row.paise)] as const) },
  }
}
