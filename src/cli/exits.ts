// How a command ends: a sentence and an exit code for what an operator can mend, a stack for anything else. docs/operating/commands.md
// prints the table, and test/house/docs.test.ts holds page and code equal.

import { resolve } from 'node:path'
import { SettingError } from '../settings.ts'

export const exits = {
  done: { code: 0, about: 'done, or stopped when asked to' },
  no: {
    code: 1,
    about:
      '`verify` found a broken invariant, `promo explain` a promotion that is not given, `acquirer check` a broken contract, `checksum doctor` a cause',
  },
  unusable: { code: 2, about: 'the command line, a setting or a file that it names cannot be used' },
  unexplained: { code: 3, about: '`checksum doctor`: the key is right, but it did not find the signed text' },
  schema: { code: 65, about: 'the store belongs to an older, newer or unreleased Mohur, or is not a store' },
  absent: { code: 66, about: 'there is no store where the settings say' },
  away: {
    code: 69,
    about: 'the database does not answer; at a stop: the service did not end within 15 seconds; of a command: the service ended first',
  },
  commitUnknown: {
    code: 70,
    about: 'a COMMIT had an unknown outcome: start again (docs/operating/postgresql.md); of a command: check whether it was done',
  },
  unforeseen: { code: 71, about: 'an unexpected error, with a stack: please report it' },
  folder: { code: 73, about: 'the folder or a file of the store cannot be made, read or written' },
  disk: { code: 74, about: 'the disk is full or fails' },
  inUse: { code: 75, about: 'another process is using the embedded store' },
  address: { code: 76, about: 'the service cannot listen on the address or port: it is taken, not of this machine, or not allowed' },
  rights: { code: 77, about: 'the database refuses the user, or an operation of the user' },
  cannotRun: { code: 126, about: 'the Node that npm brought cannot run here' },
  noNode: { code: 127, about: 'the Node that npm brings is not installed' },
} as const satisfies Record<string, { code: number; about: string }>
export type Exit = keyof typeof exits

/** Node's own errors, a database's, or Mohur's. Only their codes are shown: other members may hold a value. */
type Coded = Error & { code?: string; errcode?: number; errstr?: string; path?: string; severity?: string }

/** Mohur's errors by name. So a command that opens no store need not load the modules that define them. */
const OURS: Readonly<Record<string, Exit>> = {
  SchemaError: 'schema',
  AbsentError: 'absent',
  InUseError: 'inUse',
  AddressError: 'address',
  ServiceLost: 'away',
}

const UNKNOWN =
  'a COMMIT had an unknown outcome, so the command may or may not be done. Check, then run it again (`mohur merchant rotate-key` shows a key that was made unseen).'

/** Node's codes for a network failure. */
const OF_NETWORK = /^(ECONN|EHOST|ENET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_|ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)/
const OF_DISK = /^(ENOSPC|EDQUOT|EIO|EFBIG)$/
const OF_FOLDER = /^(EACCES|EPERM|EROFS|ENOENT|ENOTDIR|EISDIR|EEXIST|ELOOP|ENAMETOOLONG|EMFILE|ENFILE)$/
/** Messages of `pg` without a code: no answer in time, no TLS, or a connection that was cut while it was made. */
const AWAY_WORDS = /timeout|connection terminated|does not support SSL/i

/** SQLSTATE by its beginning: PostgreSQL's documentation, appendix A. */
const OF_POSTGRES: readonly [RegExp, Exit, string][] = [
  [/^3D000$/, 'absent', 'the database of DATABASE_URL does not exist'],
  [/^(28|42501|25006)/, 'rights', 'the database refuses the user of DATABASE_URL, or an operation of Mohur'],
  [/^(08|57P|53300)/, 'away', 'the database refuses connections'],
  [/^(53100|58)/, 'disk', "the database's disk is full or fails"],
]
/** PgBouncer's message. Behind the colon stands a name, never a value. */
const OF_POOLER = /^unsupported startup parameter(?: in options)?: (\w+)/
const POOLER_CURE =
  'add options, lock_timeout and idle_in_transaction_session_timeout to its ignore_startup_parameters, and set their values for the role (docs/operating/postgresql.md, "A pooler in front")'
/** The primary result codes of SQLite. */
const OF_SQLITE: Readonly<Record<number, Exit>> = {
  3: 'folder',
  5: 'inUse',
  6: 'inUse',
  8: 'folder',
  10: 'disk',
  11: 'schema',
  13: 'disk',
  14: 'folder',
  26: 'schema',
}

export interface CommandFailure {
  exit: Exit
  /** Undefined when only the stack says what happened. */
  sentence?: string
}

/** Exit code and sentence for the person who started the command. `environment` names the store. */
export function failureOf(error: unknown, environment: Readonly<Record<string, string | undefined>>): CommandFailure {
  for (const each of chain(error)) {
    if (each instanceof SettingError) return { exit: OURS[each.name] ?? 'unusable', sentence: each.message }
    if (each.name === 'CommitUnknown') return { exit: 'commitUnknown', sentence: UNKNOWN } // the error's cause only says why
    const theirs = ofDatabase(each, environment) ?? ofSystem(each, environment)
    if (theirs) return theirs
  }
  return { exit: 'unforeseen' }
}

function ofDatabase(error: Coded, environment: Parameters<typeof failureOf>[1]): CommandFailure | undefined {
  const { code = '', errcode, errstr } = error
  if (code === 'ERR_SQLITE_ERROR' && errcode !== undefined) {
    const exit = OF_SQLITE[errcode & 0xff]
    return exit && { exit, sentence: `${environment['MOHUR_DATA'] || './data'}: ${errstr} (SQLite ${errcode})` }
  }
  if (error.severity === undefined) return undefined
  const refused = OF_POOLER.exec(error.message)?.[1]
  if (code === '08P01' && refused !== undefined)
    return {
      exit: 'away',
      sentence: `the pooler at ${hostOf(environment['DATABASE_URL'])} refuses the startup parameter ${refused} (${code}): ${POOLER_CURE}`,
    }
  const known = OF_POSTGRES.find(([pattern]) => pattern.test(code))
  return known && { exit: known[1], sentence: `${known[2]} (${code}, at ${hostOf(environment['DATABASE_URL'])})` }
}

function ofSystem({ code = '', message, path }: Coded, environment: Parameters<typeof failureOf>[1]): CommandFailure | undefined {
  const url = environment['DATABASE_URL']
  // The socket of a database on this machine is a path.
  const isOfNetwork = OF_NETWORK.test(code) || (code === 'ENOENT' && /^connect /.test(message))
  if (url && (isOfNetwork || (code === '' && AWAY_WORDS.test(message))))
    return { exit: 'away', sentence: `the database does not answer at ${hostOf(url)} (${code || message})` }
  if (OF_DISK.test(code)) return { exit: 'disk', sentence: `${path ?? 'a file'} cannot be written: the disk is full or fails (${code})` }
  if (OF_FOLDER.test(code) && path !== undefined)
    return {
      exit: 'folder',
      sentence: `${path} cannot be made, read or written (${code})${isOfStore(path, environment) ? '; MOHUR_DATA names the folder of the store' : ''}`,
    }
  return undefined
}

const isOfStore = (path: string, { MOHUR_DATA }: Parameters<typeof failureOf>[1]) =>
  resolve(path).startsWith(resolve(MOHUR_DATA || './data'))

/** Host and port of DATABASE_URL only: the rest holds a password. */
function hostOf(url = ''): string {
  const { hostname, port, searchParams } = URL.parse(url) ?? {}
  return `${hostname || searchParams?.get('host') || 'localhost'}:${port || searchParams?.get('port') || '5432'}`
}

/** An error, its cause, and the first of several errors, at most ten deep. */
function chain(error: unknown, depth = 10): Coded[] {
  if (!(error instanceof Error) || depth === 0) return []
  const first = error instanceof AggregateError ? error.errors[0] : undefined
  return [error as Coded, ...chain(first, depth - 1), ...chain(error.cause, depth - 1)]
}
