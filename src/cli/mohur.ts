// The command line: `mohur <command>`. What each command does stands in its own file, which is loaded only when it is asked for.

import { SettingError, settingLines } from '../settings.ts'

const commands: Readonly<Record<string, { usage: string; about: string; run(args: string[]): Promise<void> }>> = {
  serve: { usage: 'serve', about: 'Serve every operation over HTTP (npm start).', run: async () => (await import('./serve.ts')).serve() },
  migrate: {
    usage: 'migrate',
    about: 'Bring the database to the newest schema and stop.',
    run: async () => (await import('./migrate.ts')).migrateCommand(),
  },
  sign: {
    usage: 'sign --key KEY [\'{"mid":…}\']',
    about: 'Print the checksum of a body, given as an argument or on standard input.',
    run: async (args) => (await import('./sign.ts')).signCommand(args),
  },
  merchant: {
    usage: 'merchant add|list|rotate-key [options]',
    about: 'Merchants and their keys; a new key is printed once.',
    run: async (args) => (await import('./merchant.ts')).merchant(args),
  },
  listen: {
    usage: 'listen [--port 9000] [--key KEY] [--secret whsec_…]',
    about: "Play a merchant's server: print what notifications and callbacks say and whether their signatures hold.",
    run: async (args) => (await import('./listen.ts')).listen(args),
  },
  acquirer: {
    usage: 'acquirer check --paid MEANS --declined MEANS [options]',
    about: 'Hold the adapter of a bank or processor against the contract (docs/acquirer.md).',
    run: async (args) => (await import('./acquirer.ts')).acquirer(args),
  },
  notification: {
    usage: 'notification list|resend|start --mid MID [options]',
    about: 'What merchants were told, what could not be delivered, and sending it again.',
    run: async (args) => (await import('./notification.ts')).notification(args),
  },
  promo: {
    usage: 'promo explain --mid MID --code CODE --cart FILE [--on DATE]',
    about: "Say of one promocode and one cart (the JSON of Apply Promo's body) what each rule says; 1 when it is not given.",
    run: async (args) => (await import('./promo.ts')).promo(args),
  },
  verify: {
    usage: 'verify',
    about: 'Ask a store, in use or not, whether everything that must always be true of it is; 1 when not.',
    run: async () => (await import('./verify.ts')).verifyCommand(),
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
  const expected = error instanceof SettingError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  console.error(expected ? (error as Error).message : error)
  process.exit(expected ? 2 : 1)
}
