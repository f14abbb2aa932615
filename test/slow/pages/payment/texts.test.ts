// Every text about an attempt that waits or has failed, by way to pay, state and known facts. None is missing, none gets an empty value,
// and none speaks of another way.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAILURES } from '../../../../src/domain/transaction/acquirer-answer.ts'
import { PAYMENT_MODES, paymentModes } from '../../../../src/interface/payment-modes.ts'
import type { Html } from '../../../../src/pages/html.ts'
import type { Language } from '../../../../src/pages/kit/messages/messages.ts'
import type { PageParts } from '../../../../src/pages/kit/page-parts.ts'
import type { Options } from '../../../../src/pages/payment/found/options.ts'
import { type PageState, stageOf } from '../../../../src/pages/payment/found/page-state.ts'
import type { Row } from '../../../../src/tables/tables.ts'
import type { NextStep } from '../../../../src/tables/transaction.ts'
import { initiate, subscription } from '../../../support/mandates/subscription.ts'
import { ask, openPage, wordsOf } from '../../../support/pages/pages.ts'
import { hollowIn, type Judged, judged, noneAmiss, panelIn, untrueIn, watched } from '../../../support/pages/texts.ts'
import { createOrder, pay, script } from '../../../support/paying/paying.ts'
import { fromCheckout } from '../../../support/run/checkout.ts'
import { MID, onBothStores, type Service, sharedService } from '../../../support/run/service.ts'

const { languages } = await fromCheckout<typeof import('../../../../src/pages/kit/messages/messages.ts')>(
  'src/pages/kit/messages/messages.ts',
)
const { renderPage } = await fromCheckout<typeof import('../../../../src/pages/payment/render.ts')>('src/pages/payment/render.ts')
const { foundFor } = await fromCheckout<typeof import('../../../../src/pages/payment/found/found.ts')>('src/pages/payment/found/found.ts')
const { viewOf } = await fromCheckout<typeof import('../../../../src/pages/payment/view/view-of.ts')>('src/pages/payment/view/view-of.ts')
const { drawPage } = await fromCheckout<typeof import('../../../../src/pages/payment/draw/page.ts')>('src/pages/payment/draw/page.ts')

const LANGUAGES = ['en', 'hi'] as const satisfies readonly Language[]
const NOW = 1_800_000_000_000
const wayOf = (mode: string) => paymentModes[mode as keyof typeof paymentModes].panel

/** Facts that a page may know, each of them or not. `money`: an amount is taken; without it the payer only agrees to a mandate. */
const KNOWN = ['money', 'vpa', 'bank', 'bankTxnId', 'contact', 'callback', 'payee', 'refused', 'framed'] as const
type Known = Readonly<Record<(typeof KNOWN)[number], boolean>>
const knownBut =
  (...changed: readonly string[]) =>
  (from: boolean) =>
    Object.fromEntries(KNOWN.map((name) => [name, changed.includes(name) ? !from : from])) as Known
/** All facts, none, all but one, and one alone. */
const knowns: readonly Known[] = [true, false].flatMap((from) => [knownBut()(from), ...KNOWN.map((name) => knownBut(name)(from))])

/** The next step of an attempt. The first word of a name is the state; further words name another way to the same state. */
const nexts = ({ payee }: Known): Readonly<Record<string, { status?: string; next: NextStep | null }>> => ({
  otp: { next: { kind: 'otp' } },
  bank: { next: { kind: 'bankForm', actionUrl: 'https://bank.example/', content: { a: 'b' } } },
  upi: { next: { kind: 'deepLink', deepLink: `upi://pay?pa=a@b${payee ? '&pn=Payee' : ''}&am=1.00` } },
  collect: { next: { kind: 'collect' } },
  'collect of a link that cannot be shown': { next: { kind: 'deepLink', deepLink: 'upi://other' } },
  waiting: { next: null },
  'waiting for a first answer': { status: 'INITIATED', next: null },
  unknown: { status: 'UNKNOWN', next: null },
  'unknown after a step': { status: 'UNKNOWN', next: { kind: 'otp' } },
})
const RESULTS = [...FAILURES, 'returned', 'undecided'] as const
const ANSWERED = [undefined, 'checked', 'often', 'lost', 'resent'] as const
const AGENTS = ['', 'Android', 'iPhone'] as const

/** Ways whose instruments name a bank. */
const WITH_BANK: readonly string[] = ['card', 'emi', 'bank', 'mandate']
function transactionWith(mode: string, known: Known, more: object): Row<'transactions'> {
  const { vpa, bank, bankTxnId, money, refused } = known
  return {
    ...{
      mid: MID,
      orderId: 'ORDER1',
      txnId: 'TXN1',
      paymentMode: mode,
      channel: '',
      attempt: 1,
      version: 1,
      status: 'PENDING',
      result: 'pending',
      flow: 'NONE',
    },
    ...{ bankPaise: money ? 100_00 : 0, walletPaise: 0, amountPaise: money ? 100_00 : 0, capturedPaise: 0, refundedPaise: 0 },
    instrument: { ...(vpa && mode === 'UPI' && { vpa: 'payer@upi' }), ...(bank && WITH_BANK.includes(wayOf(mode)) && { bank: 'HDFC' }) },
    ...{ bankTxnId: bankTxnId ? '512345678901' : null, payer: null, promocode: null, collectionId: null, next: null },
    ...{ initiatedAt: NOW, updatedAt: NOW, isCancelRefused: refused },
    ...more,
  } as unknown as Row<'transactions'>
}

const terms = {
  ...{
    subscriptionId: 'S1',
    status: 'INIT',
    subStatus: 'INIT',
    amountType: 'FIX',
    maxAmountPaise: 199_00,
    frequencyUnit: 'MONTH',
    frequency: 1,
  },
  ...{ startDate: '2027-02-01', expiryDate: '2029-01-31', consentedAt: null, details: {}, mandate: null, edit: null, autoRenewal: true },
}
function seenWith(
  found: Judged,
  language: Language,
  known: Known,
  latest: Row<'transactions'>,
  order: object = {},
): Omit<PageState, 'stage'> {
  const { money, contact, callback, framed } = known
  return {
    ...{
      pageId: 'id',
      address: '/pay/id',
      now: NOW,
      language,
      isSameBrowser: true,
      payer: null,
      payerMark: undefined,
      sentCode: undefined,
    },
    page: {
      ...{ until: NOW + 60_000, extensions: 0, kind: framed ? 'framed' : 'full', embeddingOrigin: framed ? 'https://shop.example' : null },
      view: framed ? { shop: { held: 'frame', handler: true } } : {},
    } as unknown as PageState['page'],
    order: {
      ...{
        mid: MID,
        orderId: 'ORDER1',
        custId: 'C1',
        amountPaise: money ? 100_00 : 0,
        status: 'IN_PROCESS',
        transactionCount: 1,
        leftCount: 0,
      },
      ...{
        callbackUrl: callback ? 'https://shop.example/' : null,
        details: { userInfo: {} },
        payer: null,
        expiresAt: NOW + 3_600_000,
        version: 1,
      },
      ...{
        requestType: money ? 'PAYMENT' : 'NATIVE_SUBSCRIPTION',
        subscriptionId: money ? null : 'S1',
        consentOrderId: null,
        txnId: 'TXN1',
      },
      ...order,
    } as unknown as PageState['order'],
    merchant: {
      ...{ name: 'Demo Stores', mcc: '5411', upiCollect: 'always', supportContact: contact ? 'help@shop.example' : null, status: 'ACTIVE' },
      ...{ websites: {}, pageOrigins: null, callbackFields: 'all' },
    } as unknown as PageState['merchant'],
    subscription: money ? undefined : (terms as unknown as Row<'subscriptions'>),
    attempts: [latest],
    latest,
    texts: watched(languages[language].texts, found),
    browser: { agent: '', languages: language },
  }
}
const parts = {
  assets: { css: 'a', js: 'b', fieldsJs: 'c' },
  isSandbox: false,
  signIn: { canSend: true },
  ports: {
    merchantKeys: { sign: async () => undefined },
    reference: { emiBanks: [], emiPlans: () => [], bank: (code: string) => (code === '' ? undefined : { name: 'HDFC Bank' }) },
  },
} as unknown as PageParts
const pageOf = async (seen: Omit<PageState, 'stage'>, asked: Parameters<typeof renderPage>[3] = {}): Promise<string> => {
  const reply = { header: () => reply, code: () => reply, send: (text: string) => text }
  return (await renderPage(reply as never, parts, { ...seen, stage: stageOf(seen) }, asked)) as unknown as string
}
const options = {
  payable: { modes: new Map([['UPI', { enabled: undefined, disabled: [] }]]), wallet: undefined },
  ...{ offers: new Map(), mayDiscount: false, mobile: undefined, cards: [], codeSentTo: undefined, banks: [] },
} as unknown as Options

/** Only a payment takes money. Without money the payer agrees, by a mode that subscriptions allow. */
const isOf = (mode: (typeof PAYMENT_MODES)[number], { money }: Known) =>
  money ? paymentModes[mode].isOfOrders : paymentModes[mode].isOfSubscriptions

test('ways x states x known x {en, hi} leave no hole, give no sentence an empty value, and speak of no other way', async (t) => {
  const found = judged()
  let pages = 0
  const states = new Set<string>()
  const look = (html: string, mode: string, state: string) => {
    pages++
    states.add(state)
    for (const hollow of hollowIn(html)) found.empty.add(`${mode}, ${state}: ${hollow}`)
  }
  /** `says` names the state whose words are allowed there, where it is another. */
  const judge = (html: string, mode: string, { money }: Known, state: string, says = state.split(' ')[0]!) => {
    look(html, mode, state)
    const about = { way: wayOf(mode), isConsent: !money, state: says }
    for (const foreign of untrueIn(wordsOf(panelIn(html)), about)) found.untrue.add(foreign)
  }

  async function waits(language: Language, mode: string, known: Known) {
    const isEdge = new Set(Object.values(known)).size === 1
    for (const [state, { next, status = 'PENDING' }] of Object.entries(nexts(known))) {
      const latest = transactionWith(mode, known, { status, next, result: status === 'UNKNOWN' ? 'unconfirmed' : 'pending' })
      const seen = seenWith(found, language, known, latest)
      for (const reported of isEdge ? ANSWERED : [undefined])
        judge(
          await pageOf(seen, { reported } as never),
          mode,
          known,
          state,
          reported === 'resent' ? `${state.split(' ')[0]} otp` : undefined,
        )
      for (const agent of state === 'upi' ? AGENTS : [])
        judge(await pageOf({ ...seen, browser: { agent, languages: language } }), mode, known, state)
      if (known.callback) judge(await pageOf(seen, { isToShop: true }), mode, known, `${state}, on to the shop`, 'waiting')
      judge(await pageOf({ ...seen, page: { ...seen.page, until: NOW - 1 } }), mode, known, `${state}, over`, 'waiting')
      look(await pageOf(seenWith(found, language, known, latest, { status: 'CLOSED' })), mode, `${state}, closed`)
    }
  }
  async function fails(language: Language, mode: string, known: Known) {
    for (const result of RESULTS) {
      const capturedPaise = result === 'returned' && known.money ? 100_00 : 0
      const latest = transactionWith(mode, known, { status: 'FAILURE', result, capturedPaise })
      const seen = seenWith(found, language, known, latest, { status: 'CREATED', txnId: null })
      const view = viewOf({ ...(await foundFor(parts, { ...seen, stage: stageOf(seen) }, {})), options })
      const { text } = drawPage(view).body as Html
      const above = text.slice(text.indexOf('<div class="above">'), text.indexOf('<details'))
      judge(`<section class="card one">${above}</section>`, mode, known, `failed as ${result}`)
      look(await pageOf(seen, { leaves: true }), mode, `leaving after ${result}`)
      for (const transactionCount of [1, 5])
        look(await pageOf({ ...seen, order: { ...seen.order, status: 'CLOSED', transactionCount } }), mode, `closed after ${result}`)
    }
  }
  async function pays(language: Language, mode: string, known: Known) {
    const seen = seenWith(found, language, known, transactionWith(mode, known, { status: 'SUCCESS', result: 'success' }), {
      status: 'PAID',
    })
    for (const status of ['ACTIVE', 'IN_AUTHORIZATION', 'AUTHORIZATION_FAILED']) {
      const agreed = seen.subscription && ({ ...seen.subscription, status, consentedAt: NOW } as PageState['subscription'])
      look(await pageOf({ ...seen, subscription: agreed }), mode, `paid, ${status}`)
    }
  }

  for (const language of LANGUAGES)
    for (const mode of PAYMENT_MODES)
      for (const known of knowns.filter((each) => isOf(mode, each)))
        for (const draws of [waits, fails, pays]) await draws(language, mode, known)
  const product = `ways ${PAYMENT_MODES.length} x states ${states.size} x known ${knowns.length} x languages ${LANGUAGES.length}`
  t.diagnostic(noneAmiss(found, `${product}: ${pages} pages`))
})

// ------------------------------------------------------------------------------------------------------------- over HTTP

const card = (paymentMode: string, number: string, more: object = {}) => ({ paymentMode, cardInfo: `|${number}|123|122032`, ...more })
const LARGE = { txnAmount: { value: '5000.00', currency: 'INR' } }
interface HttpWay {
  means: object
  more?: object
  isConsent?: true
}
/** Each way to pay as a client of the interface begins it. The page shows the result. */
const httpWays: Readonly<Record<string, HttpWay>> = {
  CREDIT_CARD: { means: card('CREDIT_CARD', '4111111111111111') },
  DEBIT_CARD: { means: card('DEBIT_CARD', '4012888888881881') },
  EMI: { means: card('EMI', '4111111111111111', { planId: 'HDFC|3' }), more: LARGE },
  UPI: { means: { paymentMode: 'UPI_INTENT' } },
  'UPI by its id': { means: { paymentMode: 'UPI', payerAccount: 'payer@upi' } },
  NET_BANKING: { means: { paymentMode: 'NET_BANKING', channelCode: 'HDFC' } },
  PPBL: { means: { paymentMode: 'PPBL' } },
  SVC_DIGITAL_CREDIT: { means: { paymentMode: 'SVC_DIGITAL_CREDIT' } },
  'CREDIT_CARD, a mandate': { means: card('CREDIT_CARD', '4111111111111111'), isConsent: true },
  'UPI, a mandate': { means: { paymentMode: 'UPI_INTENT' }, isConsent: true },
  'PPBL, a mandate': { means: { paymentMode: 'PPBL' }, isConsent: true },
}
/** The bank's outcome, and the state that follows. */
const OUTCOMES = {
  pending: undefined,
  page: 'bank',
  otp: 'otp',
  slow: 'waiting',
  timeout: 'waiting',
  declined: 'choices',
  insufficient: 'choices',
} as const

onBothStores('each way to pay, whatever the bank does with it', (store) => {
  const running = sharedService(store)
  const begun = async (service: Service, orderId: string, { means, more = {}, isConsent }: HttpWay, outcome: string) => {
    const nothing = { txnAmount: { value: '0.00', currency: 'INR' } }
    const made = async () => ({ orderId, txnToken: (await initiate(service, subscription(orderId, nothing))).body.txnToken as string })
    const order = isConsent ? await made() : await createOrder(service, orderId, more)
    await script(service, order, outcome)
    await pay(service, order, means)
    return openPage(service, order)
  }

  test('has words of its own, in both languages', async (t) => {
    const service = await running()
    const found = judged()
    let pages = 0
    for (const [at, [name, way]] of Object.entries(httpWays).entries())
      for (const [outcome, state] of Object.entries(OUTCOMES)) {
        const page = await begun(service, `TEXTS_${at}_${outcome.toUpperCase()}`, way, outcome)
        for (const language of LANGUAGES) {
          const { text, status } = await ask(service, page, undefined, { 'accept-language': language })
          pages++
          assert.equal(status, 200)
          const stage = /data-stage="(\w+)"/.exec(text)![1]!
          assert.ok(state === undefined ? /^(upi|collect)$/.test(stage) : stage === state, `${name}, ${outcome}: ${stage}`)
          for (const hollow of hollowIn(text)) found.empty.add(`${name}, ${outcome}: ${hollow}`)
          const said = stage === 'choices' ? text.slice(text.indexOf('<div class="above">'), text.indexOf('<details')) : panelIn(text)
          const about = { way: wayOf(name.split(/[, ]/)[0]!), isConsent: way.isConsent === true, state: stage }
          for (const foreign of untrueIn(wordsOf(said), about)) found.untrue.add(foreign)
        }
      }
    const product = `ways ${Object.keys(httpWays).length} x outcomes ${Object.keys(OUTCOMES).length} x languages ${LANGUAGES.length}`
    t.diagnostic(noneAmiss(found, `${product}: ${pages} pages`))
  })
})
