// HTML as a template: whatever stands between the tags is text and is escaped, unless it was made here itself. There is no
// way round it, so that no shop's or payer's words ever become an element or an attribute.

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** `false` and `undefined` leave nothing behind, so that a part may depend on a condition. */
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

/** Attributes are written with quotes around them; a part within them is escaped as any other. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = texts[0]!
  for (let at = 0; at < parts.length; at++) text += written(parts[at]) + texts[at + 1]! // a page has hundreds: no iterator for each
  return new Html(text)
}
