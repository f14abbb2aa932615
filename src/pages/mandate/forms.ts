// Every form of a payer's mandate page carries the version that it was drawn from. A post with another version, or without one,
// changes nothing: an old tab must not undo what was done since. Docs/pages.md, "The mandate page".

import { type Html, html, type Part } from '../html.ts'
import { hidden } from '../kit/fields.ts'
import type { Form } from '../kit/forms.ts'
import type { MandatePageState } from './page-state.ts'

type Version = readonly (string | number | undefined)[]
type VersionOf = (seen: MandatePageState, of: string | undefined) => Version

/** Counts each move of the subscription, and each change of its terms. */
const ofSubscription: VersionOf = ({ subscription }) => [subscription.version]

/** The code that was sent last. While the page waits for it, the page knows nothing else of the mandate. */
const ofCode: VersionOf = ({ page }) => [page.codeUntil]

/** A cycle has a version of its own. A new notice changes neither that nor the subscription's. */
const ofCycle: VersionOf = (seen, of) => {
  const found = seen.open.find(({ cycle }) => cycle.collectionId === of)
  return [...ofSubscription(seen, of), found?.cycle.version, found?.notice?.noticeId]
}

/** A debit waits by its cycle. A request for other terms is part of the subscription's version. */
const ofWaiting: VersionOf = (seen, of) => {
  const isDebit = seen.debit !== undefined && of === `debit:${seen.debit.notice.noticeId}`
  return [...ofSubscription(seen, of), isDebit ? seen.debit!.cycle.version : undefined]
}

/** A code that was sent for it makes another form of it. */
const ofApproval: VersionOf = (seen, of) => [...ofWaiting(seen, of), seen.page.codeFor === of ? seen.page.codeUntil : undefined]

/** By the last part of the address. */
const drawnFrom = {
  open: ofCode,
  resend: ofCode,
  language: (seen, of) => (seen.page.openedAt === null ? ofCode(seen, of) : ofSubscription(seen, of)),
  'more-time': (seen, of) => [...ofSubscription(seen, of), seen.page.extensions],
  approve: ofApproval,
  'approve/code': ofApproval,
  decline: ofWaiting,
  pause: ofSubscription,
  resume: ofSubscription,
  stop: ofSubscription,
  skip: ofCycle,
} as const satisfies Readonly<Record<string, VersionOf>>
export type MandateActionName = keyof typeof drawnFrom

export const mandateVersionOf = (seen: MandatePageState, act: MandateActionName, of?: string): string =>
  (drawnFrom[act] as VersionOf)(seen, of)
    .map((part) => part ?? '-')
    .join('.')

export const versionField = (seen: MandatePageState, act: MandateActionName, of?: string): Html =>
  hidden('version', mandateVersionOf(seen, act, of))

/** The form was drawn from what the page shows now. */
export const isCurrent = (seen: MandatePageState, act: MandateActionName, form: Form): boolean =>
  form['version'] === mandateVersionOf(seen, act, form['of'])

/** `of`: the cycle, or what waits, that it is about. */
export function actionForm(
  seen: MandatePageState,
  act: MandateActionName,
  inner: Part,
  { of, isStack = false }: { of?: string; isStack?: boolean } = {},
): Html {
  const about = of !== undefined && hidden('of', of)
  return html`<form method="post" action="${seen.address}/${act}"${isStack && html` class="stack"`}>${about}${versionField(seen, act, of)}${inner}</form>`
}
