// What a payer sees of their order, computed once from the rows that a request has read. The drawing takes nothing else (docs/pages.md).
// Texts stand ready in the payer's language. No card number, CVV or code stands here.

import type { WayToPay } from '../../../interface/payment-modes.ts'
import type { Part } from '../../html.ts'
import type { FieldFault } from '../../kit/fields.ts'
import type { Rows } from '../../kit/layout.ts'
import type { Language } from '../../kit/messages/messages.ts'
import type { PayableMode } from '../found/options.ts'
import type { Stage } from '../found/page-state.ts'
import type { PageActions } from './page-actions.ts'
import type { Phone } from './upi-apps.ts'

export interface PageView {
  stage: Stage
  /** Changes whenever the page would look different: what the script compares. */
  version: string
  page: {
    address: string
    language: Language
    title: string
    framedBy: readonly string[]
    isFramed: boolean
    formAction: readonly string[]
  }
  shop: { name: string; orderId: string; held?: { by: 'frame' | 'window'; origin: string; handler: boolean } | undefined }
  total: TotalView
  offer?: { says: 'offer' | 'offerLater' | 'offerOwed'; promocode: string; title: string } | undefined
  time?: { until: number; now: number; mayExtend: boolean; isSoon: boolean } | undefined
  notices: readonly NoticeView[]
  doubt?: DoubtView | undefined
  main: ChoicesView | StepView | EndView | AsksView
  /** A post without its action is sent back to the page. */
  actions: PageActions
  /** Said of the order's money where the payer leaves it unpaid. */
  leaving?: string | undefined
  /** Asked before the shop's page closes what may still take money. */
  closing?: string | undefined
  /** What was just done, which a form that changes the page alone carries on. */
  message?: string | undefined
  back?: BackView | undefined
}

/** With `terms` it is what the payer agrees to each time. */
export interface TotalView {
  label: string
  paise: number
  terms?: { says: string; isAtMost: boolean } | undefined
  rows: readonly { label: string; paise: number }[]
}

export interface NoticeView {
  says: string
  tone: 'bad' | 'wait' | 'good'
  /** The field that it is about. */
  field?: string | undefined
}

/** Of money that may have been taken: when it is back, by which numbers to ask for it, and whom. */
export interface DoubtView {
  returns?: string
  ids: readonly (readonly [label: string, id: string])[]
  ask?: { contact: string; address: string } | undefined
}

/** The way back to the shop. Without a `url` the shop's page takes the fields. `isAuto`: the script sends them at once. */
export interface BackView {
  url: string | null
  fields: Readonly<Record<string, string>>
  isAuto: boolean
  button: string
}

export interface ChoicesView {
  kind: 'choices'
  /** What a subscription's payer agrees to. */
  agreed?: Rows | undefined
  panels: readonly PanelView[]
  open: string | undefined
}

export type StepName = 'otp' | 'bank' | 'upi' | 'collect' | 'waiting'
export interface StepView {
  kind: 'step'
  step: StepName
  heading: string
  attempt: number
  says?: Part
  /** What the page waits for, while it looks again by itself. */
  waits?: string | undefined
  /** What is wrong with the code. */
  fault?: FieldFault | undefined
  bank?: { url: string; fields: Readonly<Record<string, string>>; button: string; isAuto: boolean } | undefined
  upi?: UpiView | undefined
  /** Labels of the ways out. */
  check?: string | undefined
  cancel?: string | undefined
  /** Why another way is safe while nobody knows what became of this one. */
  isSafe?: string | undefined
}
export interface UpiView {
  link: string
  phone: Phone
  label: string
  steps: Part
  /** The sandbox's own phone. */
  sandboxPhone?: string | undefined
}

export interface EndView {
  kind: 'end'
  heading: string
  icon?: 'done' | 'ended' | undefined
  says: string
  /** A notice; else a paragraph. `over`: nothing can be paid here any more. */
  tone?: 'wait' | 'over' | undefined
  goes?: string | undefined
  receipt?: { rows: readonly ReceiptRow[]; keep?: string | undefined } | undefined
}
export interface ReceiptRow {
  label: string
  value: string
  isId?: boolean
}

/** `says` is of a card; of leaving the page's own `leaving` says it. */
export type AsksView = { kind: 'asks'; heading: string } & ({ what: 'leave' } | { what: 'removeCard'; id: string; says: string })

export type PanelId = 'saved' | WayToPay
export interface PanelView {
  id: PanelId
  name: string
  about: string
  /** What an offer takes off, beside `about`; the script says it anew. */
  saves?: string | undefined
  /** Why nothing can be paid so. */
  closed?: string | undefined
  ways: readonly WayView[]
  /** Those that the panel has. */
  fields: Readonly<Record<string, FieldView>>
  /** What is wrong in this panel, beside which of its fields. */
  fault?: FieldFault | undefined
  /** A sentence of this panel alone. */
  says?: Part
  /** Who is signed in. */
  who?: string | undefined
  /** The kept cards that the payer may remove, and of those that cannot pay any more why. */
  kept?: readonly { id: string; remove: string }[] | undefined
  past?: readonly string[] | undefined
  /** The card is typed again. */
  isAgain?: boolean
}
export interface WayView {
  mode: PayableMode
  by?: 'upiId' | undefined
  button: string
  paise: number
  /** Less may be taken than the button says. */
  isAtMost?: true | undefined
  share?: { label: string; isChecked: boolean } | undefined
  terms?: string | undefined
}
export interface FieldView {
  value?: string | undefined
  label?: string | undefined
  hint?: string | undefined
  /** What the payer types next. */
  isNext?: boolean | undefined
  /** What a list offers. */
  of?: readonly (readonly [value: string, name: string, more?: string])[] | undefined
}
