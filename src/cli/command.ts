// What a command takes, said once: its parsing, its refusals and its help come from it. All of a command line is read before
// the command begins, so that a slip opens no store, makes no key and starts no service.

import { parseArgs } from 'node:util'
import { SettingError } from '../settings.ts'

export interface Option {
  /** What stands for its value in the help; an option without one is a flag. */
  value?: string
  about: string
  needed?: true
  /** It may be given several times. */
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
  /** The name of the one argument that it takes beside its options. */
  argument?: string
  /** Options that may be given without their names too, in this order. */
  inPlace?: readonly string[]
  /** What may follow any number of times. */
  rest?: string
  /** It writes to the store: a service that has the embedded one carries it out. */
  writes?: true
  run(given: Readonly<Record<string, string | string[] | boolean>>, argument: string | undefined, rest: readonly string[]): Promise<void>
}

/** A command whose `run` is given its options by their types. */
export const command = <const Os extends Options>(of: {
  about: string
  options: Os
  argument?: string
  inPlace?: readonly (keyof Os & string)[]
  rest?: string
  writes?: true
  run(given: Given<Os>, argument: string | undefined, rest: readonly string[]): Promise<void>
}): Command => of as unknown as Command

/** Options and argument of one command; whatever it does not take is refused with a sentence. */
export function readArguments(name: string, { options, argument, inPlace = [], rest }: Command, args: string[]) {
  const refuse = (why: string): never => {
    throw new SettingError(`${name}: ${why}; \`mohur ${name} --help\` says what it takes`)
  }
  const taken = Object.entries(options).map(([option, { value, multiple = false }]) => {
    return [option, { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple }] as const
  })
  const { values: byName, positionals, tokens } = parsed(args, Object.fromEntries(taken), refuse)
  // With a list behind it, an option that is given by its name takes no place.
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
    // Node goes on to explain what its first sentence has said.
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

/** All that is to be said of one command. */
export function helpOf(name: string, of: Command): string {
  const options = Object.entries(of.options).map(([option, { value, about }]) => `  ${named(option, value)}\n      ${about}`)
  return [`mohur ${usage(name, of)}`, `    ${of.about}`, ...options].join('\n')
}

const PORT_MAX = 65_535

/** The value of `--port`. */
export function portOf(given: string): number {
  if (!/^[0-9]{1,5}$/.test(given) || Number(given) > PORT_MAX) throw new SettingError(`--port must be a whole number from 0 to ${PORT_MAX}`)
  return Number(given)
}
