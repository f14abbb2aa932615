// The search box and its results: docs/console.md, "Finding".

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { SearchPlace } from '../../domain/order/keep-search-terms.ts'
import { dateTimeInIndia } from '../../engine/clock.ts'
import { pendingPayments } from '../../flows/pending-payments.ts'
import { type Hit, type SearchResult, search, UNREADABLE } from '../../flows/search-by-text.ts'
import { searchReach } from '../../flows/search-keys.ts'
import { toRupees } from '../../interface/money.ts'
import { html, type Part } from '../../pages/html.ts'
import { formatRupees } from '../../pages/kit/amounts.ts'
import { textIn } from '../../pages/kit/page-parts.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { CONSOLE, guarded, sendPage } from '../kit/sheet.ts'
import { orderAddress, paymentAddress, subscriptionAddress } from './addresses.ts'
import { waitingApprovals } from './approvals.ts'

const [SHOWN, WAITING] = [50, 10] // docs/console.md; Mohur's choice
const PLACE = /^([0-9]{1,13})~([A-Za-z0-9_-]{1,20})~([A-Za-z0-9@_.-]{1,64})$/
const LATE_MS = 5 * 60_000 // Mohur's choice: only a longer delay is shown on the page

export function addFind(scope: FastifyInstance, parts: ConsoleParts) {
  const see = { config: { admits: 'see' } } as const
  scope.get(CONSOLE, see, (request, reply) => firstPage(reply, parts, request.viewer!))
  scope.get(`${CONSOLE}/`, see, (_request, reply) => guarded(reply).redirect(CONSOLE, 301))
  scope.get(`${CONSOLE}/find`, see, async (request, reply) => {
    const viewer = request.viewer!
    const typed = (textIn(request.query, 'q') ?? '').trim()
    if (typed === '') return guarded(reply).redirect(CONSOLE, 303)
    const [, at, mid, orderId] = PLACE.exec(textIn(request.query, 'after') ?? '') ?? []
    const after: SearchPlace | undefined = at === undefined ? undefined : [Number(at), mid!, orderId!]
    const found = await search(parts.aside, parts.ports.vault, { typed, mids: viewer.mids, limit: SHOWN, ...(after && { after }) })
    const [only, ...others] = found.hits
    const isOnly = only && others.length === 0 && only.by !== UNREADABLE && found.amountPaise === undefined
    if (isOnly && !found.next && !after) return guarded(reply).redirect(addressOf(only), 303)
    return hitsPage(reply, parts, { viewer, typed, found })
  })
}

const addressOf = ({ kind, mid, orderId, id }: Hit): string => {
  if (kind === 'subscription') return subscriptionAddress(mid, id!)
  return kind === 'payment' ? paymentAddress(mid, id!) : orderAddress(mid, orderId!)
}

async function hitsPage(
  reply: FastifyReply,
  parts: ConsoleParts,
  { viewer, typed, found }: { viewer: Viewer; typed: string; found: SearchResult },
) {
  const rows = found.hits.map(
    (hit) =>
      html`<tr><td data-name="What"><a href="${addressOf(hit)}">${hit.kind} <bdi>${hit.id ?? hit.orderId}</bdi></a></td><td data-name="Merchant"><bdi>${hit.mid}</bdi></td><td data-name="Found by">${hit.by}</td></tr>`,
  )
  const table = html`<table class="list"><thead><tr><th scope="col">What</th><th scope="col">Merchant</th><th scope="col">Found by</th></tr></thead><tbody>${rows}</tbody></table>`
  const amount =
    found.amountPaise !== undefined &&
    html`<p><a href="${CONSOLE}/payments?amount=${toRupees(found.amountPaise)}">Payments of ${formatRupees(found.amountPaise)} in the last seven days</a></p>`
  const none = html`<p>Nothing matches <bdi>${typed}</bdi>.</p>${hints}`
  const tooMany =
    found.tooMany &&
    html`<p class="notice wait">There are more than 2,000 merchants. To find an order or payment by its id, use the lists and name its merchant.</p>`
  const isCut =
    found.isCut &&
    html`<p class="notice wait">This id or number has more hits than this page shows. To find an order or payment of another merchant, use the lists and name its merchant.</p>`
  const more =
    found.next &&
    html`<p><a class="button second" rel="next" href="${CONSOLE}/find?${new URLSearchParams({ q: typed, after: found.next.join('~') }).toString()}">Older</a></p>`
  const body = html`<div class="title"><h1>Found</h1></div>${tooMany}${isCut}${await behind(parts)}<section class="card">${amount}${rows.length > 0 ? table : !amount && none}${more}</section>`
  return sendPage(reply, { assets: parts.assets, viewer }, { title: 'Found', body, typed })
}

const hints = html`<p class="quiet">Search by the id of an order, payment, refund, subscription or customer, or by a mobile number or e-mail address. The bank's number (RRN) and an amount such as ₹499 work too.</p>`

/** A notice that the search is late or that a clock was wrong. Undefined when there is nothing to say. */
async function behind({ aside, ports }: ConsoleParts): Promise<Part> {
  const now = ports.clock.now()
  const { until, isAhead } = await searchReach(aside, now)
  if (isAhead)
    return html`<p class="quiet">A clock of the service was wrong. For two minutes, a search by mobile number, e-mail address or customer may miss orders of the last day.</p>`
  if (until === 0 || now - until < LATE_MS) return undefined
  return html`<p class="quiet">A search by mobile number, e-mail address or customer finds orders up to ${dateTimeInIndia(until)}. Find later ones by their ids.</p>`
}

async function firstPage(reply: FastifyReply, parts: ConsoleParts, viewer: Viewer) {
  const until = parts.ports.clock.now()
  const waiting = (await pendingPayments(parts.aside, { mids: viewer.mids, until, limit: WAITING })).slice(0, WAITING)
  const rows = waiting.map(
    ({ kind, mid, orderId, id, since, amountPaise, askedAt }) =>
      html`<tr><td data-name="Since (IST)">${dateTimeInIndia(since)}</td><td data-name="What"><a href="${kind === 'payment' ? paymentAddress(mid, id) : orderAddress(mid, orderId)}">${kind} of <bdi>${orderId}</bdi></a></td><td data-name="Merchant"><bdi>${mid}</bdi></td><td data-name="Amount" class="sum">${formatRupees(amountPaise)}</td><td data-name="Asked next">${askedAt === undefined ? '' : dateTimeInIndia(askedAt)}</td></tr>`,
  )
  const table = html`<table class="list"><thead><tr><th scope="col">Since (IST)</th><th scope="col">What</th><th scope="col">Merchant</th><th scope="col" class="sum">Amount</th><th scope="col">Asked next</th></tr></thead><tbody>${rows}</tbody></table>`
  const body = html`<div class="title"><h1>Find a payment</h1></div>${hints}${await waitingApprovals(parts, viewer)}<section class="card"><h2>Waiting for a bank, the oldest first</h2>${rows.length > 0 ? table : html`<p>Every bank has answered.</p>`}</section>`
  return sendPage(reply, { assets: parts.assets, viewer }, { title: 'Console', body })
}
