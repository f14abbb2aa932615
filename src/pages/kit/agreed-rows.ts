// The terms that a payer agrees to with a subscription, as rows. The payment page shows the rows before the agreement. The mandate's page
// shows them after the agreement.

import { dayBegins } from '../../engine/clock.ts'
import type { Row } from '../../tables/tables.ts'
import { html } from '../html.ts'
import { dayOf, formatRupees } from './amounts.ts'
import type { Rows } from './layout.ts'
import type { Catalogue, Language } from './messages/messages.ts'

export function agreedRows(
  { texts: { mandate }, language }: { texts: Catalogue; language: Language },
  { amountType, maxAmountPaise, frequencyUnit, frequency, startDate, expiryDate, details: { purpose } }: Row<'subscriptions'>,
): Rows {
  return [
    // In the merchant's own words.
    ...(purpose === undefined ? [] : [[mandate.purpose, html`<bdi>${purpose}</bdi>`] as const]),
    [mandate.amount, (amountType === 'FIX' ? mandate.fixed : mandate.variable)(formatRupees(maxAmountPaise))],
    [mandate.often, mandate.every[frequencyUnit](frequency)],
    [mandate.from, dayOf(dayBegins(startDate), language)],
    [mandate.until, dayOf(dayBegins(expiryDate), language)],
  ]
}
