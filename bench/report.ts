// How figures are printed: processor time for one first, with the rate beside it, then all else. A figure in bold misses its bar.

import type { Bar, Figure, Ratio } from './bench.ts'

/** Markdown. Columns that no figure fills are left out. */
export function report(figures: readonly Figure[]): string {
  const leads = figures.filter(({ unit }) => unit === 'µs')
  const rest = figures.filter(({ unit }) => unit !== 'µs')
  return [
    table(
      ['Processor time for one', 'Median (quartiles)', 'Of it PostgreSQL', ...COMPARED, 'A second', ...COMPARED, 'Leaves out'],
      leads.map(({ rate, ...figure }) => [
        figure.what,
        spread(figure),
        figure.postgres === undefined ? '' : shown(figure.postgres, 'µs'),
        ...compared(figure),
        rate ? spread(rate) : '',
        ...(rate ? compared(rate) : ['', '', '']),
        figure.leavesOut ?? '',
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

const COMPARED = ['Before', 'Ratio (quartiles)', 'Bar'] as const

const compared = ({ before, unit, ratio, bar }: Figure): string[] => [
  before === undefined ? '' : shown(before, unit),
  ratio ? `${spread({ ...ratio, unit: 'ratio' })}${ratio.to === 'before' ? '' : ` of ${ratio.to}`}` : '',
  [bar ? barText(bar) : '', ratio?.bar ? `ratio ${barText(ratio.bar)}` : ''].filter(Boolean).join('; '),
]

const barText = ({ atLeast, atMost }: Bar) => (atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`)

function spread({ figure, quartiles, unit, bar }: Pick<Figure, 'figure' | 'quartiles' | 'unit' | 'bar'> | (Ratio & { unit: 'ratio' })) {
  const text = isReached(figure, bar) ? shown(figure, unit) : `**${shown(figure, unit)}**`
  return quartiles ? `${text} (${quartiles.map((each) => number(each, unit)).join(' to ')})` : text
}

const shown = (figure: number, unit: Figure['unit']) => `${number(figure, unit)}${UNITLESS.has(unit) ? '' : ` ${unit}`}`
const UNITLESS = new Set<Figure['unit']>(['ratio', 'per second', ''])

const number = (figure: number, unit: Figure['unit']) =>
  unit === 'ratio'
    ? figure.toFixed(3)
    : figure >= 1_000
      ? Math.round(figure).toLocaleString('en')
      : figure.toFixed(figure >= 100 ? 0 : figure >= 10 ? 1 : 2)

const isReached = (figure: number, bar: Bar | undefined) =>
  figure >= (bar?.atLeast ?? Number.NEGATIVE_INFINITY) && figure <= (bar?.atMost ?? Number.POSITIVE_INFINITY)

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const kept = head.map((_, at) => rows.some((row) => row[at] !== ''))
  const line = (cells: readonly string[]) => `| ${cells.filter((_, at) => kept[at]).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
