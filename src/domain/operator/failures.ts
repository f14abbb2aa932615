// Wrong passwords and codes, counted for an account from one network, and for the network alone: docs/console.md. Nobody locks an account for others.

import { lasts } from '../../engine/clock.ts'
import type { Change } from '../../engine/decision.ts'
import { signInFailuresKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'

type Failures = Row<'signInFailures'> | undefined

const [PAIR_MAX, PAIR_WAITS_MS] = [10, 30 * 60_000] // docs/console.md; PCI DSS 8.3.4
const [NETWORK_MAX, HOUR_MS] = [100, 60 * 60_000] // docs/console.md
/** Rows that nobody counts any longer. */
export const FAILURES_KEPT_MS = HOUR_MS

export const ofPair = (emailHash: string, network: string) => signInFailuresKey(emailHash, network)
export const ofNetwork = (network: string) => signInFailuresKey('', network)

const lately = (row: Failures, ms: number, now: number) => (row?.failedAt ?? []).filter((at) => lasts(at, ms, now))

/** Whether a try is not even looked at. */
export const waits = ({ pair, network, now }: { pair: Failures; network: Failures; now: number }): boolean =>
  lately(pair, PAIR_WAITS_MS, now).length >= PAIR_MAX || lately(network, HOUR_MS, now).length >= NETWORK_MAX

/** Both counts raised by one; `nth` is the pair's. */
export function failed({ emailHash, at: { network, now }, rows }: FailedTry): { changes: Change[]; nth: number } {
  const raised = (row: Failures, hash: string, ms: number): Change => {
    const key = signInFailuresKey(hash, network)
    const failedAt = [...lately(row, ms, now), now]
    return { kind: row ? 'update' : 'insert', key, row: { emailHash: hash, network, failedAt, lastAt: now } }
  }
  const changes = [raised(rows.pair, emailHash, PAIR_WAITS_MS), raised(rows.network, '', HOUR_MS)]
  return { changes, nth: lately(rows.pair, PAIR_WAITS_MS, now).length + 1 }
}
interface FailedTry {
  emailHash: string
  at: { network: string; now: number }
  rows: { pair: Failures; network: Failures }
}

/** The audit log has a pair's first failure and the one that makes it wait. */
export const isWritten = (nth: number): boolean => nth === 1 || nth === PAIR_MAX

/** A pair that has succeeded begins anew; the network's count stays. */
export const cleared = (pair: Failures): Change[] =>
  pair ? [{ kind: 'delete', key: signInFailuresKey(pair.emailHash, pair.network) }] : []
