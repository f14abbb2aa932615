// The one style and the one script of all pages, made ready at start: named by their content, so that browsers may keep them
// for ever. docs/payment-page.manifest.json lists them.

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'

export interface Asset {
  file: string
  type: string
  text: string
  /** `sha384-…`, as browsers and the manifest write it. */
  integrity: string
  purpose: string
}

export interface Assets {
  /** The addresses of both. */
  css: string
  js: string
  all: readonly Asset[]
}

const HASH_LENGTH = 16 // of base64url: two files are equal by chance once in 2^96

const asset = (kind: 'css' | 'js', text: string, purpose: string): Asset => ({
  file: `${hash('sha384', text, 'base64url').slice(0, HASH_LENGTH)}.${kind}`,
  type: kind === 'css' ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
  text,
  integrity: `sha384-${hash('sha384', text, 'base64')}`,
  purpose,
})

/** Comments and indentation are for whoever reads the source. */
export const shortCss = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '')
    .replace(/\s*([{};,>])\s*/g, '$1')
    .replace(/:\s+/g, ':')

/** Types and comments are for whoever reads the source: Node leaves spaces in the types' place. */
export function scriptOf(source: string): string {
  const lines = withoutTypes(source)
    .split('\n')
    .map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('//')).join('\n')
}

/** Node calls this experimental; the warning, and no other, is kept from the operator, who can do nothing about it. */
function withoutTypes(source: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(source).replace(/[ \t]{2,}/g, ' ')
  } finally {
    process.emitWarning = emitWarning
  }
}

export function readAssets(): Assets {
  const style = asset('css', shortCss(readFileSync(join(import.meta.dirname, 'look.css'), 'utf8')), 'the look of every payment page')
  const script = asset('js', scriptOf(readFileSync(join(import.meta.dirname, '../browser/pay.ts'), 'utf8')), 'what script adds to it')
  return { css: addressOf(style), js: addressOf(script), all: [style, script] }
}
export const addressOf = ({ file }: Asset) => `/pay/assets/${file}`

export function addAssets(server: FastifyInstance, { all }: Assets) {
  for (const each of all)
    server.get(addressOf(each), async (_request, reply) =>
      reply
        .header('content-type', each.type)
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('x-content-type-options', 'nosniff')
        .header('cross-origin-resource-policy', 'same-origin')
        .send(each.text),
    )
}
