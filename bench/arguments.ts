// What the command line of the bench says: its parts and options, or one line about what is wrong with it.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Options } from './bench.ts'
import { comparing, parts } from './parts.ts'
import { CHECKOUT, checkoutAt } from './processes.ts'
import { storesOf } from './stores.ts'

interface OptionLine {
  value: string
  about: string
}
export const optionLines: Readonly<Record<string, OptionLine>> = {
  against: {
    value: 'FOLDER',
    about: `gives the service of another checkout the same load in turn; for ${comparing().join(', ')}`,
  },
  checkout: { value: 'FOLDER', about: "measures that checkout's service, except in `decay`, `due`, `list` and `promo`" },
  rounds: { value: 'N', about: 'rounds that count' },
  orders: { value: 'N', about: 'orders, tasks or mandates in a round; `peers` pays a quarter of them' },
  store: { value: 'NAME', about: '`sqlite`, `postgres` or `both`' },
  keep: { value: 'FOLDER', about: '`search` fills its stores there once, and measures them again afterwards' },
  json: { value: 'FILE', about: 'where the figures go instead of bench/last.json' },
  plot: { value: 'FILE', about: 'draws the processor times of `peers` as SVG' },
}

export type Arguments =
  | { does: 'measure'; names: readonly string[]; options: Options; json: string; plot: string | undefined }
  | { does: 'help'; text: string }
  | { does: 'refuse'; text: string }

export function readArguments(given: readonly string[]): Arguments {
  try {
    return understood(given)
  } catch (error) {
    const [fault] = (error as Error).message.split(/\.? To specify|\n/)
    return { does: 'refuse', text: `bench: ${fault} (npm run bench -- --help)` }
  }
}

function understood(given: readonly string[]): Arguments {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    args: [...given],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      ...{ against: text, checkout: text, rounds: text, orders: text, store: text, keep: text, json: text, plot: text },
    },
  })
  if (values.help) return { does: 'help', text: usage() }
  for (const name of positionals) if (!Object.hasOwn(parts, name)) throw new Error(`no part is called ${name}`)
  const names = positionals.length > 0 ? positionals : Object.keys(parts).filter((name) => !parts[name]!.isHeavy)
  if (values.against !== undefined && !names.some((name) => parts[name]!.compares))
    throw new Error(`--against needs one of the parts ${comparing().join(', ')}`)
  if (values.plot !== undefined && !names.includes('peers')) throw new Error('--plot needs the part peers')
  if (values.keep !== undefined && !names.includes('search')) throw new Error('--keep needs the part search')
  return {
    does: 'measure',
    names,
    options: {
      checkout: values.checkout === undefined ? CHECKOUT : checkoutAt(values.checkout),
      against: values.against === undefined ? undefined : checkoutAt(values.against),
      rounds: whole('rounds', values.rounds),
      orders: whole('orders', values.orders),
      stores: storesOf(values.store ?? 'both'),
      keep: values.keep === undefined ? undefined : resolve(values.keep),
    },
    json: values.json ?? 'bench/last.json',
    plot: values.plot,
  }
}

function whole(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const number = Number(given)
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} must be a whole number from 1`)
  return number
}

function usage(): string {
  const lines = (entries: readonly (readonly [name: string, about: string])[]) => {
    const width = Math.max(...entries.map(([name]) => name.length))
    return entries.map(([name, about]) => `  ${name.padEnd(width)}  ${about.replaceAll('`', '')}`)
  }
  return [
    'npm run bench -- [PART …] [OPTION …]',
    '',
    'Parts; without a name, all but those with * run:',
    ...lines(Object.entries(parts).map(([name, { about, isHeavy }]) => [`${name}${isHeavy ? '*' : ''}`, about])),
    '',
    'Options:',
    ...lines(Object.entries(optionLines).map(([name, { value, about }]) => [`--${name} ${value}`, about])),
  ].join('\n')
}
