// The thread that answers questions on the embedded store, beside the thread that decides. This thread rests as long as it worked, so lists
// and exports take at most half a processor. A short question causes no rest.

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const BUSY_MS = 5_000 // a checkpoint may lock the file for a moment
const REST_MIN_MS = 20 // Mohur's choice: the shortest sleep; a shorter rest passes while no question arrives
const CACHE_KIB = 16 * 1024 // Mohur's choice: the upper levels of the indexes

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

let [owedMs, restedSince] = [0, performance.now()]
parentPort!.on('message', ({ sql, values }: AsideQuestion) => {
  const begun = performance.now()
  owedMs = Math.max(0, owedMs - (begun - restedSince))
  parentPort!.postMessage(answer(sql, values))
  restedSince = performance.now()
  owedMs += restedSince - begun
  if (owedMs >= REST_MIN_MS && !database.isTransaction) Atomics.wait(still, 0, 0, owedMs)
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
