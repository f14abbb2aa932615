// What every page is given of the service, and what it reads of a request: docs/pages.md.

import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { SignInParts } from '../../api/kit/api-parts.ts'
import type { Ports } from '../../flows/ports.ts'
import { headerOf } from '../../http/request-headers.ts'
import type { Part } from '../html.ts'
import type { Assets } from './assets.ts'
import { PageError } from './page-error.ts'

export interface PageParts {
  ports: Ports
  assets: Assets
  isSandbox: boolean
  /** The sandbox's own bank is connected, and so its phone is there. */
  hasPhone?: boolean
  signIn: SignInParts
  /** Only in the sandbox, with its own bank and inbox: what stands below a payer's page. */
  drawer?: SandboxDrawer | undefined
  /** MOHUR_GRIEVANCE_URL: where a payer complains of a debit. */
  grievanceUrl?: string | undefined
}

/** What a payer's page is about, for the sandbox's drawer below it: docs/sandbox.md, "The drawer". */
export interface DrawerSubject {
  /** The page's own: the drawer comes back to it. */
  address: string
  mid: string
  /** Whose phone it is, and whose messages are read. */
  mobile: string | undefined
  /** Of a payment page. `begins`: nothing is under way yet; `waits`: the payer or the bank is to do something. */
  order?: { orderId: string; stage: 'begins' | 'waits' | 'ended' }
  /** The form that takes a code now, and who has sent the code. */
  code?: { from: 'bank' | 'inbox'; action: string; field: string; carries: Readonly<Record<string, string>> }
}
export type SandboxDrawer = (subject: DrawerSubject) => Promise<Part>

export interface AddedParts extends PageParts {
  logger: FastifyBaseLogger
  /** A browser says that a page tried what its policy forbids. */
  reported(): void
}

export const PAGE_ID_BYTES = 16 // docs/pages.md: 128 bits
export const PAGE_ID_FORM = /^[0-9a-f]{32}$/

const AGENT_LENGTH = 1_000 // ours: of a User-Agent what tells browsers apart

/** What a browser says of itself. */
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

/** The transaction that an address of ours names; the error page where it names none. */
export function transactionIn({ query }: FastifyRequest): { mid: string; txnId: string } {
  const [mid, txnId] = [textIn(query, 'mid') ?? '', textIn(query, 'txnId') ?? '']
  if (!ID_FORM.test(mid) || !ID_FORM.test(txnId)) throw new PageError('unknown')
  return { mid, txnId }
}
