// The languages of the pages. A catalogue is a value of one type, so that no language can lack a text.

import { en } from './en.ts'
import { hi } from './hi.ts'

export type Catalogue = typeof en

/** Keyed by the tag that browsers and shops send, in the order of the choice. Each name is in its own language. */
export const languages = { en: { name: 'English', texts: en }, hi: { name: 'हिन्दी', texts: hi } } as const satisfies Record<
  string,
  { name: string; texts: Catalogue }
>
export type Language = keyof typeof languages
const isLanguage = (tag: string): tag is Language => Object.hasOwn(languages, tag)

/** `hi-IN` is Hindi. Undefined for a language without a catalogue. */
export function languageOf(tag: string | undefined): Language | undefined {
  const primary = tag?.trim().toLowerCase().split(/[-_]/)[0] ?? ''
  return isLanguage(primary) ? primary : undefined
}

const TAGS_MAX = 20 // Mohur's choice: at most so many tags of one header

/**
 * The language with a catalogue that an Accept-Language header gives the largest weight. Without one, the merchant's language, else
 * English.
 */
export function accepted(header: string | undefined, merchant: { pageLanguage: string | null } = { pageLanguage: null }): Language {
  const tags = (header ?? '').slice(0, 1_000).split(',', TAGS_MAX)
  const weighed = tags.map((tag) => {
    const [name, weight] = tag.split(';', 2)
    const q = /^\s*q=(0(?:\.\d{1,3})?|1(?:\.0{1,3})?)\s*$/.exec(weight ?? '')?.[1]
    return { language: languageOf(name), weight: weight === undefined ? 1 : Number(q ?? 0) }
  })
  const best = weighed.filter(({ language, weight }) => language && weight > 0).sort((a, b) => b.weight - a.weight)[0]
  return best?.language ?? languageOf(merchant.pageLanguage ?? undefined) ?? 'en'
}
