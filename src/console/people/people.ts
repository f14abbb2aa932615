// The operator's people: who they are, what each may do, and the link by which a new person signs in first.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ChangeOperator, changeOperator } from '../../domain/operator/change-operator.ts'
import { isWithin, type Operator, ROLES, withoutFactors } from '../../domain/operator/operator.ts'
import { endSessions } from '../../domain/operator/session.ts'
import { dateTimeInIndia } from '../../engine/clock.ts'
import { authenticatorReset, isEmail, isPersonName, NAME_MAX, operatorLink } from '../../flows/operator-links.ts'
import { networkOf } from '../../http/networks.ts'
import { html, type Part } from '../../pages/html.ts'
import type { Form } from '../../pages/kit/forms.ts'
import { operatorById } from '../../tables/keys.ts'
import { find } from '../../tables/tables.ts'
import { ConsoleError } from '../kit/console-error.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { CONSOLE, formOf, guarded, sendPage } from '../kit/sheet.ts'
import { byOf } from './sign-in.ts'

const PEOPLE = `${CONSOLE}/people`
const PEOPLE_MAX = 500 // Mohur's choice: on one page
const MIDS_MAX = 100 // Mohur's choice

export function addPeople(scope: FastifyInstance, parts: ConsoleParts) {
  const seen = { config: { admits: 'people' } } as const
  const proven = { config: { admits: 'people', wantsStepUp: true } } as const
  scope.get(PEOPLE, seen, (request, reply) => peoplePage(reply, parts, { viewer: request.viewer! }))
  scope.post(PEOPLE, proven, (request, reply) => invite(request, reply, parts))
  scope.get<{ Params: { id: string } }>(`${PEOPLE}/:id`, seen, async (request, reply) =>
    personPage(reply, parts, { viewer: request.viewer!, person: await personOf(parts, request.viewer!, request.params.id) }),
  )
  for (const action of ['roles', 'disable', 'enable', 'end-sessions', 'link', 'reset-authenticator'] as const)
    scope.post<{ Params: { id: string } }>(`${PEOPLE}/:id/${action}`, proven, async (request, reply) => {
      const person = await personOf(parts, request.viewer!, request.params.id)
      return actOn(action, { request, reply, parts, person })
    })
}

/** A person who sees some merchants manages only people within those merchants. */
async function personOf({ ports }: ConsoleParts, viewer: Viewer, id: string): Promise<Operator> {
  const [person] = await ports.query.rows(operatorById(id))
  if (!person || !isWithin(person.mids, viewer.mids)) throw new ConsoleError('unknown')
  return person
}

interface Shown {
  viewer: Viewer
  /** A link that is shown once, to be handed over. */
  link?: { address: string; email: string }
  fault?: string
}

async function peoplePage(reply: FastifyReply, parts: ConsoleParts, { viewer, link, fault }: Shown) {
  const people = await parts.ports.query.rows(find('operators', { limit: PEOPLE_MAX }))
  const rows = people
    .filter(({ mids }) => isWithin(mids, viewer.mids))
    .toSorted((a, b) => a.createdAt - b.createdAt)
    .map(
      ({ operatorId, name, email, roles, mids, status, seenAt, totp }) =>
        html`<tr><td data-name="Name"><a href="${PEOPLE}/${operatorId}"><bdi>${name}</bdi></a></td><td data-name="E-mail"><bdi>${email}</bdi></td><td data-name="Roles">${roles.join(', ')}</td><td data-name="Merchants">${mids === null ? 'all' : mids.length}</td><td data-name="State">${status.toLowerCase()}${totp === null && ', no app'}</td><td data-name="Last seen">${seenAt === 0 ? 'never' : dateTimeInIndia(seenAt)}</td></tr>`,
    )
  const head = ['Name', 'E-mail', 'Roles', 'Merchants', 'State', 'Last seen (IST)'].map((name) => html`<th scope="col">${name}</th>`)
  const fields = html`<label for="email">E-mail</label><input id="email" name="email" type="email" maxlength="254" required><label for="name">Name</label><input id="name" name="name" maxlength="${NAME_MAX}" required>${rolesField([])}${midsField(viewer.mids, viewer)}<button class="second">Make a link</button>`
  const body = html`<div class="title"><h1>People</h1></div>${link && linkNotice(link)}${faultOf(fault)}<section class="card"><table class="list"><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></section><section class="card"><h2>Invite a person</h2>${formOf(viewer, PEOPLE, fields)}</section>`
  return sendPage(
    fault === undefined ? reply : reply.code(422),
    { assets: parts.assets, viewer },
    { title: 'People', body, chapter: 'people' },
  )
}

const faultOf = (fault: string | undefined): Part => fault !== undefined && html`<p class="notice bad" role="alert">${fault}</p>`
const linkNotice = ({ address, email }: NonNullable<Shown['link']>) =>
  html`<div class="notice good" role="status"><p>Give this link to <bdi>${email}</bdi>. It works once, within 15 minutes, and is not shown again.</p><p><code>${address}</code></p></div>`
const rolesField = (roles: readonly string[]) =>
  html`<fieldset><legend>Roles</legend>${ROLES.map((role) => html`<label class="tick"><input type="checkbox" name="role-${role}" value="yes"${roles.includes(role) && html` checked`}>${role}</label>`)}</fieldset>`
const midsField = (mids: readonly string[] | null, viewer: Viewer) =>
  html`<label for="mids">Merchants</label><input id="mids" name="mids" value="${mids === null ? '' : mids.join(' ')}" aria-describedby="mids-hint"><p class="hint" id="mids-hint">Mids, separated by spaces; ${viewer.mids === null ? 'empty for all' : 'only those that you may see'}.</p>`

async function personPage(reply: FastifyReply, parts: ConsoleParts, { viewer, person, link, fault }: Shown & { person: Operator }) {
  const { operatorId, name, email, roles, mids, status } = person
  const isResettable = status === 'ACTIVE' && person.totp !== null && operatorId !== viewer.operator.operatorId
  const at = `${PEOPLE}/${operatorId}`
  const version = html`<input type="hidden" name="version" value="${person.version}">`
  const act = (action: string, text: string) => formOf(viewer, `${at}/${action}`, html`${version}<button class="second">${text}</button>`)
  const body = html`<div class="title"><div><p class="quiet"><bdi>${email}</bdi></p><h1><bdi>${name}</bdi> <span class="state">${status.toLowerCase()}</span></h1></div></div>${link && linkNotice(link)}${faultOf(fault)}<section class="card"><h2>What they may do</h2>${formOf(viewer, `${at}/roles`, html`${version}${rolesField(roles)}${midsField(mids, viewer)}<button class="second">Save</button><p class="hint">Their sessions end.</p>`)}</section><section class="card acts">${status === 'DISABLED' ? act('enable', 'Enable sign-in') : act('disable', 'Disable sign-in')}${act('end-sessions', 'End their sessions')}${status !== 'DISABLED' && act('link', status === 'INVITED' ? 'Make another link' : 'Make a link for a new password')}${isResettable && act('reset-authenticator', 'Reset a lost authenticator app')}</section>${isResettable && html`<p class="quiet">A reset ends their password, app, recovery codes and sessions, and makes a link.</p>`}`
  return sendPage(fault === undefined ? reply : reply.code(422), { assets: parts.assets, viewer }, { title: name, body, chapter: 'people' })
}

/** Roles and merchants of the form, or a sentence that refuses the form. */
function scopeIn(form: Form, viewer: Viewer): Pick<Operator, 'roles' | 'mids'> | string {
  const roles = ROLES.filter((role) => form[`role-${role}`] === 'yes')
  if (roles.length === 0) return 'Choose at least one role.'
  const mids = (form['mids'] ?? '').split(/[\s,]+/).filter((mid) => mid !== '')
  if (mids.length > MIDS_MAX || mids.some((mid) => !/^[A-Za-z0-9_-]{1,20}$/.test(mid))) return 'Enter mids, separated by spaces.'
  const scope = { roles, mids: mids.length === 0 ? null : [...new Set(mids)] }
  return isWithin(scope.mids, viewer.mids) ? scope : REFUSED.foreign
}

async function invite(request: FastifyRequest, reply: FastifyReply, parts: ConsoleParts) {
  const viewer = request.viewer!
  const form = request.body as Form
  const [email, name] = [(form['email'] ?? '').trim(), (form['name'] ?? '').trim()]
  const scope = scopeIn(form, viewer)
  if (typeof scope === 'string') return peoplePage(reply, parts, { viewer, fault: scope })
  if (!isEmail(email)) return peoplePage(reply, parts, { viewer, fault: 'This is not an e-mail address.' })
  if (!isPersonName(name)) return peoplePage(reply, parts, { viewer, fault: `Enter a name of 1 to ${NAME_MAX} characters.` })
  const by = { operatorId: viewer.operator.operatorId, network: networkOf(request.ip) }
  const made = await operatorLink(parts.ports, { kind: 'SETUP', person: { email, name, ...scope }, within: viewer.mids, by })
  if ('refused' in made) return peoplePage(reply, parts, { viewer, fault: REFUSED[made.refused] })
  return peoplePage(reply, parts, { viewer, link: { address: addressOf(parts, made.link), email } })
}
const OWN = 'Ask another admin to change your own access.'
const REFUSED = {
  known: 'This person already exists. Make a new link on their page.',
  unknown: 'This person does not exist.',
  disabled: "This person's sign-in is disabled. Enable it first.",
  foreign: 'Ask an admin who sees more merchants than you.',
  own: OWN,
  noApp: 'This person has no authenticator app to reset. Make a link for a new password.',
}
const addressOf = (parts: ConsoleParts, link: string) => `${parts.consoleUrl()}/set-up/${link}`

interface Act {
  request: FastifyRequest
  reply: FastifyReply
  parts: ConsoleParts
  person: Operator
}

async function actOn(
  action: 'roles' | 'disable' | 'enable' | 'end-sessions' | 'link' | 'reset-authenticator',
  { request, reply, parts, person }: Act,
) {
  const viewer = request.viewer!
  const form = request.body as Form
  const { email, name, roles, mids, emailHash, operatorId } = person
  const by = byOf(request, parts, viewer.operator.operatorId)
  const isOwn = operatorId === viewer.operator.operatorId
  const refused = (fault: string) => personPage(reply, parts, { viewer, person, fault })
  if (action === 'end-sessions') {
    await parts.ports.engine.submit(endSessions, { operatorId, by })
    return guarded(reply).redirect(`${PEOPLE}/${operatorId}`, 303)
  }
  if (action === 'link') {
    const made = await operatorLink(parts.ports, { kind: 'RESET', person: { email, name, roles, mids }, within: viewer.mids, by })
    if ('refused' in made) return refused(REFUSED[made.refused])
    return personPage(reply, parts, { viewer, person, link: { address: addressOf(parts, made.link), email } })
  }
  if (action === 'reset-authenticator') {
    const made = await authenticatorReset(parts.ports, { email, version: Number(form['version']), within: viewer.mids, by })
    if ('link' in made)
      return personPage(reply, parts, { viewer, person: withoutFactors(person), link: { address: addressOf(parts, made.link), email } })
    if (made.refused === 'stale') throw new ConsoleError('changed')
    return refused(REFUSED[made.refused])
  }
  // No person changes their own access. Otherwise the last admin could lock themselves out, and only the shell could help.
  if (isOwn) return refused(OWN)
  const to = action === 'roles' ? scopeIn(form, viewer) : { status: action === 'disable' ? ('DISABLED' as const) : ('ACTIVE' as const) }
  if (typeof to === 'string') return refused(to)
  const command: ChangeOperator = { emailHash, version: Number(form['version']), action: `operator.${action}`, to, by }
  const { result } = await parts.ports.engine.submit(changeOperator, command)
  if (result.name !== 'changed') throw new ConsoleError('changed')
  return guarded(reply).redirect(`${PEOPLE}/${operatorId}`, 303)
}
