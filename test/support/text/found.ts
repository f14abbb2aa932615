// Whether secrets are in a heap of bytes, in any spelling in which they might hide.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A text as itself and in the encodings in which it might hide. */
const spellings = (secret: string) => [
  Buffer.from(secret),
  Buffer.from(Buffer.from(secret).toString('hex')),
  Buffer.from(Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1)),
  Buffer.from(secret, 'utf16le'),
]

/** The secrets that occur in any spelling. One pass over the bytes; their first three decide whether to compare further. */
export function found(haystack: Buffer, secrets: readonly string[]): string[] {
  const prefixOf = (bytes: Buffer, at: number) => bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)
  const needles = Map.groupBy(
    secrets.flatMap((secret) => spellings(secret).map((text) => ({ secret, text }))),
    ({ text }) => prefixOf(text, 0),
  )
  const worthALook = new Uint8Array(1 << 24)
  for (const prefix of needles.keys()) worthALook[prefix] = 1
  const hits = new Set<string>()
  for (let at = 0; at < haystack.length - 3; at++) {
    const prefix = prefixOf(haystack, at)
    if (worthALook[prefix] === 0) continue
    for (const { secret, text } of needles.get(prefix)!)
      if (haystack.compare(text, 0, text.length, at, Math.min(at + text.length, haystack.length)) === 0) hits.add(secret)
  }
  return [...hits]
}

/** Three to six digits occur by chance in longer numbers, so they count only as a word of their own. */
export const foundWords = (haystack: Buffer, words: readonly string[]): string[] =>
  words.filter((word) =>
    ['|', '"', ':', '=', ' ', '>'].some((before) =>
      ['|', '"', ',', '&', ' ', '<'].some((after) => haystack.includes(before + word + after)),
    ),
  )

/** Every file below a folder, as one run of bytes. */
export const bytesBelow = (folder: string) =>
  Buffer.concat(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'master-key')
      .map((entry) => readFileSync(join(entry.parentPath, entry.name))),
  )
