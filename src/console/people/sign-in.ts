// How a person signs in and out, sets a password by a link, and gives the proof that some pages require.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuditBy } from '../../domain/audit/audit.ts'
import { isLinkGood, type NewSession, type Operator, withPassword } from '../../domain/operator/operator.ts'
import { endSessions, stepUp } from '../../domain/operator/session.ts'
import { setPassword } from '../../domain/operator/set-password.ts'
import { type SecondFactor, signInOperator } from '../../domain/operator/sign-in-operator.ts'
import { auditIdAt } from '../../flows/auditing.ts'
import { emailHashOf, isEmail, linkHashOf } from '../../flows/operator-links.ts'
import { networkOf } from '../../http/networks.ts'
import { html, type Part } from '../../pages/html.ts'
import type { Form } from '../../pages/kit/forms.ts'
import { textIn } from '../../pages/kit/page-parts.ts'
import { operatorById, operatorKey, operatorTokenKey } from '../../tables/keys.ts'
import { recoveryCodeIn, stepOf } from '../kit/authenticator.ts'
import { callerIn, callerOf, knownBrowser, lineOf, tried } from '../kit/callers.ts'
import { ConsoleError } from '../kit/console-error.ts'
import { COOKIE_BYTES, clearSession, hashOfCookie, setKnown, setSession } from '../kit/cookie.ts'
import { nextOf } from '../kit/guard.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { whyWeak } from '../kit/passwords.ts'
import { CONSOLE, formOf, guarded, sendPage } from '../kit/sheet.ts'

const EMAIL_MAX = 254 // RFC 5321
const [FOUND_MS, DECIDED_MS] = [10, 20] // Mohur's choice: longer than most reads, and than most commits

export function addSignIn(scope: FastifyInstance, parts: ConsoleParts) {
  const anyone = { config: { admits: 'anyone' } } as const
  const beforeApp = { config: { admits: 'signedIn', isBeforeApp: true } } as const
  scope.get(`${CONSOLE}/sign-in`, anyone, (request, reply) => {
    const next = nextOf(textIn(request.query, 'next'))
    return request.viewer ? guarded(reply).redirect(next, 303) : signInPage(reply, parts, next)
  })
  scope.post(`${CONSOLE}/sign-in`, anyone, (request, reply) => signIn(request, reply, parts))
  scope.get<{ Params: { link: string } }>(`${CONSOLE}/set-up/:link`, anyone, async (request, reply) => {
    const operator = await linked(parts, request.params.link)
    return passwordPage(reply, parts, { link: request.params.link, operator })
  })
  scope.post<{ Params: { link: string } }>(`${CONSOLE}/set-up/:link`, anyone, (request, reply) =>
    setByLink(request, reply, { parts, link: request.params.link }),
  )
  scope.get(`${CONSOLE}/step-up`, beforeApp, (request, reply) =>
    stepUpPage(reply, parts, { viewer: request.viewer!, next: nextOf(textIn(request.query, 'next')) }),
  )
  scope.post(`${CONSOLE}/step-up`, beforeApp, (request, reply) => prove(request, reply, parts))
  scope.post(`${CONSOLE}/sign-out`, beforeApp, async (request, reply) => {
    const { operator, session } = request.viewer!
    const by = byOf(request, parts, operator.operatorId)
    await parts.ports.engine.submit(endSessions, { operatorId: operator.operatorId, sessionHash: session.sessionHash, by })
    clearSession(reply, parts.consoleUrl())
    return guarded(reply).redirect(`${CONSOLE}/sign-in`, 303)
  })
}

// ----------------------------------------------------------------------------------------------------------------- sign-in

function signInPage(reply: FastifyReply, parts: ConsoleParts, next: string, fault?: Part, email = '') {
  const body = html`<h1>Sign in to the console</h1>${faultOf(fault)}<form method="post" action="${CONSOLE}/sign-in"><input type="hidden" name="next" value="${next}"><label for="email">E-mail</label><input id="email" name="email" type="email" maxlength="${EMAIL_MAX}" autocomplete="username" value="${email}" required>${passwordField('current-password')}${codeField('if you have an authenticator app')}<button>Sign in</button></form><p class="quiet">Locked out? On the machine of the service, <code>mohur operator reset --email …</code> prints a link.</p>`
  return sendPage(fault === undefined ? reply : reply.code(422), { assets: parts.assets, viewer: undefined }, { title: 'Sign in', body })
}

const faultOf = (fault: Part) => fault !== undefined && html`<p class="notice bad" role="alert">${fault}</p>`
const passwordField = (kind: 'current-password' | 'new-password', hint?: string) =>
  html`<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="${kind}" maxlength="256" required${hint !== undefined && html` aria-describedby="password-hint"`}>${hint !== undefined && html`<p class="hint" id="password-hint">${hint}</p>`}`
const codeField = (about: string) =>
  html`<label for="code">Code <span class="quiet">(${about})</span></label><input id="code" name="code" autocomplete="one-time-code" maxlength="20">`

async function signIn(request: FastifyRequest, reply: FastifyReply, parts: ConsoleParts) {
  const { ports, passwords } = parts
  const form = (request.body ?? {}) as Form
  const { email = '', password = '', code = '' } = form
  const next = nextOf(form['next'])
  const emailHash = emailHashOf(ports.vault, email)
  const began = ports.clock.elapsed()
  const operator = await ports.query.row(operatorKey(emailHash))
  const caller = callerOf(request, parts, emailHash, operator)
  await notBefore(parts, began + FOUND_MS)
  const { cookie, result } = await tried(parts, emailHash, caller, async () => {
    const isPasswordRight = await passwords.isRight(password, operator?.passwordHash, lineOf(caller))
    const compared = ports.clock.elapsed()
    const { cookie, session } = newSession(request, parts)
    const { operatorId: _, ...by } = byOf(request, parts, '')
    const given = { emailHash, version: operator?.version, isPasswordRight, second: secondOf(parts, operator, code), session, caller, by }
    const reply = await ports.engine.submit(signInOperator, given)
    if (reply.result.name !== 'signedIn') await notBefore(parts, compared + DECIDED_MS)
    return { cookie, ...reply }
  })
  if (result.name === 'waits') throw new ConsoleError('waits')
  if (result.name !== 'signedIn')
    // A text that is no address may be a password in the wrong field.
    return signInPage(reply, parts, next, 'E-mail, password or code is wrong.', isEmail(email) ? email : '')
  setSession(reply, parts.consoleUrl(), cookie)
  remember(reply, parts, operator!)
  return guarded(reply).redirect(next, 303)
}

/** Waits until `at`. Reading the row of a known address takes a fraction of a millisecond longer, and waiting hides the difference. */
async function notBefore({ ports: { clock } }: ConsoleParts, at: number) {
  for (let restMs = at - clock.elapsed(); restMs > 0; restMs = at - clock.elapsed()) await clock.sleep(restMs)
}

/** Sets the cookie of a known browser. So this browser's next try waits and counts apart from strangers' tries. */
export const remember = (
  reply: FastifyReply,
  { ports, consoleUrl }: ConsoleParts,
  person: Pick<Operator, 'emailHash' | 'passwordVersion'>,
) => setKnown(reply, consoleUrl(), knownBrowser(ports.vault, person, ports.clock.realNow()))

export function newSession(request: FastifyRequest, { ports }: ConsoleParts): { cookie: string; session: NewSession } {
  const cookie = ports.fresh.text(COOKIE_BYTES)
  return {
    cookie,
    session: { sessionHash: hashOfCookie(ports.vault, cookie), network: networkOf(request.ip), now: ports.clock.realNow() },
  }
}

/** Compares the typed code with the person's app and recovery codes. */
function secondOf({ ports }: ConsoleParts, operator: Operator | undefined, typed: string): SecondFactor {
  const code = typed.replace(/\s/g, '')
  if (!operator || code === '') return 'none'
  const recovery = recoveryCodeIn(code)
  if (recovery !== undefined) return { recoveryHash: ports.vault.hash('console recovery', `${operator.operatorId}|${recovery}`) }
  const totpStep = operator.totp === null ? undefined : stepOf(operator.totp, code, ports.clock.realNow())
  return totpStep === undefined ? 'wrong' : { totpStep }
}

export const byOf = (request: FastifyRequest, { ports }: ConsoleParts, operatorId: string): AuditBy => ({
  ...{ auditId: auditIdAt(ports), operatorId, network: networkOf(request.ip), at: ports.clock.realNow() },
})

// ------------------------------------------------------------------------------------------------------- a password by a link

/** Opening a link does not use it up: mail programs open links by themselves. */
async function linked({ ports }: ConsoleParts, link: string): Promise<Operator> {
  const token = await ports.query.row(operatorTokenKey(linkHashOf(ports.vault, link)))
  const [operator] = token && isLinkGood(token, ports.clock.realNow()) ? await ports.query.rows(operatorById(token.operatorId)) : []
  if (!operator || operator.status === 'DISABLED') throw new ConsoleError('unknown')
  return operator
}

function passwordPage(reply: FastifyReply, parts: ConsoleParts, { link, operator }: { link: string; operator: Operator }, fault?: string) {
  const hint = 'At least 12 characters, with a letter and a digit.'
  const body = html`<h1>Set your password</h1><p>For <bdi>${operator.email}</bdi></p>${faultOf(fault)}<form method="post" action="${CONSOLE}/set-up/${link}"><input type="hidden" name="email" autocomplete="username" value="${operator.email}">${passwordField('new-password', hint)}<button>Set password and sign in</button></form>`
  return sendPage(
    fault === undefined ? reply : reply.code(422),
    { assets: parts.assets, viewer: undefined },
    { title: 'Set your password', body },
  )
}

async function setByLink(request: FastifyRequest, reply: FastifyReply, { parts, link }: { parts: ConsoleParts; link: string }) {
  const operator = await linked(parts, link)
  const { password = '' } = (request.body ?? {}) as Form
  const made = await parts.tries.inTurn(linkHashOf(parts.ports.vault, link), () => setAnew(request, parts, { link, operator, password }))
  if ('fault' in made) return passwordPage(reply, parts, { link, operator }, made.fault)
  if (made.cookie === undefined) return guarded(reply).redirect(`${CONSOLE}/sign-in`, 303)
  setSession(reply, parts.consoleUrl(), made.cookie)
  remember(reply, parts, made.after)
  return guarded(reply).redirect(CONSOLE, 303)
}

async function setAnew(request: FastifyRequest, parts: ConsoleParts, given: { link: string; operator: Operator; password: string }) {
  const { ports } = parts
  const { link, operator, password } = given
  const fault = await whyRefused(parts, operator, password)
  if (fault !== undefined) return { fault }
  const passwordHash = await parts.passwords.hash(password, 'known')
  // A person with an authenticator app also needs a code, because another person may have read the link.
  const { cookie, session } = newSession(request, parts)
  const isIn = operator.totp === null
  const { operatorId: _, ...by } = byOf(request, parts, '')
  const { emailHash, version } = operator
  const command = { emailHash, version, passwordHash, tokenHash: linkHashOf(ports.vault, link), ...(isIn && { session }), by }
  const { result } = await ports.engine.submit(setPassword, command)
  if (result.name !== 'set') throw new ConsoleError('unknown')
  return { after: withPassword(operator, passwordHash), cookie: isIn ? cookie : undefined }
}

/**
 * Returns a sentence that refuses the password. Undefined when the password is allowed. Only a link or a session leads here, so strangers
 * take no turn from this comparison.
 */
export async function whyRefused({ passwords }: ConsoleParts, { email, passwordHash, formerHashes }: Operator, password: string) {
  const weak = whyWeak(password, email)
  if (weak !== undefined) return weak
  for (const hash of [passwordHash, ...formerHashes])
    if (hash !== null && (await passwords.isRight(password, hash, 'known')))
      return 'This was one of your last four passwords. Choose another.'
  return undefined
}

// --------------------------------------------------------------------------------------------------------------- the proof

function stepUpPage(reply: FastifyReply, parts: ConsoleParts, { viewer, next }: { viewer: Viewer; next: string }, fault?: string) {
  const field = viewer.operator.totp === null ? passwordField('current-password') : codeField('of your authenticator app')
  const fields = html`<input type="hidden" name="next" value="${next}">${field}<button>Continue</button>`
  const body = html`<section class="card one"><h1>Is it you?</h1><p>The next step needs a proof. A proof counts for five minutes.</p>${faultOf(fault)}${formOf(viewer, `${CONSOLE}/step-up`, fields)}</section>`
  return sendPage(fault === undefined ? reply : reply.code(422), { assets: parts.assets, viewer }, { title: 'Is it you?', body })
}

async function prove(request: FastifyRequest, reply: FastifyReply, parts: ConsoleParts) {
  const { ports, passwords } = parts
  const viewer = request.viewer!
  const { operator } = viewer
  const form = request.body as Form
  const next = nextOf(form['next'])
  const byPassword = operator.totp === null
  const caller = callerIn(viewer)
  const { emailHash, version } = operator
  const { cookie, result } = await tried(parts, emailHash, caller, async () => {
    const isRight = byPassword ? await passwords.isRight(form['password'] ?? '', operator.passwordHash, lineOf(caller)) : true
    const second = byPassword ? 'none' : secondOf(parts, operator, form['code'] ?? '')
    const { cookie, session } = newSession(request, parts)
    const { sessionHash } = viewer.session
    const by = byOf(request, parts, operator.operatorId)
    const given = { emailHash, version, sessionHash, isRight, second, session, caller, by }
    return { cookie, ...(await ports.engine.submit(stepUp, given)) }
  })
  if (result.name === 'waits') throw new ConsoleError('waits')
  if (result.name === 'over') throw new ConsoleError('signedOut')
  if (result.name === 'wrong')
    return stepUpPage(reply, parts, { viewer, next }, byPassword ? 'The password is wrong.' : 'The code is wrong.')
  setSession(reply, parts.consoleUrl(), cookie)
  return guarded(reply).redirect(next, 303)
}
