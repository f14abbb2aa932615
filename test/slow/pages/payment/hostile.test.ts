// Hostile words in every place of the payment page that a shop, a payer or an acquirer fills. Another parser than Mohur's reads the HTML.
// It finds the elements and attributes of a page with harmless words, and no others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { documentOf, policyOf, type Sheet } from '../../../../src/pages/kit/document.ts'
import { type Language, languages } from '../../../../src/pages/kit/messages/messages.ts'
import type { PageParts } from '../../../../src/pages/kit/page-parts.ts'
import type { MandatePageState } from '../../../../src/pages/mandate/page-state.ts'
import { linkSheet, mandateSheet } from '../../../../src/pages/mandate/render.ts'
import { drawPage } from '../../../../src/pages/payment/draw/page.ts'
import { foundFor } from '../../../../src/pages/payment/found/found.ts'
import type { Options } from '../../../../src/pages/payment/found/options.ts'
import { type PageState, stageOf } from '../../../../src/pages/payment/found/page-state.ts'
import type { PageAsked } from '../../../../src/pages/payment/view/asked.ts'
import { viewOf } from '../../../../src/pages/payment/view/view-of.ts'
import type { Row } from '../../../../src/tables/tables.ts'
import type { NextStep } from '../../../../src/tables/transaction.ts'
import { Random } from '../../../support/text/random.ts'

const TEXTS = 2_000
const SEED = 20_261_121

const WEAPONS = [
  ...['<script>alert(1)</script>', '</script><script>', '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)", '` onload=`x'],
  ...['</title><svg/onload=alert(1)>', '<!--', '-->', ']]>', '<![CDATA[', '&lt;script&gt;', '&#x3c;', '&quot;', '&', '\u0000<b>'.slice(1)],
  ...['javascript:alert(1)', 'data:text/html,<script>alert(1)</script>', 'JaVaScRiPt&colon;x', '//evil.example', '\\\\evil.example'],
  ...[
    '<style>*{display:none}</style>',
    '</style>',
    '<base href=//evil.example>',
    '<meta http-equiv=refresh content=0>',
    '<form action=//evil.example>',
  ],
  ...[
    '\u202e',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\t',
    '\n',
    '\r\n',
    '=',
    '/>',
    '<',
    '>',
    '"',
    "'",
    '#{1}',
    '{{7*7}}',
    '<template><p>',
    '</main></body></html>',
  ],
  ...[
    '<a autofocus onfocus=alert(1)>',
    '<details open ontoggle=alert(1)>',
    '<iframe srcdoc="<p>">',
    '<math><mtext></p>',
    '<noscript><p title="</noscript><img>">',
  ],
]

const HARMLESS = 'words'
const BLANK = ' ' // a callback leaves out a merchant's reference that consists of spaces
const parts = {
  assets: { css: '/pay/assets/a.css', js: '/pay/assets/a.js', all: [] },
  isSandbox: false,
  signIn: { canSend: true },
  ports: { merchantKeys: { sign: async () => undefined }, reference: { emiBanks: [], emiPlans: () => [], bank: () => ({ name: 'Bank' }) } },
} as unknown as PageParts

/** Rows in which every text is this one. Values with a form of their own keep it. */
function seenWith(
  text: string,
  language: Language,
  more: Partial<Row<'orders'>> = {},
  transaction?: Partial<Row<'transactions'>>,
): Omit<PageState, 'stage'> {
  const now = 1_800_000_000_000
  const latest =
    transaction &&
    ({
      instrument: { vpa: text, bank: text, maskedCardNo: text },
      mid: text,
      orderId: text,
      txnId: text,
      bankTxnId: text,
      paymentMode: text,
      channel: text,
      bankPaise: 100,
      walletPaise: 0,
      refundedPaise: 0,
      result: 'pending',
      updatedAt: now,
      initiatedAt: now,
      promocode: text,
      version: 1,
      ...transaction,
    } as unknown as Row<'transactions'>)
  return {
    pageId: 'id',
    address: '/pay/id',
    page: { until: now + 60_000, extensions: 0, kind: 'full', view: {} } as unknown as PageState['page'],
    order: {
      mid: text,
      orderId: text,
      custId: text,
      amountPaise: 100,
      status: 'CREATED',
      transactionCount: 1,
      leftCount: 0,
      callbackUrl: `https://shop.example/?${encodeURIComponent(text)}`,
      details: { extendInfo: { udf1: text, comments: text, mercUnqRef: text }, userInfo: {} },
      subscriptionId: null,
      expiresAt: now + 3_600_000,
      version: 1,
      requestType: 'PAYMENT',
      ...more,
    } as unknown as PageState['order'],
    merchant: {
      name: text,
      mcc: '5411',
      status: 'ACTIVE',
      upiCollect: 'always',
      supportContact: text,
      websites: {},
      pageOrigins: null,
      callbackFields: 'all',
    } as unknown as PageState['merchant'],
    sentCode: undefined,
    subscription: undefined,
    attempts: [],
    latest,
    now,
    language,
    texts: languages[language].texts,
    browser: { agent: text, languages: text },
    isSameBrowser: true,
    payer: null,
    payerMark: undefined,
  }
}

function optionsWith(text: string): Options {
  const all = { enabled: undefined, disabled: [] }
  const modes = new Map(['UPI', 'CREDIT_CARD', 'NET_BANKING', 'BALANCE', 'PPBL'].map((mode) => [mode, all]))
  return {
    payable: { modes, amountPaise: 100, wallet: undefined, debitCardEmi: false } as unknown as Options['payable'],
    offers: new Map([['CREDIT_CARD', { promocode: text, title: text, kind: 'DISCOUNT', paise: 10 }]]),
    mobile: text,
    cards: [{ id: text, paymentMode: 'CREDIT_CARD', scheme: text, last4: text, isPast: false, bin: '41111111', bank: undefined }],
    codeSentTo: text,
    banks: [{ code: text, name: text, netBanking: true }],
    mayDiscount: true,
  }
}

const FIELDS = ['upiId', 'bank', 'mobile', 'savedCard', 'holder', 'ifsc']

async function pageOf(seen: Omit<PageState, 'stage'>, asked: PageAsked = {}, options?: Options): Promise<Sheet> {
  const found = await foundFor(parts, { ...seen, stage: stageOf(seen) }, {})
  return drawPage(viewOf({ ...found, options }, asked))
}

type Drawn = (text: string, language: Language) => Sheet | Promise<Sheet>
const step =
  (next: (text: string) => NextStep): Drawn =>
  (text, language) => {
    const seen = seenWith(text, language, { status: 'IN_PROCESS' }, { status: 'PENDING', next: next(text) })
    return pageOf(seen, { fault: { panel: 'otp', field: 'otp', message: text } })
  }

/** A full page of a mandate. `waits` is the question to its payer. */
function mandateWith(text: string, language: Language, waits: 'debit' | 'edit' | 'bank' | 'code'): MandatePageState {
  const { merchant, now } = seenWith(text, language)
  const isWallet = waits === 'debit' || waits === 'edit'
  const edit = { editId: text, renewalAmountPaise: 100, validUntil: now + 60_000 }
  const cycle = {
    ...{
      collectionId: text,
      status: 'NOTIFIED',
      rail: isWallet ? 'WALLET' : 'UPI',
      authentication: 'ASKED',
      amountPaise: 100,
      attempts: 0,
    },
    ...{ dueDate: '2027-02-01', windowFrom: '2027-02-01', noticedAt: now, sentAt: null, nextAt: now, updatedAt: now, orderId: text },
  } as unknown as Row<'collections'>
  const notice = { noticeId: text, amountPaise: 100, debitDate: '2027-02-01' } as unknown as Row<'notices'>
  return {
    ...{ pageId: 'id', address: '/mandate/id', merchant, now, language, texts: languages[language].texts },
    page: {
      ...{ openedAt: waits === 'code' ? null : now, until: now + 60_000, extensions: 0, usedAt: null, codeUntil: now + 60_000 },
      codeFor: waits === 'edit' ? `edit:${text}` : 'open',
    } as unknown as MandatePageState['page'],
    subscription: {
      ...{ status: 'ACTIVE', subStatus: 'ACTIVE', subscriptionId: text, amountType: 'FIX', maxAmountPaise: 100, frequencyUnit: 'MONTH' },
      ...{ frequency: 1, startDate: '2027-01-01', expiryDate: '2099-01-01', consentedAt: now, autoRenewal: true },
      details: { purpose: text },
      ...{ paymentMode: isWallet ? 'BALANCE' : 'UPI', mandate: { instrument: { vpa: text } }, edit: waits === 'debit' ? null : edit },
    } as unknown as MandatePageState['subscription'],
    first: { orderId: text, status: 'PAID', amountPaise: 100, updatedAt: now } as unknown as Row<'orders'>,
    open: [{ cycle, notice }],
    past: [{ cycle: { ...cycle, status: 'COLLECTED', orderId: 'another' }, refundedPaise: 1 }],
    debit: waits === 'debit' ? { cycle, notice } : undefined,
    edit: waits === 'edit' ? edit : undefined,
  }
}
const mandate =
  (waits: Parameters<typeof mandateWith>[2], asks?: 'stop' | 'skip'): Drawn =>
  (text, language) => {
    const fault = { panel: 'code', field: 'code', message: text }
    return mandateSheet({ grievanceUrl: 'https://pay.example/?complain' }, mandateWith(text, language, waits), { fault, asks })
  }

const drawn: readonly Drawn[] = [
  (text, language) => {
    const { subscription } = mandateWith(text, language, 'debit')
    const [seen, options] = [{ ...seenWith(text, language), subscription }, optionsWith(text)]
    const typed = Object.fromEntries(FIELDS.map((name) => [name, text]))
    const fault = { panel: 'upi', field: 'upiId', message: text }
    return pageOf(seen, { fault, emi: text, open: text, typed }, options)
  },
  step(() => ({ kind: 'otp' })),
  step(() => ({ kind: 'collect' })),
  step((text) => ({ kind: 'bankForm', actionUrl: `https://bank.example/?${text}`, content: { [`n${text}`]: text } })),
  step((text) => ({ kind: 'deepLink', deepLink: `upi://pay?tn=${encodeURIComponent(text)}` })),
  (text, language) => pageOf(seenWith(text, language, { status: 'PAID' }, { status: 'SUCCESS', result: 'success' })),
  (text, language) =>
    pageOf(seenWith(text, language, { status: 'CLOSED', transactionCount: 5 }, { status: 'FAILURE', result: 'declined' })),
  mandate('debit'),
  mandate('edit'),
  mandate('bank'),
  mandate('code'),
  mandate('debit', 'stop'),
  mandate('debit', 'skip'),
  (text, language) => linkSheet({ canSend: true }, { ...mandateWith(text, language, 'debit'), linkId: 'id' }, text),
]

/** By their places in `drawn`. */
async function pagesWith(text: string, language: Language, places: readonly number[]): Promise<Map<number, string>> {
  const sheets = await Promise.all(places.map(async (place) => [place, await drawn[place]!(text, language)] as const))
  for (const [, sheet] of sheets) assert.doesNotMatch(policyOf(sheet), /[\r\n]|evil/)
  return new Map(sheets.map(([place, sheet]) => [place, documentOf(sheet, parts.assets).text]))
}

/** Elements and the names of their attributes in order, and the scheme of each address. A QR's path is as long as its text. */
function shapeOf(html: string): string {
  const shape: string[] = []
  const visit = (node: DefaultTreeAdapterTypes.Node) => {
    if ('attrs' in node) {
      const attributes = node.attrs.map(({ name, value }) =>
        ['href', 'action', 'src'].includes(name) ? `${name}=${value.split(/[:?/]/)[0]}` : name,
      )
      shape.push(`${node.tagName} ${attributes.join(' ')}`)
    }
    if (node.nodeName === '#comment') shape.push('comment')
    if ('childNodes' in node) node.childNodes.forEach(visit)
  }
  visit(parse(html))
  return shape.join('\n')
}

test(`${TEXTS} hostile texts in every place add no element and no attribute (seed ${SEED})`, async () => {
  const random = new Random(SEED)
  const shapesOf = async (text: string, language: Language) =>
    [...(await pagesWith(text, language, [...drawn.keys()])).values()].map(shapeOf)
  const harmless = { en: await shapesOf(HARMLESS, 'en'), hi: await shapesOf(HARMLESS, 'hi') }
  const blank = { en: await shapesOf(BLANK, 'en'), hi: await shapesOf(BLANK, 'hi') }
  for (let at = 0; at < TEXTS; at++) {
    const language = at % 2 === 0 ? 'en' : 'hi'
    const text =
      at < WEAPONS.length
        ? WEAPONS[at]!
        : Array.from({ length: 1 + random.below(4) }, () => random.pick(WEAPONS)).join(random.pick(['', ' ']))
    const pages = await pagesWith(text, language, at % 4 === 0 ? [0, 1 + ((at / 4) % (drawn.length - 1))] : [0])
    const expected = (text.trim() === '' ? blank : harmless)[language]
    for (const [page, html] of pages.entries()) assert.equal(shapeOf(html), expected[page], JSON.stringify(text))
  }
})

test('a text that is not escaped is found', () => {
  assert.notEqual(shapeOf('<p><i>'), shapeOf('<p>&lt;i>'))
  assert.notEqual(shapeOf('<a href="javascript:x">'), shapeOf('<a href="https://x">'))
  assert.notEqual(shapeOf('<p title="" onclick="x">'), shapeOf('<p title="">'))
})
