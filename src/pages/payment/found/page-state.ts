// A payment page from the address that opens it to the rows that it is drawn from: docs/pages.md, "Addresses" and "State". The page keeps
// nothing of the payment: all that it shows stands in the order and its latest transaction.

import { takesPayments } from '../../../domain/merchant/merchant.ts'
import { pageOriginsOf } from '../../../domain/merchant/page-settings.ts'
import { openPage } from '../../../domain/payment-page/open-page.ts'
import { isOpen, type Page } from '../../../domain/payment-page/page.ts'
import { isInFlight, latestOf, type Transaction } from '../../../domain/transaction/transaction.ts'
import type { Looks } from '../../../engine/decision.ts'
import type { Ports } from '../../../flows/ports.ts'
import { merchantKey, subscriptionKey, transactionsOfOrder } from '../../../tables/keys.ts'
import type { ShopView } from '../../../tables/payment-page.ts'
import { look, type Row } from '../../../tables/tables.ts'
import { accepted, type Catalogue, type Language, languageOf, languages } from '../../kit/messages/messages.ts'
import { PageError } from '../../kit/page-error.ts'
import { type Browser, PAGE_ID_BYTES, PAGE_ID_FORM, type PageParts } from '../../kit/page-parts.ts'

export interface Opening {
  mid: string
  orderId: string
  /** What opens it: the order's living token, or the checkout form that has made the order. */
  by: { txnToken: string } | { formHash: string }
  browser: Browser
  /** Of the site that is about to hold it in a frame; it has been held against `framersOf`. */
  embeddingOrigin?: string
  language?: Language
  /** What the shop's page asked for, where the loader opens it. */
  shop?: ShopView
}

/** Opens a page for an order; returns its address. Throws a PageError where the token does not open it. */
export async function open({ ports }: Pick<PageParts, 'ports'>, opening: Opening): Promise<string> {
  const { engine, clock, fresh, vault, query } = ports
  const pageId = fresh.hex(PAGE_ID_BYTES)
  const { mid, orderId, by, browser, embeddingOrigin, language, shop } = opening
  const { result } = await engine.submit(openPage, {
    mid,
    orderId,
    by: 'txnToken' in by ? { txnTokenHash: vault.hash('txnToken', by.txnToken) } : by,
    kind: embeddingOrigin === undefined ? 'full' : 'framed',
    embeddingOrigin: embeddingOrigin ?? null,
    agentHash: vault.hash('userAgent', browser.agent),
    view: { ...(language !== undefined && { language }), ...(shop && { shop }) },
    now: clock.now(),
    fresh: { pageHash: vault.hash('pageId', pageId) },
  })
  if (result.name === 'unknown') throw new PageError('unknown')
  if (result.name === 'expired')
    throw new PageError('over', { callbackUrl: (await query.row(look('orders', mid, orderId)))?.callbackUrl ?? null })
  return pageAddressOf(pageId)
}
export const pageAddressOf = (pageId: string) => `/pay/${pageId}`

const RETURN_LENGTH = 100 // ours, and the router's: a sealed page id has 83 characters
/** Where a bank sends the browser back to. The page's id is sealed in it, so that it stands in no bank's books or logs. */
export const returnAddressOf = ({ vault }: Pick<Ports, 'vault'>, address: string) =>
  `/pay/${vault
    .seal(address.slice(pageAddressOf('').length), 'return')
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')}/return`

/** The page that a bank's browser comes back to; an id that no page has when it is none of ours. */
export function returnedTo({ vault }: Pick<Ports, 'vault'>, sealed: string): string {
  if (sealed.length > RETURN_LENGTH) throw new PageError('unknown')
  try {
    return vault.open(sealed, 'return') // base64 is read in either alphabet
  } catch {
    throw new PageError('unknown')
  }
}

/** All that a page is drawn from, as it stands now. */
export interface PageState {
  pageId: string
  /** `/pay/<id>`: in this page's own HTML and nowhere else. */
  address: string
  page: Page
  order: Row<'orders'>
  merchant: Row<'merchants'>
  /** The last that was sent for this order to sign its payer in. */
  sentCode: Row<'checkoutOtps'> | undefined
  attempts: readonly Transaction[]
  /** The attempt that the order stands by. */
  latest: Transaction | undefined
  /** What its payer agrees to by it; undefined of an ordinary order. */
  subscription: Row<'subscriptions'> | undefined
  now: number
  language: Language
  texts: Catalogue
  browser: Browser
  /** What a sign-in shows is for the browser that opened the page. */
  isSameBrowser: boolean
}

/** A page that its payer holds the address of; also one whose time is over. Where a commit came between its rows they are read again, of one moment. */
export async function pageStateOf(ports: Ports, pageId: string, browser: Browser): Promise<PageState> {
  const seen = await readPage(ports, pageId, browser)
  return misfitOf(seen) === undefined ? seen : ports.query.atOneMoment((query) => readPage({ ...ports, query }, pageId, browser))
}

async function readPage(
  { query, clock, vault }: Pick<Ports, 'clock' | 'vault'> & { query: Looks },
  pageId: string,
  browser: Browser,
): Promise<PageState> {
  const page = PAGE_ID_FORM.test(pageId) ? await query.row(look('pages', vault.hash('pageId', pageId))) : undefined
  if (!page) throw new PageError('unknown')
  const { mid, orderId } = page
  // The code is read along, though few need it: one round of reading less for everybody who looks at his choices.
  const [order, merchant, sentCode] = await Promise.all([
    query.row(look('orders', mid, orderId)),
    query.row(merchantKey(mid)),
    query.row(look('checkoutOtps', mid, orderId)),
  ])
  if (!order || !merchant) throw new PageError('unknown')
  const [attempts, subscription] = await Promise.all([
    order.transactionCount === 0 ? [] : query.rows(transactionsOfOrder(mid, orderId)),
    order.subscriptionId === null ? undefined : query.row(subscriptionKey(mid, order.subscriptionId)),
  ])
  const latest = latestOf(order, attempts)
  const language = languageOf(page.view.language) ?? accepted(browser.languages, merchant)
  return {
    pageId,
    address: pageAddressOf(pageId),
    page,
    order,
    merchant,
    sentCode,
    attempts,
    latest,
    subscription,
    now: clock.now(),
    language,
    texts: languages[language].texts,
    browser,
    isSameBrowser: page.agentHash === vault.hash('userAgent', browser.agent),
  }
}

/** What of these rows cannot be true together; undefined where nothing is amiss. */
export function misfitOf({ order, attempts, latest }: Pick<PageState, 'order' | 'attempts' | 'latest'>): string | undefined {
  const isOf = ({ mid, orderId }: Transaction) => mid === order.mid && orderId === order.orderId
  if (!attempts.every(isOf) || (latest && !isOf(latest))) return 'a transaction of another order'
  const isPaid = latest?.status === 'SUCCESS'
  switch (order.status) {
    case 'PAID':
      return isPaid ? undefined : 'an order is paid, and no attempt has paid it'
    case 'CREATED':
      return latest && (isPaid || isInFlight(latest)) ? 'an order is open, and an attempt has paid it or may' : undefined
    case 'IN_PROCESS':
      return latest && isInFlight(latest) ? undefined : 'an order is being paid, and no attempt is under way'
    case 'CLOSED':
      return undefined
    default:
      return order.status satisfies never
  }
}

/** A mandate on an account is paid with nothing, and decided on by its bank for days after. */
export const bankMandateOf = ({ subscription, latest }: Pick<PageState, 'subscription' | 'latest'>): Row<'subscriptions'> | undefined =>
  latest?.paymentMode === 'BANK_MANDATE' && latest.status === 'SUCCESS' ? subscription : undefined

/** What the payer meets: docs/pages.md, "State". How it ended is to be seen for as long as the page is kept. */
export type Stage = 'choices' | 'otp' | 'bank' | 'upi' | 'collect' | 'waiting' | 'paid' | 'closed' | 'over'

export function stageOf({ page, order, merchant, latest, now }: Pick<PageState, 'page' | 'order' | 'merchant' | 'latest' | 'now'>): Stage {
  switch (order.status) {
    case 'PAID':
      return 'paid'
    case 'CLOSED':
      return 'closed'
    case 'CREATED':
      return isOpen(page, now) && takesPayments(merchant) ? 'choices' : 'over'
    case 'IN_PROCESS':
      if (!isOpen(page, now)) return 'over'
      return latest && isInFlight(latest) ? nextOf(latest) : 'waiting'
    default:
      return order.status satisfies never
  }
}

function nextOf({ status, next }: Transaction): Stage {
  if (status === 'UNKNOWN' || next === null) return 'waiting' // what was to be done next may be done already
  switch (next.kind) {
    case 'otp':
      return 'otp'
    case 'bankForm':
      return 'bank'
    case 'deepLink':
      return 'upi'
    case 'collect':
      return 'collect'
    default:
      return next satisfies never
  }
}

/** Changes whenever the page would look different: what the script compares. */
export const pageVersionOf = (seen: PageState) => {
  const bankMandate = bankMandateOf(seen)
  return `${stageOf(seen)}.${seen.order.version}.${seen.latest?.version ?? 0}${bankMandate ? `.${bankMandate.version}` : ''}`
}

/** Whose pages may hold it in a frame, as `frame-ancestors` spells them. */
export const framersOf = (
  merchant: Row<'merchants'>,
  { callbackUrl }: Pick<Row<'orders'>, 'callbackUrl'>,
  isSandbox: boolean,
): readonly string[] => pageOriginsOf(merchant, callbackUrl, isSandbox ? 'sandbox' : 'production') ?? ['*']
