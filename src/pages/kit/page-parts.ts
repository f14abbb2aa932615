// The parts that the service gives to every page, and the values that a page reads from a request: docs/pages.md.

import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { SignInParts } from '../../api/kit/api-parts.ts'
import type { Ports } from '../../flows/ports.ts'
import type { RateLimit } from '../../http/rate-limit.ts'
import { headerOf } from '../../http/request-headers.ts'
import type { Html } from '../html.ts'
import type { Assets } from './assets.ts'
import { PageError } from './page-error.ts'

export interface PageParts {
  ports: Ports
  assets: Assets
  isSandbox: boolean
  /** The sandbox's own bank is connected, so its phone is there. */
  hasPhone?: boolean
  signIn: SignInParts
  /** One count of each token's promocodes that earned nothing, shared with the API. */
  promocodes: RateLimit
  /** The drawer below a payer's page. Only the sandbox has a drawer, with its own bank and inbox. */
  drawer?: SandboxDrawer | undefined
  /** MOHUR_GRIEVANCE_URL: where a payer complains about a debit. */
  grievanceUrl?: string | undefined
}

/** The subject of a payer's page, for the sandbox's drawer below it: docs/sandbox.md, "The drawer". */
export interface DrawerSubject {
  /** The page's own address. The drawer comes back to it. */
  address: string
  mid: string
  /** The payer's number: the drawer opens its phone and reads its messages. */
  mobile: string | undefined
  /** Only for a payment page. `begins`: nothing is under way yet; `waits`: the payer or the bank must act. */
  order?: { orderId: string; stage: 'begins' | 'waits' | 'ended' }
  /** The form that takes a code now, and who sent the code. */
  code?: { from: 'bank' | 'inbox'; action: string; field: string; carries: Readonly<Record<string, string>> }
}
export type SandboxDrawer = (subject: DrawerSubject) => Promise<Html>

export interface AddedParts extends PageParts {
  logger: FastifyBaseLogger
  /** A browser reports that a page tried what its policy forbids. */
  reported(): void
}

export const PAGE_ID_BYTES = 16 // docs/pages.md: 128 bits
export const PAGE_ID_FORM = /^[0-9a-f]{32}$/

const AGENT_LENGTH = 1_000 // Mohur's choice: enough of a User-Agent to tell browsers apart

export interface Browser {
  agent: string
  languages: string | undefined
}
export const browserOf = ({ raw: { rawHeaders } }: FastifyRequest): Browser => ({
  agent: (headerOf(rawHeaders, 'user-agent') ?? '').slice(0, AGENT_LENGTH),
  languages: headerOf(rawHeaders, 'accept-language'),
})

type Query = Readonly<Record<string, unknown>>
export const textIn = (query: unknown, name: string): string | undefined => {
  const value = (query as Query)[name]
  return typeof value === 'string' && value !== '' && !value.includes('\0') ? value : undefined
}

const ID_FORM = /^[A-Za-z0-9_-]{1,64}$/

/** The transaction that an address of this service names. Throws a PageError when the address names none. */
export function transactionIn({ query }: FastifyRequest): { mid: string; txnId: string } {
  const [mid, txnId] = [textIn(query, 'mid') ?? '', textIn(query, 'txnId') ?? '']
  if (!ID_FORM.test(mid) || !ID_FORM.test(txnId)) throw new PageError('unknown')
  return { mid, txnId }
}
