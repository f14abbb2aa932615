// An access token opens operations that only read: docs/interface.md section 4.8.

import type { Row } from '../../tables/tables.ts'

export const ACCESS_TOKEN_VALIDITY_MS = 15 * 60_000 // docs/interface.md section 8 (Mohur)
/** 10 to 20 letters, digits and `@ - _ .`: docs/interface.md section 8 (Mohur). */
export const REFERENCE_ID_PATTERN = '^[A-Za-z0-9@._-]{10,20}$'

export const isAlive = (row: Row<'accessTokens'>, tokenHash: string, now: number) => row.tokenHash === tokenHash && now < row.expiresAt
