// What is said by a page of its own when nothing can be shown: by its name in the catalogue, with its HTTP status.

import type { Catalogue } from './messages/messages.ts'

const STATUSES: Readonly<Record<keyof Catalogue['errors'], number>> = {
  wrong: 400,
  form: 400,
  framed: 403,
  unknown: 404,
  over: 410,
  busy: 429,
  system: 500,
}

export class PageError extends Error {
  override readonly name = 'PageError'
  readonly why: keyof Catalogue['errors']
  readonly statusCode: number

  constructor(why: keyof Catalogue['errors'], statusCode = STATUSES[why]) {
    super(`a page cannot be shown: ${why}`)
    this.why = why
    this.statusCode = statusCode
  }
}
