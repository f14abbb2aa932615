// The command line: `mohur <command>`. What each command does stands in its own file.

import { WorldError } from '../sandbox/world.ts'
import { SettingError, settingLines } from '../settings.ts'
import { acquirer } from './acquirer.ts'
import { listen } from './listen.ts'
import { merchant } from './merchant.ts'
import { migrateCommand } from './migrate.ts'
import { notification } from './notification.ts'
import { promo } from './promo.ts'
import { serve } from './serve.ts'
import { signCommand } from './sign.ts'
import { verifyCommand } from './verify.ts'

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
  listen: {
    usage: 'listen [--port 9000] [--key KEY] [--secret whsec_…]',
    about: "Play a merchant's server: print what notifications and callbacks say and whether their signatures hold.",
    run: listen,
  },
  acquirer: {
    usage: 'acquirer check --paid MEANS --declined MEANS [options]',
    about: 'Hold the adapter of a bank or processor against the contract (docs/acquirer.md).',
    run: acquirer,
  },
  notification: {
    usage: 'notification list|resend|start --mid MID [options]',
    about: 'What merchants were told, what could not be delivered, and sending it again.',
    run: notification,
  },
  promo: {
    usage: 'promo explain --mid MID --code CODE --cart FILE [--on DATE]',
    about: "Say of one promocode and one cart (the JSON of Apply Promo's body) what each rule says; 1 when it is not given.",
    run: promo,
  },
  verify: {
    usage: 'verify',
    about: 'Ask a store, in use or not, whether everything that must always be true of it is; 1 when not.',
    run: verifyCommand,
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
