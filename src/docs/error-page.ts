// The error pages of /docs, for developers of shops. The payment page's texts are for payers.

import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { loggedError } from '../engine/logged-error.ts'
import { html, type Part } from '../pages/html.ts'
import { sayFormFault } from '../pages/kit/error-page.ts'
import { formFaultOf } from '../pages/kit/forms.ts'
import { languages } from '../pages/kit/messages/messages.ts'
import { PageError } from '../pages/kit/page-error.ts'
import type { KeptPages } from './kept-pages.ts'
import { DOCS, OPERATIONS } from './sheet.ts'

const SAYS: Readonly<Record<number, readonly [title: string, about: string]>> = {
  403: ['This form came from another site', 'Only a page of /docs may send a form that uses a key. Open the page here, and send it again.'],
  404: ['There is no such page', 'The address is wrong, or the page has another name now.'],
  405: ['This address does not take this method', 'Open it by a link.'],
  500: ['The page failed', 'The log of the service says why.'],
}
const UNREADABLE = 'What was sent cannot be read'
const OF_ADDRESS = 'A value of the address is repeated, or is too long.'

export function answerByDocs(scope: FastifyInstance, pages: KeptPages, logger: FastifyBaseLogger) {
  scope.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const status = error instanceof PageError ? error.statusCode : (error.statusCode ?? 500)
    if (status >= 500) logger.error({ request: request.id, error: loggedError(error) }, 'a page of /docs failed')
    const fault = formFaultOf(error, request)
    const unreadable: readonly [string, Part] = [UNREADABLE, fault ? sayFormFault(fault, languages.en.texts) : OF_ADDRESS]
    const [title, about] = SAYS[status >= 500 ? 500 : status] ?? unreadable
    const body = html`<p>${about}</p><p><a href="${DOCS}">A first order</a> · <a href="${OPERATIONS}">Operations</a></p>`
    return pages.fresh(request, reply.code(status), { title, body })
  })
}
