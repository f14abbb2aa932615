// Links for words of docs/interface.md that name a place on that page without a link: `section 4.9` and `Money`.

import { slugOf } from './markdown.ts'

/** A heading's slug, by the word that names it. */
export type Places = ReadonlyMap<string, string>

const OBJECTS = '2' // the chapter whose headings are the names of types

export function placesIn(text: string): Places {
  const places = new Map<string, string>()
  let chapter: string | undefined
  for (const [, level, heading = ''] of text.matchAll(/^(##+) (.+)$/gm)) {
    const number = /^[0-9]+(\.[0-9]+)?/.exec(heading)?.[0]
    if (level === '##') chapter = number
    if (number !== undefined) places.set(`section ${number}`, slugOf(heading))
    else if (chapter === OBJECTS && /^[A-Z][A-Za-z]+$/.test(heading)) places.set(heading, slugOf(heading))
  }
  return places
}

/** The parts that stay unchanged come first: headings, blocks and spans of code, links. */
const WORDS = /^#[^\n]*$|^```.*?^```|`[^`]*`|\[[^\]]*\]\([^)]*\)|\b(section [0-9]+(?:\.[0-9]+)?|[A-Z][A-Za-z]+)\b/gms

export const linked = (markdown: string, places: Places): string =>
  markdown.replace(WORDS, (whole, word: string | undefined) => {
    const place = word && places.get(word)
    return place ? `[${whole}](interface.md#${place})` : whole
  })
