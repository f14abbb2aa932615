// The bench without load: its arguments, its tables, its picture, and what docs/benchmarks.md says of them.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import { optionLines, readArguments } from '../../bench/arguments.ts'
import type { Figure } from '../../bench/bench.ts'
import { inTurns, processorTime } from '../../bench/pairs.ts'
import { parts } from '../../bench/parts.ts'
import { plot } from '../../bench/plot.ts'
import { report } from '../../bench/report.ts'
import { cells } from '../support/text/markdown.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/benchmarks.md'), 'utf8')
const picture = readFileSync(join(root, 'docs/pictures/processor-time.svg'), 'utf8')

test('the bench measures the parts that are named, else all but the heavy ones', () => {
  const named = readArguments(['peers', 'create', '--orders', '5', '--store', 'sqlite', '--plot', 'x.svg'])
  assert.ok(named.does === 'measure')
  assert.deepEqual([named.names, named.options.orders, named.options.stores, named.plot], [['peers', 'create'], 5, ['sqlite'], 'x.svg'])
  const all = readArguments([])
  assert.ok(all.does === 'measure')
  assert.deepEqual([all.names.includes('create'), all.names.includes('peers'), all.json], [true, false, 'bench/last.json'])
})

test('the bench names in one line an option, a part or a value that it does not know', () => {
  const faults = {
    '--nonsense': /Unknown option '--nonsense'/,
    nonsense: /no part is called nonsense/,
    constructor: /no part is called constructor/,
    'create --rounds': /Option '--rounds <value>' argument missing/,
    'create --rounds 0': /--rounds must be a whole number from 1/,
    'create --orders many': /--orders must be a whole number from 1/,
    'create --store oracle': /--store must be one of sqlite, postgres, both/,
    'create --against /nowhere': /\/nowhere is no checkout/,
    'promo --against ..': /--against needs one of the parts create, drained, fresh,/,
    'create --plot x.svg': /--plot needs the part peers/,
    'create --keep /tmp': /--keep needs the part search/,
  }
  for (const [line, fault] of Object.entries(faults)) {
    const refused = readArguments(line.split(' '))
    assert.ok(refused.does === 'refuse', line)
    assert.match(refused.text, fault)
    assert.doesNotMatch(refused.text, /\n/)
  }
})

test('the bench ends with 2 and one line after a wrong argument, and with its use after --help', () => {
  const run = (...given: string[]) => spawnSync(process.execPath, [join(root, 'bench/bench.ts'), ...given], { encoding: 'utf8' })
  const refused = run('--nonsense')
  assert.deepEqual(
    [refused.status, refused.stdout, refused.stderr],
    [2, '', "bench: Unknown option '--nonsense' (npm run bench -- --help)\n"],
  )
  const { status, stdout, stderr } = run('--help')
  assert.deepEqual([status, stderr], [0, ''])
  for (const [name, { about }] of Object.entries(parts)) assert.match(stdout, new RegExp(`^  ${name}\\*? +${plain(about)}$`, 'm'))
  for (const [name, { about }] of Object.entries(optionLines)) assert.match(stdout, new RegExp(`^  --${name} .*${plain(about)}$`, 'm'))
})
const plain = (about: string) => RegExp.escape(about.replaceAll('`', ''))

test('docs/benchmarks.md lists every part with its sentence, and no other', () => {
  assert.deepEqual(
    cells(page.split('<!-- parts:')[1]!.split('\n\n')[0]!).slice(1),
    Object.entries(parts).map(([name, { about, isHeavy }]) => [`\`${name}\`${isHeavy ? ' *' : ''}`, about]),
  )
})

const rounds = [90, 100, 120, 110].map((cpuMicros, at) => ({
  now: { cpuMicros, postgresMicros: 50, perSecond: 5_000 + at },
  before: { cpuMicros: 100, postgresMicros: 50, perSecond: 4_000 },
}))

const rest: Figure[] = [{ what: 'create, p99', figure: 24.12, unit: 'ms', bar: { atMost: 25 } }]

test('a report begins with processor time, PostgreSQL’s part, the ratio and the rate; a figure that misses its bar is bold', () => {
  const time = processorTime('create', rounds, { time: { atMost: 1 }, rate: { atLeast: 0.97 } })
  const [lead, after] = report([...rest, time]).split('\n\n')
  assert.deepEqual(cells(lead!), [
    [
      ...['Processor time for one', 'Median (quartiles)', 'Of it PostgreSQL', 'Before', 'Ratio (quartiles)', 'Bar'],
      ...['A second', 'Before', 'Ratio (quartiles)', 'Bar'],
    ],
    [
      ...['create', '155 µs (150 to 170)', '50 µs', '150 µs', '**1.033** (1.000 to 1.133)', 'ratio ≤ 1'],
      ...['5,002 (5,001 to 5,003)', '4,000', '1.250 (1.250 to 1.251)', 'ratio ≥ 0.97'],
    ],
  ])
  assert.deepEqual(cells(after!), [
    ['What', 'Median (quartiles)', 'Bar'],
    ['create, p99', '24.1 ms', '≤ 25'],
  ])
})

test('a report has a line for each peer, with what it leaves out, before all else', () => {
  const rate = { what: 'paid: Mohur, SQLite', unit: 'per second', figure: 700 } as const
  const toPeer = { to: 'a peer', figure: 0.9, quartiles: [0.8, 1] as const }
  const created: Figure = { what: 'created: a peer', unit: 'µs', figure: 1_500, postgres: 500, leavesOut: 'ledger', rate }
  const paid: Figure = {
    what: rate.what,
    unit: 'µs',
    figure: 1_000,
    leavesOut: '–',
    rate: { ...rate, ratio: { ...toPeer, bar: { atLeast: 1 } } },
  }
  const [lead] = report([...rest, { ...created, ratio: { ...toPeer, to: 'Mohur, SQLite' } }, paid]).split('\n\n')
  assert.deepEqual(cells(lead!).slice(1), [
    ['a peer', '1,500 µs (500)', '0.90', '700', '', '', 'ledger'],
    ['Mohur, SQLite', '', '', '', '1,000 µs', '700, **0.90** of a peer (≥ 1)', '–'],
  ])
})

test('every round measures each once, and another one begins', async () => {
  const order: string[] = []
  const measured = await inTurns(['x', 'y', 'z'], 3, async (one, name) => `${one} ${order.push(one)} ${name}`, String)
  assert.deepEqual(order.join(''), 'yzxzxyxyz')
  assert.deepEqual(measured[1], ['x 5 A1', 'y 6 B1', 'z 4 C1'])
})

const peer = (what: string, figure: number, postgres?: number): Figure => ({ what, figure, unit: 'µs', postgres, leavesOut: '–' })

test('the picture has a bar as long as each processor time, with PostgreSQL’s part at its end, and says all of it in words', () => {
  const figures = [peer('created: Mohur, SQLite', 100), peer('created: A & B', 200, 50), peer('paid: Mohur, SQLite', 1_000)]
  const svg = plot([...figures, { what: 'start: warm', figure: 1, unit: 's' }], '2 × a processor')
  const rows = elements(svg, 'rect').filter(({ width }) => width !== '100%' && width !== '12.0')
  assert.deepEqual(
    rows.map(({ width }) => Number(width) / Number(rows[0]!['width'])),
    [1, 1.5, 0.5, 2],
  )
  assert.equal(Number(rows[2]!['x']), Number(rows[1]!['x']) + Number(rows[1]!['width']))
  assert.match(svg, /created, Mohur, SQLite: 100 µs; created, A &amp; B: 200 µs; paid, Mohur, SQLite: 1000 µs</)
  assert.match(svg, /2 × a processor/)
})

test('docs/benchmarks.md shows the picture, and its table has the picture’s figures', () => {
  assert.match(page, /!\[[^\]]+\]\(pictures\/processor-time\.svg\)/)
  const drawn = /<desc id="all">([^<]+)</.exec(picture)![1]!.split('; ')
  assert.ok(drawn.length >= 10, String(drawn))
  const rows = new Map(cells(page.split('<!-- peers:')[1]!.split('\n\n')[0]!).map((row) => [row[0], row]))
  for (const each of drawn) {
    const [, kind, name, micros] = /^(\w+), (.*): (\d+) µs$/.exec(each)!
    const cell = rows.get(name)?.[kind === 'created' ? 1 : 4]
    assert.match(String(cell), new RegExp(`^\\*{0,2}${Number(micros).toLocaleString('en')} µs`), each)
  }
})

/** The attributes of every element of this name. */
function elements(svg: string, name: string): Record<string, string>[] {
  const found = (node: DefaultTreeAdapterTypes.ChildNode): Record<string, string>[] => {
    if (!('tagName' in node)) return []
    const own = node.tagName === name ? [Object.fromEntries(node.attrs.map((attribute) => [attribute.name, attribute.value]))] : []
    return [...own, ...node.childNodes.flatMap(found)]
  }
  return parseFragment(svg).childNodes.flatMap(found)
}
