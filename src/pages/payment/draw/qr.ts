// A QR code as one path of an SVG. It draws dark modules row by row, run by run, within the four light modules that readers need.

import { correction, generate } from 'lean-qr'
import { type Html, html } from '../../html.ts'

const QUIET = 4 // ISO/IEC 18004

/** `label` describes the code to people who cannot see it. */
export function qrCode(text: string, label: string): Html {
  const code = generate(text, { minCorrectionLevel: correction.M })
  const runs: string[] = []
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) {
      if (!code.get(x, y)) continue
      const from = x
      while (code.get(x + 1, y)) x++
      runs.push(`M${from + QUIET} ${y + QUIET}h${x - from + 1}v1H${from + QUIET}z`)
    }
  }
  const side = code.size + 2 * QUIET
  return html`<svg class="code" viewBox="0 0 ${side} ${side}" width="200" height="200" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path fill="#000" d="${runs.join('')}"/></svg>`
}
