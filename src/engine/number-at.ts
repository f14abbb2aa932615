// Ids of orders, transactions and all else that Mohur numbers: the time, then chance.

import type { Random } from './random.ts'

const ID_RANDOM_BYTES = 5 // in one millisecond two ids are equal once in 10^12
const ID_RANDOM_DIGITS = 13

/** An id of digits only, as clients expect. The time comes first, so that new rows stand side by side in every index. */
export const numberAt = (now: number, fresh: Random) =>
  `${now}${String(Number.parseInt(fresh.hex(ID_RANDOM_BYTES), 16)).padStart(ID_RANDOM_DIGITS, '0')}`
