// HTML as a template. Every part between the tags is text and is escaped, unless this file made it. There is no way round, so a shop's or
// payer's words never become an element or an attribute.

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** `false` and `undefined` write nothing, so a part may depend on a condition. */
export type Part = Html | string | number | false | undefined | readonly Part[]

const SPECIAL = /[&<>"'`]/
const escaped = (text: string) => (SPECIAL.test(text) ? text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`) : text)

function written(part: Part): string {
  if (typeof part === 'string') return escaped(part)
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'number') return String(part)
  let text = ''
  for (const each of part) text += written(each)
  return text
}

/** The text of a template has the quotes around attributes. A part within them is escaped like any other. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = texts[0]!
  for (let at = 0; at < parts.length; at++) text += written(parts[at]) + texts[at + 1]! // a page has hundreds of parts, so no iterator
  return new Html(text)
}
