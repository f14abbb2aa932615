// The frame of every page of /docs, and its headers: no cookie, no script, and gzip where the browser takes it.

import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { headerOf } from '../http/request-headers.ts'
import { type Html, html, type Part } from '../pages/html.ts'
import { type Assets, takesGzip } from '../pages/kit/assets.ts'
import { documentOf, policyOf } from '../pages/kit/document.ts'

export const DOCS = '/docs'
export const OPERATIONS = `${DOCS}#operations`
export const STYLE = `${DOCS}/docs.css`

const CHAPTERS = [
  [DOCS, 'A first order'],
  [OPERATIONS, 'Operations'],
  [`${DOCS}/codes`, 'Codes'],
  [`${DOCS}/checksum`, 'Checksum doctor'],
  [`${DOCS}/guide`, 'Guides'],
] as const
const OF_SANDBOX: readonly string[] = [`${DOCS}/checksum`] // a key is typed there

export interface DocsPage {
  title: string
  body: Part
  chapter?: (typeof CHAPTERS)[number][0]
}

export interface WrittenPage {
  bytes: Buffer
  packed: Buffer
}

/** `isSandbox`: with the chapters where a key is used. */
export function written({ title, body, chapter }: DocsPage, { assets, isSandbox }: { assets: Assets; isSandbox: boolean }): WrittenPage {
  const here = (address: string) => address === chapter && html` aria-current="true"`
  const chapters = CHAPTERS.filter(([address]) => isSandbox || !OF_SANDBOX.includes(address))
  const links = chapters.map(([address, name]) => html`<a href="${address}"${here(address)}>${name}</a>`)
  const around: Html = html`<a class="skip" href="#page">To the page</a><header class="top"><nav aria-label="Chapters">${links}</nav></header><main class="docs" id="page"><article><h1>${title}</h1>${body}</article></main>`
  const bytes = Buffer.from(documentOf({ language: 'en', title: `${title} · documents`, body: around, css: STYLE, js: false }, assets).text)
  return { bytes, packed: gzipSync(bytes) }
}

/** No page of /docs is about a person. A browser may keep a page, but asks each time whether the page has changed. */
export function send({ raw: { rawHeaders } }: FastifyRequest, reply: FastifyReply, { bytes, packed }: WrittenPage, isKept = true) {
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', policyOf({}))
    .header('cross-origin-opener-policy', 'same-origin')
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('x-robots-tag', 'noindex')
    .header('cache-control', isKept ? 'no-cache' : 'no-store')
    .header('vary', 'accept-encoding')
  if (!takesGzip(headerOf(rawHeaders, 'accept-encoding'))) return reply.send(bytes)
  return reply.header('content-encoding', 'gzip').send(packed)
}
