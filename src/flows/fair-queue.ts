// Chooses which overdue cycles come next. At six o'clock, one merchant's hundred thousand cycles may stand before another merchant's ten.
// When a look cannot take all due cycles, it takes half from the front of the line. The other half comes from places all along the line.

import type { Query } from '../engine/decision.ts'
import { collectionsDue, collectionsDueBeyond } from '../tables/keys.ts'
import type { Row } from '../tables/tables.ts'

const SHARE = 32 // Mohur's choice: cycles of one merchant and one instant, before the next place has its turn
const BEGINNING: Place = [0, '']

type Place = readonly [nextAt: number, mid: string]
type Due = Pick<Row<'collections'>, 'mid' | 'collectionId'>

export class FairQueue {
  /** The walk along the line goes on behind this place. */
  #place = BEGINNING

  /** At most `limit` cycles, each once. When fewer are due, all of them. */
  async next(query: Query, now: number, limit: number): Promise<readonly Due[]> {
    const front = await query.rows(collectionsDue(now, limit))
    if (front.length < limit) return front
    const along = await this.#along(query, now, Math.floor(limit / 2))
    const taken = new Set(along.map(nameOf))
    return [...along, ...front.filter((row) => !taken.has(nameOf(row)))].slice(0, limit)
  }

  async #along(query: Query, now: number, limit: number): Promise<readonly Due[]> {
    const found: Row<'collections'>[] = []
    while (found.length + SHARE <= limit) {
      const rows = await query.rows(collectionsDueBeyond(now, this.#place, SHARE))
      found.push(...rows)
      const last = rows.at(-1)
      this.#place = rows.length < SHARE || last?.nextAt == null ? BEGINNING : [last.nextAt, last.mid]
      if (this.#place === BEGINNING) break
    }
    return found
  }
}

const nameOf = ({ mid, collectionId }: Due) => `${mid} ${collectionId}`
