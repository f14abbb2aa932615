// What a person writes beside an action, or as a note: one line of text, shown to colleagues and in terminals.

export const REASON_MAX = 500 // docs/console.md (Mohur's choice)

/** Control characters move a terminal's cursor. Bidirectional ones make a line read as another. The rest of Unicode is text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
const MISLEADING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The text as it is kept. Undefined for an empty text, or one that is too long. */
export function reasonIn(typed: string): string | undefined {
  const text = typed.toWellFormed().replace(/\s+/g, ' ').replace(MISLEADING, '\ufffd').trim()
  return text === '' || text.length > REASON_MAX ? undefined : text
}
