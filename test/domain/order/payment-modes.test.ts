// The modes that may pay an order (docs/interface.md section 2, PaymentMode). Compares the rule of the options page and of payments with a
// reading of its own (support/paying/payment-modes.ts).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaves, type ModeLimits, modesOf } from '../../../src/domain/order/payment-modes.ts'
import { paymentModesOf } from '../../../src/domain/payment-options/payment-options.ts'
import { openModes } from '../../../src/domain/subscription/offered-modes.ts'
import { paymentPlan } from '../../../src/domain/transaction/begin-transaction.ts'
import { SUBSCRIPTION_PAYMENT_MODES } from '../../../src/interface/fields.ts'
import { referenceOf } from '../../../src/reference/reference.ts'
import type { Row } from '../../../src/tables/tables.ts'
import type { Instrument } from '../../../src/tables/transaction.ts'
import {
  BANKS,
  drawn,
  type Element,
  enumerated,
  type Lists,
  mayPay,
  type Option,
  options,
  shownAs,
} from '../../support/paying/payment-modes.ts'
import { sized } from '../../support/run/sizes.ts'
import { Random } from '../../support/text/random.ts'

const SEED = 20261121
const reference = referenceOf({
  banks: BANKS.map((code) => ({ code, name: code, netBanking: true })),
  bins: [],
  plans: BANKS.flatMap((bank) =>
    [3, 6, 9].map((tenure) => ({ planId: `${bank}|${tenure}`, bank, tenure, interestHundredths: 0, minAmountPaise: 1 })),
  ),
  handles: [],
  categories: [],
})
const amountPaise = 100_00
const wallet = { walletBalancePaise: amountPaise } as Row<'customers'>
const merchant = {
  debitCardEmi: false,
  paymentModes: [...new Set(options.map(({ mode }) => mode))],
} as unknown as Row<'merchants'>
const orderOf = (paymentModes: Lists) => ({ amountPaise, paymentModes, details: { userInfo: {} } }) as unknown as Row<'orders'>

/** A reading of a pair of lists: which options may pay, and which are shown. */
type Rule = (lists: Lists) => { pays(option: Option): boolean; shown: ReadonlySet<string> }

/** The service's reading: the rule of payments, and the page's modes and channels. */
const service: Rule = (lists) => {
  const order = orderOf(lists)
  const modes = modesOf(merchant, order, undefined, undefined)
  const pays = ({ mode, channels: channel, banks: bank, tenures: tenure }: Option) =>
    modes.has(mode) && leaves(modes.get(mode)!, { channel, bank, tenure })
  return { pays, shown: pageOf(modes) }
}

function wantedOf(order: Row<'orders'>, { mode, channels, banks, tenures }: Option): Parameters<typeof paymentPlan>[0] {
  const isCard = mode === 'CREDIT_CARD' || mode === 'DEBIT_CARD' || mode === 'EMI'
  const instrument: Instrument = {
    ...(isCard && { cardScheme: channels!, cardType: mode === 'DEBIT_CARD' ? 'DEBIT_CARD' : 'CREDIT_CARD' }),
    ...(banks && { bank: banks }),
    ...(tenures && { tenure: tenures, planId: `${banks}|${tenures}` }),
  }
  const request = {
    paymentMode: mode,
    ...(!isCard && channels && { channelCode: channels }),
    ...(tenures && { planId: `${banks}|${tenures}` }),
  }
  return {
    ...{ request: request as never, order, merchant, customer: wallet, subscription: undefined, instrument, reference },
    ...{ promocode: undefined, promotion: undefined, counters: {} as never, now: 0 },
  }
}

function pageOf(modes: ReadonlyMap<string, ModeLimits>): ReadonlySet<string> {
  const payable = { modes, amountPaise, wallet: { balancePaise: amountPaise }, debitCardEmi: false }
  const shown = new Set<string>()
  for (const { paymentMode, isDisabled, payChannelOptions } of paymentModesOf(payable, reference)) {
    assert.equal(isDisabled.status, String(payChannelOptions.length === 0), 'a mode of which nothing is left is shown disabled')
    for (const { channelCode, emiChannelInfos } of payChannelOptions as {
      channelCode?: string
      emiChannelInfos?: { planId: string }[]
    }[]) {
      if (!emiChannelInfos) shown.add(`${paymentMode} ${channelCode}`)
      for (const { planId } of emiChannelInfos ?? []) shown.add(`EMI ${planId}`)
    }
  }
  return shown
}

/** How often a rule differs from the reading, in what pays and in what is shown. */
function differences(rule: Rule, lists: Iterable<Lists>) {
  const count = { lists: 0, ways: 0, allowed: 0, differences: 0, disagreements: 0 }
  for (const pair of lists) {
    const { pays, shown } = rule(pair)
    const payable = new Set<string>()
    const paid = new Set<string>()
    for (const option of options) {
      const [may, does] = [mayPay(pair, option), pays(option)]
      if (may) payable.add(shownAs(option))
      if (does) paid.add(shownAs(option))
      count.ways++
      if (may) count.allowed++
      if (may !== does) count.differences++
    }
    count.lists++
    if (shown.symmetricDifference(payable).size > 0) count.differences++
    if (shown.symmetricDifference(paid).size > 0) count.disagreements++
  }
  return count
}

function* seeded(count: number): Generator<Lists> {
  const random = new Random(SEED)
  for (let at = 0; at < count; at++) yield drawn((below) => random.below(below))
}

test('4,096 enumerated pairs of lists: what pays and what is shown is what the interface says', (context) => {
  const count = differences(service, enumerated())
  context.diagnostic(JSON.stringify(count))
  assert.deepEqual([count.lists, count.differences, count.disagreements], [4_096, 0, 0])
  assert.ok(count.allowed > count.ways / 20 && count.allowed < count.ways / 2, 'neither all nor nothing')
})

const DRAWN = sized(10_000, 100_000)
test(`${DRAWN} drawn pairs of lists: what pays and what is shown is what the interface says`, (context) => {
  const count = differences(service, seeded(DRAWN))
  context.diagnostic(`seed ${SEED}: ${JSON.stringify(count)}`)
  assert.deepEqual([count.lists, count.differences, count.disagreements], [DRAWN, 0, 0])
  assert.ok(count.allowed > count.ways / 20 && count.allowed < count.ways / 2, 'neither all nor nothing')
})

test('the plan of a payment goes by that rule: a way of every pair of lists', (context) => {
  const random = new Random(SEED)
  const count = { plans: 0, paid: 0, differences: 0 }
  for (const pair of [...enumerated(), ...seeded(10_000)]) {
    const option = random.pick(options)
    const isPaid = !('result' in paymentPlan(wantedOf(orderOf(pair), option)))
    count.plans++
    if (isPaid) count.paid++
    if (isPaid !== mayPay(pair, option)) count.differences++
  }
  context.diagnostic(`seed ${SEED}: ${JSON.stringify(count)}`)
  assert.deepEqual([count.plans, count.differences], [14_096, 0])
  assert.ok(count.paid > 1_000 && count.paid < 13_000, 'neither all nor nothing')
})

test('a mode is open to a subscription exactly when a channel of it is left', (context) => {
  const channelsOnly = (list: Element[] | undefined) =>
    list?.map(({ mode, channels }) => ({ ...(mode && { mode }), ...(channels && { channels }) }))
  const count = { lists: 0, open: 0, differences: 0 }
  for (const pair of seeded(5_000)) {
    const [enable, disable] = [channelsOnly(pair.enable), channelsOnly(pair.disable)]
    const [lists, request] = [
      { ...(enable && { enable }), ...(disable && { disable }) },
      { ...(enable && { enablePaymentMode: enable }), ...(disable && { disablePaymentMode: disable }) },
    ]
    const open = new Set<string>(
      openModes(
        [...SUBSCRIPTION_PAYMENT_MODES].filter((mode) => mode !== 'BANK_MANDATE'),
        request,
      ),
    )
    const left = new Set(options.filter((option) => isOfSubscriptions(option) && mayPay(lists, option)).map(({ mode }) => mode))
    count.lists++
    count.open += open.size
    if (open.symmetricDifference(left).size > 0) count.differences++
  }
  context.diagnostic(`seed ${SEED}: ${JSON.stringify(count)}`)
  assert.deepEqual([count.lists, count.differences], [5_000, 0])
  assert.ok(count.open > 5_000)
})
const isOfSubscriptions = ({ mode }: Option) => SUBSCRIPTION_PAYMENT_MODES.some((each) => each === mode)

// -------------------------------------------------------------------------------------------------- what would be found

const shownBy = (pays: (option: Option) => boolean) => new Set(options.filter(pays).map(shownAs))
const ruleOf = (pays: (lists: Lists, option: Option) => boolean): Rule => {
  return (lists) => {
    const of = (option: Option) => pays(lists, option)
    return { pays: of, shown: shownBy(of) }
  }
}
const LISTS = ['channels', 'banks', 'tenures'] as const
const joined = (elements: readonly Element[], list: (typeof LISTS)[number]) =>
  new Set(elements.flatMap((element): readonly unknown[] => element[list] ?? []))

const wrongRules: Record<string, Rule> = {
  'the lists of several elements joined list by list': ruleOf(({ enable = [], disable = [] }, option) => {
    const enabling = enable.filter(({ mode }) => mode === option.mode)
    if (enabling.length === 0 && enable.some(({ mode }) => mode)) return false
    const disabling = disable.filter(({ mode }) => mode === option.mode)
    if (disabling.some((element) => !LISTS.some((list) => element[list]))) return false
    return LISTS.every((list) => {
      if (option[list] === undefined) return true
      const isLeft = enabling.length === 0 || enabling.some((element) => !element[list]) || joined(enabling, list).has(option[list])
      return isLeft && !joined(disabling, list).has(option[list])
    })
  }),
  'a card of an unknown bank taken for one of any bank': ruleOf((lists, option) =>
    option.mode.endsWith('_CARD') && option.banks === undefined
      ? [...BANKS, 'NOSUCH'].some((banks) => mayPay(lists, { ...option, banks }))
      : mayPay(lists, option),
  ),
  'lists of another mode disabling all of a mode': ruleOf(
    (lists, option) =>
      mayPay(lists, option) && !(option.mode === 'UPI' && lists.disable?.some(({ mode, channels }) => mode === 'UPI' && !channels)),
  ),
  'what is disabled winning only where nothing is enabled': ruleOf(({ enable, disable }, option) =>
    mayPay(enable ? { enable } : { disable: disable ?? [] }, option),
  ),
  'a page that forgets what is disabled': (lists) => {
    const { pays } = service(lists)
    return { pays, shown: shownBy((option) => mayPay({ enable: lists.enable ?? [] }, option)) }
  },
}
for (const [what, rule] of Object.entries(wrongRules)) {
  test(`a wrong rule would be found: ${what}`, (context) => {
    const counts = [differences(rule, enumerated()), differences(rule, seeded(2_000))]
    context.diagnostic(`${counts.map(({ differences }) => differences).join(' and ')} differences`)
    for (const count of counts) assert.ok(count.differences > 0)
  })
}
