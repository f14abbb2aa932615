// Decides who may enter. Every route of the console says whom it admits, or the service does not start.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isBusy } from '../../adapters/store/aside/aside.ts'
import { endOf, isSeenAnew, isSteppedUp, needsApp, type Operator } from '../../domain/operator/operator.ts'
import { seeSession } from '../../domain/operator/session.ts'
import { loggedError } from '../../engine/logged-error.ts'
import { Unreachable } from '../../engine/store.ts'
import { headerOf } from '../../http/request-headers.ts'
import { isStorable } from '../../interface/envelope.ts'
import { html } from '../../pages/html.ts'
import { sayFormFault } from '../../pages/kit/error-page.ts'
import { type Form, formFaultOf } from '../../pages/kit/forms.ts'
import { languages } from '../../pages/kit/messages/messages.ts'
import { PageError } from '../../pages/kit/page-error.ts'
import { operatorById, operatorSessionKey } from '../../tables/keys.ts'
import { ConsoleError } from './console-error.ts'
import { hashOfCookie, sessionIn } from './cookie.ts'
import type { ConsoleParts, Viewer } from './parts.ts'
import { PasswordsBusy } from './passwords.ts'
import { mayDo } from './permissions.ts'
import { APP, CONSOLE, guarded, sendPage } from './sheet.ts'

/** `scope` holds only the console's routes. */
export function guard(scope: FastifyInstance, parts: ConsoleParts) {
  scope.decorateRequest('viewer', undefined)
  scope.addHook('onRoute', ({ method, url, config }) => {
    if (config?.admits === undefined) throw new Error(`the console's route ${method} ${url} does not say whom it admits`)
  })
  scope.addHook('onRequest', async (request, reply) => {
    if (request.method === 'POST' && !isFromConsole(request, parts.consoleUrl())) throw new ConsoleError('foreign')
    return admit(request, reply, parts)
  })
  scope.addHook('preHandler', async (request, reply) => {
    // People who sign in or open a link may be signed in already. Their form belongs to no session, so it has no token.
    if (request.method !== 'POST' || request.routeOptions.config.admits === 'anyone') return
    // A form may take a minute to arrive. Meanwhile a colleague may have disabled the person, or the proof has grown old.
    const answered = await admit(request, reply, parts)
    if (answered) return answered
    if ((request.body as Form | undefined)?.['token'] !== request.viewer?.formToken) throw new ConsoleError('form')
  })
  scope.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const shown = shownOf(error, request)
    if (shown.statusCode === 500) parts.logger.error({ request: request.id, error: loggedError(error) }, 'a page of the console failed')
    const { title, about } = shown
    const body = html`<h1>${title}</h1><p>${about}</p><p><a href="${CONSOLE}">To the console</a></p>`
    return sendPage(reply.code(shown.statusCode), { assets: parts.assets, viewer: request.viewer }, { title, body })
  })
}

/** Sets the viewer. Returns the reply if the person may not enter, and was led elsewhere. */
async function admit(request: FastifyRequest, reply: FastifyReply, parts: ConsoleParts): Promise<FastifyReply | undefined> {
  const { admits = 'anyone', wantsStepUp = false, isPoll = false, isBeforeApp = false } = request.routeOptions.config
  request.viewer = await viewerOf(request, parts, isPoll)
  // The store cannot look for such a text.
  if (!Object.values(request.params as Record<string, string>).every(isStorable)) throw new ConsoleError('unknown')
  if (admits === 'anyone') return undefined
  const { viewer } = request
  if (!viewer) return toSignIn(request, reply, parts)
  if (!isBeforeApp && needsApp(viewer.operator, parts.isSandbox)) return guarded(reply).redirect(APP, 303)
  if (admits !== 'signedIn' && !viewer.may(admits)) throw new ConsoleError('role')
  return wantsStepUp && !isSteppedUp(viewer.session, parts.ports.clock.realNow()) ? toStepUp(request, reply) : undefined
}

function shownOf(error: Error & { statusCode?: number }, request: FastifyRequest): ConsoleError {
  if (error instanceof ConsoleError) return error
  if (isBusy(error) || error instanceof PasswordsBusy) return new ConsoleError('busy')
  if (error instanceof Unreachable) return new ConsoleError('away')
  const fault = formFaultOf(error, request)
  if (fault) return new ConsoleError('form', sayFormFault(fault, languages.en.texts))
  const status = error instanceof PageError ? error.statusCode : (error.statusCode ?? 500)
  return new ConsoleError(status >= 400 && status < 500 ? 'form' : 'system')
}

/** A browser names the origin of a form in one of two headers. A request with neither header is refused. */
function isFromConsole({ raw: { rawHeaders } }: FastifyRequest, consoleUrl: string): boolean {
  const site = headerOf(rawHeaders, 'sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  return headerOf(rawHeaders, 'origin') === new URL(consoleUrl).origin
}

async function viewerOf(request: FastifyRequest, parts: ConsoleParts, isPoll: boolean): Promise<Viewer | undefined> {
  const { ports } = parts
  const cookie = sessionIn(headerOf(request.raw.rawHeaders, 'cookie'), parts.consoleUrl())
  if (cookie === undefined) return undefined
  const sessionHash = hashOfCookie(ports.vault, cookie)
  const session = await ports.query.row(operatorSessionKey(sessionHash))
  const [operator] = session ? await ports.query.rows(operatorById(session.operatorId)) : []
  const now = ports.clock.realNow()
  if (!session || !operator || endOf(session, operator, now) !== undefined) return undefined
  if (!isPoll && isSeenAnew(session, now)) await ports.engine.submit(seeSession, { sessionHash, emailHash: operator.emailHash, now })
  return viewing(operator, { session, formToken: ports.vault.hash('console form', sessionHash) })
}

const viewing = (operator: Operator, rest: Pick<Viewer, 'session' | 'formToken'>): Viewer => ({
  operator,
  ...rest,
  may: (permission) => mayDo(operator.roles, permission),
  mids: operator.mids,
  sees: (mid) => operator.mids === null || operator.mids.includes(mid),
})

/** A link in a mail brings no cookie, because the cookie is SameSite. So the page loads itself once more, as the console's own page. */
function toSignIn(request: FastifyRequest, reply: FastifyReply, { assets }: ConsoleParts) {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new ConsoleError('signedOut')
  const { pathname, searchParams } = new URL(request.url, 'http://console.invalid')
  const isAgain = searchParams.has('again')
  searchParams.delete('again')
  const next = nextOf(`${pathname}${searchParams.size > 0 ? `?${searchParams}` : ''}`)
  if (isAgain || headerOf(request.raw.rawHeaders, 'sec-fetch-site') !== 'cross-site')
    return guarded(reply).redirect(`${CONSOLE}/sign-in?next=${encodeURIComponent(next)}`, 303)
  const again = `${next}${next.includes('?') ? '&' : '?'}again=1`
  const body = html`<h1>One moment</h1><p><a href="${again}">To the console</a></p>`
  return sendPage(reply.header('refresh', `0; url=${again}`), { assets, viewer: undefined }, { title: 'One moment', body })
}

/** Loses what a form held. So a page whose form may need the proof asks for it first. */
export function toStepUp(request: FastifyRequest, reply: FastifyReply) {
  // The person repeats what a form was about to do, so they come back to the form's page.
  const from = URL.parse(headerOf(request.raw.rawHeaders, 'referer') ?? '')
  const next = request.method === 'GET' ? request.url : `${from?.pathname ?? CONSOLE}${from?.search ?? ''}`
  return guarded(reply).redirect(`${CONSOLE}/step-up?next=${encodeURIComponent(nextOf(next))}`, 303)
}

const NEXT = /^\/console(?:\/[\w./~@%:-]*)?(?:\?[\w=&%.~+:-]*)?$/
const LEAVES = /\/\/|\.\.|%2e/i // browsers read `%2e%2e` as two dots
/** Where a sign-in leads: only a path of the console. */
export const nextOf = (given: string | undefined): string =>
  given !== undefined && NEXT.test(given) && !LEAVES.test(given) ? given : CONSOLE
