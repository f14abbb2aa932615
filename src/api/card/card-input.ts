// The card that a payer pays with. Its number and CVV leave the request before anything validates, keeps or logs it (docs/interface.md
// section 4.10). The card itself goes only to the acquirer's call. All other code gets only the members that may be kept.

import { hasCheckDigit } from '../../domain/audit/reason.ts'
import { dateInIndia } from '../../engine/clock.ts'
import type { CardMeans } from '../../flows/pay.ts'
import type { JsonObject } from '../../interface/envelope.ts'
import { isObject } from '../../interface/envelope.ts'
import { keptDigits } from '../../reference/reference.ts'
import type { Instrument } from '../../tables/transaction.ts'

const LAST_DIGITS = 4
const NUMBER_FORM = /^[0-9]{12,19}$/
const CVV_FORM = /^[0-9]{3,4}$/

export interface CutCard {
  /** In place of `cardInfo`: see the schema of process-transaction.ts. */
  cardInfo: JsonObject
  /** `means` goes on to the acquirer's call. `instrument` has the members that may be kept. */
  card: { means?: CardMeans; instrument: Instrument }
}

/** `savedCardId|number|cvv|MMYYYY`, or the router's object `{cardUniqueId, cvv, expiryMonth, expiryYear}`. */
export function cutCard(given: unknown, now: number): CutCard {
  const parts = partsOf(given)
  if (!parts) return { cardInfo: BROKEN, card: { instrument: {} } }
  const [savedCardId, number, cvv, month, year] = parts
  const isSaved = savedCardId !== ''
  const hasForm = isSaved ? number === '' : NUMBER_FORM.test(number)
  const expiry = isSaved ? 'none' : expiryOf(month, year, now)
  const cardInfo = {
    ...(isSaved && { savedCardId }),
    form: 'whole',
    number: isSaved ? (hasForm ? 'none' : 'invalid') : hasForm && hasCheckDigit(number) ? 'valid' : 'invalid',
    cvv: CVV_FORM.test(cvv) ? 'valid' : 'invalid',
    expiry,
  }
  if (isSaved) return { cardInfo, card: { means: { kind: 'savedCard', cvv }, instrument: { savedCardId } } }
  if (!hasForm) return { cardInfo, card: { instrument: {} } }
  return {
    cardInfo,
    card: {
      means: { kind: 'card', number, cvv, expiryMonth: Number(month), expiryYear: Number(year) },
      instrument: {
        bin: number.slice(0, keptDigits(number)),
        cardLast4: number.slice(-LAST_DIGITS),
        maskedCardNo: masked(number),
        expiry: `${month}${year}`,
      },
    },
  }
}

const BROKEN: JsonObject = { form: 'broken', number: 'none', cvv: 'valid', expiry: 'none' }
const masked = (number: string) =>
  number.slice(0, keptDigits(number)) + '*'.repeat(number.length - keptDigits(number) - LAST_DIGITS) + number.slice(-LAST_DIGITS)

type Parts = readonly [savedCardId: string, number: string, cvv: string, month: string, year: string]

function partsOf(given: unknown): Parts | undefined {
  if (typeof given === 'string') {
    const [savedCardId, number, cvv, expiry, ...more] = given.split('|')
    if (expiry === undefined || more.length > 0) return undefined
    const digits = expiry.trim()
    return [savedCardId!.trim(), number!.replaceAll(' ', ''), cvv!.trim(), digits.slice(0, 2), digits.slice(2)]
  }
  if (!isObject(given)) return undefined
  const { cardUniqueId, cvv, expiryMonth, expiryYear } = given
  const text = (value: unknown) => (typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '')
  const id = text(cardUniqueId).replaceAll(' ', '')
  if (id === '') return undefined
  const [month, year] = [text(expiryMonth).padStart(2, '0'), text(expiryYear)]
  return NUMBER_FORM.test(id) && !id.endsWith('C') && year !== '' ? ['', id, text(cvv), month, year] : [id, '', text(cvv), '', '']
}

/** A card is valid until the end of the month that it names. */
function expiryOf(month: string, year: string, now: number): 'valid' | 'past' | 'invalid' {
  if (!/^(0[1-9]|1[0-2])$/.test(month) || !/^20[0-9]{2}$/.test(year)) return 'invalid'
  const [thisYear, thisMonth] = dateInIndia(now).split('-')
  const months = (Number(year) - Number(thisYear)) * 12 + Number(month) - Number(thisMonth)
  return months < 0 ? 'past' : months > EXPIRY_MONTHS_MAX ? 'invalid' : 'valid'
}
const EXPIRY_MONTHS_MAX = 20 * 12 // Mohur's choice: no card is made for longer
