// The console's error pages, with their HTTP statuses.

import { html, type Part } from '../../pages/html.ts'

const SAYS = {
  form: [400, 'This form cannot be read', 'Go back, reload the page, and try again.'],
  signedOut: [401, 'You are signed out', 'Sign in and try again.'],
  role: [403, 'Your role may not do this', 'Ask an admin for a role that may.'],
  foreign: [403, 'This came from another site', 'Open the console at its own address and try again.'],
  unknown: [404, 'There is no such page', 'It does not exist, or belongs to a merchant that you may not see.'],
  changed: [409, 'It was changed meanwhile', 'Reload the page to see its present state.'],
  noBank: [409, 'No bank is connected', 'The service has no bank to ask. Connect one, and try again.'],
  filter: [422, 'This filter cannot be read', 'See the message beside the field.'],
  reason: [422, 'The text is missing or too long', 'Go back, and write 1 to 500 characters.'],
  place: [422, 'This portion cannot be read', 'Remove the question mark and everything behind it from the address.'],
  waits: [429, 'Too many wrong tries', 'Wait half an hour, and try again.'],
  busy: [503, 'The console is busy', 'Choose a shorter period, or try again in a moment.'],
  away: [503, 'The store does not answer', 'Try again in a moment.'],
  system: [500, 'Something went wrong', 'The log of the service says what.'],
} as const

export class ConsoleError extends Error {
  override readonly name = 'ConsoleError'
  readonly statusCode: number
  readonly title: string
  readonly about: Part

  /** The page shows `cause` before the sentence of `why`. */
  constructor(why: keyof typeof SAYS, cause?: Part) {
    const [statusCode, title, about] = SAYS[why]
    super(title)
    this.statusCode = statusCode
    this.title = title
    this.about = cause === undefined ? about : html`${cause} ${about}`
  }
}
