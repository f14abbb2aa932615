// The command line: `mohur <command>`. commands.ts has the options of each command. A file of its own does each command's work.

import { readFileSync } from 'node:fs'
import { loggedStack } from '../engine/logged-error.ts'
import { own } from '../own.ts'
import { readSettings, SettingError, settingLines } from '../settings.ts'
import { type Command, helpOf, readArguments, usage } from './command.ts'
import { commands } from './commands.ts'
import { exits, failureOf } from './exits.ts'

const HELP = '--help'

function help(): string {
  const lines = Object.entries(commands).map(([name, of]) => `  mohur ${usage(name, of)}\n      ${of.about}`)
  const settings = Object.entries(settingLines).map(
    ([name, line]) => `  ${name}${line.default ? ` (${line.default})` : ''}\n      ${line.about}`,
  )
  return [
    'Mohur: a self-hosted payment and subscription gateway.',
    `Commands (\`mohur <command> ${HELP}\` has more on each, \`mohur --version\` prints the version)\n${lines.join('\n')}`,
    `Settings (environment variables)\n${settings.join('\n')}`,
  ].join('\n\n')
}

function version(): string {
  const { version } = JSON.parse(readFileSync(own('package.json'), 'utf8')) as { version: string }
  return `mohur ${version}`
}

async function run(args: readonly string[]) {
  const [first = HELP, second = ''] = args
  if (first === HELP) return console.log(help())
  if (first === '--version') return console.log(version())
  if (first === 'help') return console.log(args.length === 1 ? help() : helpOfAll(args.slice(1).join(' ')))
  const name = Object.hasOwn(commands, first) ? first : `${first} ${second}`
  const rest = args.slice(name === first ? 1 : 2)
  if (asksForHelp(args)) return console.log(helpOfAll(Object.hasOwn(commands, name) ? name : first))
  const { given, argument, rest: list } = readArguments(name, named(name), [...rest])
  const sent = await sentTo(name, { given, argument, rest: list })
  if (!sent) await commands[name]!.run(given, argument, list)
}

/** A running service on the embedded store carries the command out, because that store has one process. */
async function sentTo(
  command: string,
  line: { given: Parameters<Command['run']>[0]; argument: string | undefined; rest: readonly string[] },
) {
  if (!commands[command]!.writes) return false
  const { sendToService } = await import('./control.ts')
  const answered = await sendToService(readSettings(process.env), { command, ...line })
  if (!answered) return false
  for (const each of answered.lines) console.log(each)
  if (answered.sentence !== undefined) console.error(answered.sentence)
  process.exitCode = answered.exit
  return true
}

/** True when help is asked for before `--`. Everything behind `--` is a value. */
const asksForHelp = (args: readonly string[]) => args.includes(HELP) && !args.slice(0, args.indexOf(HELP)).includes('--')

function named(name: string): Command {
  if (Object.hasOwn(commands, name)) return commands[name]!
  const family = familyOf(name.split(' ')[0]!)
  if (family.length === 0) throw new SettingError(`there is no command \`${name.trim()}\`. \`mohur ${HELP}\` lists them.`)
  throw new SettingError(`use ${family.map((each) => `\`${each}\``).join(', ')}`)
}

function helpOfAll(name: string): string {
  const found = Object.hasOwn(commands, name) ? [name] : familyOf(name)
  if (found.length === 0) named(name)
  return found.map((each) => helpOf(each, commands[each]!)).join('\n\n')
}

const familyOf = (word: string) => Object.keys(commands).filter((name) => name.startsWith(`${word} `))

function end(error: unknown): never {
  const { exit, sentence } = failureOf(error, process.env)
  console.error(sentence ?? loggedStack(error))
  process.exit(exits[exit].code)
}

// Node would exit with 1, which some commands use as an answer.
process.on('uncaughtException', end)
// A reader such as `| head` may close the pipe, and the command still does its work. `console` is silent about a file's errors, too.
process.stdout.on('error', () => {})
let isDone = false
process.once('exit', (code) => {
  if (!isDone && code === 0) process.exitCode = exits.unforeseen.code // nothing is left to do, and the command has not come to its end
})
run(process.argv.slice(2)).then(() => {
  isDone = true
}, end)
