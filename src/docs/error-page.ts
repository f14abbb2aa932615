// What /docs says where nothing can be shown. Its readers write shops: the payment page's words are for payers.

import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { loggedError } from '../engine/logged-error.ts'
import { html } from '../pages/html.ts'
import { PageError } from '../pages/kit/page-error.ts'
import type { KeptPages } from './kept-pages.ts'
import { DOCS, OPERATIONS } from './sheet.ts'

const SAYS: Readonly<Record<number, readonly [title: string, about: string]>> = {
  403: [
    'This form came from another site',
    'A form that uses a key is taken from a page of /docs alone. Open the page here, and send it again.',
  ],
  404: ['There is no such page', 'The address is wrong, or the page has another name now.'],
  405: ['This page takes no such method', 'Open it by a link.'],
  413: ['The form is too large', 'A form here has 64 KiB at most, as a request to an operation has.'],
  500: ['The page could not be made', 'The log of the service says why.'],
}
const UNREADABLE = ['What was sent cannot be read', 'A field stands twice, there are too many of them, or one is too long.'] as const

export function answerByDocs(scope: FastifyInstance, pages: KeptPages, logger: FastifyBaseLogger) {
  scope.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const status = error instanceof PageError ? error.statusCode : (error.statusCode ?? 500)
    if (status >= 500) logger.error({ request: request.id, error: loggedError(error) }, 'a page of /docs failed')
    const [title, about] = SAYS[status >= 500 ? 500 : status] ?? UNREADABLE
    const body = html`<p>${about}</p><p><a href="${DOCS}">A first order</a> · <a href="${OPERATIONS}">Operations</a></p>`
    return pages.fresh(request, reply.code(status), { title, body })
  })
}
