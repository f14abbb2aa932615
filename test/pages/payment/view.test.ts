// What a payer sees, without HTTP and without a store: every stage by every way to pay, beside an offer, a wallet, kept cards, a shop's choice and a
// mandate. What a button says is what its form promises, the script's price says the same, and rows that do not fit each other are not shown.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readReference } from '../../../src/adapters/reference/read-reference.ts'
import { PAYMENT_MODES, paymentModes } from '../../../src/interface/payment-modes.ts'
import { formatRupees } from '../../../src/pages/kit/amounts.ts'
import { type Language, languages } from '../../../src/pages/kit/messages/messages.ts'
import type { FoundPage } from '../../../src/pages/payment/found/found.ts'
import { meansIn } from '../../../src/pages/payment/found/means.ts'
import type { Options, SavedCard } from '../../../src/pages/payment/found/options.ts'
import { type Stage, stageOf } from '../../../src/pages/payment/found/page-state.ts'
import type { PageView, WayView } from '../../../src/pages/payment/view/page-view.ts'
import { priceOf } from '../../../src/pages/payment/view/price.ts'
import { viewOf } from '../../../src/pages/payment/view/view-of.ts'
import type { Row } from '../../../src/tables/tables.ts'

const NOW = 1_800_000_000_000
const AMOUNT = 5_000_00
const OFF = 100_00
const WALLET = 300_00
const reference = readReference()

type Mode = (typeof PAYMENT_MODES)[number]
const EXTRAS = ['none', 'offer', 'wallet', 'saved', 'shop', 'mandate'] as const
type Extra = (typeof EXTRAS)[number]

const STAGES: Readonly<Record<Stage, { order: string; transaction?: object; until?: number }>> = {
  choices: { order: 'CREATED' },
  otp: { order: 'IN_PROCESS', transaction: { status: 'PENDING', next: { kind: 'otp' } } },
  bank: {
    order: 'IN_PROCESS',
    transaction: { status: 'PENDING', next: { kind: 'bankForm', actionUrl: 'https://bank.example/', content: { a: 'b' } } },
  },
  upi: { order: 'IN_PROCESS', transaction: { status: 'PENDING', next: { kind: 'deepLink', deepLink: 'upi://pay?pa=a@b&am=1.00' } } },
  collect: { order: 'IN_PROCESS', transaction: { status: 'PENDING', next: { kind: 'collect' } } },
  waiting: { order: 'IN_PROCESS', transaction: { status: 'UNKNOWN', next: null } },
  paid: { order: 'PAID', transaction: { status: 'SUCCESS', next: null } },
  closed: { order: 'CLOSED' },
  over: { order: 'CREATED', until: NOW - 1 },
}

const visa = {
  id: 'CARD1',
  paymentMode: 'CREDIT_CARD',
  scheme: 'VISA',
  last4: '1111',
  bin: '41111111',
  bank: 'HDFC',
  isPast: false,
} as const

function optionsFor(mode: Mode, extra: Extra): Options {
  const isOpen = (each: Mode) =>
    extra === 'mandate' ? paymentModes[each].isOfSubscriptions : paymentModes[each].isOfOrders && (extra !== 'shop' || each === mode)
  const modes = new Map(PAYMENT_MODES.filter(isOpen).map((each) => [each, { enabled: undefined, disabled: [] }]))
  const cards: readonly SavedCard[] = extra === 'saved' ? [visa, { ...visa, id: 'CARD2', last4: '2222', isPast: true }] : []
  return {
    payable: { modes, amountPaise: AMOUNT, wallet: extra === 'wallet' ? { balancePaise: WALLET } : undefined, debitCardEmi: true },
    offers: new Map(extra === 'offer' ? [[mode, { promocode: 'OFF', title: 'An offer', kind: 'DISCOUNT', paise: OFF }]] : []),
    mayDiscount: extra === 'offer',
    mobile: extra === 'wallet' || extra === 'saved' ? '9999900001' : undefined,
    cards,
    codeSentTo: undefined,
    banks: reference.banks.filter(({ netBanking }) => netBanking),
  }
}

const terms = {
  ...{ subscriptionId: 'S1', status: 'INIT', subStatus: 'INIT', amountType: 'FIX', maxAmountPaise: 199_00, frequencyUnit: 'MONTH' },
  ...{ frequency: 1, startDate: '2027-02-01', expiryDate: '2029-01-31', consentedAt: null, details: {}, autoRenewal: true },
}

/** The rows of one case, which nothing may change. */
function foundOf(stage: Stage, mode: Mode, extra: Extra, language: Language = 'en'): FoundPage {
  const { order, transaction, until = NOW + 60_000 } = STAGES[stage]
  const isShared = extra === 'wallet' && mode !== 'BALANCE'
  const ofOrder = { mid: 'M1', orderId: 'ORDER1' }
  const latest = transaction && {
    ...{ ...ofOrder, txnId: 'TXN1', paymentMode: mode, attempt: 1, version: 1, result: 'pending', instrument: {}, isCancelRefused: false },
    ...{ walletPaise: isShared ? WALLET : 0, bankPaise: AMOUNT - (isShared ? WALLET : 0), bankTxnId: 'UTR1', updatedAt: NOW },
    ...transaction,
  }
  const isMandate = extra === 'mandate'
  return Object.freeze({
    ...{ pageId: 'id', address: '/pay/id', now: NOW, language, texts: languages[language].texts, isSameBrowser: true },
    page: { until, extensions: 0, kind: 'full', view: extra === 'shop' ? { shop: { held: 'frame', only: [mode] } } : {} },
    order: {
      ...{ ...ofOrder, custId: 'C1', amountPaise: AMOUNT, status: order, transactionCount: latest ? 1 : 0, leftCount: 0, version: 1 },
      ...{ callbackUrl: 'https://shop.example/', details: { userInfo: {} }, payer: null, expiresAt: NOW + 3_600_000, txnId: null },
      ...{ requestType: isMandate ? 'NATIVE_SUBSCRIPTION' : 'PAYMENT', subscriptionId: isMandate ? 'S1' : null },
    },
    merchant: {
      name: 'Demo Stores',
      mcc: '5411',
      upiCollect: 'always',
      status: 'ACTIVE',
      websites: {},
      pageOrigins: null,
      supportContact: null,
    },
    ...{ sentCode: undefined, subscription: isMandate ? terms : undefined, attempts: latest ? [latest] : [], latest },
    ...{ browser: { agent: '', languages: language }, reference, site: { isSandbox: false, hasPhone: false, canSignIn: true } },
    ...(stage === 'choices' && { options: optionsFor(mode, extra) }),
    ...(stage !== 'choices' && { back: { url: 'https://shop.example/', fields: { ORDERID: 'ORDER1' } } }),
  }) as unknown as FoundPage
}

const isOf = (mode: Mode, extra: Extra) => (extra === 'mandate' ? paymentModes[mode].isOfSubscriptions : paymentModes[mode].isOfOrders)
const cases = (stage: Stage) =>
  PAYMENT_MODES.flatMap((mode) => EXTRAS.filter((extra) => isOf(mode, extra)).map((extra) => ({ stage, mode, extra })))

/** What may be taken from an instrument alone. */
const priceBy = (mode: Mode, { mode: offered, extra }: { mode: Mode; extra: Extra }) =>
  AMOUNT - (extra === 'offer' && mode === offered ? OFF : 0)

function judgeChoices(view: PageView, found: FoundPage, given: { mode: Mode; extra: Extra }) {
  const { mode, extra } = given
  const { texts } = found
  assert.ok(view.main.kind === 'choices')
  const { panels, open } = view.main
  const { panel: id } = paymentModes[mode]
  const panel = panels.find((each) => each.id === id)
  assert.ok(panel, `there is no panel ${id}`)
  assert.equal(open, panels[0]!.id)
  if (extra === 'shop')
    assert.deepEqual(
      panels.map((each) => each.id),
      [id],
      'the shop leaves this way alone',
    )
  assert.equal(panels[0]!.id === 'saved', extra === 'saved')
  if (extra === 'saved')
    assert.deepEqual([panels[0]!.fields['savedCard']?.of?.length, panels[0]!.past?.length, panels[0]!.kept?.length], [1, 1, 2])
  for (const each of panels)
    for (const way of each.ways) {
      const isShared = way.share !== undefined
      // A card says with its digits alone of which kind it is: its form promises the larger price.
      const kinds: readonly Mode[] = each.id === 'card' ? ['CREDIT_CARD', 'DEBIT_CARD'] : [way.mode as Mode]
      const kindsHere = kinds.filter((kind) => found.options!.payable.modes.has(kind))
      const promised = isShared ? AMOUNT : Math.max(...kindsHere.map((kind) => priceBy(kind, given)))
      assert.equal(way.paise, promised, `${each.id} promises something else`)
      assert.ok(way.button.includes(formatRupees(way.paise)), `${each.id}: “${way.button}” for ${way.paise}`)
      assert.equal(isShared, extra === 'wallet' && !['wallet', 'emi', 'mandate'].includes(each.id), `${each.id} and the wallet`)
      const learns = extra === 'offer' && ['card', 'saved', 'bank'].includes(each.id)
      assert.equal(way.isAtMost === true, isShared || learns, `${each.id}: at most`)
      assert.equal(way.terms !== undefined, extra === 'mandate')
      if (each.id !== 'saved') judgePrice(way, found)
    }
  assert.equal(view.offer?.promocode, extra === 'offer' ? 'OFF' : undefined)
  assert.deepEqual(
    view.total.rows.map(({ paise }) => paise),
    extra === 'offer' ? [AMOUNT - OFF] : [],
  )
  assert.equal(view.total.label, extra === 'mandate' ? texts.mandate.youAgree : texts.toPay)
  assert.equal(view.total.paise, extra === 'mandate' ? terms.maxAmountPaise : AMOUNT)
  assert.deepEqual(view.actions.pay, { attempt: 1 })
}

/** Before a card or a bank is typed the script's price is what the page says, except of a card whose kind is not known. */
function judgePrice({ mode, by, paise, button, share, isAtMost }: WayView, found: FoundPage) {
  const form = { mode, ...(by && { by }) }
  const means = meansIn(form, [], reference)
  if (!means || share || isAtMost) return
  const offer = found.options!.offers.get(mode as Mode)
  const price = priceOf(form, { ...found, typed: { means, offer, walletPaise: 0, isAtMost: false } })
  assert.deepEqual([price?.paise, price?.button], [paise, button], `the script's price by ${mode}`)
}

function judgeStep(view: PageView, found: FoundPage, { mode, extra }: { mode: Mode; extra: Extra }) {
  assert.ok(view.main.kind === 'step')
  assert.equal(view.main.step, view.stage)
  const isCode = view.stage === 'otp'
  assert.deepEqual(view.actions.otp, isCode ? { attempt: 1 } : undefined)
  assert.deepEqual([view.actions.check, view.actions.cancel, view.actions.pay], [{ attempt: 1 }, { attempt: 1 }, undefined])
  assert.deepEqual([view.main.check === undefined, view.main.cancel === undefined], [isCode, false])
  assert.equal(view.total.paise, extra === 'mandate' ? terms.maxAmountPaise : AMOUNT)
  const isShared = extra === 'wallet' && mode !== 'BALANCE'
  assert.deepEqual(
    view.total.rows.map(({ paise }) => paise),
    isShared ? [WALLET, AMOUNT - WALLET] : [],
  )
  assert.equal(view.back?.isAuto, false, 'a payer who waits is not sent away')
  assert.equal(view.doubt?.returns !== undefined, view.stage === 'waiting')
  assert.equal(view.page.title, `${view.main.heading} · ${found.merchant.name}`)
}

function judgeEnd(view: PageView, found: FoundPage) {
  assert.ok(view.main.kind === 'end')
  const { pay, otp, cancel, check, leave } = view.actions
  assert.deepEqual(
    [pay, otp, cancel, check, leave, view.time],
    Array.from({ length: 6 }, () => undefined),
    'nothing can be done any more',
  )
  const isPaid = view.stage === 'paid'
  assert.equal(view.main.receipt !== undefined, isPaid)
  assert.equal(view.main.icon, isPaid ? 'done' : 'ended')
  assert.equal(view.back?.isAuto, view.stage !== 'over')
  if (isPaid) assert.equal(view.main.heading, found.texts.result.paid(formatRupees(AMOUNT)))
}

for (const stage of Object.keys(STAGES) as Stage[])
  test(`${stage}: ${cases(stage).length} cases in ${Object.keys(languages).length} languages`, () => {
    for (const language of Object.keys(languages) as Language[])
      for (const given of cases(stage)) {
        const found = foundOf(stage, given.mode, given.extra, language)
        assert.equal(stageOf(found), stage)
        const view = viewOf(found)
        assert.equal(view.stage, stage)
        assert.deepEqual(viewOf(found), view, 'the same rows give the same view')
        if (stage === 'choices') judgeChoices(view, found, given)
        else if (view.main.kind === 'step') judgeStep(view, found, given)
        else judgeEnd(view, found)
      }
  })

test('instalments of a bank cost what their form promises, and the script’s price has the same plans', () => {
  const found = foundOf('choices', 'EMI', 'offer')
  const { main } = viewOf(found, { emi: 'HDFC' })
  assert.ok(main.kind === 'choices' && main.open === 'emi')
  const { ways, fields } = main.panels.find(({ id }) => id === 'emi')!
  assert.deepEqual([ways.length, ways[0]!.paise], [1, AMOUNT - OFF])
  const means = { mode: 'EMI', instrument: {}, isSure: true } as const
  const typed = { means, offer: found.options!.offers.get('EMI'), walletPaise: 0, isAtMost: false }
  const { plans, paise } = priceOf({ mode: 'EMI', emiBank: 'HDFC' }, { ...found, typed })!
  assert.equal(paise, AMOUNT - OFF)
  assert.deepEqual(
    fields['plan']!.of!.map(([id, name, more]) => [id, { name, more }]),
    Object.entries(plans!),
  )
})

test('rows that do not fit each other are not shown', () => {
  const paid = foundOf('paid', 'UPI', 'none')
  const choices = foundOf('choices', 'UPI', 'saved')
  const with_ = (found: FoundPage, more: object) => ({ ...found, ...more }) as FoundPage
  const orderAs = (found: FoundPage, status: string) => with_(found, { order: { ...found.order, status } })
  const foreign = { ...paid.latest!, orderId: 'ANOTHER' } as Row<'transactions'>
  const misfits: readonly (readonly [FoundPage, RegExp])[] = [
    [orderAs(paid, 'CREATED'), /is open, and an attempt has paid it/],
    [orderAs(paid, 'IN_PROCESS'), /no attempt is under way/],
    [with_(paid, { attempts: [], latest: undefined }), /is paid, and no attempt has paid it/],
    [with_(paid, { attempts: [foreign], latest: foreign }), /a transaction of another order/],
    [with_(choices, { options: { ...choices.options, cards: [{ ...visa, scheme: '' }] } }), /a kept card has no scheme/],
  ]
  for (const [found, why] of misfits) assert.throws(() => viewOf(found), why)
})
