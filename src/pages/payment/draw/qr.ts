// A QR code as one path of an SVG, within the four light modules that readers need. The script draws the same code from the same numbers
// (src/browser/upi-in-place.js).

import { correction, generate } from 'lean-qr'
import { type Html, html } from '../../html.ts'

const QUIET = 4 // ISO/IEC 18004

export interface CodeRuns {
  side: number
  /** Runs of dark modules: column, row and length, one after the other. */
  runs: readonly number[]
}

export function codeRuns(text: string): CodeRuns {
  const code = generate(text, { minCorrectionLevel: correction.M })
  const runs: number[] = []
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) {
      if (!code.get(x, y)) continue
      const from = x
      while (code.get(x + 1, y)) x++
      runs.push(from + QUIET, y + QUIET, x - from + 1)
    }
  }
  return { side: code.size + 2 * QUIET, runs }
}

/** `label` describes the code to people who cannot see it. */
export function qrCode(text: string, label: string): Html {
  const { side, runs } = codeRuns(text)
  let path = ''
  for (let at = 0; at < runs.length; at += 3) path += `M${runs[at]} ${runs[at + 1]}h${runs[at + 2]}v1H${runs[at]}z`
  return html`<svg class="code" viewBox="0 0 ${side} ${side}" width="200" height="200" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path fill="#000" d="${path}"/></svg>`
}
