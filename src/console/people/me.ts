// A person's own settings: password, authenticator app, recovery codes, sessions.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ChangeOperator, changeOperator } from '../../domain/operator/change-operator.ts'
import { APP_SHOWN_MS, needsApp, withPassword } from '../../domain/operator/operator.ts'
import { provePassword } from '../../domain/operator/prove-password.ts'
import { endSessions } from '../../domain/operator/session.ts'
import { setPassword } from '../../domain/operator/set-password.ts'
import { dateTimeInIndia, lasts } from '../../engine/clock.ts'
import { html, type Part } from '../../pages/html.ts'
import type { Form } from '../../pages/kit/forms.ts'
import { sessionsOfOperator } from '../../tables/keys.ts'
import { addressOf, newRecoveryCodes, newSecret, stepOf } from '../kit/authenticator.ts'
import { callerIn, lineOf, tried } from '../kit/callers.ts'
import { ConsoleError } from '../kit/console-error.ts'
import { setSession } from '../kit/cookie.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { APP, CONSOLE, formOf, guarded, sendPage } from '../kit/sheet.ts'
import { byOf, newSession, remember, whyRefused } from './sign-in.ts'

const ME = `${CONSOLE}/me`
const CODES = `${ME}/codes`
/** The sealing place of a new app's secret. The secret travels in the form with its time, and is stored nowhere. */
const placeOf = ({ operator }: Viewer) => `console.totp|${operator.operatorId}|${operator.version}`

export function addMe(scope: FastifyInstance, parts: ConsoleParts) {
  const own = { config: { admits: 'signedIn' } } as const
  const proven = { config: { admits: 'signedIn', wantsStepUp: true } } as const
  scope.get(ME, own, (request, reply) => mePage(reply, parts, request.viewer!))
  scope.post(`${ME}/password`, own, (request, reply) => changePassword(request, reply, parts))
  const beforeApp = { admits: 'signedIn', isBeforeApp: true } as const
  // The proof comes before the page, because a proof after a form would lose the form.
  scope.get(APP, { config: { ...beforeApp, wantsStepUp: true } }, (request, reply) => appPage(reply, parts, request.viewer!))
  scope.post(`${APP}/keep`, { config: beforeApp }, (request, reply) => keepApp(request, reply, parts))
  scope.get(CODES, proven, (request, reply) => newCodesPage(reply, parts, request.viewer!))
  scope.post(CODES, proven, async (request, reply) => {
    const { viewer } = request
    return codesPage(reply, parts, { viewer: viewer!, codes: await keepCodes(request, parts, {}), next: ME })
  })
  scope.post(`${ME}/sessions`, own, async (request, reply) => {
    const { operatorId } = request.viewer!.operator
    await parts.ports.engine.submit(endSessions, { operatorId, by: byOf(request, parts, operatorId) })
    return guarded(reply).redirect(`${CONSOLE}/sign-in`, 303)
  })
}

async function mePage(reply: FastifyReply, parts: ConsoleParts, viewer: Viewer, fault?: string) {
  const { operator, session: own } = viewer
  const sessions = await parts.ports.query.rows(sessionsOfOperator(operator.operatorId))
  const rows = sessions.map(
    ({ sessionHash, network, createdAt, seenAt }) =>
      html`<tr><td>${dateTimeInIndia(createdAt)}</td><td>${dateTimeInIndia(seenAt)}</td><td><bdi>${network}</bdi>${sessionHash === own.sessionHash && html` <b class="state">this one</b>`}</td></tr>`,
  )
  const card = (title: string, body: Part) => html`<section class="card"><h2>${title}</h2>${body}</section>`
  const body = html`<div class="title"><h1><bdi>${operator.name}</bdi></h1>${formOf(viewer, `${CONSOLE}/sign-out`, html`<button class="second">Sign out</button>`)}</div><p class="quiet"><bdi>${operator.email}</bdi> · ${operator.roles.join(', ')} · ${operator.mids === null ? 'all merchants' : operator.mids.join(', ')}</p>
${card('Authenticator app', html`<p>${operator.totp === null ? 'None yet.' : `Set up; ${operator.recoveryHashes.length} recovery codes are left.`}</p><p class="acts"><a class="button second" href="${APP}">${operator.totp === null ? 'Set one up' : 'Set up another'}</a>${operator.totp !== null && html`<a class="button second" href="${CODES}">Make new recovery codes</a>`}</p>`)}
${card('Password', html`${fault !== undefined && html`<p class="notice bad" role="alert">${fault}</p>`}${formOf(viewer, `${ME}/password`, html`<input type="hidden" name="email" autocomplete="username" value="${operator.email}"><label for="old">Old password</label><input id="old" name="old" type="password" autocomplete="current-password" required><label for="password">New password</label><input id="password" name="password" type="password" autocomplete="new-password" aria-describedby="rule" required><p class="hint" id="rule">At least 12 characters, with a letter and a digit. Your other sessions end.</p><button class="second">Change password</button>`)}`)}
${card('Where you are signed in', html`<table class="list"><thead><tr><th scope="col">Since (IST)</th><th scope="col">Last seen</th><th scope="col">Network</th></tr></thead><tbody>${rows}</tbody></table>${formOf(viewer, `${ME}/sessions`, html`<button class="second">Sign out everywhere</button>`)}`)}`
  return sendPage(
    fault === undefined ? reply : reply.code(422),
    { assets: parts.assets, viewer },
    { title: operator.name, body, chapter: 'me' },
  )
}

async function changePassword(request: FastifyRequest, reply: FastifyReply, parts: ConsoleParts) {
  const viewer = request.viewer!
  const { operator } = viewer
  const { old = '', password = '' } = request.body as Form
  const { emailHash, version, operatorId } = operator
  const caller = callerIn(viewer)
  const proof = await tried(parts, emailHash, caller, async () => {
    const isRight = await parts.passwords.isRight(old, operator.passwordHash, lineOf(caller))
    return parts.ports.engine.submit(provePassword, { emailHash, version, isRight, caller, by: byOf(request, parts, operatorId) })
  })
  if (proof.result.name === 'waits') throw new ConsoleError('waits')
  if (proof.result.name === 'over') throw new ConsoleError('changed')
  if (proof.result.name === 'wrong') return mePage(reply, parts, viewer, 'The old password is wrong.')
  const fault = await whyRefused(parts, operator, password)
  if (fault !== undefined) return mePage(reply, parts, viewer, fault)
  const passwordHash = await parts.passwords.hash(password, 'known')
  const { cookie, session } = newSession(request, parts)
  const { operatorId: _, ...by } = byOf(request, parts, '')
  const { result } = await parts.ports.engine.submit(setPassword, { emailHash, version, passwordHash, session, by })
  if (result.name !== 'set') throw new ConsoleError('changed')
  setSession(reply, parts.consoleUrl(), cookie)
  remember(reply, parts, withPassword(operator, passwordHash))
  return guarded(reply).redirect(ME, 303)
}

interface AppShown {
  secret: string
  sealed: string
  fault: string
}

/** Shows the page with a new secret, or again with the secret that a form brought. */
async function appPage(reply: FastifyReply, parts: ConsoleParts, viewer: Viewer, again?: AppShown) {
  const { qrCode } = await import('../../pages/payment/draw/qr.ts') // only few pages need its tables
  const { vault, clock, fresh } = parts.ports
  const secret = again?.secret ?? newSecret(fresh)
  const sealed = again?.sealed ?? vault.seal(`${clock.realNow()}|${secret}`, placeOf(viewer))
  const first = needsApp(viewer.operator, parts.isSandbox) && html`<p>Set it up to open the console.</p>`
  const fields = html`<input type="hidden" name="sealed" value="${sealed}"><label for="code">Code from the app</label><input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="10" required><button>Use this app</button>`
  const body = html`<section class="card one"><h1>Set up an authenticator app</h1>${first}<p>Scan this code with the app, or type the key into it.</p>${qrCode(addressOf(secret, viewer.operator.email), 'A QR code for the app')}<p>Key: <code>${secret}</code></p>${again && html`<p class="notice bad" role="alert">${again.fault}</p>`}${formOf(viewer, `${APP}/keep`, fields)}</section>`
  return sendPage(again ? reply.code(422) : reply, { assets: parts.assets, viewer }, { title: 'Authenticator app', body, chapter: 'me' })
}

/** The sealed secret is the proof: only a page behind a proof issued it. So the person may take their time to fetch an app. */
async function keepApp(request: FastifyRequest, reply: FastifyReply, parts: ConsoleParts) {
  const viewer = request.viewer!
  const { sealed = '', code = '' } = request.body as Form
  const { vault, clock } = parts.ports
  let opened: string
  try {
    opened = vault.open(sealed, placeOf(viewer))
  } catch {
    throw new ConsoleError('form')
  }
  const [at = '', secret = ''] = opened.split('|')
  const now = clock.realNow()
  if (!lasts(Number(at), APP_SHOWN_MS, now)) return guarded(reply).redirect(APP, 303)
  const totpStep = stepOf(secret, code.replace(/\s/g, ''), now)
  if (totpStep === undefined) return appPage(reply, parts, viewer, { secret, sealed, fault: 'The code is wrong.' })
  const next = needsApp(viewer.operator, parts.isSandbox) ? CONSOLE : ME
  const codes = await keepCodes(request, parts, { totp: secret, mustSetUpApp: false, totpSteps: [totpStep] })
  return codesPage(reply, parts, { viewer, codes, next })
}

function newCodesPage(reply: FastifyReply, parts: ConsoleParts, viewer: Viewer) {
  const body = html`<section class="card one"><h1>New recovery codes</h1><p>Your present codes end.</p>${formOf(viewer, CODES, html`<button>Make new codes</button>`)}</section>`
  return sendPage(reply, { assets: parts.assets, viewer }, { title: 'New recovery codes', body, chapter: 'me' })
}

/** Makes new recovery codes, and writes `to` in the same change. */
async function keepCodes(
  request: FastifyRequest,
  parts: ConsoleParts,
  to: Pick<ChangeOperator['to'], 'totp' | 'mustSetUpApp' | 'totpSteps'>,
): Promise<string[]> {
  const { operator, session } = request.viewer!
  const { ports } = parts
  const codes = newRecoveryCodes(ports.fresh)
  const recoveryHashes = codes.map((code) => ports.vault.hash('console recovery', `${operator.operatorId}|${code}`))
  const { emailHash, version, operatorId } = operator
  const action = to.totp === undefined ? ('operator.codes' as const) : ('operator.totp' as const)
  const command = { emailHash, version, action, to: { ...to, recoveryHashes }, sessionHash: session.sessionHash }
  const { result } = await ports.engine.submit(changeOperator, { ...command, by: byOf(request, parts, operatorId) })
  if (result.name !== 'changed') throw new ConsoleError('changed')
  return codes
}

function codesPage(
  reply: FastifyReply,
  parts: ConsoleParts,
  { viewer, codes, next }: { viewer: Viewer; codes: readonly string[]; next: string },
) {
  const body = html`<section class="card one"><h1>Your recovery codes</h1><p>Each code signs you in once, if you lose the app. The codes are not shown again.</p><ol>${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol><p><a class="button" href="${next}">I have saved them</a></p></section>`
  return sendPage(reply, { assets: parts.assets, viewer }, { title: 'Recovery codes', body, chapter: 'me' })
}
