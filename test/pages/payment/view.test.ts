// What a payer sees, without HTTP and without a store. Covers every stage by every way to pay, beside an offer, a wallet, stored cards, a
// shop's choice and a mandate. A button says what its form promises, and the script's price agrees. Rows that contradict each other are not
// shown.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readReference } from '../../../src/adapters/reference/read-reference.ts'
import { dateInIndia } from '../../../src/engine/clock.ts'
import { PAYMENT_MODES, paymentModes } from '../../../src/interface/payment-modes.ts'
import { treeOf } from '../../../src/pages/html-tree.ts'
import { formatRupees } from '../../../src/pages/kit/amounts.ts'
import { type Language, languages } from '../../../src/pages/kit/messages/messages.ts'
import { partsInPlace } from '../../../src/pages/payment/draw/page.ts'
import type { FoundPage } from '../../../src/pages/payment/found/found.ts'
import { meansIn } from '../../../src/pages/payment/found/means.ts'
import type { Options, SavedCard } from '../../../src/pages/payment/found/options.ts'
import { type Stage, stageOf } from '../../../src/pages/payment/found/page-state.ts'
import type { PageView, WayView } from '../../../src/pages/payment/view/page-view.ts'
import { priceOf } from '../../../src/pages/payment/view/price.ts'
import { viewOf } from '../../../src/pages/payment/view/view-of.ts'
import { CODES_LEFT_MAX } from '../../../src/tables/order.ts'
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
    ...{ walletPaise: isShared ? WALLET : 0, bankPaise: AMOUNT - (isShared ? WALLET : 0), bankTxnId: 'UTR1' },
    ...{ initiatedAt: NOW - 30_000, updatedAt: NOW },
    ...transaction,
  }
  const isMandate = extra === 'mandate'
  return Object.freeze({
    ...{ stage, pageId: 'id', address: '/pay/id', now: NOW, language, texts: languages[language].texts, isSameBrowser: true, payer: null },
    page: {
      openedAt: NOW - 60_000,
      until,
      extensions: 0,
      kind: 'full',
      view: extra === 'shop' ? { shop: { held: 'frame', only: [mode] } } : {},
    },
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

/** The amount that an instrument alone may take. */
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
      // A card shows its kind by its digits alone, so its form promises the larger price.
      const kinds: readonly Mode[] = each.id === 'card' ? ['CREDIT_CARD', 'DEBIT_CARD'] : [way.mode as Mode]
      const kindsHere = kinds.filter((kind) => found.options!.payable.modes.has(kind))
      const promised = isShared ? AMOUNT : Math.max(...kindsHere.map((kind) => priceBy(kind, given)))
      assert.equal(way.paise, promised, `${each.id} promises something else`)
      assert.ok(way.button.includes(formatRupees(way.paise)), `${each.id}: “${way.button}” for ${way.paise}`)
      assert.equal(isShared, extra === 'wallet' && !['wallet', 'emi', 'mandate'].includes(each.id), `${each.id} and the wallet`)
      const learns = extra === 'offer' && ['card', 'saved', 'bank'].includes(each.id)
      const of = isShared ? 'wallet' : learns ? (each.id === 'bank' ? 'bank' : 'card') : undefined
      assert.equal(way.less, of && texts.pays.less[of], `${each.id}: less`)
      assert.equal(way.terms !== undefined, extra === 'mandate')
      if (each.id !== 'saved') judgePrice(way, found)
    }
  const byCard = mode === 'CREDIT_CARD' || mode === 'DEBIT_CARD' ? ({ says: 'offerByCard', by: texts.byMode[mode] } as const) : undefined
  const offer = { promocode: 'OFF', title: view.offer?.title, ...(byCard ?? { says: 'offer' }) }
  assert.deepEqual(view.offer, extra === 'offer' ? offer : undefined)
  assert.deepEqual(
    view.total.rows.map(({ paise }) => paise),
    extra === 'offer' ? [AMOUNT - OFF] : [],
  )
  assert.equal(view.total.label, extra === 'mandate' ? texts.mandate.youAgree : texts.toPay)
  assert.equal(view.total.paise, extra === 'mandate' ? terms.maxAmountPaise : AMOUNT)
  assert.deepEqual(view.actions.pay, { attempt: 1 })
}

/** Before a card or a bank is typed, the script's price equals the page's. */
function judgePrice({ mode, by, paise, button, share, less }: WayView, found: FoundPage) {
  const form = { mode, ...(by && { by }) }
  const means = meansIn(form, [], reference)
  if (!means || share) return
  const offer = found.options!.offers.get(mode as Mode)
  const price = priceOf(form, { ...found, typed: { means, offer, walletPaise: 0, isAtMost: less !== undefined } })
  assert.deepEqual([price?.paise, price?.button, price?.less], [paise, button, less ?? ''], `the script's price by ${mode}`)
}

function judgeStep(view: PageView, found: FoundPage, { mode, extra }: { mode: Mode; extra: Extra }) {
  assert.ok(view.main.kind === 'step')
  assert.equal(view.main.step, view.stage)
  const isCode = view.stage === 'otp'
  assert.deepEqual(view.actions.otp, isCode ? { attempt: 1 } : undefined)
  assert.deepEqual([view.actions.check, view.actions.cancel, view.actions.pay], [{ attempt: 1 }, { attempt: 1 }, undefined])
  const { submit, submitAndPay } = found.texts.otp
  const { bankPaise } = found.latest!
  const confirms = bankPaise === 0 ? submit : submitAndPay(formatRupees(bankPaise))
  assert.equal(view.main.submit, isCode ? confirms : undefined)
  const { check, checkPaid } = found.texts.waiting
  const isInApp = view.stage === 'upi' || view.stage === 'collect'
  const checks = isInApp ? checkPaid({ way: 'upi', isConsent: bankPaise === 0 }) : check
  assert.deepEqual([view.main.check, view.main.cancel === undefined], [isCode ? undefined : checks, false])
  assert.equal(view.total.paise, extra === 'mandate' ? terms.maxAmountPaise : AMOUNT)
  const isShared = extra === 'wallet' && mode !== 'BALANCE'
  assert.deepEqual(
    view.total.rows.map(({ paise }) => paise),
    isShared ? [WALLET, AMOUNT - WALLET] : [],
  )
  assert.equal(view.back?.isAuto, false, 'a payer who waits is not sent away')
  assert.equal(view.doubt?.returns !== undefined, view.stage === 'waiting')
  assert.equal(view.main.isSafe !== undefined, view.stage === 'waiting')
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

test('beside a part from the wallet a form promises the whole amount, because an offer may then take less off; instalments take no such part', () => {
  const { offers } = foundOf('choices', 'UPI', 'offer').options!
  const found = withRows(foundOf('choices', 'UPI', 'wallet'), { options: { offers, mayDiscount: true } })
  const view = viewOf(found, { emi: 'HDFC' })
  assert.deepEqual(
    panelOf(view, 'upi')!.ways.map(({ paise, less, share }) => [paise, less, share?.label]),
    [undefined, 'upiId'].map(() => [AMOUNT, texts.pays.less.offerOrWallet, texts.useWallet(formatRupees(WALLET))]),
  )
  assert.deepEqual(
    panelOf(view, 'emi')!.ways.map(({ paise, share }) => [paise, share]),
    [[AMOUNT, undefined]],
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

const withRows = (
  found: FoundPage,
  { order, page, latest, options, merchant }: Partial<Record<'order' | 'page' | 'latest' | 'options' | 'merchant', object>>,
) => {
  const changed = latest && ({ ...ATTEMPT, ...found.latest, ...latest } as Row<'transactions'>)
  const rows = {
    ...found,
    ...{ order: { ...found.order, ...order }, page: { ...found.page, ...page }, merchant: { ...found.merchant, ...merchant } },
    ...(changed && { latest: changed, attempts: [changed] }),
    ...(options && { options: { ...found.options, ...options } }),
  } as FoundPage
  return { ...rows, stage: stageOf(rows) }
}
const ATTEMPT = {
  ...{
    mid: 'M1',
    orderId: 'ORDER1',
    txnId: 'TXN1',
    paymentMode: 'UPI',
    attempt: 1,
    version: 1,
    instrument: { vpa: 'payer@upi' },
    isCancelRefused: false,
  },
  ...{ walletPaise: 0, bankPaise: AMOUNT, capturedPaise: 0, bankTxnId: 'UTR1', updatedAt: NOW, status: 'FAILURE', next: null },
}
const { texts } = languages.en
const byUpi = { way: 'upi', isConsent: false } as const
const noticesOf = ({ notices }: PageView) => notices.map(({ says, tone, field }) => [tone, field, says])
const panelOf = ({ main }: PageView, id: string) => (main.kind === 'choices' ? main.panels.find((panel) => panel.id === id) : undefined)

test('in its last two minutes a page says that its time is nearly over', () => {
  const found = foundOf('choices', 'UPI', 'none')
  const isSoon = (leftMs: number) => viewOf({ ...found, page: { ...found.page, until: NOW + leftMs } }, {}).time?.isSoon
  assert.deepEqual([isSoon(120_000), isSoon(120_001)], [true, false])
})

test('why the last attempt failed stands above the choices, with what is known of its money', () => {
  const found = withRows(foundOf('choices', 'UPI', 'none'), { order: { transactionCount: 1 }, latest: { result: 'declined' } })
  const declined = viewOf(found)
  assert.deepEqual(noticesOf(declined), [['bad', undefined, `${texts.failed.declined(byUpi)} ${texts.attemptsLeft(4)}`]])
  assert.deepEqual(
    [declined.page.title, panelOf(declined, 'upi')?.fields['upiId']?.value],
    [`${texts.notThrough(byUpi)} · Demo Stores`, 'payer@upi'],
  )
  assert.deepEqual(declined.actions.pay, { attempt: 2 })
  const timedOut = viewOf(withRows(found, { latest: { result: 'timedOut' }, merchant: { supportContact: 'help@shop.example' } }))
  assert.deepEqual(timedOut.doubt?.ids, [
    [texts.result.txnId, 'TXN1'],
    [texts.result.reference, 'UTR1'],
  ])
  assert.equal(timedOut.doubt?.ask?.contact, 'help@shop.example')
  const left = viewOf(withRows(found, { latest: { result: 'cancelled', instrument: {} } }))
  assert.deepEqual(noticesOf(left), [['wait', undefined, texts.leftUnpaid(byUpi)]])
  assert.equal(left.page.title, texts.title(formatRupees(AMOUNT), 'Demo Stores'), 'a payer who left a code has nothing to mend')
})

test('a form’s fault is shown once above and in its panel alone, and its amount is promised anew', () => {
  const fault = { panel: 'card', message: texts.fault.amount(formatRupees(9_000), formatRupees(AMOUNT)), paise: AMOUNT }
  const view = viewOf(foundOf('choices', 'CREDIT_CARD', 'offer'), { fault, typed: { expiry: '09/29' } })
  assert.deepEqual(noticesOf(view), [['bad', undefined, fault.message]])
  assert.ok(view.main.kind === 'choices')
  assert.deepEqual(
    view.main.panels.filter((panel) => panel.fault).map(({ id }) => id),
    ['card'],
  )
  const { ways, fields, isAgain, saves } = panelOf(view, 'card')!
  assert.deepEqual([ways[0]!.paise, fields['expiry']?.value, isAgain, saves, view.main.open], [AMOUNT, '09/29', true, '', 'card'])
  assert.equal(view.page.title, `${texts.toMend} · Demo Stores`)
  assert.ok(!JSON.stringify(view).includes('cardNumber":{"value'), 'a card’s number is never written back')
})

/** What a payer may have typed or chosen in each panel, by the mode of its case. It contains no card number, CVV, code or account. */
const TYPED: Readonly<Record<string, { mode: Mode; extra: Extra; typed: Readonly<Record<string, string>> }>> = {
  card: { mode: 'CREDIT_CARD', extra: 'none', typed: { expiry: '09/29' } },
  emi: { mode: 'EMI', extra: 'none', typed: { emiBank: 'HDFC', plan: 'HDFC|6', expiry: '09/29' } },
  saved: { mode: 'CREDIT_CARD', extra: 'saved', typed: { savedCard: 'CARD1' } },
  upi: { mode: 'UPI', extra: 'none', typed: { upiId: 'asha@upi' } },
  bank: { mode: 'NET_BANKING', extra: 'none', typed: { bank: 'HDFC' } },
  wallet: { mode: 'BALANCE', extra: 'none', typed: { mobile: '9876501234' } },
  mandate: {
    ...{ mode: 'BANK_MANDATE', extra: 'mandate' },
    typed: { holder: 'Asha Rao', ifsc: 'HDFC0000001', bank: 'HDFC', kind: 'CURRENT', how: 'DEBIT_CARD' },
  },
}
const SECRETS = { cardNumber: '4111111111111111', cvv: '739', code: '482913', otp: '482913', account: '50100987650000' }
const valuesIn = (view: PageView, id: string) =>
  Object.fromEntries(Object.entries(panelOf(view, id)!.fields).flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value]])))

test('typed values of a form that is shown anew stand in its fields, and no secret does', () => {
  for (const [panel, { mode, extra, typed }] of Object.entries(TYPED))
    for (const asked of [{ fault: { panel, message: 'x' } }, { open: panel }]) {
      const view = viewOf(foundOf('choices', mode, extra), { ...asked, typed: { ...typed, ...SECRETS } })
      assert.deepEqual(valuesIn(view, panel), typed, panel)
      assert.ok(view.main.kind === 'choices' && view.main.open === panel, panel)
      for (const secret of Object.values(SECRETS)) assert.ok(!JSON.stringify(view).includes(secret), `${panel}: ${secret}`)
    }
})

test('the choices of a failed attempt are chosen again, and a card is typed anew', () => {
  const failed: readonly (readonly [panel: string, mode: Mode, instrument: object, values: object])[] = [
    ['card', 'CREDIT_CARD', { maskedCardNo: '411111******1111', bank: 'HDFC' }, {}],
    ['emi', 'EMI', { bank: 'HDFC', planId: 'HDFC|6' }, { emiBank: 'HDFC', plan: 'HDFC|6' }],
    ['saved', 'CREDIT_CARD', { savedCardId: 'CARD1', bank: 'HDFC' }, { savedCard: 'CARD1' }],
    ['upi', 'UPI', { vpa: 'asha@upi' }, { upiId: 'asha@upi' }],
    ['bank', 'NET_BANKING', { bank: 'HDFC' }, { bank: 'HDFC' }],
  ]
  for (const [panel, paymentMode, instrument, values] of failed) {
    const found = foundOf('choices', paymentMode, panel === 'saved' ? 'saved' : 'none')
    const view = viewOf(withRows(found, { order: { transactionCount: 1 }, latest: { result: 'declined', paymentMode, instrument } }))
    assert.deepEqual(valuesIn(view, panel), values, panel)
    assert.ok(view.main.kind === 'choices' && view.main.open === panel, panel)
  }
})

test('after a failed EMI the payer may choose another bank', () => {
  const latest = { result: 'declined', paymentMode: 'EMI', instrument: { bank: 'HDFC', planId: 'HDFC|6' } }
  const found = withRows(foundOf('choices', 'EMI', 'none'), { order: { transactionCount: 1 }, latest })
  const fields = (emi?: string) => panelOf(viewOf(found, emi === undefined ? {} : { emi }), 'emi')!.fields
  assert.deepEqual([fields()['emiBank']?.value, fields('ICICI')['emiBank']?.value], ['HDFC', 'ICICI'])
  const link = /\?emi=([a-z]+)"/.exec(
    partsInPlace(viewOf(found))
      .map(({ text }) => text)
      .join(''),
  )?.[1]
  assert.ok(link !== undefined && fields(link)['emi']?.of?.some(([code]) => code === 'HDFC'), 'the link "Another bank" leads to the list')
})

test('a page of a mandate that cannot begin any more is over', () => {
  const found = foundOf('choices', 'UPI', 'mandate')
  const stageWith = (expiryDate: string) => stageOf({ ...found, subscription: { ...found.subscription!, expiryDate } })
  assert.deepEqual([stageWith(dateInIndia(NOW)), stageWith(dateInIndia(NOW - 86_400_000))], ['choices', 'over'])
  const subscription = { ...found.subscription!, expiryDate: dateInIndia(NOW - 86_400_000) }
  const { main } = viewOf({ ...found, subscription, stage: 'over', options: undefined })
  assert.deepEqual([main.kind === 'end' && main.heading, main.kind === 'end' && main.tone], [texts.result.mandateOver, 'over'])
})

test('a wallet that is short, too many codes and an amount above a limit leave a way without a form', () => {
  const wallet = (balancePaise: number) => {
    const found = foundOf('choices', 'BALANCE', 'wallet')
    return panelOf(viewOf(withRows(found, { options: { payable: { ...found.options!.payable, wallet: { balancePaise } } } })), 'wallet')!
  }
  assert.deepEqual([wallet(0).ways, wallet(0).says], [[], texts.walletEmpty])
  assert.deepEqual([wallet(AMOUNT - 1).ways, wallet(AMOUNT - 1).says], [[], texts.walletShort(formatRupees(AMOUNT - 1))])
  assert.equal(wallet(AMOUNT).ways[0]?.paise, AMOUNT)
  // EMI takes no part from the wallet, and neither does a mandate.
  const shared = foundOf('choices', 'EMI', 'wallet')
  const modes = new Map([...shared.options!.payable.modes].filter(([mode]) => mode === 'EMI' || mode === 'BALANCE'))
  const alone = { ...shared, options: { ...shared.options!, payable: { ...shared.options!.payable, modes } } }
  assert.equal(panelOf(viewOf(alone), 'wallet')?.says, texts.walletTooSmall(formatRupees(WALLET)))
  const mandate = (order: object, balancePaise: number) => {
    const found = withRows(foundOf('choices', 'BALANCE', 'mandate'), { order })
    const payable = { ...found.options!.payable, wallet: { balancePaise } }
    return panelOf(viewOf({ ...found, options: { ...found.options!, payable } }), 'wallet')!
  }
  assert.equal(mandate({}, WALLET).says, texts.walletTooSmall(formatRupees(WALLET)))
  const { about, says, ways } = mandate({ amountPaise: 0 }, 0)
  assert.deepEqual([about, says, ways.length], [texts.modes.wallet.balance(formatRupees(0)), undefined, 1], 'nothing is taken now')
  const upi = (order: object, page: object = {}) => panelOf(viewOf(withRows(foundOf('choices', 'UPI', 'none'), { order, page })), 'upi')!
  const left = { leftCount: CODES_LEFT_MAX, transactionCount: CODES_LEFT_MAX }
  assert.deepEqual(
    upi(left).ways.map(({ by }) => by),
    ['upiId'],
  )
  assert.equal(upi(left, { view: { shop: { held: 'frame', qrOnly: true } } }).closed, texts.codesOver)
  assert.equal(upi({ amountPaise: 100_001_00 }).closed, texts.overLimit(formatRupees(100_000_00)))
  const later = withRows(foundOf('choices', 'SVC_DIGITAL_CREDIT', 'none'), { order: { amountPaise: 60_001_00 } })
  assert.equal(panelOf(viewOf(later), 'postpaid')?.closed, texts.overLimit(formatRupees(60_000_00)))
  const beside = withRows(foundOf('choices', 'SVC_DIGITAL_CREDIT', 'wallet'), { order: { amountPaise: 60_001_00 } })
  assert.equal(
    panelOf(viewOf(beside), 'postpaid')?.closed,
    texts.overLimit(formatRupees(60_000_00)),
    'its button would say the whole amount',
  )
})

test('a question that comes first has its own page, and the way out is asked for once', () => {
  const leaving = viewOf(foundOf('choices', 'UPI', 'none'), { leaves: true })
  assert.deepEqual([leaving.main.kind, leaving.leaving], ['asks', `${texts.cancel.about} ${texts.cancel.nothingTaken}`])
  const removing = viewOf(foundOf('choices', 'UPI', 'saved'), { removes: visa })
  assert.ok(removing.main.kind === 'asks' && removing.main.what === 'removeCard')
  assert.equal(removing.main.says, texts.removeCard.about(texts.endsIn('Visa', '1111'), 'Demo Stores'))
})

test('an attempt under way: what was just done, a refused cancel, and on to the shop', () => {
  const bank = foundOf('bank', 'NET_BANKING', 'none')
  const byBank = { way: 'bank', isConsent: false } as const
  const auto = (view: PageView) => (view.main.kind === 'step' ? view.main.bank?.isAuto : undefined)
  assert.deepEqual([auto(viewOf(bank)), auto(viewOf(bank, { message: 'checked' }))], [true, false], 'nobody is sent to the bank twice')
  assert.equal(
    auto(viewOf(withRows(bank, { page: { openedAt: NOW - 29_999 } }))),
    false,
    'the payer has been there before this page was opened',
  )
  assert.deepEqual(viewOf({ ...bank, back: undefined }).page.formAction, ['https:'], 'a bank leads on to hosts that nobody knows before')
  const refused = viewOf(withRows(bank, { latest: { isCancelRefused: true } }), { message: 'often' })
  assert.deepEqual(noticesOf(refused), [
    ['wait', undefined, texts.waiting.checkedOften(byBank)],
    ['bad', undefined, `${texts.another.refused(byBank)} ${texts.another.complete}`],
  ])
  assert.ok(refused.main.kind === 'step')
  assert.deepEqual([refused.main.cancel, refused.message, auto(refused)], [undefined, 'often', false])
  const { main } = viewOf(withRows(foundOf('waiting', 'UPI', 'none'), { latest: { isCancelRefused: true } }))
  assert.ok(main.kind === 'step' && main.isSafe === undefined, 'another way is not called safe where it is not offered')
  const onward = viewOf(bank, { isToShop: true })
  assert.deepEqual([onward.main.kind, onward.back?.isAuto, onward.stage], ['end', true, 'bank'])
  const isOver = viewOf(withRows(bank, { page: { until: NOW - 1 } }))
  assert.deepEqual([isOver.stage, isOver.actions], ['over', {}])
  assert.ok(
    isOver.main.kind === 'end' && isOver.main.says === texts.waiting.pending(byBank),
    'nobody who may have paid is told to pay again',
  )
})

const AGENTS = { desk: '', Android: 'Mozilla/5.0 (Linux; Android 15)', iOS: 'Mozilla/5.0 (iPhone)' }
const waitingBy = (agent: string, deepLink: string, language: Language = 'en', extra: Extra = 'none'): FoundPage => {
  const found = foundOf('upi', 'UPI', extra, language)
  const latest = { ...found.latest!, next: { kind: 'deepLink', deepLink } } as typeof found.latest
  return { ...found, latest, attempts: [latest!], browser: { ...found.browser, agent } }
}

test('a bank’s link that could name another app has no address of ours', () => {
  const linksOf = (agent: string, deepLink: string) => {
    const { main } = viewOf(waitingBy(agent, deepLink))
    assert.ok(main.kind === 'step' && main.upi)
    return main.upi.apps.map(({ href }) => href)
  }
  const good = 'upi://pay?pa=a@b&am=1.00'
  assert.equal(linksOf(AGENTS.Android, `${good}&url=intent://evil`).length, 5)
  for (const more of ['#Intent;package=evil.app;end', ';package=evil.app', '&tn=intent://x#Intent;end', '#', ';'])
    assert.deepEqual(linksOf(AGENTS.Android, good + more), [good + more], more)
  for (const link of linksOf(AGENTS.iOS, `${good}#Intent;package=evil.app;end`)) assert.doesNotMatch(link, /^intent:/)
  assert.deepEqual(linksOf(AGENTS.desk, good), [])
})

test('the parts that the script shows in place can be read as elements, for every device and language', () => {
  for (const language of Object.keys(languages) as Language[])
    for (const agent of Object.values(AGENTS))
      for (const extra of EXTRAS) {
        const found = waitingBy(agent, 'upi://pay?pa=a@b&pn=A%26B<&am=1.00', language, extra)
        const parts = partsInPlace(viewOf(found)).map(treeOf)
        assert.ok(parts.length >= 2 && parts.every((part) => typeof part !== 'string'))
        assert.doesNotMatch(JSON.stringify(parts), /"svg"|"script"|&#/)
      }
})
