// Members of the operator's staff for tests, and the requests of their browsers.

import assert from 'node:assert/strict'
import { hashOfCookie } from '../../../src/console/kit/cookie.ts'
import { setPassword } from '../../../src/domain/operator/set-password.ts'
import { auditIdAt } from '../../../src/flows/auditing.ts'
import { emailHashOf, linkHashOf, operatorLink } from '../../../src/flows/operator-links.ts'
import type { OperatorRole } from '../../../src/tables/operator.ts'
import { find, type Row } from '../../../src/tables/tables.ts'
import type { Service } from '../run/service.ts'

export const PASSWORD = 'correct horse 7 battery'

export interface Person {
  email: string
  operatorId: string
  cookie: string
  /** Part of each of their forms. */
  token: string
}

let people = 0
/** A signed-in person, as a link and a password make one. No test guesses the password. */
export async function personOf(
  { ports }: Pick<Service, 'ports'>,
  roles: readonly OperatorRole[],
  mids: readonly string[] | null = null,
  email = `person${++people}@staff.test`,
): Promise<Person> {
  const made = await operatorLink(ports, {
    kind: 'SETUP',
    person: { email, name: `Person ${people}`, roles, mids },
    by: { operatorId: 'shell', network: '' },
  })
  assert.ok('link' in made)
  return signedIn(ports, email, made.link)
}

/** The same person, after an admin has set their password by a link. */
export async function byLink({ ports }: Pick<Service, 'ports'>, { email }: Person): Promise<Person> {
  const [person] = await ports.query.rows(find('operators', { equals: { emailHash: emailHashOf(ports.vault, email) }, limit: 1 }))
  const made = await operatorLink(ports, { kind: 'RESET', person: person!, by: { operatorId: 'shell', network: '' } })
  assert.ok('link' in made)
  return signedIn(ports, email, made.link)
}

async function signedIn(ports: Service['ports'], email: string, link: string): Promise<Person> {
  const emailHash = emailHashOf(ports.vault, email)
  const [before] = await ports.query.rows(find('operators', { equals: { emailHash }, limit: 1 }))
  const cookie = ports.fresh.text(32)
  const sessionHash = hashOfCookie(ports.vault, cookie)
  const now = ports.clock.realNow()
  const { result } = await ports.engine.submit(setPassword, {
    ...{ emailHash, version: before!.version, passwordHash: 'none', tokenHash: linkHashOf(ports.vault, link) },
    session: { sessionHash, network: '127.0.0.1', now },
    by: { auditId: auditIdAt(ports), network: '127.0.0.1', at: now },
  })
  assert.equal(result.name, 'set')
  return { email, operatorId: before!.operatorId, cookie, token: ports.vault.hash('console form', sessionHash) }
}

export interface Answer {
  status: number
  text: string
  location: string | null
  headers: Headers
  /** The session's cookie, where the answer set one. */
  cookie: string | undefined
  /** The cookie that marks this browser as known to the person. */
  known: string | undefined
}

interface Asked {
  cookie?: string | undefined
  known?: string | undefined
  form?: Record<string, string>
  method?: string
  headers?: Record<string, string>
}

/** Asks as a browser does on a page of Mohur's, which names its origin. */
export async function ask(
  { url }: Pick<Service, 'url'>,
  path: string,
  { cookie, known, form, method, headers = {} }: Asked = {},
): Promise<Answer> {
  const cookies = [cookie !== undefined && `console=${cookie}`, known !== undefined && `console-known=${known}`].filter(Boolean)
  const response = await fetch(`${url}${path}`, {
    method: method ?? (form ? 'POST' : 'GET'),
    redirect: 'manual',
    headers: {
      'sec-fetch-site': 'same-origin',
      ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(form && { body: new URLSearchParams(form).toString() }),
  })
  const text = await response.text()
  const set = (name: string) =>
    response.headers.getSetCookie().flatMap((each) => new RegExp(`^(?:__Host-)?${name}=([^;]*)`).exec(each)?.[1] ?? [])[0]
  return {
    ...{ status: response.status, text, location: response.headers.get('location'), headers: response.headers },
    ...{ cookie: set('console'), known: set('console-known') },
  }
}

/** The audit log of one person, oldest first. An empty id has the entries without a person. */
export const auditOf = ({ ports }: Pick<Service, 'ports'>, operatorId: string): Promise<readonly Row<'auditLog'>[]> =>
  ports.query.rows(find('auditLog', { equals: { operatorId }, orderBy: ['auditId'], limit: 1_000 }))
