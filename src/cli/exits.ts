// How a command ends: a sentence and an exit code for whatever an operator can mend, and a stack for what nobody foresaw.
// docs/operating/commands.md prints the table, held equal by test/house/docs.test.ts.

import { resolve } from 'node:path'
import { SettingError } from '../settings.ts'

export const exits = {
  done: { code: 0, about: 'done, or stopped when asked to' },
  no: {
    code: 1,
    about:
      '`verify` found something that is not true, `promo explain` a promotion not given, `acquirer check` a broken contract, `checksum doctor` a cause',
  },
  unusable: { code: 2, about: 'the command line, a setting or a file that it names cannot be used' },
  unexplained: { code: 3, about: '`checksum doctor`: the key is right, and the signed text is none that was tried' },
  schema: { code: 65, about: 'the store is of an older, a newer or an unreleased Mohur, or is none' },
  absent: { code: 66, about: 'there is no store where the settings say' },
  away: {
    code: 69,
    about:
      'the database does not answer; at a stop: something did not end within 15 seconds; of a command: the service ended before it answered',
  },
  commitUnknown: {
    code: 70,
    about: 'a COMMIT had an unknown outcome: start again (docs/operating/postgresql.md); of a command: look whether it is done',
  },
  unforeseen: { code: 71, about: 'something that nobody foresaw, with a stack: please report it' },
  folder: { code: 73, about: 'the folder or a file of the store cannot be made, read or written' },
  disk: { code: 74, about: 'the disk is full or fails' },
  inUse: { code: 75, about: 'another process is using the embedded store' },
  address: { code: 76, about: 'the address or port cannot be listened on: it is taken, not of this machine, or not allowed' },
  rights: { code: 77, about: 'the database refuses the user, or what the user wants to do' },
  cannotRun: { code: 126, about: 'the Node that npm brought cannot run here' },
  noNode: { code: 127, about: 'the Node that npm brings is not installed' },
} as const satisfies Record<string, { code: number; about: string }>
export type Exit = keyof typeof exits

/** Node's own errors, a database's, or one of ours; whatever they hold beside their code is not told, since it may be a value. */
type Coded = Error & { code?: string; errcode?: number; errstr?: string; path?: string; severity?: string }

/** Ours by their names, so that a command which opens no store loads none. */
const OURS: Readonly<Record<string, Exit>> = {
  SchemaError: 'schema',
  AbsentError: 'absent',
  InUseError: 'inUse',
  AddressError: 'address',
  ServiceLost: 'away',
}

const UNKNOWN =
  'a COMMIT had an unknown outcome: it may be done or not; look, and ask again (`mohur merchant rotate-key` shows a key where one was made unseen)'

/** Node's names for what went wrong beneath it. */
const OF_NETWORK = /^(ECONN|EHOST|ENET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_|ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)/
const OF_DISK = /^(ENOSPC|EDQUOT|EIO|EFBIG)$/
const OF_FOLDER = /^(EACCES|EPERM|EROFS|ENOENT|ENOTDIR|EISDIR|EEXIST|ELOOP|ENAMETOOLONG|EMFILE|ENFILE)$/
/** What `pg` says without a code: no answer in time, no TLS, a connection cut before it was one. */
const AWAY_WORDS = /timeout|connection terminated|does not support SSL/i

/** SQLSTATE by its beginning: docs of PostgreSQL, appendix A. */
const OF_POSTGRES: readonly [RegExp, Exit, string][] = [
  [/^3D000$/, 'absent', 'the database of DATABASE_URL is not there'],
  [/^(28|42501|25006)/, 'rights', 'the database refuses the user of DATABASE_URL, or what Mohur wants to do there'],
  [/^(08|57P|53300)/, 'away', 'the database takes no connection'],
  [/^(53100|58)/, 'disk', "the database's disk is full or fails"],
]
/** PgBouncer's words; behind the colon stands a name and no value. */
const OF_POOLER = /^unsupported startup parameter(?: in options)?: (\w+)/
const POOLER_CURE =
  'name options, lock_timeout and idle_in_transaction_session_timeout in its ignore_startup_parameters, and give the role their values (docs/operating/postgresql.md, "Stores")'
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
  /** Undefined where only the stack says what happened. */
  sentence?: string
}

/** What became of a command that threw, for whoever started it. `environment` names the store. */
export function failureOf(error: unknown, environment: Readonly<Record<string, string | undefined>>): CommandFailure {
  for (const each of chain(error)) {
    if (each instanceof SettingError) return { exit: OURS[each.name] ?? 'unusable', sentence: each.message }
    if (each.name === 'CommitUnknown') return { exit: 'commitUnknown', sentence: UNKNOWN } // whatever caused it says only why
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
  // The socket of a database beside us is a path.
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

/** Host and port of DATABASE_URL, and nothing else of it: it holds a password. */
function hostOf(url = ''): string {
  const { hostname, port, searchParams } = URL.parse(url) ?? {}
  return `${hostname || searchParams?.get('host') || 'localhost'}:${port || searchParams?.get('port') || '5432'}`
}

/** An error, what it was caused by, and the first of several; ten deep at most. */
function chain(error: unknown, depth = 10): Coded[] {
  if (!(error instanceof Error) || depth === 0) return []
  const first = error instanceof AggregateError ? error.errors[0] : undefined
  return [error as Coded, ...chain(first, depth - 1), ...chain(error.cause, depth - 1)]
}
