// The console's cookies. A session cookie has 256 random bits, and the store keeps only its hash. The other cookie says that a person
// signed in before in this browser. Scripts cannot read the cookies, and other sites' pages do not send them.

import type { FastifyReply } from 'fastify'
import type { Vault } from '../../adapters/store/vault.ts'
import { KNOWN_BROWSER_MS, SESSION_MAX_MS } from '../../domain/operator/operator.ts'
import { CONSOLE } from './sheet.ts'

export const COOKIE_BYTES = 32 // docs/console.md: 256 bits
const SESSION_FORM = /^[A-Za-z0-9_-]{43}$/
const KNOWN_FORM = /^[0-9a-z]{1,11}\.[A-Za-z0-9_-]{43}$/ // the time in base 36, and a keyed hash

const isSecure = (consoleUrl: string) => consoleUrl.startsWith('https:')
/** A browser keeps a `__Host-` cookie only when it is set as below, over https. */
const nameOf = (consoleUrl: string, name: string): string => (isSecure(consoleUrl) ? `__Host-${name}` : name)
const sessionName = (consoleUrl: string) => nameOf(consoleUrl, 'console')
const knownName = (consoleUrl: string) => nameOf(consoleUrl, 'console-known')

export const sessionIn = (header: string | undefined, consoleUrl: string) => cookieOf(header, sessionName(consoleUrl), SESSION_FORM)
export const knownIn = (header: string | undefined, consoleUrl: string) => cookieOf(header, knownName(consoleUrl), KNOWN_FORM)

/** The value of this cookie. Undefined when a browser sends two: another site may have set one. */
function cookieOf(header: string | undefined, name: string, form: RegExp): string | undefined {
  const values = (header ?? '').split(';').flatMap((each) => {
    const [key = '', value = ''] = each.split('=', 2).map((part) => part.trim())
    return key === name ? [value] : []
  })
  return values.length === 1 && form.test(values[0]!) ? values[0] : undefined
}

export const hashOfCookie = (vault: Pick<Vault, 'hash'>, cookie: string): string => vault.hash('console session', cookie)

export const setSession = (reply: FastifyReply, consoleUrl: string, value: string) =>
  reply.header('set-cookie', written(consoleUrl, sessionName(consoleUrl), value, SESSION_MAX_MS / 1_000))
export const clearSession = (reply: FastifyReply, consoleUrl: string) =>
  reply.header('set-cookie', written(consoleUrl, sessionName(consoleUrl), '', 0))
export const setKnown = (reply: FastifyReply, consoleUrl: string, value: string) =>
  reply.header('set-cookie', written(consoleUrl, knownName(consoleUrl), value, KNOWN_BROWSER_MS / 1_000))

function written(consoleUrl: string, name: string, value: string, seconds: number): string {
  const where = isSecure(consoleUrl) ? 'Path=/; Secure' : `Path=${CONSOLE}`
  return `${name}=${value}; ${where}; HttpOnly; SameSite=Strict; Max-Age=${seconds}`
}
