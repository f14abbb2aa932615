// A row of a code table. The tables stand in result-codes.ts.

type Status = 'S' | 'F' | 'U' | 'SUCCESS' | 'FAILURE' | 'TXN_SUCCESS' | 'TXN_FAILURE' | 'PENDING'
interface Row {
  readonly code: string
  readonly status: Status
  readonly message: string
  /** The HTTP status, when it is not 200. */
  readonly http?: number
}

/** A result code knows its operation, so that the compiler refuses one operation's code in another. */
export interface ResultCode<Operation extends string = string> extends Row {
  readonly operation: Operation
  readonly name: string
  /** Its place in the table. Among several wrong values the earliest row answers (docs/interface.md section 7). */
  readonly rank: number
}

const row =
  (status: Status) =>
  (code: string, message: string, http?: number): Row => ({ code, status, message, ...(http !== undefined && { http }) })
export const S = row('S')
export const F = row('F')
export const U = row('U')
export const SUCCESS = row('SUCCESS')
export const FAILURE = row('FAILURE')
export const TXN_SUCCESS = row('TXN_SUCCESS')
export const TXN_FAILURE = row('TXN_FAILURE')
export const PENDING = row('PENDING')

/** The table of one operation. Its rows have the order of docs/interface.md section 7. */
export function resultCodes<const Operation extends string, Name extends string>(operation: Operation, rows: Record<Name, Row>) {
  const entries = Object.entries<Row>(rows).map(([name, row], rank) => [name, { ...row, operation, name, rank }])
  return Object.freeze(Object.fromEntries(entries)) as Readonly<Record<Name, ResultCode<Operation>>>
}

/** The results of an operation that crosses no wire, by name. No document lists these results. */
export const ownCodes = <const Operation extends string, Name extends string>(operation: Operation, ...names: readonly Name[]) =>
  resultCodes(operation, Object.fromEntries(names.map((name) => [name, S('', name)])) as Record<Name, Row>)
