// Asks for a refund, in either form, and decides what makes two requests the same refund (docs/interface.md section 4.14).

import type { Vault } from '../../adapters/store/vault.ts'
import { type ApplyRefund, applyRefund } from '../../domain/refund/apply-refund.ts'
import type { Reply } from '../../engine/decision.ts'
import { numberAt } from '../../engine/number-at.ts'
import type { Ports } from '../../flows/ports.ts'
import { toPaise } from '../../interface/money.ts'
import type { Signed } from '../../interface/wire.ts'
import { look } from '../../tables/tables.ts'

/**
 * One refId is one refund. The same request may have just made the refund in another process. A refusal here may then be about that refund:
 * this process read the refund before that commit, and the payment after it. So it decides once more. `checksum` is the flat form's.
 */
export async function askForRefund(
  { engine, query, clock, fresh, vault }: Pick<Ports, 'engine' | 'query' | 'clock' | 'fresh' | 'vault'>,
  request: ApplyRefund['request'],
  { signature }: Signed,
  checksum?: string,
): Promise<Reply> {
  const now = clock.now()
  const contentHash = refundContentHash(vault, request)
  const command = {
    ...{ request, contentHash, caller: { signature }, now },
    ...(checksum !== undefined && { checksumHash: vault.hash('refundChecksum', checksum) }),
    fresh: { refundId: numberAt(now, fresh) },
  }
  const reply = await engine.submit(applyRefund, command)
  if (reply.body || signature !== 'valid') return reply
  return (await query.row(look('refunds', request.mid, request.refId))) ? engine.submit(applyRefund, command) : reply
}

/** All members of the request, in one spelling. The order of members does not matter, nor does an amount's number of decimals. */
const refundContentHash = (vault: Vault, { refundAmount, ...given }: ApplyRefund['request']): string =>
  vault.hash(
    'refundContent',
    JSON.stringify({ ...given, refundAmount: toPaise(refundAmount) }, (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    ),
  )
