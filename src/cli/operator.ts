// `mohur operator setup|reset|list`: the people who may open the console. Only a link can set a password, so the first person needs the
// shell.

import { reading } from '../adapters/store/open.ts'
import { ROLES } from '../domain/operator/operator.ts'
import { authenticatorReset, emailHashOf, isEmail, isPersonName, NAME_MAX, operatorLink } from '../flows/operator-links.ts'
import { readSettings, SettingError, type Settings } from '../settings.ts'
import { operatorKey } from '../tables/keys.ts'
import type { OperatorRole } from '../tables/operator.ts'
import { find } from '../tables/tables.ts'
import { type ActingParts, acting, SHELL, say, service, settingsHere } from './place.ts'

const PEOPLE_MAX = 500 // Mohur's choice: as many as the console shows

export async function setup({ email, name, role = ['admin'], mid }: { email: string; name?: string; role?: string[]; mid?: string[] }) {
  const strange = role.find((each) => !ROLES.some((known) => known === each))
  if (strange !== undefined) throw new SettingError(`--role is one of ${ROLES.join(', ')}`)
  const given = name ?? email.split('@')[0]!
  if (!isPersonName(given)) throw new SettingError(`--name must have 1 to ${NAME_MAX} characters, and none that controls a terminal`)
  if (mid?.some((each) => !/^[A-Za-z0-9_-]{1,20}$/.test(each))) throw new SettingError('--mid must be 1 to 20 letters, digits, - or _')
  await print('SETUP', { email: emailOf(email), name: given, roles: role as OperatorRole[], mids: mid ?? null })
}

export async function reset({ email, authenticator }: { email: string; authenticator?: boolean }) {
  const given = emailOf(email)
  if (authenticator) return printed('reset-authenticator', given, (place) => authenticatorReset(place, { email: given, by: SHELL }))
  await print('RESET', { email: given, name: '', roles: [], mids: null })
}

export async function list() {
  const people = await reading(readSettings(process.env), ({ query }) => query.rows(find('operators', { limit: PEOPLE_MAX })))
  for (const { operatorId, email, name, roles, mids, status } of people)
    console.log([operatorId, email, name, roles.join(' '), mids?.join(' ') ?? 'all merchants', status].join('\t'))
}

function emailOf(given: string): string {
  if (!isEmail(given)) throw new SettingError('--email must be an e-mail address')
  return given.trim()
}

const REFUSED = {
  known: 'this person already exists; `mohur operator reset` makes a link for a new password',
  unknown: 'no person has this address; `mohur operator setup` adds one',
  disabled: "this person's sign-in is disabled; an admin can enable it in the console",
  noApp: 'this person has no authenticator app; `mohur operator reset` without --authenticator makes a link',
}

const print = (kind: 'SETUP' | 'RESET', person: Parameters<typeof operatorLink>[1]['person']) =>
  printed(kind === 'SETUP' ? 'invite' : 'reset', person.email, async (place) => {
    const before = await place.query.row(operatorKey(emailHashOf(place.vault, person.email)))
    return operatorLink(place, { kind, person: kind === 'RESET' && before ? before : person, by: SHELL })
  })

/** The decision writes its own audit row where it makes a link. A refused one gets a row without the person. */
const printed = (
  action: 'invite' | 'reset' | 'reset-authenticator',
  email: string,
  make: (place: ActingParts) => Promise<{ link: string } | { refused: string }>,
) =>
  acting({ action: `operator.${action}`, subject: 'operator:' }, async (place) => {
    const settings = settingsHere()
    if (place.mode === 'production' && settings.consoleUrl === undefined)
      throw new SettingError('production has no console without MOHUR_CONSOLE_URL: set it, and restart the service')
    const made = await make(place)
    // The shell sees all merchants, so no person is outside its scope.
    if ('refused' in made) throw new SettingError(`${email}: ${REFUSED[made.refused as keyof typeof REFUSED]}`)
    say(`${consoleAt(settings)}/set-up/${made.link}\nThe link sets a password once, within 15 minutes; it is not shown again.`)
  })

/** The console's address: from the settings, or from the service that runs the command. */
const consoleAt = ({ consoleUrl, publicUrl, host, port }: Settings): string =>
  `${consoleUrl ?? publicUrl ?? service()?.url ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`}/console`
