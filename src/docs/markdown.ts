// Mohur's own Markdown as HTML. Links lead to the pages of /docs, tables scroll, and HTML in the Markdown is shown as text.

import type { MarkedExtension, RendererThis, Tokens } from 'marked'
import { Html, html } from '../pages/html.ts'
import { guideName } from './sources.ts'

/** The address for a link or picture of a file. Undefined when no page has the file. Then only the link's text stays. */
export type Leads = (href: string) => string | undefined

/** Loads `marked` with the first page, because many services show no page. */
const loading = async () => {
  const { Marked, Renderer } = await import('marked')
  return { Marked, Renderer }
}

export async function rendered(markdown: string, leads: Leads, depthAdded = 0): Promise<Html> {
  const { Marked, Renderer } = await loading()
  const marked = new Marked({ gfm: true, async: false }, rendererOf(new Renderer(), leads, depthAdded))
  return new Html(marked.parse(markdown) as string)
}

function rendererOf(plain: { table(token: Tokens.Table): string }, leads: Leads, depthAdded: number): MarkedExtension {
  const seen = new Map<string, number>()
  return {
    renderer: {
      heading(this: RendererThis, { tokens, text, depth }) {
        const slug = slugOf(text)
        const before = seen.get(slug) ?? 0
        seen.set(slug, before + 1)
        const level = Math.min(depth + depthAdded, 6)
        const id = before === 0 ? slug : `${slug}-${before}`
        return `<h${level} id="${html`${id}`.text}">${this.parser.parseInline(tokens)}</h${level}>\n`
      },
      link(this: RendererThis, { href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const address = leads(href)
        return address === undefined ? inner : `<a href="${html`${address}`.text}">${inner}</a>`
      },
      image({ href, text }) {
        const address = leads(href)
        return address === undefined ? html`${text}`.text : html`<img src="${address}" alt="${text}" loading="lazy">`.text
      },
      table(this: RendererThis, token) {
        const written = Reflect.apply(plain.table, this, [token]) as string
        return `<div class="wide" role="group" aria-label="Table" tabindex="0">${written}</div>\n`
      },
      code({ text }) {
        return html`<pre tabindex="0"><code>${text}</code></pre>`.text
      },
      html({ text }) {
        return /^<\/?code>$/.test(text) ? text : text.startsWith('<!--') ? '' : html`${text}`.text
      },
    },
  }
}

/** A heading's anchor, as the links in Mohur's documents spell it. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

/** Links in a guide's file start at `folder`. `has` is true for the name of a guide. */
export function leadsFrom(folder: string, has: (name: string) => boolean): Leads {
  return (href) => {
    if (/^(https?:|#)/.test(href)) return href
    const { pathname, hash } = new URL(href, `file:///${folder}`)
    const path = pathname.slice(1)
    if (path.startsWith('docs/pictures/')) return `/docs/pictures/${path.slice('docs/pictures/'.length)}`
    const name = path === 'examples/README.md' ? 'examples' : guideName(path.replace(/^docs\//, '').replace(/\/$/, ''))
    return has(name) && (path.startsWith('docs/') || name === 'examples') ? `/docs/guide/${name}${hash}` : undefined
  }
}
