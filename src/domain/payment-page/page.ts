// How long a payment page is open: docs/pages.md.

import { lastsUntil } from '../../engine/clock.ts'
import type { Row } from '../../tables/tables.ts'

export type Page = Row<'pages'>

export const PAGE_VALIDITY_MS = 15 * 60_000 // docs/pages.md
export const EXTENSIONS_MAX = 10 // docs/pages.md: WCAG 2.2, criterion 2.2.1

export const openUntil = ({ expiresAt }: Pick<Row<'orders'>, 'expiresAt'>, now: number) => Math.min(now + PAGE_VALIDITY_MS, expiresAt)

export const mayOpen = (order: Pick<Row<'orders'>, 'expiresAt'>, now: number) => openUntil(order, now) > now

export const isOpen = ({ until }: Pick<Page, 'until'>, now: number) => lastsUntil(until, PAGE_VALIDITY_MS, now)

/** True when the payer would get more time. */
export const mayExtend = (page: Page, order: Pick<Row<'orders'>, 'expiresAt'>, now: number) =>
  isOpen(page, now) && page.extensions < EXTENSIONS_MAX && openUntil(order, now) > page.until
