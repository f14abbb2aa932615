// Mohur's own icons. No mark of a bank, a card network or an app appears as a picture.

import { type Html, html } from '../html.ts'

const icon = (paths: Html): Html =>
  html`<svg class="icon" viewBox="0 0 28 28" width="28" height="28" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`

export const icons = {
  upi: icon(
    html`<rect x="4" y="4" width="8" height="8" rx="1.5"/><rect x="16" y="4" width="8" height="8" rx="1.5"/><rect x="4" y="16" width="8" height="8" rx="1.5"/><path d="M16 16h3v3h-3zM21 21h3v3h-3zM21 16h3M16 22v2"/>`,
  ),
  card: icon(html`<rect x="3" y="6" width="22" height="16" rx="3"/><path d="M3 11.5h22M7 17.5h5"/>`),
  bank: icon(html`<path d="M4 11 14 4l10 7zM6 11v10M11.5 11v10M16.5 11v10M22 11v10M4 23h20"/>`),
  wallet: icon(html`<rect x="3" y="7" width="22" height="15" rx="3"/><path d="M19 13h6v4h-6a2 2 0 0 1 0-4zM7 7l11-3v3"/>`),
  emi: icon(html`<rect x="4" y="5" width="20" height="19" rx="3"/><path d="M4 11h20M9 3v4M19 3v4M9 16h3M16 16h3M9 20h3"/>`),
  later: icon(html`<circle cx="14" cy="14" r="10"/><path d="M14 8v6l4 3"/>`),
  offer: html`<svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.8" aria-hidden="true"><path d="M3 10.5V4a1 1 0 0 1 1-1h6.5L17 9.5 10.5 16z"/><circle cx="7" cy="7" r="1.2"/></svg>`,
  done: html`<svg class="sign" viewBox="0 0 48 48" width="56" height="56" fill="none" stroke="currentColor" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="24" cy="24" r="21"/><path d="m14.5 24.5 6.5 6.5 12.5-13"/></svg>`,
  ended: html`<svg class="sign ended" viewBox="0 0 48 48" width="56" height="56" fill="none" stroke="currentColor" stroke-width="3.4" stroke-linecap="round" aria-hidden="true"><circle cx="24" cy="24" r="21"/><path d="M24 14v12M24 33v.2"/></svg>`,
}
