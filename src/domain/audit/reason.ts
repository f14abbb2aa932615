// What a person writes beside an action, or as a note: one line of text, shown to colleagues and in terminals.

export const REASON_MAX = 500 // docs/console.md (Mohur's choice)

/** Control characters move a terminal's cursor. Bidirectional ones make a line read as another. The rest of Unicode is text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
const MISLEADING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** True for a text that a terminal or a page would show as another. */
export const isMisleading = (text: string): boolean => text.search(MISLEADING) !== -1

/** At least 13 digits of any script. Between two, up to five characters that are neither letters nor digits, so that the search is linear. */
const DIGITS = /\p{Nd}(?:[^\p{L}\p{Nd}]{0,5}\p{Nd}){12,}/gu
const DIGIT = /^\p{Nd}$/u
/** What people put into one number: spaces, a dot, a dash or an underscore, and characters that nobody sees. */
const PLAIN_GAP = /^[ \p{Cf}\p{M}\ufffd]*[._\p{Pd}\u2212]?[ \p{Cf}\p{M}\ufffd]*$/u
/** A comma or a slash may also part amounts or days. With such a gap the digits have to be grouped as on a card. */
const GROUP = { min: 4, max: 6 }
/** 13 to 19 digits (ISO/IEC 7812). Those that begin with 2221 to 2720 are Mastercard's. */
const CARD = /^(?=[0-9]{13,19}$)(?:[3-68]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/
const CARD_DIGITS_MAX = 19

/** The text as it is kept, a card's number without all but its last four digits. Undefined for an empty text, or one that is too long. */
export function reasonIn(typed: string): string | undefined {
  const plain = typed.toWellFormed().replace(/\s+/g, ' ').replace(MISLEADING, '\ufffd').trim()
  const text = plain.replace(DIGITS, withoutCards)
  return text === '' || text.length > REASON_MAX ? undefined : text
}

interface Group {
  /** As it was typed, with the gap behind it. */
  text: string
  digits: string
  gap: string
}
const groupsIn = (found: string): Group[] =>
  found.split(/(?<=\P{Nd})(?=\p{Nd})/u).map((text) => {
    const typed = /^\p{Nd}+/u.exec(text)![0]
    return { text, digits: Array.from(typed, digitValue).join(''), gap: text.slice(typed.length) }
  })

/** In Unicode the ten digits of a script follow each other, from 0 to 9. */
function digitValue(digit: string): number {
  let value = 0
  while (DIGIT.test(String.fromCodePoint(digit.codePointAt(0)! - value - 1))) value += 1
  return value % 10
}

/** A card's number begins and ends at a gap, or where the digits do. Where two may overlap, all of their digits go but the last four. */
function withoutCards(found: string): string {
  const groups = groupsIn(found)
  let kept = ''
  for (let first = 0; first < groups.length; ) {
    let end = cardEnd(groups, first)
    for (let next = first + 1; next < end; next++) end = Math.max(end, cardEnd(groups, next))
    kept += end > first ? `••••${digitsOf(groups.slice(first, end)).slice(-4)}${groups[end - 1]!.gap}` : groups[first]!.text
    first = Math.max(end, first + 1)
  }
  return kept
}

/** The group behind the longest card's number that begins at `first`. Without one, `first`. */
function cardEnd(groups: readonly Group[], first: number): number {
  let end = first
  for (let at = first + 1; at <= groups.length; at++) {
    const taken = groups.slice(first, at)
    const digits = digitsOf(taken)
    if (digits.length > CARD_DIGITS_MAX) break
    if (CARD.test(digits) && hasCheckDigit(digits) && isOneNumber(taken)) end = at
  }
  return end
}

const digitsOf = (groups: readonly Group[]) => groups.map(({ digits }) => digits).join('')

function isOneNumber(groups: readonly Group[]): boolean {
  const before = groups.slice(0, -1)
  if (before.every(({ gap }) => PLAIN_GAP.test(gap))) return true
  return groups.at(-1)!.digits.length <= GROUP.max && before.every(({ digits: { length } }) => length >= GROUP.min && length <= GROUP.max)
}

/** The check digit of ISO/IEC 7812, which catches a mistyped number. */
export function hasCheckDigit(digits: string): boolean {
  const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
  return [...digits].toReversed().reduce((sum, digit, at) => sum + (at % 2 === 1 ? doubled[Number(digit)]! : Number(digit)), 0) % 10 === 0
}
