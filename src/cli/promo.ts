// `mohur promo explain`: what one promocode does to one cart, rule by rule, on the store's present state (docs/operating/commands.md). The
// rules are those of Apply Promo and of paying. The command uses up no benefit.

import { readFileSync } from 'node:fs'
import { modeOf } from '../adapters/store/mode.ts'
import { openBeside } from '../adapters/store/open.ts'
import { SqlStore } from '../adapters/store/sql-store.ts'
import { MASTER_KEY_BYTES, Vault } from '../adapters/store/vault.ts'
import { withoutCardNumbers } from '../api/card/without-card-numbers.ts'
import { cartOf, wire } from '../domain/promotion/apply-promo.ts'
import { type Cart, limitReached, reasons, rules, type Used } from '../domain/promotion/evaluate.ts'
import { benefitPaise, type Promotion, prepare, reckonedOnPaise } from '../domain/promotion/promotion.ts'
import { EVERYBODY } from '../domain/promotion/redemption.ts'
import { dateInIndia } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import { BODY_BYTES_MAX, readRequest } from '../interface/envelope.ts'
import { formats } from '../interface/fields.ts'
import { toRupees } from '../interface/money.ts'
import { normalise, reader } from '../interface/request.ts'
import { clockOf } from '../sandbox/clock.ts'
import { readSettings, SettingError, type Settings } from '../settings.ts'
import { counterKey, promotionKey } from '../tables/keys.ts'
import type { Row } from '../tables/tables.ts'

interface Asked {
  mid: string
  code: string
  /** The name of a file. */
  cart: string
  on?: string
}

export async function promo(asked: Asked) {
  const { lines, isGiven } = await explained(asked, readSettings(process.env))
  for (const line of lines) console.log(line)
  process.exitCode = isGiven ? 0 : 1
}

export async function explained({ mid, code, cart: file, on }: Asked, settings: Settings): Promise<{ lines: string[]; isGiven: boolean }> {
  if (on !== undefined && !formats.date(on)) throw new SettingError('--on must be a date, YYYY-MM-DD')
  const cart = readCart(file, mid, code)
  const engine = await openBeside(settings)
  try {
    // Promotions and their counters have no sealed columns, so this needs no master key.
    const { query } = new SqlStore(engine, new Vault(settings.masterKey ?? Buffer.alloc(MASTER_KEY_BYTES)))
    const date = on ?? dateInIndia((await clockOf(query, await modeOf(engine))).now())
    const verdicts = await verdictsOf(await query.row(promotionKey(mid, code)), cart, date, query)
    const refused = verdicts.find(({ reason }) => reason !== undefined)
    return {
      lines: [`${code} of ${mid}, on ${date} in India`, ...verdicts.map(lineOf), refused ? `Not given: ${refused.reason}` : 'Given'],
      isGiven: !refused,
    }
  } finally {
    await engine.close()
  }
}

const lineOf = ({ rule, facts, reason, isOpen }: Verdict) =>
  `${rule.padEnd(RULE_LENGTH)}  ${isOpen ? '-  ' : reason ? 'no ' : 'yes'}  ${facts}${reason ? `: ${reason}` : ''}`
const RULE_LENGTH = 'maxPerCustomer'.length
const LISTED_MAX = 10 // Mohur's choice: names on one line

function readCart(file: string, mid: string, code: string): Cart {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new SettingError(`--cart: ${file} cannot be read (${(error as { code?: string }).code})`)
  }
  const root = bytes.length <= BODY_BYTES_MAX ? readRequest(bytes)?.root : undefined
  if (!root) throw new SettingError(`--cart: ${file} is not a JSON object that Apply Promo would take`)
  const given = withoutCardNumbers(normalise(root))
  if (given['mid'] !== undefined && given['mid'] !== mid) throw new SettingError(`--cart: ${file} names another mid`)
  const body = reader(wire.body)({ ...given, mid, promocode: code })
  if (body.faults) throw new SettingError(`--cart: ${file}: ${body.faults.map(({ kind, path }) => `${path} is ${kind}`).join(', ')}`)
  const [mistake] = wire.check!(body.value, 0, given)
  if (mistake) throw new SettingError(`--cart: ${file}: ${mistake.parameter} is wrong`)
  return cartOf(body.value)
}

// -------------------------------------------------------------------------------------------------------- rule by rule

interface Verdict {
  rule: string
  /** The values that the rule compares. */
  facts: string
  /** Why the rule refuses. */
  reason?: string | undefined
  /** True when the rule had nothing to judge. */
  isOpen?: true
}

async function verdictsOf(row: Row<'promotions'> | undefined, cart: Cart, date: string, query: Query): Promise<Verdict[]> {
  if (!row) return [{ rule: 'known', facts: 'this merchant has no such promotion', reason: reasons.unknown }]
  const promotion = prepare([row], row.validFrom).byCode.get(row.promocode)! // the promotion is live on its first day
  return [
    { rule: 'known', facts: `${row.kind.toLowerCase()} "${row.title}"${row.visible ? '' : ', hidden'}` },
    { rule: 'validFrom', facts: row.validFrom, reason: date < row.validFrom ? reasons.notBegun : undefined },
    { rule: 'validUpto', facts: row.validUpto, reason: date > row.validUpto ? reasons.ended : undefined },
    ...ruled(row, promotion, cart),
    ...(await limits(row, promotion, cart, query)),
  ]
}

/** After a refusal the later rules have nothing to judge, except `skus`: items are judged by themselves. */
function ruled(row: Row<'promotions'>, promotion: Promotion, cart: Cart): Verdict[] {
  const verdicts: Verdict[] = []
  for (const [rule, judge] of Object.entries(rules)) {
    const isOver = verdicts.some(({ reason }) => reason !== undefined)
    if (isOver && rule !== 'skus') verdicts.push({ rule, facts: 'nothing is left to check', isOpen: true })
    else verdicts.push({ rule, facts: factsOf(rule, row, promotion, cart), reason: judge(promotion, cart) })
  }
  return verdicts
}

function factsOf(rule: string, row: Row<'promotions'>, promotion: Promotion, { options, items }: Cart): string {
  switch (rule) {
    case 'payMethods':
    case 'banks':
    case 'bins':
    case 'skus':
      return listed(row[rule])
    case 'customer':
      return promotion.maxPerCustomer === null ? 'any' : 'any but guests'
    case 'minAmount':
      return `${rupees(row.minAmountPaise)}, of ${rupees(reckonedOnPaise(promotion, options, items))}`
    case 'benefit': {
      const onPaise = reckonedOnPaise(promotion, options, items)
      const share = row.flatPaise === null ? `${toRupees(promotion.percentHundredths)}%` : rupees(row.flatPaise)
      const cap = row.upToPaise === null ? '' : `, at most ${rupees(row.upToPaise)}`
      return `${rupees(benefitPaise(promotion, onPaise))}, which is ${share} on ${rupees(onPaise)}${cap}`
    }
    default:
      return ''
  }
}

/** Judges each limit by itself, with the present counters. Other payers may reserve amounts meanwhile. */
async function limits({ mid, promocode, fundedBy }: Row<'promotions'>, promotion: Promotion, cart: Cart, query: Query): Promise<Verdict[]> {
  const { budgetPaise, maxPerCustomer } = promotion
  const { custId } = cart
  const counter = (custId: string) => query.row(counterKey(mid, promocode, custId))
  const [everybody, ofCustomer] = await Promise.all([counter(EVERYBODY), custId === undefined ? undefined : counter(custId)])
  const used: Used = { paise: everybody?.amountPaise ?? 0, usesOfCustomer: ofCustomer?.uses ?? 0 }
  const offer = { promotion, paise: benefitPaise(promotion, reckonedOnPaise(promotion, cart.options, cart.items)) }
  const whose = custId === undefined ? 'no customer is named' : `used ${used.usesOfCustomer} times by ${custId}`
  const budget = budgetPaise === null ? 'no limit' : rupees(budgetPaise)
  return [
    {
      rule: 'maxPerCustomer',
      facts: `${maxPerCustomer ?? 'no limit'}, ${whose}`,
      reason: limitReached(offer, used) === reasons.customerLimit ? reasons.customerLimit : undefined,
    },
    {
      rule: 'budget',
      facts: `${budget} of ${fundedBy}, used ${rupees(used.paise)} in ${everybody?.uses ?? 0} payments`,
      reason: limitReached(offer, { ...used, usesOfCustomer: 0 }),
    },
  ]
}

/** Shows at most ten names, because a promotion may name a thousand items. */
const listed = (values: readonly string[]) =>
  values.length === 0
    ? 'any'
    : `${values.slice(0, LISTED_MAX).join(', ')}${values.length > LISTED_MAX ? ` and ${values.length - LISTED_MAX} more` : ''}`

const rupees = (paise: number) => `Rs ${toRupees(paise)}`
