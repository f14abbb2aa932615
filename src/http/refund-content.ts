// What makes a refund the same refund: all that was asked for, in one spelling. The order of members does not matter, nor how
// many decimals an amount has (docs/interface.md section 4.14).

import { toPaise } from '../interface/money.ts'
import type { Vault } from '../store/vault.ts'

export const refundContentHash = (vault: Vault, { refundAmount, ...given }: { refundAmount: string }): string =>
  vault.hash(
    'refundContent',
    JSON.stringify({ ...given, refundAmount: toPaise(refundAmount) }, (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    ),
  )
