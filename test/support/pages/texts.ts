// Judges what a page says. It finds texts that are missing or get an empty value, and texts about another way to pay than the payer's.

import assert from 'node:assert/strict'

/** The findings, and how many texts the page used. */
export interface Judged {
  texts: number
  holes: Set<string>
  empty: Set<string>
  untrue: Set<string>
}
export const judged = (): Judged => ({ texts: 0, holes: new Set(), empty: new Set(), untrue: new Set() })

/** Asserts that there are no findings, and returns the figures. */
export function noneAmiss({ texts, holes, empty, untrue }: Judged, product: string): string {
  const figures = `${product}${texts > 0 ? `, ${texts} texts` : ''}: holes ${holes.size}, empty values ${empty.size}, of another way ${untrue.size}`
  assert.deepEqual({ holes: [...holes], empty: [...empty], untrue: [...untrue] }, { holes: [], empty: [], untrue: [] }, figures)
  return figures
}

const plain = (html: string) => html.replace(/<[^>]*>/g, '').trim()
function isEmpty(given: unknown): boolean {
  if (Array.isArray(given)) return given.every(isEmpty)
  if (typeof given === 'number') return !Number.isFinite(given)
  if (typeof given === 'object' && given !== null && 'text' in given) return plain(String(given.text)) === ''
  return given === undefined || given === null || given === false || (typeof given === 'string' && given.trim() === '')
}
/** Marks of a broken text: a missing value, or the gap of one that was left out. */
const BROKEN = /undefined|null|NaN|\[object|“”|\(\)|\S {2}\S| [.,;:!?।](\s|$)|: \./

/** Texts around an element that the script fills. */
const FILLED_BY_SCRIPT: readonly string[] = ['time.counts']
/** A catalogue that notes each text that is missing, gets an empty value, or comes out broken. */
export function watched<T extends object>(texts: T, found: Judged, path = ''): T {
  return new Proxy(texts, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof name === 'symbol') return value
      const here = `${path}${name}`
      const note = (said: unknown) => {
        found.texts++
        if (isEmpty(said) || BROKEN.test(plain(typeof said === 'object' ? (said as { text: string }).text : String(said))))
          found.holes.add(here)
        return said
      }
      if (typeof value === 'function')
        return (...given: readonly unknown[]) => {
          if (given.some(isEmpty) && !FILLED_BY_SCRIPT.includes(here)) found.empty.add(here)
          return note(value(...given))
        }
      if (typeof value === 'object' && value !== null && !('text' in value)) return watched(value, found, `${here}.`)
      return note(value)
    },
  })
}

/** Empty elements. An element that script fills has a `data-` attribute. */
const HOLLOW = /<(p|b|bdi|dd|dt|h1|h2|h3|li|button|summary|small)(?:\s(?![^>]*data-)[^>]*)?>\s*<\/\1>/g
export const hollowIn = (html: string): string[] => [...html.matchAll(HOLLOW)].map(([element]) => element)

export interface About {
  way: string
  isConsent: boolean
  /** The next step of an attempt, or `failed`. `otp` follows where a new code was requested. */
  state: string
}
/** Words that a text about this way, in this state, may not use in either language. */
function foreignTo({ way, isConsent, state }: About): readonly RegExp[] {
  const isUpi = way === 'upi' || state.startsWith('upi')
  return [
    ...(isUpi ? [] : [/UPI/]),
    ...(way === 'upi' && !state.endsWith('otp') ? [/OTP/] : []),
    ...(way === 'card' || way === 'emi' ? [] : [/\bcard|कार्ड/i]),
    ...(way === 'postpaid' || way === 'wallet' ? [/\bbank|बैंक/i] : [/postpaid|पोस्टपेड/i]),
    isConsent ? /\bpay(ments?|s)?\b|take the money|भुगतान/i : /mandate|मैंडेट|ऑटोपे/i,
  ]
}
/** Labels of numbers that stand for every way, and the name of an app. */
const LABELS = /Bank reference|बैंक रेफ़रेंस|Google Pay/g
export const untrueIn = (words: string, about: About): string[] =>
  foreignTo(about).flatMap((foreign) => {
    const [said] = foreign.exec(words.replace(LABELS, '')) ?? []
    return said === undefined ? [] : [`${about.way}${about.isConsent ? ' consent' : ''}, ${about.state}: ${said}`]
  })

/** The state's own panel, without the amount beside it. */
export const panelIn = (html: string): string => /<section class="card one".*?<\/section>/s.exec(html)?.[0] ?? ''
