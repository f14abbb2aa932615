// The thread that answers questions on the embedded store beside the one that decides. It rests as long as it worked, so that lists and exports
// take half a processor at most.

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const BUSY_MS = 5_000 // a checkpoint may hold the file for a moment
const CACHE_KIB = 16 * 1024 // ours: the upper levels of the indexes

export interface AsideQuestion {
  sql: string
  values: readonly SQLInputValue[]
}
export type AsideAnswer = { rows: object[] } | { error: string }

const { file } = workerData as { file: string }
const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS })
database.exec(`pragma cache_size = -${CACHE_KIB}`)
const statements = new Map<string, StatementSync>()
const still = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

parentPort!.on('message', ({ sql, values }: AsideQuestion) => {
  const begun = performance.now()
  parentPort!.postMessage(answer(sql, values))
  Atomics.wait(still, 0, 0, performance.now() - begun)
})

function answer(sql: string, values: readonly SQLInputValue[]): AsideAnswer {
  try {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return { rows: statement.all(...values) }
  } catch (error) {
    return { error: String((error as Error).message) }
  }
}
