// What the console says instead of a page, with its HTTP status.

import { html, type Part } from '../../pages/html.ts'

const SAYS = {
  form: [400, 'This form cannot be read', 'Go back, load the page anew and try again.'],
  signedOut: [401, 'You are signed out', 'Sign in, and do it again.'],
  role: [403, 'Your role may not do this', 'An admin can give you the role that may.'],
  foreign: [403, 'This came from another site', 'Open the console by its own address, and do it there.'],
  unknown: [404, 'There is no such page', 'It is not there, or it is of a merchant whom you do not see.'],
  changed: [409, 'It was changed meanwhile', 'Load the page anew to see how it stands now.'],
  filter: [422, 'This filter cannot be read', 'See what stands beside the field.'],
  place: [422, 'This portion cannot be read', 'Open the page without what stands behind the question mark.'],
  waits: [429, 'Too many wrong tries', 'Wait half an hour, and try again.'],
  busy: [503, 'The console is busy', 'Narrow the period, or try again in a moment.'],
  away: [503, 'The store does not answer', 'Try again in a moment.'],
  system: [500, 'Something went wrong', 'It was written to the log.'],
} as const

export class ConsoleError extends Error {
  override readonly name = 'ConsoleError'
  readonly statusCode: number
  readonly title: string
  readonly about: Part

  /** `cause` is said first. */
  constructor(why: keyof typeof SAYS, cause?: Part) {
    const [statusCode, title, about] = SAYS[why]
    super(title)
    this.statusCode = statusCode
    this.title = title
    this.about = cause === undefined ? about : html`${cause} ${about}`
  }
}
