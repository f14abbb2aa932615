// From a page's address to the rows that it is drawn from: docs/pages.md, "Addresses" and "State". The page keeps nothing of the payment.
// All that it shows stands in the order and its latest transaction.

import { takesPayments } from '../../../domain/merchant/merchant.ts'
import { pageOriginsOf } from '../../../domain/merchant/page-settings.ts'
import { openPage } from '../../../domain/payment-page/open-page.ts'
import { isOpen, type Page } from '../../../domain/payment-page/page.ts'
import { isTooLateFor } from '../../../domain/subscription/consent-result.ts'
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
  /** Opens the page: the order's valid token, or the checkout form that made the order. */
  by: { txnToken: string } | { formHash: string }
  browser: Browser
  /** The site that will hold the page in a frame, already checked against `framersOf`. */
  embeddingOrigin?: string
  language?: Language
  /** The view that the shop's page asked for, when the loader opens the page. */
  shop?: ShopView
}

/** Opens a page for an order, and returns its address. Throws a PageError when the token opens no page. */
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

const RETURN_LENGTH = 100 // Mohur's choice, and the router's limit: a sealed page id has 83 characters
/** The address to which a bank sends the browser back. It contains the page's id only sealed, so no bank's books or logs hold the id. */
export const returnAddressOf = ({ vault }: Pick<Ports, 'vault'>, address: string) =>
  `/pay/${vault
    .seal(address.slice(pageAddressOf('').length), 'return')
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')}/return`

/** The id of the page to which a bank sends the browser back. Throws `unknown` when this service has not sealed the address. */
export function returnedTo({ vault }: Pick<Ports, 'vault'>, sealed: string): string {
  if (sealed.length > RETURN_LENGTH) throw new PageError('unknown')
  try {
    return vault.open(sealed, 'return') // Node reads base64 in either alphabet
  } catch {
    throw new PageError('unknown')
  }
}

export interface PageState {
  pageId: string
  /** `/pay/<id>`. Only this page's own HTML holds it. */
  address: string
  page: Page
  order: Row<'orders'>
  merchant: Row<'merchants'>
  /** The last sign-in code that was sent for this order. */
  sentCode: Row<'checkoutOtps'> | undefined
  attempts: readonly Transaction[]
  /** The order's current attempt. */
  latest: Transaction | undefined
  stage: Stage
  /** The subscription that the payer agrees to with the order. Undefined for an ordinary order. */
  subscription: Row<'subscriptions'> | undefined
  now: number
  language: Language
  texts: Catalogue
  browser: Browser
  /** Only the browser that opened the page sees what a sign-in shows. */
  isSameBrowser: boolean
  /** The order's payer, if this page may show and use their sign-in: docs/pages.md, "Addresses". */
  payer: Row<'orders'>['payer']
  /** Names that payer in the page's forms: a keyed hash. A press on a form of an earlier payer then spends nothing of the present one. */
  payerMark: string | undefined
}

/**
 * The page at an address that its payer holds, even after the page's time is over. When a commit came between the reads, the rows are read
 * again as of one moment.
 */
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
  // Few pages need the code. Reading it here saves one round of reading for every payer at the choices.
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
  const now = clock.now()
  const isSameBrowser = page.agentHash === vault.hash('userAgent', browser.agent)
  const payer = isSameBrowser && isShown(page, order) ? order.payer : null
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
    stage: stageOf({ page, order, merchant, latest, subscription, now }),
    subscription,
    now,
    language,
    texts: languages[language].texts,
    browser,
    isSameBrowser,
    payer,
    payerMark: payer ? String(vault.shortHash('pagePayer', `${page.pageHash}:${payer.userId}`)) : undefined,
  }
}

/** What a payer typed for an attempt is shown where only they can have opened the page: not to another holder of the form. */
export const showsTyped = ({ isSameBrowser, page }: Pick<PageState, 'isSameBrowser' | 'page'>) => isSameBrowser && !page.view.byForm

/** A page that an order's token opened shows its payer, wherever they signed in. A page that a form opened shows who signed in on it. */
const isShown = ({ view: { byForm, userId } }: Page, { payer }: Row<'orders'>) => !byForm || userId === payer?.userId

/** How these rows contradict each other. Undefined when they agree. */
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

/**
 * The subscription, when its payer has agreed to a mandate on a bank account. No money is taken then, and the bank decides about the
 * mandate in the days after.
 */
export const bankMandateOf = ({ subscription, latest }: Pick<PageState, 'subscription' | 'latest'>): Row<'subscriptions'> | undefined =>
  latest?.paymentMode === 'BANK_MANDATE' && latest.status === 'SUCCESS' ? subscription : undefined

/** What the payer meets: docs/pages.md, "State". The page shows the end of the payment for as long as the page is kept. */
export type Stage = 'choices' | 'otp' | 'bank' | 'upi' | 'collect' | 'waiting' | 'paid' | 'closed' | 'over'

export function stageOf({
  page,
  order,
  merchant,
  latest,
  subscription,
  now,
}: Pick<PageState, 'page' | 'order' | 'merchant' | 'latest' | 'subscription' | 'now'>): Stage {
  switch (order.status) {
    case 'PAID':
      return 'paid'
    case 'CLOSED':
      return 'closed'
    case 'CREATED':
      if (subscription && isTooLateFor(subscription, now)) return 'over'
      return isOpen(page, now) && takesPayments(merchant) ? 'choices' : 'over'
    case 'IN_PROCESS':
      if (!isOpen(page, now)) return 'over'
      return latest && isInFlight(latest) ? nextOf(latest) : 'waiting'
    default:
      return order.status satisfies never
  }
}

function nextOf({ status, next }: Transaction): Stage {
  if (status === 'UNKNOWN' || next === null) return 'waiting' // the payer may have done the next step already
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

/** Changes whenever the page would look different. The script compares it. */
export const pageVersionOf = (seen: PageState) => {
  const bankMandate = bankMandateOf(seen)
  return `${seen.stage}.${seen.order.version}.${seen.latest?.version ?? 0}${bankMandate ? `.${bankMandate.version}` : ''}`
}

/** The sites that may hold a page in a frame, as `frame-ancestors` spells them. */
export const framersOf = (
  merchant: Row<'merchants'>,
  { callbackUrl }: Pick<Row<'orders'>, 'callbackUrl'>,
  isSandbox: boolean,
): readonly string[] => pageOriginsOf(merchant, callbackUrl, isSandbox ? 'sandbox' : 'production') ?? ['*']
