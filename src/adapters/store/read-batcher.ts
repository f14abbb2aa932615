// Gathers questions beside the writer. Keys that are asked for in one turn of the event loop, or while `UNDER_WAY_MAX` reads are under way,
// become one statement for each table (docs/decisions/0009). So the more callers ask, the less each costs. A set that several callers ask
// for at once is found once: two hundred deliveries that begin together belong to a few merchants.

import type { Looks } from '../../engine/decision.ts'
import { Unreachable } from '../../engine/store.ts'
import type { Find, Key, Row, TableName } from '../../tables/tables.ts'

type AnyRow = Row<TableName>

/** Reads of keys under way at once (docs/decisions/0009). */
const UNDER_WAY_MAX = 2

export interface Asks {
  read(keys: readonly Key[]): Promise<ReadonlyMap<string, AnyRow>>
  find(find: Find): Promise<readonly AnyRow[]>
}

export class ReadBatcher implements Looks {
  readonly #asks: Asks
  /** The next read: its keys by their names, and the rows found. The rows are undefined when one of them cannot be read. */
  #next: { keys: Map<string, Key>; found: Promise<ReadonlyMap<string, AnyRow> | undefined> } | undefined
  #underWay = 0
  /** Starts the next read. Set only while that read waits for one under way. */
  #begins: (() => void) | undefined
  readonly #finds = new Map<string, Promise<readonly AnyRow[]>>()

  constructor(asks: Asks) {
    this.#asks = asks
  }

  /** `row` and `rows` are fields, so that a wrapper of a store may take one without the other. */
  readonly row = async <T extends TableName>(key: Key<T>): Promise<Row<T> | undefined> => {
    const look: Key = { ...key, mode: 'look' }
    this.#next ??= this.#gather()
    const { keys, found } = this.#next
    keys.set(key.name, look)
    // A row that cannot be read fails only for its own caller. An unreachable database fails for all.
    const rows = (await found) ?? (await this.#asks.read([look]))
    return rows.get(key.name) as Row<T> | undefined
  }

  readonly rows = <T extends TableName>(find: Find<T>): Promise<readonly Row<T>[]> => {
    const name = JSON.stringify(find)
    const found = this.#finds.get(name) ?? this.#asks.find(find)
    this.#finds.set(name, found)
    queueMicrotask(() => this.#finds.delete(name))
    return found as unknown as Promise<readonly Row<T>[]>
  }

  #gather() {
    const keys = new Map<string, Key>()
    const found = this.#place().then(() => {
      this.#next = undefined
      return this.#readAll([...keys.values()])
    })
    return { keys, found }
  }

  /** Resolves at the end of this turn, or of a read under way. */
  #place(): Promise<void> {
    if (this.#underWay === UNDER_WAY_MAX)
      return new Promise((resolve) => {
        this.#begins = resolve
      })
    this.#underWay++
    return new Promise((resolve) => setImmediate(resolve))
  }

  async #readAll(keys: readonly Key[]) {
    try {
      return await this.#asks.read(keys)
    } catch (error) {
      if (keys.length === 1 || error instanceof Unreachable) throw error
      return undefined
    } finally {
      const begins = this.#begins
      this.#begins = undefined
      if (begins)
        begins() // in the place of this read
      else this.#underWay--
    }
  }
}
