// The files that run or draw in a payer's browser, for the people who account for them (PCI DSS 6.4.3 and 11.6.1).

import { type Assets, assetAddressOf } from './assets.ts'

/** The text that docs/payment-page.manifest.json must have. */
export const manifestOf = ({ all }: Assets): string =>
  `${JSON.stringify(
    all.map((asset) => ({ file: assetAddressOf(asset), integrity: asset.integrity, purpose: asset.purpose })),
    undefined,
    2,
  )}\n`
