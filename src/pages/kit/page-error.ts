// The reasons why a page cannot be shown. The error page shows the catalogue's text under the reason's name, and has the reason's HTTP
// status.

import type { Catalogue } from './messages/messages.ts'

const STATUSES: Readonly<Record<keyof Catalogue['errors'], number>> = {
  wrong: 400,
  form: 400,
  framed: 403,
  unknown: 404,
  method: 405,
  taken: 409,
  over: 410,
  busy: 429,
  system: 500,
}

/** Why a form cannot be read. `name` is a field's name as sent; `came` is a content type. */
export type FormFault =
  | { kind: 'type'; came: string }
  | { kind: 'noType' | 'encoding' | 'foreign' }
  | { kind: 'fields'; most: number }
  | { kind: 'long'; kib: number }
  | { kind: 'twice' | 'escape' | 'nul'; name: string }

interface More {
  statusCode?: number
  fault?: FormFault
  /** The wrong field of a shop's form, for the shop's developer. */
  field?: string
  /** What the shop may do instead. */
  hint?: keyof Catalogue['errorHints']
  /** The order's callbackUrl, for a way back to the shop. */
  callbackUrl?: string | null
  /** The address of a page that can be shown instead, in a window of its own. */
  page?: string
}

export class PageError extends Error {
  override readonly name = 'PageError'
  readonly why: keyof Catalogue['errors']
  readonly statusCode: number
  readonly fault: FormFault | undefined
  readonly field: string | undefined
  readonly hint: keyof Catalogue['errorHints'] | undefined
  readonly callbackUrl: string | null
  readonly page: string | undefined

  constructor(why: keyof Catalogue['errors'], { statusCode = STATUSES[why], fault, field, hint, callbackUrl = null, page }: More = {}) {
    super(`a page cannot be shown: ${why}`)
    this.why = why
    this.statusCode = statusCode
    this.fault = fault
    this.field = field
    this.hint = hint
    this.callbackUrl = callbackUrl
    this.page = page
  }
}
