// Counts wrong passwords and codes: for an account and its caller, and for a network alone (docs/console.md). So no caller can lock an
// account for other callers.

import { lasts } from '../../engine/clock.ts'
import type { Change } from '../../engine/decision.ts'
import { signInFailuresKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'

type Failures = Row<'signInFailures'> | undefined

const [OWN_MAX, OWN_WAITS_MS] = [10, 30 * 60_000] // docs/console.md; PCI DSS 8.3.4
const [NETWORK_MAX, HOUR_MS] = [100, 60 * 60_000] // docs/console.md
export const FAILURES_KEPT_MS = HOUR_MS

/**
 * The origin of a try: a network, a browser in which the person signed in before, or a session. A keyed hash names a browser or a session.
 */
export interface Caller {
  kind: 'network' | 'browser' | 'session'
  name: string
}

export const ownTries = (emailHash: string, { kind, name }: Caller) =>
  signInFailuresKey(emailHash, kind === 'network' ? name : `${kind} ${name}`)
/** The key of a network's count for all accounts. Undefined for a known browser or a session, because strangers share the network. */
export const networkTries = ({ kind, name }: Caller) => (kind === 'network' ? signInFailuresKey('', name) : undefined)

const lately = (row: Failures, ms: number, now: number) => (row?.failedAt ?? []).filter((at) => lasts(at, ms, now))

interface Tries {
  own: Failures
  network: Failures
}

/** True when a try is refused without being checked. */
export const waits = ({ own, network }: Tries, now: number): boolean =>
  lately(own, OWN_WAITS_MS, now).length >= OWN_MAX || lately(network, HOUR_MS, now).length >= NETWORK_MAX

/** Raises each count by one. `nth` is the caller's own count. */
export function failed({ emailHash, caller, now, tries: { own, network } }: FailedTry): { changes: Change[]; nth: number } {
  const raised = (row: Failures, key: ReturnType<typeof ownTries>, ms: number): Change => {
    const [hash = '', name = ''] = key.id
    const failedAt = [...lately(row, ms, now), now]
    return { kind: row ? 'update' : 'insert', key, row: { emailHash: hash, caller: name, failedAt, lastAt: now } }
  }
  const ofNetwork = networkTries(caller)
  const changes = [raised(own, ownTries(emailHash, caller), OWN_WAITS_MS), ...(ofNetwork ? [raised(network, ofNetwork, HOUR_MS)] : [])]
  return { changes, nth: lately(own, OWN_WAITS_MS, now).length + 1 }
}
interface FailedTry {
  emailHash: string
  caller: Caller
  now: number
  tries: Tries
}

/** True for the failures that the audit log records. They are a caller's first failure, and the failure that makes the caller wait. */
export const isWritten = (nth: number): boolean => nth === 1 || nth === OWN_MAX

/**
 * A success deletes the caller's count. The network's count stays. A known browser's count stays too, because the success gives the browser
 * a cookie with a new count.
 */
export const cleared = ({ kind }: Caller, own: Failures): Change[] =>
  own && kind !== 'browser' ? [{ kind: 'delete', key: signInFailuresKey(own.emailHash, own.caller) }] : []
