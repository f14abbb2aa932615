// What the script needs to show an attempt by UPI app in place of the choices: docs/pages.md, "With script". The parts are those of the
// page that a reload shows.

import { treeOf } from '../html-tree.ts'
import type { PageParts } from '../kit/page-parts.ts'
import { partsInPlace } from './draw/page.ts'
import { codeRuns } from './draw/qr.ts'
import type { FoundPage } from './found/found.ts'
import { drawerOf } from './render.ts'
import { viewOf } from './view/view-of.ts'

/** Undefined where a reload would show another step. The script then loads the page anew. */
export async function upiState(found: FoundPage, parts: Pick<PageParts, 'drawer'>) {
  if (found.stage !== 'upi') return undefined
  const view = viewOf(found)
  const upi = view.main.kind === 'step' && view.main.upi
  if (!upi) return undefined
  const drawer = await drawerOf(parts, found)
  return {
    ...{ title: view.page.title, label: upi.label, code: codeRuns(upi.link) },
    parts: [...partsInPlace(view), ...(drawer ? [drawer] : [])].map(treeOf),
  }
}
