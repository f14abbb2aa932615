// Questions beside the writer. Keys that are asked for in one turn of the event loop are asked of the database in one statement for
// each table, and one question that several ask is asked once: two hundred deliveries that begin together are of a few merchants.

import type { Query } from '../engine/decision.ts'
import { Unreachable } from '../engine/store.ts'
import type { Find, Key, Row, TableName } from '../tables.ts'

type AnyRow = Row<TableName>

export interface Asks {
  read(keys: readonly Key[]): Promise<ReadonlyMap<string, AnyRow>>
  find(find: Find): Promise<readonly AnyRow[]>
}

export class Gathered implements Query {
  readonly #asks: Asks
  /** Of this turn: keys by their names, and what is found for them all; undefined when one of them cannot be read. */
  #turn: { keys: Map<string, Key>; found: Promise<ReadonlyMap<string, AnyRow> | undefined> } | undefined
  readonly #finds = new Map<string, Promise<readonly AnyRow[]>>()

  constructor(asks: Asks) {
    this.#asks = asks
  }

  /** Fields, so that whoever wraps a store may take one without the other. */
  readonly row = async <T extends TableName>(key: Key<T>): Promise<Row<T> | undefined> => {
    const look: Key = { ...key, mode: 'look' }
    this.#turn ??= this.#begin()
    const { keys, found } = this.#turn
    keys.set(key.name, look)
    // A row that cannot be read is nobody's trouble but his who asked for it. A database that is away is everybody's.
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

  #begin() {
    const keys = new Map<string, Key>()
    const found = Promise.resolve().then(() => {
      this.#turn = undefined
      const read = this.#asks.read([...keys.values()])
      if (keys.size === 1) return read
      return read.catch((error: unknown) => {
        if (error instanceof Unreachable) throw error
        return undefined
      })
    })
    return { keys, found }
  }
}
