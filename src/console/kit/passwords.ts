// Passwords as argon2id hashes, made by Node's own OpenSSL. One hash is made at a time, and at most ten a second, so guesses take nothing
// from payments. Known callers have a line of their own, so strangers cannot keep known callers out.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../engine/clock.ts'

const COST = { parallelism: 1, memory: 19_456, passes: 2 } // OWASP's minimum for argon2id: KiB and passes
const [NONCE_BYTES, TAG_BYTES] = [16, 32]
const EVERY_MS = 100 // docs/console.md
const WAITING_MAX = 100 // docs/console.md: in each line
const [LENGTH_MIN, LENGTH_MAX] = [12, 128] // PCI DSS 8.3.6; Mohur's choice
const DISTINCT_MIN = 5 // Mohur's choice
const FORM = /^argon2id\$m=([0-9]+),t=([0-9]+),p=([0-9]+)\$([A-Za-z0-9_-]+)\$([A-Za-z0-9_-]+)$/
/** Words of the most tried passwords. A password of only these words, digits and signs is too easy. The longer words stand first. */
const COMMON = [
  ...['administrator', 'password', 'qwertyuiop', 'asdfghjkl', 'qazwsxedc', 'iloveyou', 'changeme', 'football', 'princess', 'sunshine'],
  ...['superman', 'welcome', 'letmein', 'trustno', 'zxcvbnm', 'cricket', 'monkey', 'dragon', 'batman', 'qwerty', 'asdfgh', 'qazwsx'],
  ...['abcdef', 'passwd', 'admin', 'mohur', 'india', 'passw', 'abcd', 'qwer', 'abc'],
]
const COMMON_WORDS = new RegExp(COMMON.join('|'), 'g')
/** Signs and digits that stand for letters in passwords of common words. */
const LOOKS: Readonly<Record<string, string>> = { '@': 'a', '4': 'a', '3': 'e', '1': 'i', '!': 'i', '0': 'o', '5': 's', $: 's' }
const COUNTED = '01234567890123456789'
const COUNTED_LETTERS_MAX = 3 // Mohur's choice: beside digits that only count up or down

/** Too many comparisons wait to be answered in time: HTTP 503. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy'
}

export interface PasswordCost {
  memory: number
  passes: number
  everyMs: number
}

/** The line in which a comparison waits. When both lines wait, they take turns. */
export type Line = 'known' | 'stranger'

export class Passwords {
  readonly #clock: Pick<Clock, 'elapsed' | 'sleep'>
  readonly #cost: PasswordCost
  readonly #lines: Readonly<Record<Line, (() => void)[]>> = { known: [], stranger: [] }
  #served: Line = 'stranger'
  #isTaken = false
  #nextAt = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'elapsed' | 'sleep'>, cost: PasswordCost = { ...COST, everyMs: EVERY_MS }) {
    this.#clock = clock
    this.#cost = cost
  }

  async hash(password: string, line: Line): Promise<string> {
    const { memory, passes } = this.#cost
    const nonce = randomBytes(NONCE_BYTES)
    const tag = await this.#inTurn(line, () => tagOf(password, { nonce, memory, passes, parallelism: COST.parallelism }))
    return `argon2id$m=${memory},t=${passes},p=${COST.parallelism}$${nonce.toString('base64url')}$${tag.toString('base64url')}`
  }

  /** Takes the same time without a hash, so that a caller cannot learn which addresses are known. */
  async isRight(password: string, hash: string | null | undefined, line: Line): Promise<boolean> {
    const [, memory, passes, parallelism, nonce, tag] = FORM.exec(hash ?? '') ?? []
    if (tag === undefined) {
      await this.hash(password, line)
      return false
    }
    const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
    const made = await this.#inTurn(line, () => tagOf(password, { nonce: Buffer.from(nonce!, 'base64url'), ...cost }))
    const kept = Buffer.from(tag, 'base64url')
    return made.length === kept.length && timingSafeEqual(made, kept)
  }

  async #inTurn<T>(line: Line, work: () => Promise<T>): Promise<T> {
    if (this.#lines[line].length >= WAITING_MAX) throw new PasswordsBusy('too many passwords are waiting')
    await new Promise<void>((begin) => {
      this.#lines[line].push(begin)
      this.#callNext()
    })
    try {
      const restMs = this.#nextAt - this.#clock.elapsed()
      if (restMs > 0) await this.#clock.sleep(restMs)
      this.#nextAt = this.#clock.elapsed() + this.#cost.everyMs
      return await work()
    } finally {
      this.#isTaken = false
      this.#callNext()
    }
  }

  #callNext() {
    if (this.#isTaken) return
    const other = this.#served === 'known' ? 'stranger' : 'known'
    const line = this.#lines[other].length > 0 ? other : this.#served
    const begin = this.#lines[line].shift()
    if (!begin) return
    this.#isTaken = true
    this.#served = line
    begin()
  }
}

const tagOf = (password: string, cost: { nonce: Buffer; memory: number; passes: number; parallelism: number }) =>
  new Promise<Buffer>((resolve, reject) => {
    const given = { message: password.normalize('NFC'), tagLength: TAG_BYTES, ...cost }
    argon2('argon2id', given, (error, tag) => (error ? reject(error) : resolve(tag)))
  })

/** Returns a sentence that refuses the password, for the person who chose it. Undefined for a good password. */
export function whyWeak(password: string, email: string): string | undefined {
  const length = [...password].length
  if (length < LENGTH_MIN || length > LENGTH_MAX) return `Use ${LENGTH_MIN} to ${LENGTH_MAX} characters.`
  if (!/\p{L}/u.test(password) || !/\p{N}/u.test(password)) return 'Use at least one letter and one digit.'
  const lower = password.toLowerCase()
  const name = email.split('@')[0]!.toLowerCase()
  if (isCommon(lower) || new Set(lower).size < DISTINCT_MIN || (name.length > 3 && lower.includes(name)))
    return 'This password is too easy to guess. Choose another.'
  return undefined
}

function isCommon(lower: string): boolean {
  const lettersOf = (text: string) => text.replace(/[^\p{L}]/gu, '')
  const letters = lettersOf(lower)
  // Digits at the ends of a password count as digits. Digits within a word stand for letters.
  const word = lower.replace(/^[^\p{L}@$]+|[^\p{L}]+$/gu, '').replace(/[^\p{L}]/gu, (sign) => LOOKS[sign] ?? sign)
  if ([letters, lettersOf(word)].some((each) => each.replace(COMMON_WORDS, '') === '')) return true
  const digits = lower.replace(/[^0-9]/g, '')
  const isCounted = COUNTED.includes(digits) || [...COUNTED].toReversed().join('').includes(digits)
  return isCounted && letters.length <= COUNTED_LETTERS_MAX
}
