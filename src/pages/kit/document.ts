// A whole document, and the headers that it goes out with: docs/pages.md, "Safety".

import type { FastifyReply } from 'fastify'
import { type Html, html, type Part } from '../html.ts'
import type { Assets } from './assets.ts'
import type { Language } from './messages/messages.ts'

export interface Sheet {
  language: Language
  title: string
  body: Part
  /** The sandbox's drawer: docs/sandbox.md. */
  drawer?: Part
  /** Where this page's forms may post, besides this service: `https:` for a bank's form, the origin of a callback. */
  formAction?: readonly string[]
  /**
   * Sites that may hold the page in a frame. When absent, no site may. `anyone` also admits a page without an origin of its own, which `*`
   * leaves out.
   */
  framedBy?: readonly string[] | 'anyone'
  /** The page is in a frame, so it lacks the header that isolates a full page. Nothing about a payment depends on this flag. */
  isFramed?: boolean
  /** The page holds Mohur's payment pages in frames of its own, as a shop's page does. */
  holdsPages?: boolean
  /** The script, when it is not the payment page's. `false` for no script. */
  js?: string | false
  /** A second style, for pages that only the sandbox has. */
  css?: string
}

/** A coin, 32 x 32. Mohur's name is not in it. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='9' fill='%230f5c4d'/%3E%3Cpath d='M10 9h12M10 14h12M10 9h4a5 5 0 0 1 0 10h-4l8 6' fill='none' stroke='%23fff' stroke-width='2.4' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E"

export function policyOf({ formAction = [], framedBy = [], holdsPages }: Pick<Sheet, 'formAction' | 'framedBy' | 'holdsPages'>): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    ...(holdsPages ? ["frame-src 'self'"] : []),
    "img-src 'self' data:",
    `form-action ${["'self'", ...formAction].join(' ')}`,
    ...(framedBy === 'anyone' ? [] : [`frame-ancestors ${framedBy.length > 0 ? framedBy.join(' ') : "'none'"}`]),
    "base-uri 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    'report-uri /pay/report',
  ].join('; ')
}

/** Every answer of a page has these headers, a redirect too. A page is about one payer, and its address is that payer's secret. */
export const privately = (reply: FastifyReply) => reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')

/**
 * Redirects within this service. The headers also let the redirect load in a shop's page that admits only resources that agreed to be
 * loaded.
 */
export const leadTo = (reply: FastifyReply, address: string) =>
  privately(reply).header('cross-origin-resource-policy', 'cross-origin').redirect(address, 303)

export function sendSheet(reply: FastifyReply, assets: Assets, sheet: Sheet) {
  // A shop's page may require that its frames load only resources that agreed to be loaded. Mohur's frames load only Mohur's own resources.
  if (sheet.isFramed) reply.header('cross-origin-embedder-policy', 'require-corp').header('cross-origin-resource-policy', 'cross-origin')
  else reply.header('cross-origin-opener-policy', 'same-origin')
  return privately(reply)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', policyOf(sheet))
    .header('x-content-type-options', 'nosniff')
    .send(documentOf(sheet, assets).text)
}

export function documentOf(
  { language, title, body, js: own, css: second, drawer }: Sheet,
  { css, js, fieldsJs }: Pick<Assets, 'css' | 'js' | 'fieldsJs'>,
): Html {
  return html`<!doctype html>
<html lang="${language}-IN"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><meta name="format-detection" content="telephone=no"><title>${title}</title><link rel="icon" href="${ICON}"><link rel="stylesheet" href="${css}">${second !== undefined && html`<link rel="stylesheet" href="${second}">`}${own !== false && html`<script type="module" src="${own ?? js}" data-fields="${fieldsJs}"></script>`}</head>
<body>${body}${drawer}</body></html>`
}
