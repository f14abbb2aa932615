// A command's table of options. Parsing, refusals and help all come from this table. The whole command line is read before the command
// begins, so a typing error opens no store, makes no key and starts no service.

import { parseArgs } from 'node:util'
import { SettingError } from '../settings.ts'

export interface Option {
  /** The value's name in the help. An option without it is a flag. */
  value?: string
  about: string
  needed?: true
  multiple?: true
}
type Options = Readonly<Record<string, Option>>
type ValueOf<O extends Option> = O extends { multiple: true } ? string[] : O extends { value: string } ? string : boolean
type Given<Os extends Options> = { [N in keyof Os as Os[N] extends { needed: true } ? N : never]: ValueOf<Os[N]> } & {
  [N in keyof Os as Os[N] extends { needed: true } ? never : N]?: ValueOf<Os[N]>
}

export interface Command {
  about: string
  options: Options
  argument?: string
  /** Options that may also be given without their names, in this order. */
  inPlace?: readonly string[]
  /** Arguments that may follow, any number of them. */
  rest?: string
  /** True when the command writes to the store. A running service on the embedded store carries the command out. */
  writes?: true
  run(given: Readonly<Record<string, string | string[] | boolean>>, argument: string | undefined, rest: readonly string[]): Promise<void>
}

export const command = <const Os extends Options>(of: {
  about: string
  options: Os
  argument?: string
  inPlace?: readonly (keyof Os & string)[]
  rest?: string
  writes?: true
  run(given: Given<Os>, argument: string | undefined, rest: readonly string[]): Promise<void>
}): Command => of as unknown as Command

/** Refuses, with a sentence, any argument that the command does not take. */
export function readArguments(name: string, { options, argument, inPlace = [], rest }: Command, args: string[]) {
  const refuse = (why: string): never => {
    throw new SettingError(`${name}: ${why}. \`mohur ${name} --help\` shows what it takes.`)
  }
  const taken = Object.entries(options).map(([option, { value, multiple = false }]) => {
    return [option, { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple }] as const
  })
  const { values: byName, positionals, tokens } = parsed(args, Object.fromEntries(taken), refuse)
  // When a list of arguments follows, an option that is given by its name takes no place among them.
  const places = rest === undefined ? inPlace : inPlace.filter((option) => byName[option] === undefined)
  const placed = places.slice(0, positionals.length)
  const values = { ...byName, ...Object.fromEntries(placed.map((option, at) => [option, positionals[at]])) }
  const named = [...placed, ...tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))]
  for (const [option, { value, needed, multiple }] of Object.entries(options)) {
    const times = named.filter((each) => each === option).length
    if (needed && !values[option]) refuse(`--${option} ${value} is needed`)
    if (!multiple && times > 1) refuse(`--${option} is given ${times} times`)
  }
  const surplus = positionals[argument === undefined ? places.length : 1]
  if (surplus !== undefined && rest === undefined) refuse(`${JSON.stringify(surplus)} is one argument too many`)
  return { given: values as Parameters<Command['run']>[0], argument: positionals[0], rest: positionals.slice(places.length) }
}

function parsed(
  args: string[],
  options: Record<string, { type: 'boolean' | 'string'; multiple: boolean }>,
  refuse: (why: string) => never,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true, tokens: true })
  } catch (error) {
    // Only Node's first sentence says what is wrong.
    return refuse((error as Error).message.split(/\. |\n/)[0]!)
  }
}

/** `merchant add --mid MID [--name NAME]`. */
export function usage(name: string, { options, argument, rest }: Command): string {
  const parts = Object.entries(options).map(([option, { value, needed, multiple }]) => {
    const whole = named(option, value)
    return needed ? whole : `[${whole}]${multiple ? '…' : ''}`
  })
  return [name, ...parts, ...(argument === undefined ? [] : [`[${argument}]`]), ...(rest === undefined ? [] : [`${rest}…`])].join(' ')
}

const named = (option: string, value: string | undefined) => `--${option}${value === undefined ? '' : ` ${value}`}`

export function helpOf(name: string, of: Command): string {
  const options = Object.entries(of.options).map(([option, { value, about }]) => `  ${named(option, value)}\n      ${about}`)
  return [`mohur ${usage(name, of)}`, `    ${of.about}`, ...options].join('\n')
}

const PORT_MAX = 65_535

export function portOf(given: string): number {
  if (!/^[0-9]{1,5}$/.test(given) || Number(given) > PORT_MAX) throw new SettingError(`--port must be a whole number from 0 to ${PORT_MAX}`)
  return Number(given)
}
