// How figures are printed: peers beside Mohur, then processor time for one with the rate beside it, then all else. A figure in bold misses
// its bar.

import type { Bar, Figure, Ratio } from './bench.ts'

/** Markdown. Columns that no figure fills are left out. */
export function report(figures: readonly Figure[]): string {
  const [ofPeers, others] = split(figures, ({ leavesOut }) => leavesOut !== undefined)
  const [leads, rest] = split(others, ({ unit }) => unit === 'µs')
  return [
    table(
      ['Server', 'Created (PostgreSQL)', '÷ Mohur', 'A second', 'Paid (PostgreSQL)', '÷ Mohur', 'A second', 'Leaves out'],
      [...Map.groupBy(ofPeers, nameOf)].map(([name, figures]) => [
        name,
        ...peerCells(figures.find(({ what }) => what.startsWith('created: '))),
        ...peerCells(figures.find(({ what }) => what.startsWith('paid: '))),
        figures[0]!.leavesOut!,
      ]),
    ),
    table(
      ['Processor time for one', 'Median (quartiles)', 'Of it PostgreSQL', ...COMPARED, 'A second', ...COMPARED],
      leads.map(({ rate, ...figure }) => [
        figure.what,
        spread(figure),
        figure.postgres === undefined ? '' : shown(figure.postgres, 'µs'),
        ...compared(figure),
        ...(rate ? [spread(rate), ...compared(rate)] : ['', '', '', '']),
      ]),
    ),
    table(
      ['What', 'Median (quartiles)', ...COMPARED],
      rest.map((figure) => [figure.what, spread(figure), ...compared(figure)]),
    ),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function split(figures: readonly Figure[], isFirst: (figure: Figure) => boolean): [Figure[], Figure[]] {
  return [figures.filter(isFirst), figures.filter((figure) => !isFirst(figure))]
}

/** What a figure of `peers` is about: `created: bare node:http`. */
export const nameOf = ({ what }: Figure) => what.slice(what.indexOf(': ') + 2)

function peerCells(figure: Figure | undefined): string[] {
  if (!figure) return ['', '', '']
  const { figure: micros, postgres, ratio, rate } = figure
  const { to, bar, figure: times } = rate?.ratio ?? {}
  return [
    `${shown(micros, 'µs')}${postgres === undefined ? '' : ` (${number(postgres, 'µs')})`}`,
    ratio ? ratio.figure.toFixed(2) : '',
    number(rate!.figure, 'per second') + (bar ? `, ${marked(times!.toFixed(2), isReached(times!, bar))} of ${to} (${barText(bar)})` : ''),
  ]
}

const COMPARED = ['Before', 'Ratio (quartiles)', 'Bar'] as const

const compared = ({ before, unit, ratio, bar }: Figure): string[] => [
  before === undefined ? '' : shown(before, unit),
  ratio ? spread({ ...ratio, unit: 'ratio' }) : '',
  [bar ? barText(bar) : '', ratio?.bar ? `ratio ${barText(ratio.bar)}` : ''].filter(Boolean).join('; '),
]

const barText = ({ atLeast, atMost }: Bar) => (atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`)

function spread({ figure, quartiles, unit, bar }: Pick<Figure, 'figure' | 'quartiles' | 'unit' | 'bar'> | (Ratio & { unit: 'ratio' })) {
  const text = marked(shown(figure, unit), isReached(figure, bar))
  return quartiles ? `${text} (${quartiles.map((each) => number(each, unit)).join(' to ')})` : text
}

const marked = (text: string, isReached: boolean) => (isReached ? text : `**${text}**`)
const shown = (figure: number, unit: Figure['unit']) => `${number(figure, unit)}${UNITLESS.has(unit) ? '' : ` ${unit}`}`
const UNITLESS = new Set<Figure['unit']>(['ratio', 'per second', ''])

function number(figure: number, unit: Figure['unit']): string {
  if (unit === 'ratio') return figure.toFixed(3)
  if (figure >= 1_000) return Math.round(figure).toLocaleString('en')
  return figure.toFixed(figure >= 100 || unit === 'µs' ? 0 : figure >= 10 ? 1 : 2)
}

const isReached = (figure: number, bar: Bar | undefined) =>
  figure >= (bar?.atLeast ?? Number.NEGATIVE_INFINITY) && figure <= (bar?.atMost ?? Number.POSITIVE_INFINITY)

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const kept = head.map((_, at) => rows.some((row) => row[at] !== ''))
  const line = (cells: readonly string[]) => `| ${cells.filter((_, at) => kept[at]).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
