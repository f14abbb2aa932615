// The console for the operator's people: docs/console.md. Every route says whom it admits.

import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { headerOf } from '../http/request-headers.ts'
import { HOST_LENGTH_MAX } from '../interface/url.ts'
import { own } from '../own.ts'
import { browserFile, shortCss, shortScript } from '../pages/kit/assets.ts'
import { takeForms } from '../pages/kit/forms.ts'
import type { Settings } from '../settings.ts'
import { ConsoleError } from './kit/console-error.ts'
import { guard } from './kit/guard.ts'
import { otherHost, shownHost } from './kit/other-host.ts'
import type { ConsoleParts } from './kit/parts.ts'
import { Passwords } from './kit/passwords.ts'
import { CONSOLE, guarded, SCRIPT, STYLE } from './kit/sheet.ts'
import { Tries } from './kit/tries.ts'
import { addMe } from './people/me.ts'
import { addPeople } from './people/people.ts'
import { addSignIn } from './people/sign-in.ts'
import { addApprovals } from './screens/approvals.ts'
import { addAudit } from './screens/audit.ts'
import { addFind } from './screens/find.ts'
import { addLists } from './screens/lists.ts'
import { addMandateActions } from './screens/mandate-actions.ts'
import { addNotificationActions } from './screens/notification-actions.ts'
import { addNotifications } from './screens/notifications.ts'
import { addOrder } from './screens/order.ts'
import { addOrderActions } from './screens/order-actions.ts'
import { addRefund } from './screens/refund.ts'
import { addSubscription } from './screens/subscription.ts'

interface Opened extends Pick<ConsoleParts, 'ports' | 'aside' | 'assets' | 'logger'> {
  passwords: Passwords | undefined
  publicUrl(): string
}

/** Production has a console only with MOHUR_CONSOLE_URL. */
export function openConsole(server: FastifyInstance, settings: Settings, { passwords, publicUrl, ...parts }: Opened) {
  const isSandbox = settings.mode === 'sandbox'
  if (!isSandbox && !settings.consoleUrl) return
  const { consoleUrl: ownUrl, publicUrl: othersUrl } = settings
  if (ownUrl && othersUrl) keepApart(server, { ...parts, isSandbox, ownUrl, othersUrl })
  const approvals = { abovePaise: settings.approveAbovePaise, isAsked: !isSandbox || settings.sandboxApprovals }
  const consoleUrl = () => `${settings.consoleUrl ?? publicUrl()}${CONSOLE}`
  addConsole(server, {
    ...parts,
    passwords: passwords ?? new Passwords(parts.ports.clock),
    tries: new Tries(),
    isSandbox,
    approvals,
    consoleUrl,
  })
}

function addConsole(server: FastifyInstance, parts: ConsoleParts) {
  server.register(async (scope) => {
    takeForms(scope)
    guard(scope, parts)
    const style = shortCss(readFileSync(own('src/console/console.css'), 'utf8'))
    const script = shortScript(browserFile('console.js'))
    const anyone = { config: { admits: 'anyone' } } as const
    const send = (reply: FastifyReply, type: string, text: string) =>
      guarded(reply).header('content-type', `text/${type}; charset=utf-8`).header('cache-control', 'no-cache').send(text)
    scope.get(STYLE, anyone, (_request, reply) => send(reply, 'css', style))
    scope.get(SCRIPT, anyone, (_request, reply) => send(reply, 'javascript', script))
    for (const add of [
      addSignIn,
      addMe,
      addPeople,
      addFind,
      addLists,
      addOrder,
      addRefund,
      addSubscription,
      addNotifications,
      addApprovals,
      addAudit,
    ])
      add(scope, parts)
    for (const add of [addOrderActions, addMandateActions, addNotificationActions]) add(scope, parts)
    scope.get(`${CONSOLE}/*`, { config: { admits: 'signedIn' } }, () => {
      throw new ConsoleError('unknown')
    })
  })
}

/** Matches a route as the router spells it, because one address has many spellings. */
const OF_CONSOLE = /^\/console(?:\/|$)/
/** The paths outside the console's own that its pages load or report to. */
const SHARED = /^\/pay\/(?:assets\/|report$)/

interface Apart extends Pick<ConsoleParts, 'ports' | 'logger' | 'isSandbox'> {
  ownUrl: string
  othersUrl: string
}

/**
 * When the console has a host of its own, it answers at no other host. Its host serves nothing else. So a payer's page and the console
 * share no origin.
 */
function keepApart(server: FastifyInstance, { ports, logger, isSandbox, ownUrl, othersUrl }: Apart) {
  const { protocol, host: own } = new URL(ownUrl)
  const { host: others } = new URL(othersUrl)
  if (own === others) return
  const came = otherHost(logger, ports.clock, own)
  /** True for the console's host, even with the scheme's default port, with capitals or with a final dot. */
  const isOwn = (host: string) =>
    host === own ||
    (host !== others && host.length <= HOST_LENGTH_MAX && URL.parse(`${protocol}//${host}`)?.host.replace(/\.(?=:|$)/, '') === own)
  server.addHook('onRequest', async ({ routeOptions: { url = '' }, raw: { rawHeaders } }, reply) => {
    const isConsole = OF_CONSOLE.test(url)
    const host = headerOf(rawHeaders, 'host') ?? ''
    if (isOwn(host) ? isConsole || SHARED.test(url) : !isConsole) return
    if (!isConsole) return reply.callNotFound()
    came(host)
    if (!isSandbox) return reply.callNotFound()
    const text = `The console is only at ${own} (MOHUR_CONSOLE_URL). This request named the host ${shownHost(host)}: a proxy must pass the Host header on.\n`
    return guarded(reply).code(404).type('text/plain; charset=utf-8').send(text)
  })
}
