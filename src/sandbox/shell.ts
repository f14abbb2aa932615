// The frame of every page of the sandbox: the payment page's style, and a notice that the page is a test.

import type { FastifyBaseLogger, FastifyInstance, FastifyReply } from 'fastify'
import { html, type Part } from '../pages/html.ts'
import { type Assets, sandboxStyle } from '../pages/kit/assets.ts'
import { sendSheet } from '../pages/kit/document.ts'
import { answerByPages } from '../pages/kit/error-page.ts'

const STYLE = '/sandbox/sandbox.css'

export class Shell {
  readonly #assets: Assets
  readonly #logger: FastifyBaseLogger

  constructor(assets: Assets, logger: FastifyBaseLogger) {
    this.#assets = assets
    this.#logger = logger
  }

  /** `goesOn`: the page leads to other hosts, as a bank's does. `holdsPages`: the page opens payment pages, as a shop's does. */
  send(reply: FastifyReply, title: string, body: Part, { goesOn = false, holdsPages = false } = {}) {
    const around = html`<main class="sheet alone"><section class="card one"><p class="notice wait">Sandbox: a test, no money moves.</p><h1>${title}</h1>${body}</section>${!goesOn && html`<p class="quiet"><a href="/sandbox/reset">Start the sandbox over</a></p>`}</main>`
    return sendSheet(reply, this.#assets, {
      language: 'en',
      title: `${title} · sandbox`,
      css: STYLE,
      body: around,
      ...(holdsPages && { holdsPages }),
      ...(goesOn && { formAction: ['https:', 'http:'] }),
    })
  }

  /** The style of these pages alone. The payment page never loads it. */
  addStyle(server: FastifyInstance) {
    const text = sandboxStyle()
    server.get(STYLE, (_request, reply) =>
      reply
        .header('content-type', 'text/css; charset=utf-8')
        .header('cache-control', 'no-cache')
        .header('x-content-type-options', 'nosniff')
        .send(text),
    )
  }

  /** Faults on these pages are answered by a page. */
  answerHere(scope: FastifyInstance) {
    answerByPages(scope, { assets: this.#assets, isSandbox: true, logger: this.#logger })
  }
}
