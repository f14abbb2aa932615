// The command line: `mohur <command>`. What each command does stands in its own file.

import { WorldError } from '../sandbox/world.ts'
import { SettingError, settingLines } from '../settings.ts'
import { merchant } from './merchant.ts'
import { migrateCommand } from './migrate.ts'
import { serve } from './serve.ts'
import { signCommand } from './sign.ts'

const commands: Readonly<Record<string, { usage: string; about: string; run(args: string[]): Promise<void> }>> = {
  serve: { usage: 'serve', about: 'Serve every operation over HTTP (npm start).', run: serve },
  migrate: { usage: 'migrate', about: 'Bring the database to the newest schema and stop.', run: migrateCommand },
  sign: {
    usage: 'sign --key KEY [\'{"mid":…}\']',
    about: 'Print the checksum of a body, given as an argument or on standard input.',
    run: signCommand,
  },
  merchant: {
    usage: 'merchant add|list|rotate-key [options]',
    about: 'Merchants and their keys; a new key is printed once.',
    run: merchant,
  },
}

function help(): string {
  const lines = Object.values(commands).map(({ usage, about }) => `  mohur ${usage}\n      ${about}`)
  const settings = Object.entries(settingLines).map(
    ([name, line]) => `  ${name}${line.default ? ` (${line.default})` : ''}\n      ${line.about}`,
  )
  return `Mohur: a self-hosted payment and subscription gateway.\n\nCommands\n${lines.join('\n')}\n\nSettings, by environment\n${settings.join('\n')}`
}

const [name = '--help', ...args] = process.argv.slice(2)
try {
  if (name === '--help' || name === 'help') console.log(help())
  else if (Object.hasOwn(commands, name)) await commands[name]!.run(args)
  else throw new SettingError(`there is no command \`${name}\`; \`mohur --help\` lists them`)
} catch (error) {
  const expected =
    error instanceof SettingError || error instanceof WorldError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  console.error(expected ? (error as Error).message : error)
  process.exit(expected ? 2 : 1)
}
