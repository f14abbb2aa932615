// The style and the scripts of all pages, prepared at start. Their names come from their content, so browsers may keep them for ever.
// docs/payment-page.manifest.json lists them.

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { headerOf } from '../../http/request-headers.ts'
import { own } from '../../own.ts'

export interface Asset {
  file: string
  type: string
  text: string
  /** `text` as sent. Made once, because even the loader's script alone goes to every page of every shop. */
  bytes: Buffer
  packed: Buffer
  /** `sha384-…`, as browsers and the manifest write it. */
  integrity: string
  purpose: string
}

export interface Assets {
  /**
   * Addresses. Every page loads `css`, and `js` unless its sheet names another script or none. The frame loads `frameJs` before it holds a
   * page.
   */
  css: string
  js: string
  frameJs: string
  /** The script of fields. `js` loads it once a payer begins to use the page. */
  fieldsJs: string
  all: readonly Asset[]
}

const HASH_LENGTH = 16 // characters of base64url: two files get one name by chance once in 2^96

export const assetOf = (kind: 'css' | 'js', text: string, purpose: string): Asset => ({
  file: `${hash('sha384', text, 'base64url').slice(0, HASH_LENGTH)}.${kind}`,
  type: kind === 'css' ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
  text,
  bytes: Buffer.from(text),
  packed: gzipSync(text, { level: 9 }),
  integrity: `sha384-${hash('sha384', text, 'base64')}`,
  purpose,
})

/** Without comments and indentation, which only readers of the source need. */
export const shortCss = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '')
    .replace(/\s*([{};,>])\s*/g, '$1')
    .replace(/:\s+/g, ':')

/** Removes indentation and comments, even the comments that hold types. Only readers of the source need them. */
export function shortScript(source: string): string {
  const lines = source
    .replace(/\/\*\*[\s\S]*?\*\/ ?/g, '')
    .split('\n')
    .map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('//')).join('\n')
}

export function readAssets(): Assets {
  const style = assetOf('css', shortCss(readFileSync(own('src/pages/kit/look.css'), 'utf8')), 'the look of every payment page')
  const script = assetOf('js', shortScript(joined('elements.js', 'time-left.js', 'pay.js')), 'what script adds to it')
  const fields = assetOf(
    'js',
    shortScript(joined('elements.js', 'upi-in-place.js', 'fields.js')),
    'checks fields, asks for amounts and shows a QR code, once a payer begins to use the page',
  )
  const frame = assetOf('js', shortScript(browserFile('frame.js')), "takes a shop's token and opens the payment page in the shop's frame")
  return {
    css: assetAddressOf(style),
    js: assetAddressOf(script),
    frameJs: assetAddressOf(frame),
    fieldsJs: assetAddressOf(fields),
    all: [style, script, fields, frame],
  }
}
/** The style that the sandbox's own pages add to the look. No payment page loads it, so it is not an asset. */
export const sandboxStyle = () => shortCss(readFileSync(own('src/pages/kit/sandbox.css'), 'utf8'))

export const browserFile = (name: string): string => readFileSync(own(`src/browser/${name}`), 'utf8')

/** Files of `src/browser` as one script, so that a page loads fewer files. Each file stands behind the files that it imports. */
function joined(...names: readonly string[]): string {
  const [last, ...before] = names.map((name) => browserFile(name).replace(/^import .*\n/gm, '')).reverse()
  return [...before.reverse().map((text) => text.replace(/^export /gm, '')), last].join('\n')
}

export const assetAddressOf = ({ file }: Asset) => `/pay/assets/${file}`

export function addAssets(server: FastifyInstance, { all }: Assets) {
  for (const each of all)
    server.get(assetAddressOf(each), async ({ raw: { rawHeaders } }, reply) => {
      reply
        .header('content-type', each.type)
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('vary', 'accept-encoding')
        .header('x-content-type-options', 'nosniff')
        .header('cross-origin-resource-policy', 'same-origin')
      if (!takesGzip(headerOf(rawHeaders, 'accept-encoding'))) return reply.send(each.bytes)
      return reply.header('content-encoding', 'gzip').send(each.packed)
    })
}

/** True when an Accept-Encoding header names gzip with a weight above zero. */
export const takesGzip = (header = ''): boolean =>
  header
    .slice(0, 1_000)
    .split(',')
    .map((each) => each.split(';', 2).map((part) => part.trim().toLowerCase()))
    .some(([name, weight = 'q=1']) => name === 'gzip' && !/^q=0(\.0*)?$/.test(weight))
