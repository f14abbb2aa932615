// The error page, and the scope of a server that answers every error with this page: docs/pages.md.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { loggedError } from '../../engine/logged-error.ts'
import { gatherBody } from '../../http/body.ts'
import { TooManyRequests } from '../../http/rate-limit.ts'
import { html, type Part } from '../html.ts'
import { sendSheet } from './document.ts'
import { formFaultOf } from './forms.ts'
import { icons } from './icons.ts'
import { crossOf, panel } from './layout.ts'
import { accepted, type Catalogue, languages } from './messages/messages.ts'
import { type FormFault, PageError } from './page-error.ts'
import { type AddedParts, type Browser, browserOf, type PageParts } from './page-parts.ts'

/** Answers every error among the pages with a page. This service's own faults are logged without the address, which is a secret. */
export function answerByPages(scope: FastifyInstance, parts: Pick<AddedParts, 'assets' | 'isSandbox' | 'logger'>) {
  scope.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const shown = errorOf(error, request)
    if (error instanceof TooManyRequests) reply.header('retry-after', error.retryAfterSeconds)
    if (shown.why === 'system') parts.logger.error({ request: request.id, error: loggedError(error) }, 'a page failed')
    return renderErrorPage(reply, parts, shown, { ...browserOf(request), url: request.url })
  })
}

/** An address to which a bank sends the browser back. Some banks post, some redirect. Nothing reads the fields that they send. */
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

function errorOf(error: Error & { statusCode?: number }, request: FastifyRequest): PageError {
  if (error instanceof PageError) return error
  const status = error.statusCode ?? 500
  if (status === 429) return new PageError('busy')
  if (status < 400 || status >= 500) return new PageError('system')
  const fault = formFaultOf(error, request)
  return new PageError('form', { statusCode: status, ...(fault && { fault }) })
}

const FIELD_LENGTH = 40 // Mohur's choice: enough of a name for the shop's developer to find it
const MEDIA_TYPE = /^[a-z0-9][a-z0-9.+-]{0,63}\/[a-z0-9][a-z0-9.+-]{0,63}$/
/** Characters that do not show, or that turn the letters beside them; and spaces at the ends. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu
const OUTER_SPACES = /^\s+|\s+$/g

/** A field's name as text: cut, and with a sign for each character that would not show. */
function fieldNamed(name: string, { formField, formFieldUnnamed }: Catalogue): Part {
  if (name === '') return formFieldUnnamed
  const cut = [...name.slice(0, 2 * FIELD_LENGTH)].slice(0, FIELD_LENGTH).join('')
  const seen = cut.replace(UNSEEN, '\uFFFD').replace(OUTER_SPACES, (spaces) => '␣'.repeat(spaces.length))
  return formField(html`<bdi>${seen}</bdi>`)
}

export function sayFormFault(fault: FormFault, texts: Catalogue): Part {
  const says = texts.formFaults
  switch (fault.kind) {
    case 'type':
      return says.type(MEDIA_TYPE.test(fault.came) ? html`<bdi>${fault.came}</bdi>` : says.otherType)
    case 'fields':
      return says.fields(fault.most)
    case 'long':
      return says.long(fault.kib)
    case 'twice':
    case 'escape':
    case 'nul':
      return says[fault.kind](fieldNamed(fault.name, texts))
    case 'noType':
    case 'encoding':
    case 'foreign':
      return says[fault.kind]
    default:
      return fault satisfies never
  }
}

/** Matches the address of a page. Also matches a longer address that begins with it, as the page's buttons have. */
const PAGE_ADDRESS = /^\/(?:pay|mandate)\/[0-9a-f]{32}(?=[/?]|$)|^\/m\/[A-Za-z0-9_-]{22}(?=[/?]|$)/

/**
 * The error page, in the language of the browser. It repeats at most a field's name, and links back to the requested page. Any site may
 * frame it: nothing on it is worth a stolen press.
 */
export function renderErrorPage(
  reply: FastifyReply,
  { assets, isSandbox }: Pick<PageParts, 'assets' | 'isSandbox'>,
  { why, statusCode, fault, field, hint, callbackUrl, page: instead }: PageError,
  { languages: wanted, url }: Pick<Browser, 'languages'> & { url: string },
) {
  const language = accepted(wanted)
  const { texts } = languages[language]
  const { errors, errorField, errorHints, cancel, toShopSite, toPage, toFullPage } = texts
  const { title, about } = errors[why]
  const said = fault === undefined ? about : html`${sayFormFault(fault, texts)} ${cancel.nothingTaken}`
  const named = field !== undefined && html`<p class="quiet">${errorField(fieldNamed(field, texts))}</p>`
  const instructed = hint !== undefined && html`<p class="quiet">${errorHints[hint]}</p>`
  const page = why === 'unknown' ? undefined : PAGE_ADDRESS.exec(url)?.[0]
  const again = page !== undefined && html`<p><a class="button second" href="${page}">${toPage}</a></p>`
  const full = instead !== undefined && html`<p><a class="button" href="${instead}" target="_top">${toFullPage}</a></p>`
  const over = why === 'over' && html`<span data-over></span>`
  const { protocol, origin: site } = URL.parse(callbackUrl ?? '') ?? {}
  const isLinked = protocol === 'https:' || (isSandbox && protocol === 'http:') // docs/pages.md, "Safety"
  const back = isLinked && html`<p><a class="button second" href="${site}" target="_top" rel="noopener">${toShopSite}</a></p>`
  const says = panel(title, icons.ended, html`<p>${said}</p>${over}`, named, instructed, again, full, back)
  const body = html`<main class="sheet alone">${crossOf(texts)}${says}</main>`
  return sendSheet(reply.code(statusCode), assets, { language, title, body, framedBy: ['*'], isFramed: true })
}
