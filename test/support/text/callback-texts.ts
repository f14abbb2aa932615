// Texts that a merchant or a bank may bring into a callback, and how a browser changes a text that it posts.

import type { Random } from './random.ts'

const BREAKS = ['\r\n', '\r', '\n', '\u0085', '\u2028', '\u2029', '\n\r', '\r\r\n', '\n\n']
const CONTROLS = ['\t', '\v', '\f', '\u0001', '\u001b', '\u001f', '\u007f', '\u0080', '\u009f']
const SPACES = [' ', '  ', '\u00a0', '\u2003', '\u3000', '\ufeff']
const PLAIN = ['a', 'Z9', 'order of asha', 'é', '₹', '😀', 'अ', '&', '<b>', '"', "'", '`', '%0A', '+', '=', '\\', '&#10;', 'refund', 'null']
/** No store keeps them, but a value may also come from elsewhere. */
export const UNSTORABLE = ['\0', '\ud800', '\udfff', '\udc00\ud800']

const LONG = 10 * 1024 // one text in a hundred is longer than any field of the interface

export function drawnText(random: Random, more: readonly string[] = []): string {
  const pieces = [...BREAKS, ...CONTROLS, ...SPACES, ...PLAIN, ...PLAIN, ...more]
  const text = random.text(random.below(100) === 0 ? 400 : 8, pieces)
  return text.length > 400 ? text.repeat(Math.ceil(LONG / text.length)) : text
}

/** A browser's form has CRLF for each line break. Its text is well-formed, and its page contains no U+0000. */
export const postedText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\0', '\ufffd')
    .replace(/\r\n|\r|\n/g, '\r\n')
