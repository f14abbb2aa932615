// The parts of a table's declaration: only text, integer and JSON text, the same in both engines. `sealed` is JSON text that is
// encrypted at the store's edge (docs/decisions/0005). Rooms see plain values. The database, its log and its backups never do.

export interface Column<T = unknown> {
  kind: 'text' | 'integer' | 'boolean' | 'json' | 'sealed'
  optional: boolean
  oneOf?: readonly string[]
  /**
   * The time of an event of its row, which never goes back (engine/monotonic-times.ts, docs/decisions/0013). Deadlines are plain
   * integers.
   */
  isInstant?: true
  /** Only for the compiler. */
  type?: T
}
export const text: Column<string> = { kind: 'text', optional: false }
export const optionalText: Column<string | null> = { kind: 'text', optional: true }
export const integer: Column<number> = { kind: 'integer', optional: false }
export const optionalInteger: Column<number | null> = { kind: 'integer', optional: true }
export const instant: Column<number> = { kind: 'integer', optional: false, isInstant: true }
export const optionalInstant: Column<number | null> = { kind: 'integer', optional: true, isInstant: true }
export const boolean: Column<boolean> = { kind: 'boolean', optional: false }
export const oneOf = <const T extends string>(...values: readonly T[]): Column<T> => ({ kind: 'text', optional: false, oneOf: values })
export const json = <T>(): Column<T> => ({ kind: 'json', optional: false })
export const optionalJson = <T>(): Column<T | null> => ({ kind: 'json', optional: true })
export const sealed = <T>(): Column<T> => ({ kind: 'sealed', optional: false })
export const optionalSealed = <T>(): Column<T | null> => ({ kind: 'sealed', optional: true })

export interface Table<Columns extends Record<string, Column> = Record<string, Column>> {
  columns: Columns
  /**
   * Text columns; the first is `mid`, unless a bearer token's hash finds the row. A table with an integer in its key is read only by
   * `Find`: PostgreSQL takes the values of a list of keys for text.
   */
  key: readonly (keyof Columns & string)[]
  indexes?: Readonly<Record<string, { columns: readonly (keyof Columns & string)[]; unique?: true; where?: string }>>
  checks?: readonly string[]
}
export const table = <const Columns extends Record<string, Column>>(definition: Table<Columns>): Table<Columns> => definition
