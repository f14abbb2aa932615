// The addresses of a payer's mandate page: docs/pages.md, "The mandate page".

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { networkOf } from '../../http/networks.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import { privately } from '../kit/document.ts'
import { answerByPages } from '../kit/error-page.ts'
import { type Form, takeForms } from '../kit/forms.ts'
import { type AddedParts, browserOf, textIn } from '../kit/page-parts.ts'
import { actionNames, actOn, askByLink, sendFault } from './actions.ts'
import { messageIn } from './messages.ts'
import { linkStateOf, mandatePageStateOf, mandateStageOf } from './page-state.ts'
import { ASKS, renderLinkPage, renderMandatePage } from './render.ts'

const LOOKS_PER_MINUTE = 300 // Mohur's choice: for one network, at links and pages together, so that no caller can try many

export function addMandatePages(server: FastifyInstance, parts: AddedParts) {
  server.register(async (scope) => {
    takeForms(scope)
    answerByPages(scope, parts)
    addLink(scope, parts)
    addMandatePage(scope, parts)
  })
}

const idOf = (request: FastifyRequest) => (request.params as { id: string }).id

function addLink(scope: FastifyInstance, parts: AddedParts) {
  const { ports, signIn } = parts
  const looks = new RateLimit(LOOKS_PER_MINUTE, ports.clock)
  const asks = new RateLimit(signIn.settings.ceilingPerMinute, ports.clock)
  scope.get('/m/:id', async (request, reply) => {
    looks.take(networkOf(request.ip))
    return renderLinkPage(reply, parts, await linkStateOf(ports, idOf(request), browserOf(request), textIn(request.query, 'language')))
  })
  scope.post('/m/:id/code', async (request, reply) => {
    asks.take(networkOf(request.ip))
    const browser = browserOf(request)
    const seen = await linkStateOf(ports, idOf(request), browser, textIn(request.body ?? {}, 'language'))
    const came = await askByLink(parts, seen, browser)
    if ('address' in came) return privately(reply).redirect(came.address, 303)
    return renderLinkPage(reply.code(422), parts, seen, sendFault(seen, came.refused))
  })
  // An answer in place leaves the browser at the action's address. When the browser opens that address again, it is redirected to the page.
  // The same holds for the routes below.
  scope.get('/m/:id/code', async (request, reply) => {
    looks.take(networkOf(request.ip))
    const { linkId } = await linkStateOf(ports, idOf(request), browserOf(request), undefined)
    return privately(reply).redirect(`/m/${linkId}`, 303)
  })
}

function addMandatePage(scope: FastifyInstance, parts: AddedParts) {
  const { ports, signIn } = parts
  const looks = new RateLimit(LOOKS_PER_MINUTE, ports.clock)
  const tries = new RateLimit(signIn.settings.ceilingPerMinute, ports.clock)
  scope.get('/mandate/:id', async (request, reply) => {
    looks.take(networkOf(request.ip))
    const seen = await mandatePageStateOf(ports, idOf(request), browserOf(request))
    const message = messageIn(request.query, seen)
    const asks = ASKS.find((each) => each === textIn(request.query, 'ask'))
    return renderMandatePage(reply.code(mandateStageOf(seen) === 'over' ? 410 : 200), parts, seen, { message, asks })
  })
  for (const name of actionNames) {
    scope.post(`/mandate/:id/${name}`, async (request, reply) => {
      tries.take(networkOf(request.ip))
      const browser = browserOf(request)
      const seen = await mandatePageStateOf(ports, idOf(request), browser)
      return actOn(name, { parts, seen, browser, form: (request.body ?? {}) as Form, reply })
    })
    scope.get(`/mandate/:id/${name}`, async (request, reply) => {
      looks.take(networkOf(request.ip))
      return privately(reply).redirect((await mandatePageStateOf(ports, idOf(request), browserOf(request))).address, 303)
    })
  }
}
