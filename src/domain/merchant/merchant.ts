// What a merchant is and may become: docs/decisions/0027.

import type { Row } from '../../tables/tables.ts'

export type Merchant = Row<'merchants'>

/** Every move a merchant can make. */
export const transitions = {
  ACTIVE: { disable: 'DISABLED' },
  DISABLED: { enable: 'ACTIVE' },
} as const satisfies Record<Merchant['status'], Record<string, Merchant['status']>>

/** New orders and payments of another are answered as those of a merchant that nobody knows. */
export const takesPayments = (merchant: Merchant | undefined): merchant is Merchant => merchant?.status === 'ACTIVE'
