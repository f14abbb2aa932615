// The cookie of a session: 256 random bits, which the store knows as a hash alone. Scripts cannot read it, and other sites' pages do not send it.

import type { FastifyReply } from 'fastify'
import type { Vault } from '../../adapters/store/vault.ts'
import { SESSION_MAX_MS } from '../../domain/operator/operator.ts'
import { CONSOLE } from './sheet.ts'

export const COOKIE_BYTES = 32 // docs/console.md: 256 bits
const COOKIE_FORM = /^[A-Za-z0-9_-]{43}$/

const isSecure = (consoleUrl: string) => consoleUrl.startsWith('https:')
/** A browser keeps one that begins with `__Host-` only as it is set below, over https. */
export const cookieName = (consoleUrl: string): string => (isSecure(consoleUrl) ? '__Host-console' : 'console')

/** The one of this name; none where a browser sends two, of which another site may have set one. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '').split(';').flatMap((each) => {
    const [key = '', value = ''] = each.split('=', 2).map((part) => part.trim())
    return key === name ? [value] : []
  })
  return values.length === 1 && COOKIE_FORM.test(values[0]!) ? values[0] : undefined
}

export const hashOfCookie = (vault: Pick<Vault, 'hash'>, cookie: string): string => vault.hash('console session', cookie)

export const setCookie = (reply: FastifyReply, consoleUrl: string, value: string) =>
  reply.header('set-cookie', written(consoleUrl, value, SESSION_MAX_MS / 1_000))
export const clearCookie = (reply: FastifyReply, consoleUrl: string) => reply.header('set-cookie', written(consoleUrl, '', 0))

function written(consoleUrl: string, value: string, seconds: number): string {
  const where = isSecure(consoleUrl) ? 'Path=/; Secure' : `Path=${CONSOLE}`
  return `${cookieName(consoleUrl)}=${value}; ${where}; HttpOnly; SameSite=Strict; Max-Age=${seconds}`
}
