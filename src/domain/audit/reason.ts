// What a person writes beside an action, or as a note: one line of text, shown to colleagues and in terminals.

export const REASON_MAX = 500 // docs/console.md (Mohur's choice)

/** Control characters move a terminal's cursor. Bidirectional ones make a line read as another. The rest of Unicode is text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
const MISLEADING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Digits that may be a card's number: 13 to 19 of them (ISO/IEC 7812), with a space or a hyphen between some. */
const CARD = /(?<![0-9])[3-68](?:[ -]?[0-9]){12,18}(?![0-9])/g

/** The text as it is kept, a card's number without all but its last four digits. Undefined for an empty text, or one that is too long. */
export function reasonIn(typed: string): string | undefined {
  const plain = typed.toWellFormed().replace(/\s+/g, ' ').replace(MISLEADING, '\ufffd').trim()
  const text = plain.replace(CARD, (found) => (isCard(found.replace(/[ -]/g, '')) ? `••••${found.slice(-4)}` : found))
  return text === '' || text.length > REASON_MAX ? undefined : text
}

/** The check digit of ISO/IEC 7812. */
function isCard(digits: string): boolean {
  const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
  return [...digits].toReversed().reduce((sum, digit, at) => sum + (at % 2 === 1 ? doubled[Number(digit)]! : Number(digit)), 0) % 10 === 0
}
