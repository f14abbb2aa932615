// Reads rows with sealed values. A row that cannot be opened hides no other. The caller gets any other error.

import type { Looks } from '../engine/decision.ts'
import { Unopened } from '../engine/store.ts'
import type { Find, Row, TableName } from '../tables/tables.ts'

/** A row that cannot be opened is as `unopened` leaves it. `ownOf` finds one row of the set alone. */
export async function openedRows<T extends TableName>(
  looks: Looks,
  whole: Find<T>,
  ownOf: (row: Row<T>) => Find<T>,
): Promise<readonly Row<T>[]> {
  try {
    return await looks.rows(whole)
  } catch (error) {
    if (!(error instanceof Unopened)) throw error
    const unopened = await looks.rows<T>({ ...whole, unopened: true })
    return Promise.all(unopened.map(async (row) => (await looks.rows(ownOf(row)).catch(leftUnopened))[0] ?? row))
  }
}

function leftUnopened(error: unknown): [] {
  if (error instanceof Unopened) return []
  throw error
}
