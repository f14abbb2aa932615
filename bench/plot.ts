// The processor times of `peers` as bars, in an SVG of its own.

import type { Figure } from './bench.ts'
import { nameOf } from './report.ts'

const [WIDTH, LEFT, RIGHT, TOP, ROW, GAP] = [760, 230, 130, 56, 24, 34]
const COLOURS = { service: '#2f6fb0', other: '#8a94a0', postgres: '#d99a2b' }
const HEADINGS: Readonly<Record<string, string>> = {
  created: 'An order created',
  paid: 'An order created and paid; Mohur notifies the merchant too',
}

export function plot(figures: readonly Figure[], caption: string): string {
  const bars = figures.filter(({ leavesOut }) => leavesOut !== undefined).map(barOf)
  const groups = Map.groupBy(bars, ({ kind }) => kind)
  const lines: string[] = []
  let y = TOP
  for (const [kind, group] of groups) {
    const most = Math.max(...group.map(({ micros }) => micros))
    const scale = (micros: number) => ((WIDTH - LEFT - RIGHT) * micros) / most
    lines.push(text(16, y, HEADINGS[kind] ?? kind, 'font-weight="bold"'))
    for (const { name, micros, postgres, isMohur } of group) {
      y += ROW
      const service = scale(micros - postgres)
      lines.push(
        text(LEFT - 8, y, name, 'text-anchor="end"'),
        rect(LEFT, y, service, isMohur ? COLOURS.service : COLOURS.other),
        ...(postgres > 0 ? [rect(LEFT + service, y, scale(postgres), COLOURS.postgres)] : []),
        text(LEFT + scale(micros) + 6, y, `${micros.toFixed(0)} µs`),
      )
    }
    y += GAP
  }
  const all = bars.map(({ kind, name, micros }) => `${kind}, ${name}: ${micros.toFixed(0)} µs`).join('; ')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 8}" role="img" aria-labelledby="title all" font-family="sans-serif" font-size="13">
<title id="title">Processor time of one order</title>
<desc id="all">${escaped(all)}</desc>
<rect width="100%" height="100%" fill="#fff"/>
${text(16, 22, 'Processor time of one order', 'font-size="16" font-weight="bold"')}
${legend()}
${lines.join('\n')}
${text(16, y - 8, `Median of the rounds; 64 connections; shorter is better. ${caption}`, 'font-size="11"')}
</svg>
`
}

function barOf(of: Figure) {
  const name = nameOf(of)
  return {
    kind: of.what.slice(0, -`: ${name}`.length),
    name,
    micros: of.figure,
    postgres: of.postgres ?? 0,
    isMohur: name.startsWith('Mohur'),
  }
}

const legend = () =>
  [
    ['Mohur', COLOURS.service],
    ['another server', COLOURS.other],
    ['PostgreSQL', COLOURS.postgres],
  ]
    .map(([name, colour], at) => `${rect(330 + at * 140, 22, 12, colour!)}${text(348 + at * 140, 22, name!)}`)
    .join('\n')

const rect = (x: number, y: number, width: number, colour: string) =>
  `<rect x="${x.toFixed(1)}" y="${y - 13}" width="${width.toFixed(1)}" height="16" fill="${colour}"/>`
const text = (x: number, y: number, words: string, more = '') =>
  `<text x="${x.toFixed(1)}" y="${y}" fill="#222" ${more}>${escaped(words)}</text>`
const escaped = (words: string) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
