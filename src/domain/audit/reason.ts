// What a person writes beside an action, or as a note: one line of text, shown to colleagues and in terminals.

export const REASON_MAX = 500 // docs/console.md (Mohur's choice)

/** Control characters move a terminal's cursor. Bidirectional ones make a line read as another. The rest of Unicode is text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
const MISLEADING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** At least 13 digits, with a space, a hyphen or a dot between some. An amount, an expiry or a CVV may stand beside a card's number. */
const DIGITS = /[0-9](?:[ .-]?[0-9]){12,}/g
/** 13 to 19 digits (ISO/IEC 7812). Those that begin with 2221 to 2720 are Mastercard's. */
const CARD = /^(?=[0-9]{13,19}$)(?:[3-68]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/
const CARD_DIGITS_MAX = 19

/** The text as it is kept, a card's number without all but its last four digits. Undefined for an empty text, or one that is too long. */
export function reasonIn(typed: string): string | undefined {
  const plain = typed.toWellFormed().replace(/\s+/g, ' ').replace(MISLEADING, '\ufffd').trim()
  const text = plain.replace(DIGITS, withoutCards)
  return text === '' || text.length > REASON_MAX ? undefined : text
}

/** A card's number begins and ends at a separator, or where the digits do. Where two may overlap, all of their digits go but the last four. */
function withoutCards(found: string): string {
  const groups = found.split(/(?<=[ .-])/) // each with the separator behind it
  let kept = ''
  for (let first = 0; first < groups.length; ) {
    let end = cardEnd(groups, first)
    for (let next = first + 1; next < end; next++) end = Math.max(end, cardEnd(groups, next))
    const last = groups[end - 1]
    kept += end > first ? `••••${digitsOf(groups.slice(first, end)).slice(-4)}${last!.replace(/[0-9]+/, '')}` : groups[first]
    first = Math.max(end, first + 1)
  }
  return kept
}

/** The group behind the longest card's number that begins at `first`. Without one, `first`. */
function cardEnd(groups: readonly string[], first: number): number {
  let end = first
  for (let at = first + 1; at <= groups.length; at++) {
    const digits = digitsOf(groups.slice(first, at))
    if (digits.length > CARD_DIGITS_MAX) break
    if (CARD.test(digits) && hasCheckDigit(digits)) end = at
  }
  return end
}

const digitsOf = (groups: readonly string[]) => groups.join('').replace(/[^0-9]/g, '')

/** The check digit of ISO/IEC 7812, which catches a mistyped number. */
export function hasCheckDigit(digits: string): boolean {
  const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
  return [...digits].toReversed().reduce((sum, digit, at) => sum + (at % 2 === 1 ? doubled[Number(digit)]! : Number(digit)), 0) % 10 === 0
}
