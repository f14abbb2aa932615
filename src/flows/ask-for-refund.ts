// Asks for a refund, in either form or by a person of the operator's staff. It decides what makes two requests the same refund
// (docs/interface.md section 4.14).

import type { Vault } from '../adapters/store/vault.ts'
import { type ApplyRefund, applyRefund } from '../domain/refund/apply-refund.ts'
import type { Reply } from '../engine/decision.ts'
import { numberAt } from '../engine/number-at.ts'
import { toPaise } from '../interface/money.ts'
import type { Signed } from '../interface/wire.ts'
import type { Ports } from './ports.ts'

const [TIME_DIGITS, SHORT_HASH_DIGITS] = [13, 15] // of the form's number; of 48 bits

/** `checksum` is the flat form's. */
type RefundAsked = Signed & Pick<ApplyRefund, 'version' | 'mostPaise'> & { checksum?: string | undefined }

export const askForRefund = (
  ports: Pick<Ports, 'engine' | 'clock' | 'fresh' | 'vault'>,
  request: ApplyRefund['request'],
  asked: RefundAsked,
): Promise<Reply> => ports.engine.submit(applyRefund, refundCommand(ports, request, asked))

/** The refId of a person's form. It begins with the form's time. A merchant cannot foresee the rest, so no refund of theirs takes it first. */
export const refIdOf = (vault: Pick<Vault, 'shortHash'>, formId: string): string =>
  `C${formId.slice(0, TIME_DIGITS)}${String(vault.shortHash('console refund', formId)).padStart(SHORT_HASH_DIGITS, '0')}`

export function refundCommand(
  { clock, fresh, vault }: Pick<Ports, 'clock' | 'fresh' | 'vault'>,
  request: ApplyRefund['request'],
  { signature, checksum, ...limits }: RefundAsked,
): ApplyRefund {
  const now = clock.now()
  return {
    ...{ request, contentHash: refundContentHash(vault, request), caller: { signature }, now, ...limits },
    ...(checksum !== undefined && { checksumHash: vault.hash('refundChecksum', checksum) }),
    fresh: { refundId: numberAt(now, fresh) },
  }
}

/** All members of the request, in one spelling. The order of members does not matter, nor does an amount's number of decimals. */
const refundContentHash = (vault: Pick<Vault, 'hash'>, { refundAmount, ...given }: ApplyRefund['request']): string =>
  vault.hash(
    'refundContent',
    JSON.stringify({ ...given, refundAmount: toPaise(refundAmount) }, (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    ),
  )
