// The script that a shop's web page loads, and the empty frame that it opens first: docs/pages.md, "The browser loader". Both are constant
// bytes, made at start. They contain nothing from a request.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { headerOf } from '../../http/request-headers.ts'
import { pagePaths } from '../../interface/page-paths.ts'
import { html } from '../html.ts'
import { type Asset, type Assets, assetOf, browserFile, shortScript, takesGzip } from '../kit/assets.ts'
import { documentOf, policyOf, type Sheet } from '../kit/document.ts'
import { alone } from '../kit/layout.ts'
import { languages } from '../kit/messages/messages.ts'
import type { AddedParts } from '../kit/page-parts.ts'

/** Seconds for which a browser keeps the script: docs/pages.md. A shop's page follows an upgrade within minutes. */
const KEPT_SECONDS = 300
const KNOWN = 'const isMerchantKnown = true'

export function addLoader(server: FastifyInstance, { assets, ports }: Pick<AddedParts, 'assets' | 'ports'>) {
  const source = shortScript(browserFile('checkout.js'))
  if (!source.includes(KNOWN)) throw new Error(`src/browser/checkout.js has no line ${KNOWN}`)
  const script = assetOf('js', source, 'what a shop loads')
  // With this script a shop with a misspelt mid learns the reason from `init`. The answer is not kept, because the merchant may be added in
  // a minute.
  const ofNobody = assetOf('js', source.replace(KNOWN, 'const isMerchantKnown = false'), 'what a shop loads that nobody knows')
  server.get(pagePaths.checkoutScript, async (request, reply) => {
    const mid = (request.params as { mid: string }).mid.replace(/\.js$/, '')
    if (await ports.merchantKeys.knows(mid))
      return sendScript(request, reply.header('cache-control', `public, max-age=${KEPT_SECONDS}`), script)
    return sendScript(request, reply.header('cache-control', 'no-store'), ofNobody)
  })
  const { text } = documentOf(frameSheet(assets), assets)
  const policy = policyOf({ framedBy: 'anyone' })
  server.get(pagePaths.frame, async (_request, reply) => {
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .header('x-content-type-options', 'nosniff')
      .header('cross-origin-embedder-policy', 'require-corp')
      .header('cross-origin-resource-policy', 'cross-origin')
    return reply.send(text)
  })
}

/** Any shop's page may load the script, even by a tag with `crossorigin`. */
function sendScript({ raw: { rawHeaders } }: FastifyRequest, reply: FastifyReply, { file, bytes, packed }: Asset) {
  const etag = `"${file}"`
  reply
    .header('content-type', 'text/javascript; charset=utf-8')
    .header('etag', etag)
    .header('vary', 'accept-encoding')
    .header('access-control-allow-origin', '*')
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('x-content-type-options', 'nosniff')
  const known = headerOf(rawHeaders, 'if-none-match')
  if (known?.slice(0, 1_000).includes(etag)) return reply.code(304).send()
  if (!takesGzip(headerOf(rawHeaders, 'accept-encoding'))) return reply.send(bytes)
  return reply.header('content-encoding', 'gzip').send(packed)
}

/** The frame shows only a fault. The text is in every language, because the frame is the same for every payer. */
function frameSheet({ frameJs }: Pick<Assets, 'frameJs'>): Sheet {
  const { title, about } = languages.en.texts.errors.framed
  const others = Object.entries(languages).flatMap(([tag, { texts }]) =>
    tag === 'en' ? [] : [html`<p lang="${tag}-IN">${texts.errors.framed.about}</p>`],
  )
  const says = html`<p>${about}</p>${others}`
  const form = html`<form method="post" action="${pagePaths.showPaymentPage}" hidden></form>`
  return { language: 'en', title, body: html`${form}<div data-script hidden>${alone(title, says)}</div>`, js: frameJs }
}
