// What a page answers when nothing can be shown, and the scope of a server in which every error is answered so: docs/pages.md.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { loggedError } from '../../engine/logged-error.ts'
import { gatherBody } from '../../http/body.ts'
import { html } from '../html.ts'
import { sendSheet } from './document.ts'
import { icons } from './icons.ts'
import { alone } from './layout.ts'
import { accepted, languages } from './messages/messages.ts'
import { PageError } from './page-error.ts'
import { type AddedParts, type Browser, browserOf, type PageParts } from './page-parts.ts'

/** What goes wrong among pages is said by a page; what is our own fault is logged without an address, which is a secret. */
export function answerByPages(scope: FastifyInstance, parts: Pick<AddedParts, 'assets' | 'isSandbox' | 'logger'>) {
  scope.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const shown = errorOf(error)
    if (shown.why === 'system') parts.logger.error({ request: request.id, error: loggedError(error) }, 'a page failed')
    return renderErrorPage(reply, parts, shown, { ...browserOf(request), url: request.url })
  })
}

/** Where a bank sends the browser back. Some banks post, some redirect; whatever they send along is not read. */
export function comesBack(
  scope: FastifyInstance,
  url: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
) {
  scope.register(async (fromBanks) => {
    fromBanks.removeAllContentTypeParsers()
    fromBanks.addContentTypeParser('*', gatherBody)
    fromBanks.route({ method: ['GET', 'POST'], url, handler })
  })
}

function errorOf(error: Error & { statusCode?: number }): PageError {
  if (error instanceof PageError) return error
  const status = error.statusCode ?? 500
  if (status === 429) return new PageError('busy')
  return status >= 400 && status < 500 ? new PageError('form', { statusCode: status }) : new PageError('system')
}

const FIELD_LENGTH = 40 // ours: of a name that a shop's developer looks for

/** An address that is a page's, or begins with it as those of its buttons do. */
const PAGE_ADDRESS = /^\/(?:pay|mandate)\/[0-9a-f]{32}(?=[/?]|$)|^\/m\/[A-Za-z0-9_-]{22}(?=[/?]|$)/

/**
 * A page of its own for what cannot be shown, in the language of whoever asks. Of the request it holds the name of a field at most, and
 * the way back to the page that was asked. Whoever frames a page is shown its errors: nothing on them is worth a stolen press.
 */
export function renderErrorPage(
  reply: FastifyReply,
  { assets, isSandbox }: Pick<PageParts, 'assets' | 'isSandbox'>,
  { why, statusCode, field, hint, callbackUrl, page: instead }: PageError,
  { languages: wanted, url }: Pick<Browser, 'languages'> & { url: string },
) {
  const language = accepted(wanted)
  const { errors, errorField, errorHints, toShopSite, toPage, toFullPage } = languages[language].texts
  const { title, about } = errors[why]
  const named = field !== undefined && html`<p class="quiet">${errorField(html`<bdi>${field.slice(0, FIELD_LENGTH)}</bdi>`)}</p>`
  const instructed = hint !== undefined && html`<p class="quiet">${errorHints[hint]}</p>`
  const page = why === 'unknown' ? undefined : PAGE_ADDRESS.exec(url)?.[0]
  const again = page !== undefined && html`<p><a class="button second" href="${page}">${toPage}</a></p>`
  const full = instead !== undefined && html`<p><a class="button" href="${instead}" target="_top">${toFullPage}</a></p>`
  const over = why === 'over' && html`<span data-over></span>`
  const { protocol, origin: site } = URL.parse(callbackUrl ?? '') ?? {}
  const isLinked = protocol === 'https:' || (isSandbox && protocol === 'http:') // docs/pages.md, "Safety"
  const back = isLinked && html`<p><a class="button second" href="${site}" target="_top" rel="noopener">${toShopSite}</a></p>`
  const body = alone(title, icons.ended, html`<p>${about}</p>${over}`, named, instructed, again, full, back)
  return sendSheet(reply.code(statusCode), assets, { language, title, body, framedBy: ['*'], isFramed: true })
}
