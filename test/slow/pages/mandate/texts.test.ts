// Every text of a mandate's page, and every message about a mandate, by the way that pays it. None is missing, none gets an empty value,
// and none speaks of another way.

import { test } from 'node:test'
import { PAYER_MESSAGE_KINDS } from '../../../../src/domain/subscription/payer-message.ts'
import { paymentModes, SUBSCRIPTION_PAYMENT_MODES } from '../../../../src/interface/payment-modes.ts'
import type { MandatePageState } from '../../../../src/pages/mandate/page-state.ts'
import type { Row } from '../../../../src/tables/tables.ts'
import { wordsOf } from '../../../support/pages/pages.ts'
import { hollowIn, type Judged, judged, noneAmiss, watched } from '../../../support/pages/texts.ts'
import { fromCheckout } from '../../../support/run/checkout.ts'

const { languages } = await fromCheckout<typeof import('../../../../src/pages/kit/messages/messages.ts')>(
  'src/pages/kit/messages/messages.ts',
)
const { ASKS, mandateSheet } = await fromCheckout<typeof import('../../../../src/pages/mandate/render.ts')>('src/pages/mandate/render.ts')
const { SAIDS } = await fromCheckout<typeof import('../../../../src/pages/mandate/messages.ts')>('src/pages/mandate/messages.ts')
const { worded } = await fromCheckout<typeof import('../../../../src/flows/payer-message-due.ts')>('src/flows/payer-message-due.ts')

const NOW = 1_800_000_000_000
type Mode = (typeof SUBSCRIPTION_PAYMENT_MODES)[number] | null
const MODES: readonly Mode[] = [...SUBSCRIPTION_PAYMENT_MODES, null]

/** States of a mandate. A wallet's mandate is at no bank. */
const STANDS: readonly { status: string; subStatus: string; mandate?: object; ofBanks?: true }[] = [
  { status: 'ACTIVE', subStatus: 'ACTIVE' },
  { status: 'AUTHORIZED', subStatus: 'AUTHORIZED', ofBanks: true },
  { status: 'IN_AUTHORIZATION', subStatus: 'SUBMITTED', ofBanks: true },
  { status: 'SUSPENDED', subStatus: 'MERCHANT_PAUSED' },
  { status: 'SUSPENDED', subStatus: 'USER_PAUSED' },
  { status: 'SUSPENDED', subStatus: 'USER_PAUSED', mandate: { isPausedHere: true } },
  ...['USER_CANCELLED', 'MERCHANT_CANCELLED', 'TIMED_OUT'].map((subStatus) => ({ status: 'REJECT', subStatus })),
  { status: 'EXPIRED', subStatus: 'EXPIRED' },
]
const WAITS = ['nothing', 'debit', 'edit', 'debit at the bank', 'edit at the bank', 'code'] as const
const INSTRUMENTS = [{}, { vpa: 'payer@upi' }, { cardLast4: '1111' }] as const

interface Case {
  mode: Mode
  stands: (typeof STANDS)[number]
  waits: (typeof WAITS)[number]
  instrument: object
}
function stateWith(found: Judged, language: 'en' | 'hi', { mode, stands, waits, instrument }: Case): MandatePageState {
  const isWallet = mode === 'BALANCE'
  const cycle = {
    ...{
      collectionId: 'C1',
      status: 'NOTIFIED',
      rail: isWallet ? 'WALLET' : 'UPI',
      authentication: waits.startsWith('debit') ? 'ASKED' : 'NONE',
    },
    ...{
      amountPaise: 12_34_567_89,
      attempts: 0,
      dueDate: '2027-02-01',
      windowFrom: '2027-02-01',
      noticedAt: NOW,
      sentAt: null,
      nextAt: NOW,
    },
    ...{ updatedAt: NOW, orderId: 'O2', txnId: null },
  } as unknown as Row<'collections'>
  const notice = { noticeId: 'N1', amountPaise: 12_34_567_89, debitDate: '2027-02-01', status: 'SUCCESS' } as unknown as Row<'notices'>
  const edit = { editId: 'E1', maxAmountPaise: 56_78_901_23, validUntil: NOW + 60_000 }
  const past = ['COLLECTED', 'FAILED', 'SKIPPED', 'MISSED'].map((status) => ({
    cycle: { ...cycle, status, ...(status === 'MISSED' && { amountPaise: null }) } as Row<'collections'>,
    refundedPaise: status === 'COLLECTED' ? 1_00 : 0,
  }))
  return {
    ...{ pageId: 'id', address: '/mandate/id', now: NOW, language, texts: watched(languages[language].texts, found) },
    merchant: { name: 'Demo Stores' } as Row<'merchants'>,
    page: {
      ...{ openedAt: NOW, until: NOW + 60_000, extensions: 0, usedAt: null, codeUntil: NOW + 60_000, askedAt: NOW },
      codeFor: waits === 'code' ? 'edit:E1' : 'open',
    } as unknown as MandatePageState['page'],
    subscription: {
      ...{ mid: 'M', subscriptionId: 'S1', amountType: 'VARIABLE', maxAmountPaise: 23_45_678_90, frequencyUnit: 'MONTH', frequency: 1 },
      ...{ startDate: '2026-02-01', expiryDate: '2099-01-31', consentedAt: NOW, autoRenewal: true, version: 1, details: {} },
      ...{ ...stands, paymentMode: mode, mandate: { instrument, ...stands.mandate }, edit: /edit|code/.test(waits) ? edit : null },
    } as unknown as MandatePageState['subscription'],
    first: { orderId: 'O1', status: 'PAID', amountPaise: 1_00, updatedAt: NOW } as Row<'orders'>,
    open: [{ cycle, notice }],
    past,
    debit: waits === 'debit' ? { cycle, notice } : undefined,
    edit: waits === 'edit' || waits === 'code' ? edit : undefined,
  }
}

/** Words that a text about a mandate of this mode may not use. */
const foreignTo = (mode: Mode | undefined): readonly RegExp[] => {
  const way = mode ? paymentModes[mode].panel : undefined
  if (way === undefined) return []
  return [...(way === 'upi' ? [] : [/UPI/]), ...(way === 'wallet' || way === 'postpaid' ? [/\bbank|बैंक/i] : [/postpaid|पोस्टपेड/i])]
}
/** An amount without India's commas, or with those of the West. */
const NO_COMMAS = /(?:₹|Rs )(?:\d{4,}|\d{1,3}(?:,\d{3}){2,})/g
/** The payments bank goes by its own name. */
const withoutName = (words: string) => words.replace(/payments bank|पेमेंट्स बैंक/g, '')

test('modes x states x what waits x {en, hi} leave no hole on a mandate’s page, and speak of no other way', (t) => {
  const found = judged()
  let pages = 0
  const judge = (state: MandatePageState, asked: Parameters<typeof mandateSheet>[2], mode: Mode) => {
    const { language } = state
    const { body } = mandateSheet({ grievanceUrl: 'https://shop.example/complain' }, state, asked)
    const { text } = body as { text: string }
    pages++
    for (const wrong of wordsOf(text).match(NO_COMMAS) ?? []) found.untrue.add(`${language}: ${wrong} lacks commas`)
    for (const hollow of hollowIn(text)) found.empty.add(`${mode}: ${hollow}`)
    for (const foreign of foreignTo(mode)) {
      const [said] = foreign.exec(withoutName(wordsOf(text))) ?? []
      if (said !== undefined) found.untrue.add(`${mode}: ${said}`)
    }
  }
  for (const language of ['en', 'hi'] as const)
    for (const mode of MODES)
      for (const stands of STANDS.filter(({ ofBanks }) => !ofBanks || (mode !== 'BALANCE' && mode !== 'SVC_DIGITAL_CREDIT')))
        for (const waits of WAITS.filter((each) => mode === 'BALANCE' || !/^(debit|edit|code)$/.test(each)))
          for (const instrument of INSTRUMENTS) {
            const state = stateWith(found, language, { mode, stands, waits, instrument })
            judge(state, {}, mode)
            if (instrument !== INSTRUMENTS[0] || waits !== 'nothing') continue
            for (const asks of ASKS) judge(state, { asks }, mode)
            for (const said of SAIDS)
              for (const request of ['debit:N1', 'edit:E1', undefined]) judge(state, { message: { said, of: request } }, mode)
          }
  const product = `modes ${MODES.length} x states ${STANDS.length} x waiting ${WAITS.length} x languages 2`
  t.diagnostic(noneAmiss(found, `${product}: ${pages} pages`))
})

const TERMS = { amountType: 'FIX', maxAmountPaise: 12_34_567_89, frequencyUnit: 'MONTH', frequency: 1, expiryDate: '2029-01-31' } as const
const BROKEN = /undefined|null|NaN|\[object| {2}| [.,;:]|: \./
test('kinds x modes x link x approval leave no hole in a message, and speak of no other way', (t) => {
  const found = judged()
  for (const kind of PAYER_MESSAGE_KINDS)
    for (const mode of SUBSCRIPTION_PAYMENT_MODES)
      for (const link of ['https://pay.example/m/abc', undefined])
        for (const isApprovalNeeded of [true, undefined] as const)
          for (const grievanceUrl of ['https://pay.example/complain', undefined]) {
            const facts = {
              ...{ kind, mobile: '9812345678', merchant: 'Demo Stores', amountPaise: 12_34_567_89, date: '2027-02-01', reference: 'S1' },
              ...{ terms: TERMS, mandate: { mid: 'M', subscriptionId: 'S1' }, paymentMode: mode },
              ...(link && { link }),
              ...(isApprovalNeeded && { isApprovalNeeded }),
            }
            const { text } = worded('key', facts, { grievanceUrl })
            found.texts++
            if (BROKEN.test(text)) found.empty.add(text)
            if (text.match(NO_COMMAS)) found.untrue.add(`${text} lacks commas`)
            for (const foreign of foreignTo(mode)) if (foreign.test(text)) found.untrue.add(`${mode}: ${text}`)
          }
  const product = `kinds ${PAYER_MESSAGE_KINDS.length} x modes ${SUBSCRIPTION_PAYMENT_MODES.length}`
  t.diagnostic(noneAmiss(found, `${product} x link x approval x complaints`))
})
