// From the address of a payer's mandate page to the rows that it is drawn from: docs/pages.md, "The mandate page".

import { hasEnded } from '../../domain/subscription/collection/collection.ts'
import { isAwaited, isLinkGood, isOpen, type MandatePage } from '../../domain/subscription/payer-page/mandate-page.ts'
import { LINK_FORM, linkHashOf } from '../../flows/mandate-link.ts'
import { type Announced, debitThatWaits, editThatWaits, openCyclesOf } from '../../flows/payer-actions.ts'
import type { Ports } from '../../flows/ports.ts'
import { collectionsOf, merchantKey } from '../../tables/keys.ts'
import type { PendingEdit } from '../../tables/subscription.ts'
import { find, look, type Row } from '../../tables/tables.ts'
import { accepted, type Catalogue, type Language, languageOf, languages } from '../kit/messages/messages.ts'
import { PageError } from '../kit/page-error.ts'
import { type Browser, PAGE_ID_FORM } from '../kit/page-parts.ts'

const CYCLES_SHOWN = 24 // Mohur's choice: two years of a monthly mandate

interface Shown {
  merchant: Row<'merchants'>
  subscription: Row<'subscriptions'>
  now: number
  language: Language
  texts: Catalogue
}

/** The state behind a message's link. The link itself opens nothing yet. */
export interface LinkState extends Shown {
  linkId: string
}

async function agreedTo({ query }: Ports, mid: string, subscriptionId: string) {
  const [merchant, subscription] = await Promise.all([query.row(merchantKey(mid)), query.row(look('subscriptions', mid, subscriptionId))])
  return merchant && subscription ? { merchant, subscription } : undefined
}
const inLanguage = (language: Language) => ({ language, texts: languages[language].texts })

/** The holder of a link gets the same answer for every fault of the link. */
export async function linkStateOf(ports: Ports, linkId: string, browser: Browser, language: string | undefined): Promise<LinkState> {
  const { query, vault, clock } = ports
  const link = LINK_FORM.test(linkId) ? await query.row(look('mandateLinks', linkHashOf(vault, linkId))) : undefined
  const rows = link && (await agreedTo(ports, link.mid, link.subscriptionId))
  const now = clock.now()
  if (!rows || !isLinkGood(rows.subscription, now)) throw new PageError('unknown')
  return { ...rows, linkId, now, ...inLanguage(languageOf(language) ?? accepted(browser.languages, rows.merchant)) }
}

/** The debit of an ended cycle, whether it was made or not. */
export interface Debit {
  cycle: Row<'collections'>
  refundedPaise: number
}

export interface MandatePageState extends Shown {
  pageId: string
  /** `/mandate/<id>`. Only this page's own HTML holds it. */
  address: string
  page: MandatePage
  /** The order by which the payer consented, with the amount paid then. */
  first: Row<'orders'> | undefined
  /** Cycles to come, or under way. */
  open: readonly Announced[]
  past: readonly Debit[]
  debit: (Announced & { notice: Row<'notices'> }) | undefined
  edit: PendingEdit | undefined
}

export type MandateStage = 'code' | 'open' | 'over'
export const mandateStageOf = ({ page, now }: Pick<MandatePageState, 'page' | 'now'>): MandateStage =>
  isOpen(page, now) ? 'open' : isAwaited(page, now) ? 'code' : 'over'

/** The page, only for the browser that asked for it. */
export async function mandatePageStateOf(ports: Ports, pageId: string, browser: Browser): Promise<MandatePageState> {
  const { query, vault, clock } = ports
  const page = PAGE_ID_FORM.test(pageId) ? await query.row(look('mandatePages', vault.hash('mandatePageId', pageId))) : undefined
  const isSameBrowser = page?.agentHash === vault.hash('userAgent', browser.agent)
  const rows = page && isSameBrowser ? await agreedTo(ports, page.mid, page.subscriptionId) : undefined
  if (!page || !rows) throw new PageError('unknown')
  const now = clock.now()
  const language = inLanguage(languageOf(page.view.language) ?? accepted(browser.languages, rows.merchant))
  const shown = { pageId, address: mandateAddressOf(pageId), page, ...rows, ...language, now }
  // Until a page is open, only the rows that it may show are read.
  if (!isOpen(page, now)) return { ...shown, first: undefined, open: [], past: [], debit: undefined, edit: undefined }
  const { subscription } = rows
  const [first, open, past] = await Promise.all([
    query.row(look('orders', subscription.mid, subscription.orderId)),
    openCyclesOf(ports, subscription),
    pastOf(ports, subscription),
  ])
  return { ...shown, first, open, past, debit: debitThatWaits(open), edit: editThatWaits(subscription, now) }
}

/** The newest debit first, and each debit with its refunded amount. */
async function pastOf({ query }: Ports, { mid, subscriptionId }: Row<'subscriptions'>): Promise<Debit[]> {
  const cycles = (await query.rows(collectionsOf(mid, subscriptionId, CYCLES_SHOWN))).filter(hasEnded)
  const ids = cycles.map(({ txnId }) => txnId).filter((txnId) => txnId !== null)
  const paid =
    ids.length === 0
      ? []
      : await query.rows(find('transactions', { equals: { mid }, in: { column: 'txnId', values: ids }, limit: ids.length }))
  const refunded = new Map(paid.map(({ txnId, refundedPaise }) => [txnId, refundedPaise]))
  return cycles.map((cycle) => ({ cycle, refundedPaise: refunded.get(cycle.txnId ?? '') ?? 0 }))
}

export const mandateAddressOf = (pageId: string) => `/mandate/${pageId}`
