// The states of a merchant, and its moves between them: docs/decisions/0027.

import type { Row } from '../../tables/tables.ts'

export type Merchant = Row<'merchants'>

/** The complete list of a merchant's moves. */
export const transitions = {
  ACTIVE: { disable: 'DISABLED' },
  DISABLED: { enable: 'ACTIVE' },
} as const satisfies Record<Merchant['status'], Record<string, Merchant['status']>>

/** New orders and payments of a disabled merchant get the answers for an unknown one. */
export const takesPayments = (merchant: Merchant | undefined): merchant is Merchant => merchant?.status === 'ACTIVE'

const WEBSITE_FORM = /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9])?$/ // 64 characters: section 8 (Mohur)
/** A name is a key of the merchant's `websites`, so it must not be a member that every object has. */
export const isWebsiteName = (name: string): boolean => WEBSITE_FORM.test(name) && !(name in Object.prototype) && name !== 'prototype'
export const WEBSITE_TAKES = '1 to 64 letters, digits, spaces, ".", "_" or "-", and begins and ends with a letter or digit'
