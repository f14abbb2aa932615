// Every form of a payer's mandate page carries the version that it was drawn from: docs/pages.md, "The mandate page". A post with another
// version, or without one, changes nothing. An old tab must not undo what was done since.

import { type Html, html, type Part } from '../html.ts'
import { hidden } from '../kit/fields.ts'
import type { Form } from '../kit/forms.ts'
import type { MandatePageState } from './page-state.ts'

type Version = readonly (string | number | undefined)[]
type VersionOf = (seen: MandatePageState, of: string | undefined) => Version

/** Each move of the subscription, and each change of its terms, makes another version. */
const ofSubscription: VersionOf = ({ subscription }) => [subscription.version]

/** The last code that was sent. While the page waits for this code, the page knows nothing else of the mandate. */
const ofCode: VersionOf = ({ page }) => [page.codeUntil]

/** A cycle has its own version. A new notice changes neither that version nor the subscription's, so the notice's id is added. */
const ofCycle: VersionOf = (seen, of) => {
  const found = seen.open.find(({ cycle }) => cycle.collectionId === of)
  return [...ofSubscription(seen, of), found?.cycle.version, found?.notice?.noticeId]
}

/** A waiting debit adds its cycle's version. A request for other terms is already in the subscription's version. */
const ofWaiting: VersionOf = (seen, of) => {
  const isDebit = seen.debit !== undefined && of === `debit:${seen.debit.notice.noticeId}`
  return [...ofSubscription(seen, of), isDebit ? seen.debit!.cycle.version : undefined]
}

/** The version changes when a code is sent for this approval, because the form then asks for the code. */
const ofApproval: VersionOf = (seen, of) => [...ofWaiting(seen, of), seen.page.codeFor === of ? seen.page.codeUntil : undefined]

/** The version of each form, by the last part of its address. */
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

export const isCurrent = (seen: MandatePageState, act: MandateActionName, form: Form): boolean =>
  form['version'] === mandateVersionOf(seen, act, form['of'])

/** `of`: the cycle, debit or edit that the form is about. */
export function actionForm(
  seen: MandatePageState,
  act: MandateActionName,
  inner: Part,
  { of, isStack = false }: { of?: string; isStack?: boolean } = {},
): Html {
  const about = of !== undefined && hidden('of', of)
  return html`<form method="post" action="${seen.address}/${act}"${isStack && html` class="stack"`}>${about}${versionField(seen, act, of)}${inner}</form>`
}
