// What of an error may be written into a log, or to standard error. A database's sentence may hold a value that somebody sent
// (`Failing row contains (9999900001, …)`), and so may what else its driver keeps beside it, and the stack, which begins with it.

interface Coded extends Error {
  code?: unknown
  /** SQLite's own, of which Node's code says nothing. */
  errcode?: unknown
  /** Of an assertion without a sentence of ours: Node's own has the values in it. */
  generatedMessage?: boolean
}
interface Logged {
  name: string
  code?: unknown
  errcode?: unknown
  message?: string
  cause?: Omit<Logged, 'message' | 'cause'>
}

/** Enough to find the fault: the sentence of what is ours; of what is a driver's or Node's, and of what it was caused by, the name and code. */
export function loggedError(error: unknown): Logged {
  if (!(error instanceof Error)) return { name: typeof error }
  const { cause } = error
  return { ...named(error), ...(isOurs(error) && { message: error.message }), ...(cause instanceof Error && { cause: named(cause) }) }
}

/** The same in lines, with where it happened; causes ten deep at most. */
export function loggedStack(error: unknown, depth = 10): string {
  const { name, code, errcode, message, cause } = loggedError(error)
  const codes = [code, errcode].filter((each) => each !== undefined)
  const first = `${name}${codes.length > 0 ? ` (${codes.join(', ')})` : ''}${message ? `: ${message}` : ''}`
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => FRAME.test(line)) : []
  return [first, ...frames, ...(cause && depth > 0 ? [`caused by ${loggedStack((error as Error).cause, depth - 1)}`] : [])].join('\n')
}
const FRAME = /^ {4}at \S.*:\d+:\d+\)?$/

const named = ({ name, code, errcode }: Coded) => ({ name, ...(code !== undefined && { code }), ...(errcode !== undefined && { errcode }) })

/** Node and drivers give theirs a code; a text that is no JSON is quoted by the SyntaxError about it. */
const isOurs = (error: Coded) =>
  error.code === undefined ? !(error instanceof SyntaxError) : error.code === 'ERR_ASSERTION' && error.generatedMessage === false
