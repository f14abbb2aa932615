// Every setting: its name in the environment, its default, its limit and one sentence. `mohur --help` and
// docs/operating.md print this table; nothing else reads the environment.

export interface SettingLine {
  default: string
  about: string
}

export const settingLines = {
  PORT: { default: '8080', about: 'The port to listen on, 0 to 65535 (0: any free one).' },
  HOST: { default: '127.0.0.1', about: 'The address to listen on.' },
  MOHUR_MODE: {
    default: 'sandbox',
    about: '`sandbox` has test instruments, an inbox and a clock; `production` has none of them and wants a master key and merchants.',
  },
  MOHUR_DATA: { default: './data', about: 'The folder of the embedded store and, in the sandbox, of the generated master key.' },
  DATABASE_URL: { default: '', about: 'A PostgreSQL address; empty means the embedded store.' },
  MOHUR_MASTER_KEY: {
    default: '',
    about: '32 bytes in base64 under which keys, tokens and personal data are kept; in the sandbox one is generated.',
  },
  MOHUR_WORLD: { default: '', about: 'A world file (JSON) loaded at start; the sandbox makes a demo world without one.' },
  MOHUR_PUBLIC_URL: { default: '', about: 'The address that merchants reach this service at; empty means http://HOST:PORT.' },
  MOHUR_LOG: { default: 'info', about: 'What is logged to standard output: silent, error, warn, info or debug.' },
} as const satisfies Record<string, SettingLine>

export interface Settings {
  port: number
  host: string
  mode: 'sandbox' | 'production'
  dataFolder: string
  databaseUrl: string | undefined
  masterKey: Buffer | undefined
  world: string | undefined
  publicUrl: string | undefined
  logLevel: string
}

/** A setting that cannot be used; its message is for the operator and never holds the value of a secret. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const value = (name: keyof typeof settingLines): string => environment[name] || settingLines[name].default
  const among = <T extends string>(name: keyof typeof settingLines, ...allowed: readonly T[]): T => {
    const given = value(name) as T
    if (!allowed.includes(given)) throw new SettingError(`${name} must be one of ${allowed.join(', ')}`)
    return given
  }
  const port = Number(value('PORT'))
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new SettingError('PORT must be a whole number from 0 to 65535')
  const databaseUrl = value('DATABASE_URL')
  if (databaseUrl && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new SettingError('DATABASE_URL must begin with postgres:// or postgresql://')
  return {
    port,
    host: value('HOST'),
    mode: among('MOHUR_MODE', 'sandbox', 'production'),
    dataFolder: value('MOHUR_DATA'),
    databaseUrl: databaseUrl || undefined,
    masterKey: masterKey(value('MOHUR_MASTER_KEY')),
    world: value('MOHUR_WORLD') || undefined,
    publicUrl: value('MOHUR_PUBLIC_URL').replace(/\/+$/, '') || undefined,
    logLevel: among('MOHUR_LOG', 'silent', 'error', 'warn', 'info', 'debug'),
  }
}

function masterKey(base64: string): Buffer | undefined {
  if (!base64) return undefined
  const key = Buffer.from(base64, 'base64')
  if (key.length !== 32 || key.toString('base64') !== base64)
    throw new SettingError('MOHUR_MASTER_KEY must be 32 bytes in base64 (44 characters)')
  return key
}
