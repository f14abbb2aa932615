// Every setting: its name in the environment, its default, its limit and one sentence. `mohur --help` and docs/operating/configure.md print
// this table. Only bin/compile-cache.mjs and `mohur acquirer check` read some settings without this table.

import { isHttpsOrLoopback } from './interface/url.ts'

/** Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. */
export const SECRET_FORM = /^whsec_([A-Za-z0-9+/]{4}){8,21}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export interface SettingLine {
  default: string
  about: string
}

export const settingLines = {
  PORT: { default: '8080', about: 'The port to listen on, 0 to 65535 (0: any free one).' },
  HOST: { default: '127.0.0.1', about: 'The address to listen on.' },
  MOHUR_MODE: {
    default: 'sandbox',
    about: '`sandbox` has test instruments, an inbox and a clock; `production` has none, and needs a master key and merchants.',
  },
  MOHUR_DATA: { default: './data', about: 'The folder of the embedded store and, in the sandbox, of the generated master key.' },
  DATABASE_URL: { default: '', about: 'A PostgreSQL address; empty means the embedded store.' },
  MOHUR_MASTER_KEY: {
    default: '',
    about: '32 bytes in base64 that encrypt keys, tokens and personal data; the sandbox generates its own.',
  },
  MOHUR_WORLD: { default: '', about: 'A world file (JSON), loaded at start; without one the sandbox makes a demo world.' },
  MOHUR_REFERENCE: {
    default: '',
    about: 'A folder with your lists of banks, card ranges, EMI plans and UPI handles; empty means the sample that ships with Mohur.',
  },
  MOHUR_PUBLIC_URL: {
    default: '',
    about:
      'The address at which browsers, merchants and the acquirer reach this service; empty means http://HOST:PORT. Production with an acquirer does not start without it.',
  },
  MOHUR_OTP_VALIDITY_SECONDS: { default: '300', about: 'How long a one-time password is valid, 30 to 600.' },
  MOHUR_OTP_TRIES: { default: '3', about: 'How many wrong answers end a one-time password, 1 to 10.' },
  MOHUR_OTP_FAILURES_PER_HOUR: {
    default: '9',
    about: 'How many wrong answers a device may give for one number in an hour, 1 to 100. A new password does not reset the count.',
  },
  MOHUR_OTP_SENDS_PER_HOUR: { default: '5', about: 'How many one-time passwords one number gets in an hour, 1 to 100.' },
  MOHUR_OTP_SENDS_PER_DAY: { default: '10', about: 'How many one-time passwords one number gets in 24 hours, 1 to 100.' },
  MOHUR_SSO_VALIDITY_SECONDS: { default: '86400', about: 'How long an SSO token is valid, 60 to 2592000.' },
  MOHUR_SIGNIN_CEILING_PER_MINUTE: {
    default: '6000',
    about:
      'Requests of sign-in, and of the checkout’s login, per network address, minute and process, 1 to 1000000; ten times as many per client. A tenth may be wrong passwords.',
  },
  MOHUR_OTP_PREFIX_PER_MINUTE: {
    default: '60',
    about:
      'One-time passwords per minute and process to numbers with the same first six digits, 1 to 1000000. Numbers that signed in within 90 days are exempt. Further requests get 429.',
  },
  MOHUR_OTP_ALL_PER_MINUTE: {
    default: '600',
    about:
      'One-time passwords per minute and process to all numbers together, 1 to 1000000. Numbers that signed in within 90 days are exempt. Further requests get 429.',
  },
  MOHUR_SMS_URL: {
    default: '',
    about:
      'The URL that receives messages by POST and sends them as SMS. Empty: the sandbox uses its inbox, and production has no Send OTP.',
  },
  MOHUR_SMS_TOKEN: { default: '', about: 'The bearer token for MOHUR_SMS_URL.' },
  MOHUR_GRIEVANCE_URL: {
    default: '',
    about:
      'The page where payers complain about a debit of their mandate. The message after a debit names this page; without one it names the merchant.',
  },
  MOHUR_ACQUIRER_URL: {
    default: '',
    about:
      'The URL of the adapter of your bank or processor (docs/acquirer.md). Empty: the sandbox uses its own bank, and in production nothing can be paid.',
  },
  MOHUR_ACQUIRER_SECRET: {
    default: '',
    about: 'The secret shared with that adapter: whsec_ and 24 to 64 bytes in base64. Both sides sign with it.',
  },
  MOHUR_CASHFREE_CLIENT_ID: {
    default: '',
    about: "The client id of your account at Cashfree, in the acquirer's place (docs/acquirer-cashfree.md).",
  },
  MOHUR_CASHFREE_CLIENT_SECRET: { default: '', about: 'The secret of that client id. Both are needed together.' },
  MOHUR_CASHFREE_PHONE: {
    default: '',
    about: 'Ten digits to send to Cashfree when an order has no mobile number; empty refuses such payments.',
  },
  MOHUR_CASHFREE_URL: { default: '', about: 'For tests: a simulator of Cashfree on this machine.' },
  MOHUR_TRUSTED_PROXIES: {
    default: '',
    about: 'Addresses or networks (a,b/8) of the proxies in front. Their X-Forwarded-For names the address of a caller.',
  },
  MOHUR_CONNECTIONS: {
    default: '10000',
    about: 'How many sockets may be open at once, 1 to 1000000; each takes one of the files that the process may open.',
  },
  MOHUR_CONNECTIONS_PER_ADDRESS: {
    default: '256',
    about:
      'How many sockets one network address may open, 1 to 1000000; further ones are closed unread. Trusted proxies have no such limit.',
  },
  MOHUR_DOCS: {
    default: 'off',
    about:
      'on or off: whether production serves /openapi.json and /docs, the pages for developers of shops, without those that use a key. The sandbox always serves both.',
  },
  MOHUR_CONSOLE_URL: {
    default: '',
    about:
      "The https:// origin of /console. Empty: the sandbox uses the service's address, and production has no console. A host other than that of MOHUR_PUBLIC_URL serves only the console.",
  },
  MOHUR_CONSOLE_APPROVE_ABOVE: { default: '10000', about: 'Rupees to 1000000000: a refund above this in all waits for a second person.' },
  MOHUR_CONSOLE_APPROVALS: { default: 'off', about: 'on or off: whether a sandbox waits for a second person too, as production does.' },
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
  reference: string | undefined
  publicUrl: string | undefined
  trustedProxies: readonly string[]
  connections: { max: number; perAddress: number }
  logLevel: string
  signIn: {
    otpValidityMs: number
    triesMax: number
    failuresPerHour: number
    sendsPerHour: number
    sendsPerDay: number
    ssoValidityMs: number
    ceilingPerMinute: number
    otps: { prefixPerMinute: number; allPerMinute: number }
  }
  sms: { url: string; token: string } | undefined
  grievanceUrl: string | undefined
  hasDocs: boolean
  /** Without a path. */
  consoleUrl: string | undefined
  approveAbovePaise: number
  sandboxApprovals: boolean
  acquirer: { url: string; secret: string } | undefined
  cashfree: CashfreeSettings | undefined
  /** Names in the environment that begin with `MOHUR_`, but not with `MOHUR_TEST_`, and are no setting. */
  unknown: readonly string[]
}

export interface CashfreeSettings {
  clientId: string
  clientSecret: string
  phone: string | undefined
  /** A simulator's address. Undefined: Cashfree's own host for the mode. */
  url: string | undefined
}

/** A setting that cannot be used. The error's message is for the operator, and never contains the value of a secret. */
export class SettingError extends Error {
  override readonly name: string = 'SettingError'
}

/** This process may not listen at the address that HOST and PORT name. */
export class AddressError extends SettingError {
  override readonly name = 'AddressError'
}

export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const value = (name: keyof typeof settingLines): string => environment[name] || settingLines[name].default
  const among = <T extends string>(name: keyof typeof settingLines, ...allowed: readonly T[]): T => {
    const given = value(name) as T
    if (!allowed.includes(given)) throw new SettingError(`${name} must be one of ${allowed.join(', ')}`)
    return given
  }
  const whole = (name: keyof typeof settingLines, min: number, max: number): number => {
    const given = /^[0-9]{1,10}$/.test(value(name)) ? Number(value(name)) : Number.NaN
    if (!(given >= min && given <= max)) throw new SettingError(`${name} must be a whole number from ${min} to ${max}`)
    return given
  }
  const databaseUrl = value('DATABASE_URL')
  if (databaseUrl && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new SettingError('DATABASE_URL must begin with postgres:// or postgresql://')
  if (databaseUrl && !URL.canParse(databaseUrl))
    throw new SettingError(
      'DATABASE_URL cannot be read as an address. In its user and password, write every character except letters and digits with % (%2F for /).',
    )
  const settings: Settings = {
    port: whole('PORT', 0, 65_535),
    host: value('HOST'),
    mode: among('MOHUR_MODE', 'sandbox', 'production'),
    dataFolder: value('MOHUR_DATA'),
    databaseUrl: databaseUrl || undefined,
    masterKey: masterKey(value('MOHUR_MASTER_KEY')),
    world: value('MOHUR_WORLD') || undefined,
    reference: value('MOHUR_REFERENCE') || undefined,
    trustedProxies: proxies(value('MOHUR_TRUSTED_PROXIES')),
    connections: { max: whole('MOHUR_CONNECTIONS', 1, 1_000_000), perAddress: whole('MOHUR_CONNECTIONS_PER_ADDRESS', 1, 1_000_000) },
    publicUrl: publicUrl(value('MOHUR_PUBLIC_URL')),
    logLevel: among('MOHUR_LOG', 'silent', 'error', 'warn', 'info', 'debug'),
    signIn: {
      otpValidityMs: whole('MOHUR_OTP_VALIDITY_SECONDS', 30, 600) * 1_000,
      triesMax: whole('MOHUR_OTP_TRIES', 1, 10),
      failuresPerHour: whole('MOHUR_OTP_FAILURES_PER_HOUR', 1, 100),
      sendsPerHour: whole('MOHUR_OTP_SENDS_PER_HOUR', 1, 100),
      sendsPerDay: whole('MOHUR_OTP_SENDS_PER_DAY', 1, 100),
      ssoValidityMs: whole('MOHUR_SSO_VALIDITY_SECONDS', 60, 2_592_000) * 1_000,
      ceilingPerMinute: whole('MOHUR_SIGNIN_CEILING_PER_MINUTE', 1, 1_000_000),
      otps: {
        prefixPerMinute: whole('MOHUR_OTP_PREFIX_PER_MINUTE', 1, 1_000_000),
        allPerMinute: whole('MOHUR_OTP_ALL_PER_MINUTE', 1, 1_000_000),
      },
    },
    sms: sms(value('MOHUR_SMS_URL'), value('MOHUR_SMS_TOKEN')),
    grievanceUrl: grievanceUrl(value('MOHUR_GRIEVANCE_URL')),
    hasDocs: among('MOHUR_DOCS', 'on', 'off') === 'on',
    consoleUrl: consoleUrl(value('MOHUR_CONSOLE_URL'), value('MOHUR_MODE')),
    approveAbovePaise: whole('MOHUR_CONSOLE_APPROVE_ABOVE', 0, 1_000_000_000) * 100,
    sandboxApprovals: among('MOHUR_CONSOLE_APPROVALS', 'on', 'off') === 'on',
    acquirer: acquirer(value('MOHUR_ACQUIRER_URL'), value('MOHUR_ACQUIRER_SECRET')),
    cashfree: cashfree({
      clientId: value('MOHUR_CASHFREE_CLIENT_ID'),
      clientSecret: value('MOHUR_CASHFREE_CLIENT_SECRET'),
      phone: value('MOHUR_CASHFREE_PHONE'),
      url: value('MOHUR_CASHFREE_URL'),
    }),
    unknown: Object.keys(environment).filter((name) => /^MOHUR_(?!TEST_)/.test(name) && !Object.hasOwn(settingLines, name)),
  }
  if (settings.acquirer && settings.cashfree)
    throw new SettingError('MOHUR_CASHFREE_CLIENT_ID and MOHUR_ACQUIRER_URL exclude each other: remove one of them')
  if (settings.mode === 'production' && (settings.acquirer ?? settings.cashfree) && !settings.publicUrl)
    throw new SettingError('MOHUR_PUBLIC_URL is needed in production with an acquirer: banks send browsers back to it')
  if (settings.mode === 'production' && settings.cashfree?.url)
    throw new SettingError('MOHUR_CASHFREE_URL is for the sandbox only: remove it, because production pays through Cashfree alone')
  if (settings.mode === 'production' && settings.cashfree && !settings.publicUrl?.startsWith('https://'))
    throw new SettingError('MOHUR_PUBLIC_URL must begin with https:// where payments go through Cashfree, which calls it')
  return settings
}

/** Warnings for the operator at a start: names that are no setting, and the settings that production lacks. */
export function warningsOf({ unknown, mode, acquirer, cashfree, sms, publicUrl, reference, trustedProxies }: Settings): string[] {
  const strangers = unknown.map((name) => `${name} is not a setting and changes nothing (\`mohur --help\` lists them)`)
  if (mode !== 'production') return strangers
  const absent: readonly [unknown, string][] = [
    [acquirer ?? cashfree, 'MOHUR_ACQUIRER_URL is not set: nothing can be paid'],
    [sms, 'MOHUR_SMS_URL is not set: nobody can sign in'],
    [publicUrl, 'MOHUR_PUBLIC_URL is not set: banks cannot send browsers back'],
    [reference, 'MOHUR_REFERENCE is not set: the lists of banks and cards are the sample, not real ones'],
    [
      trustedProxies[0],
      'MOHUR_TRUSTED_PROXIES is not set: all callers behind a proxy count as one address, so wrong passwords of strangers make staff wait in new browsers',
    ],
  ]
  return [...strangers, ...absent.flatMap(([given, warning]) => (given === undefined ? [warning] : []))]
}

/** Mohur trusts these proxies to name the caller's address. So a malformed entry is refused, and not guessed. */
function proxies(given: string): string[] {
  const named = given
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
  for (const each of named) {
    const [address = '', bits = '1', ...more] = each.split('/')
    const isV4 = URL.parse(`http://${address}`)?.hostname === address && /^[0-9.]+$/.test(address)
    const bitsMax = isV4 ? 32 : /^[0-9a-f:.]+$/i.test(address) && URL.canParse(`http://[${address}]`) ? 128 : 0
    if (more.length > 0 || !/^[1-9][0-9]*$/.test(bits) || Number(bits) > bitsMax)
      throw new SettingError('MOHUR_TRUSTED_PROXIES must be addresses or networks (10.0.0.1 or 10.0.0.0/8), separated by commas')
  }
  return named
}

function publicUrl(given: string): string | undefined {
  if (!given) return undefined
  const { username, password } = URL.parse(given) ?? { username: 'no address' }
  if (!/^https?:\/\/[^\s?#]+$/.test(given) || username || password)
    throw new SettingError(
      'MOHUR_PUBLIC_URL must begin with http:// or https://, and have no space, password or query: the service appends paths to it',
    )
  return given.replace(/\/+$/, '')
}

/** Passwords travel to the console, so only the sandbox may do without encryption. */
function consoleUrl(given: string, mode: string): string | undefined {
  if (!given) return undefined
  const parsed = URL.parse(given)
  const isOrigin = parsed !== null && /^\/(console\/?)?$/.test(parsed.pathname) && !parsed.search && !parsed.hash && !parsed.username
  if (!isOrigin || !(parsed.protocol === 'https:' || (parsed.protocol === 'http:' && mode === 'sandbox')))
    throw new SettingError('MOHUR_CONSOLE_URL must be an https:// address without path, password and query (http:// in the sandbox only)')
  return parsed.origin
}

const GRIEVANCE_URL_LENGTH = 100 // Mohur's choice: a message to the payer contains the address

function grievanceUrl(given: string): string | undefined {
  if (!given) return undefined
  if (!/^https?:\/\/[!-~]+$/.test(given) || !URL.canParse(given) || given.length > GRIEVANCE_URL_LENGTH)
    throw new SettingError(`MOHUR_GRIEVANCE_URL must begin with http:// or https:// and have ${GRIEVANCE_URL_LENGTH} characters at most`)
  return given
}

/** One-time passwords travel to this URL, so only this machine may be reached without encryption. */
function sms(url: string, token: string): Settings['sms'] {
  if (!url) return undefined
  const parsed = URL.parse(url)
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(parsed?.hostname ?? '')
  if (parsed?.username || parsed?.password) throw new SettingError('MOHUR_SMS_URL must not hold a password; MOHUR_SMS_TOKEN does')
  if (parsed?.protocol !== 'https:' && !(parsed?.protocol === 'http:' && isLocal))
    throw new SettingError('MOHUR_SMS_URL must begin with https:// (http:// only for this machine)')
  if (!/^[!-~]*$/.test(token)) throw new SettingError('MOHUR_SMS_TOKEN must be printable ASCII without spaces')
  return { url, token }
}

const ACQUIRER = { url: 'MOHUR_ACQUIRER_URL', secret: 'MOHUR_ACQUIRER_SECRET' }

/** Card numbers travel to this URL, so only this machine may be reached without encryption. Errors call the two values by `names`. */
export function acquirer(url: string, secret: string, names = ACQUIRER): Settings['acquirer'] {
  if (!url && !secret) return undefined
  if (!url || !secret) throw new SettingError(`${names.url} and ${names.secret} are needed together`)
  const parsed = URL.parse(url)
  if (!parsed || !isHttpsOrLoopback(url) || parsed.search || parsed.hash)
    throw new SettingError(`${names.url} must begin with https:// (http:// only for this machine) and hold no password and no query`)
  if (!SECRET_FORM.test(secret)) throw new SettingError(`${names.secret} must be whsec_ and 24 to 64 bytes in base64`)
  return { url: url.replace(/\/+$/, ''), secret }
}

function cashfree({ clientId, clientSecret, phone, url }: Record<keyof CashfreeSettings, string>): CashfreeSettings | undefined {
  if (!clientId && !clientSecret) return undefined
  if (!clientId || !clientSecret) throw new SettingError('MOHUR_CASHFREE_CLIENT_ID and MOHUR_CASHFREE_CLIENT_SECRET are needed together')
  for (const [name, given] of Object.entries({ CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }))
    if (!/^[!-~]{1,256}$/.test(given)) throw new SettingError(`MOHUR_CASHFREE_${name} must be printable ASCII without spaces`)
  if (phone && !/^[0-9]{10}$/.test(phone)) throw new SettingError('MOHUR_CASHFREE_PHONE must be ten digits')
  const isLocal = !url || ['127.0.0.1', '[::1]', 'localhost'].includes(URL.parse(url)?.hostname ?? '')
  if (!isLocal) throw new SettingError('MOHUR_CASHFREE_URL may name this machine only: it is for tests with a simulator')
  return { clientId, clientSecret, phone: phone || undefined, url: url.replace(/\/+$/, '') || undefined }
}

function masterKey(base64: string): Buffer | undefined {
  if (!base64) return undefined
  const key = Buffer.from(base64, 'base64')
  if (key.length !== 32 || key.toString('base64') !== base64)
    throw new SettingError('MOHUR_MASTER_KEY must be 32 bytes in base64 (44 characters)')
  return key
}
