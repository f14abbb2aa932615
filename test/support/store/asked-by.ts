import type { Looks, Query } from '../../../src/engine/decision.ts'

/** Each set of rows of one moment is asked by `asks`, which may note the question, or commit something meanwhile. */
export const askedBy = (query: Query, asks: (looks: Looks, find: Parameters<Looks['rows']>[0]) => Promise<readonly object[]>): Query => ({
  ...query,
  atOneMoment: (work) => query.atOneMoment((looks) => work({ ...looks, rows: ((find) => asks(looks, find)) as Looks['rows'] })),
})
