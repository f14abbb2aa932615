// Decides which parts of an error may be logged, or written to standard error. A database's message may have a value that a caller sent
// (`Failing row contains (9999900001, …)`). So may the driver's other fields, and the stack, which begins with the message.

interface Coded extends Error {
  code?: unknown
  /** SQLite's own code, which Node's code does not show. */
  errcode?: unknown
  /** True for an assertion without a message of Mohur's own. Node's message has the values in it. */
  generatedMessage?: boolean
}
interface Logged {
  name: string
  code?: unknown
  errcode?: unknown
  message?: string
  cause?: Omit<Logged, 'message' | 'cause'>
}

/**
 * The parts that find the fault. An error of Mohur's own has its message. An error of a driver or of Node, and any cause, has only name and
 * code.
 */
export function loggedError(error: unknown): Logged {
  if (!(error instanceof Error)) return { name: typeof error }
  const { cause } = error
  return { ...named(error), ...(isOurs(error) && { message: error.message }), ...(cause instanceof Error && { cause: named(cause) }) }
}

/** The parts of `loggedError` as lines, with the places in the code. At most ten causes deep. */
export function loggedStack(error: unknown, depth = 10): string {
  const { name, code, errcode, message, cause } = loggedError(error)
  const codes = [code, errcode].filter((each) => each !== undefined)
  const first = `${name}${codes.length > 0 ? ` (${codes.join(', ')})` : ''}${message ? `: ${message}` : ''}`
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => FRAME.test(line)) : []
  return [first, ...frames, ...(cause && depth > 0 ? [`caused by ${loggedStack((error as Error).cause, depth - 1)}`] : [])].join('\n')
}
const FRAME = /^ {4}at \S.*:\d+:\d+\)?$/

const named = ({ name, code, errcode }: Coded) => ({ name, ...(code !== undefined && { code }), ...(errcode !== undefined && { errcode }) })

/** Errors of Node and of drivers have a code. A SyntaxError quotes the text that is no JSON. */
const isOurs = (error: Coded) =>
  error.code === undefined ? !(error instanceof SyntaxError) : error.code === 'ERR_ASSERTION' && error.generatedMessage === false
