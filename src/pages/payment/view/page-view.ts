// What payers see of their order, computed once from the rows of a request. The drawing takes nothing else (docs/pages.md). Texts are ready
// in the payer's language. No card number, CVV or code stands here.

import type { WayToPay } from '../../../interface/payment-modes.ts'
import type { Part } from '../../html.ts'
import type { FieldFault } from '../../kit/fields.ts'
import type { Rows } from '../../kit/layout.ts'
import type { Catalogue, Language } from '../../kit/messages/messages.ts'
import type { PayableMode } from '../found/options.ts'
import type { Stage } from '../found/page-state.ts'
import type { PageActions } from './page-actions.ts'

export interface PageView {
  stage: Stage
  version: string
  /** The labels that depend on no row. */
  texts: Catalogue
  page: {
    address: string
    /** Names the payer whose sign-in stands and who is shown. Every form that pays carries it. */
    payerMark?: string | undefined
    language: Language
    title: string
    framedBy: readonly string[]
    isFramed: boolean
    formAction: readonly string[]
  }
  shop: { name: string; orderId: string; held?: { by: 'frame' | 'window'; origin: string; handler: boolean } | undefined }
  total: TotalView
  /** `by`: the kind of card that an offer is for. */
  offer?: { says: 'offer' | 'offerByCard' | 'offerLater' | 'offerOwed'; promocode: string; title: string; by?: string } | undefined
  time?: { until: number; now: number; mayExtend: boolean; isSoon: boolean } | undefined
  notices: readonly NoticeView[]
  doubt?: DoubtView | undefined
  main: ChoicesView | StepView | EndView | AsksView
  /** A post without its action is sent back to the page. */
  actions: PageActions
  /** About the order's money, for a payer who leaves the order unpaid. */
  leaving?: string | undefined
  /** Asked before the shop's page closes a payment that may still take money. */
  closing?: string | undefined
  /** The message about the act just done. A form that changes only the page carries the message on. */
  message?: string | undefined
  back?: BackView | undefined
  /** The script shows this step in place of the choices. The policy is still that of the choices, so no form may go to the shop. */
  isInPlace?: true | undefined
}

/** With `terms`, `paise` is the amount that the payer agrees to for each debit. */
export interface TotalView {
  label: string
  paise: number
  terms?: { says: string; isAtMost: boolean } | undefined
  rows: readonly { label: string; paise: number }[]
}

export interface NoticeView {
  says: string
  tone: 'bad' | 'wait' | 'good'
  field?: string | undefined
}

/** About money that may have been taken: when it returns, the numbers to quote, and whom to ask. */
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
  /** The text about the wait, while the page's script checks the state. */
  waits?: string | undefined
  fault?: FieldFault | undefined
  /** The button that sends the bank's code. It names what the bank then takes. */
  submit?: string | undefined
  bank?: { url: string; fields: Readonly<Record<string, string>>; button: string; isAuto: boolean } | undefined
  upi?: UpiView | undefined
  /** Labels of the ways out. */
  check?: string | undefined
  cancel?: string | undefined
  /** Why another way is safe while this attempt's result is unknown. */
  isSafe?: string | undefined
}
export interface UpiView {
  link: string
  /** On a phone the apps come first, and the code stands behind them. */
  isPhone: boolean
  apps: readonly { name?: string | undefined; href: string; says: string }[]
  label: string
  steps: Part
  /** The address of the sandbox's own phone. */
  sandboxPhone?: string | undefined
}

export interface EndView {
  kind: 'end'
  heading: string
  icon?: 'done' | 'ended' | undefined
  says: string
  /** `wait`: drawn as a notice, not a paragraph. `over`: nothing can be paid here any more. */
  tone?: 'wait' | 'over' | undefined
  goes?: string | undefined
  receipt?: { rows: readonly ReceiptRow[]; keep?: string | undefined } | undefined
}
export interface ReceiptRow {
  label: string
  value: string
  isId?: boolean
}

/** `says` is about the card. The text about leaving is the page's own `leaving`. */
export type AsksView = { kind: 'asks'; heading: string } & ({ what: 'leave' } | { what: 'removeCard'; id: string; says: string })

export type PanelId = 'saved' | WayToPay
export interface PanelView {
  id: PanelId
  name: string
  about: string
  /** The discount of an offer, beside `about`. The script rewrites this text. */
  saves?: string | undefined
  /** Why this panel cannot pay. */
  closed?: string | undefined
  ways: readonly WayView[]
  fields: Readonly<Record<string, FieldView>>
  fault?: FieldFault | undefined
  /** A sentence of this panel alone. */
  says?: Part
  /** The signed-in payer. */
  who?: string | undefined
  /** The saved cards that the payer may remove. `past` has those that cannot pay any more, each with the reason. */
  kept?: readonly { id: string; remove: string }[] | undefined
  past?: readonly string[] | undefined
  /** The payer types the card again. */
  isAgain?: boolean
}
export interface WayView {
  mode: PayableMode
  by?: 'upiId' | undefined
  button: string
  paise: number
  /** Why less may be taken than the button says. Absent: exactly the button's amount is taken. */
  less?: string | undefined
  /** The script shows the next step in place of the choices. */
  isInPlace?: true | undefined
  /** The shown cashback, if this way gets it: its amount and its offer. Empty while only the card can tell. */
  cashback?: string | undefined
  share?: { label: string /** The wallet’s part that the label names. */; paise: number; isChecked: boolean } | undefined
  terms?: string | undefined
}
export interface FieldView {
  value?: string | undefined
  label?: string | undefined
  hint?: string | undefined
  /** The payer types here next. */
  isNext?: boolean | undefined
  /** The entries of a list. */
  of?: readonly (readonly [value: string, name: string, more?: string])[] | undefined
}
