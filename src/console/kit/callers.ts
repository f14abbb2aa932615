// The caller who tries a password or a code: docs/console.md, "Wrong tries". A browser that the person used before shows a cookie. The
// cookie chooses where a try waits and how it counts, and grants no access.

import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Vault } from '../../adapters/store/vault.ts'
import { type Caller, networkTries, ownTries, waits } from '../../domain/operator/failures.ts'
import { KNOWN_BROWSER_MS, type Operator } from '../../domain/operator/operator.ts'
import { lasts } from '../../engine/clock.ts'
import { networkOf } from '../../http/networks.ts'
import { headerOf } from '../../http/request-headers.ts'
import { ConsoleError } from './console-error.ts'
import { knownIn } from './cookie.ts'
import type { ConsoleParts, Viewer } from './parts.ts'
import type { Line } from './passwords.ts'

type Hashing = Pick<Vault, 'hash'>
type Person = Pick<Operator, 'emailHash' | 'passwordVersion'>
const NO_PASSWORD_YET = 0

/** The cookie of a browser in which this person signed in at this time. */
export const knownBrowser = (vault: Hashing, { emailHash, passwordVersion }: Person, at: number): string =>
  `${at.toString(36)}.${vault.hash('console known browser', `${emailHash}|${passwordVersion}|${at}`)}`

/** For an unknown address this takes the same steps. */
function isKnownBrowser(
  cookie: string,
  { vault, clock }: ConsoleParts['ports'],
  emailHash: string,
  operator: Operator | undefined,
): boolean {
  const at = Number.parseInt(cookie, 36)
  const made = knownBrowser(vault, { emailHash, passwordVersion: operator?.passwordVersion ?? NO_PASSWORD_YET }, at)
  const now = clock.realNow()
  const isSame = made.length === cookie.length && timingSafeEqual(Buffer.from(made), Buffer.from(cookie))
  return isSame && operator?.status === 'ACTIVE' && lasts(at, KNOWN_BROWSER_MS, now)
}

/** The caller that tries to sign in as this person. */
export function callerOf(request: FastifyRequest, parts: ConsoleParts, emailHash: string, operator: Operator | undefined): Caller {
  const cookie = knownIn(headerOf(request.raw.rawHeaders, 'cookie'), parts.consoleUrl())
  if (cookie === undefined || !isKnownBrowser(cookie, parts.ports, emailHash, operator))
    return { kind: 'network', name: networkOf(request.ip) }
  return { kind: 'browser', name: parts.ports.vault.hash('console browser tries', cookie) }
}

/** A signed-in person is a caller by their session: strangers may share their network. */
export const callerIn = ({ session }: Viewer): Caller => ({ kind: 'session', name: session.sessionHash })

/** The line in which the caller's password comparison waits. */
export const lineOf = ({ kind }: Caller): Line => (kind === 'network' ? 'stranger' : 'known')

/** `work` compares and counts. Tries of one caller at one account run one after the other: each is counted before the next is compared. */
export const tried = <T>(parts: ConsoleParts, emailHash: string, caller: Caller, work: () => Promise<T>): Promise<T> =>
  parts.tries.inTurn(ownTries(emailHash, caller).name, async () => {
    await refuseWaiting(parts, emailHash, caller)
    return work()
  })

/**
 * Refuses a caller that has to wait, before its password is compared. So the caller's guesses take no turn from others. The decision checks
 * the wait again.
 */
async function refuseWaiting({ ports }: ConsoleParts, emailHash: string, caller: Caller) {
  const ofNetwork = networkTries(caller)
  const [own, network] = await Promise.all([ports.query.row(ownTries(emailHash, caller)), ofNetwork && ports.query.row(ofNetwork)])
  if (waits({ own, network }, ports.clock.realNow())) throw new ConsoleError('waits')
}
