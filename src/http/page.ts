// The few pages that a browser sees: no script but the one that posts a form on, no style from elsewhere, nothing to frame.

import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

/** Text as it may stand anywhere in HTML. */
export const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const STYLE =
  'body{font:1.1rem system-ui;max-width:32rem;margin:3rem auto;padding:0 1rem}button{font:inherit;padding:.6rem 1.2rem;margin-right:.6rem}'
const SUBMIT = 'document.forms[0].submit()'
const sha = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`

/** `body` is HTML whose every text was `escaped`. With `submits` the first form posts itself; without script its button does. */
export function sendPage(reply: FastifyReply, title: string, body: string, { submits = false, formAction = "'self'" } = {}) {
  const script = submits ? `<script>${SUBMIT}</script>` : ''
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src ${sha(STYLE)}; ${submits ? `script-src ${sha(SUBMIT)}; ` : ''}form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
    )
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-store')
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style><h1>${escaped(title)}</h1>${body}${script}</html>`,
    )
}

/** A form of hidden fields with one button. */
export const hiddenForm = (action: string, fields: Readonly<Record<string, string>>, button: string) =>
  `<form method="post" action="${escaped(action)}">${Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
    .join('')}<button>${escaped(button)}</button></form>`
