// A history in portions, the newest first. Each of its kinds has an index of its own, and one portion shows all kinds back to the same time.

/** One kind of what a history holds, newest first: at most one item more than a portion may show. */
export interface Newest {
  times: readonly number[]
  most: number
}

/** How many of each kind the portion shows: no kind reaches further back than one that has more than it may show. */
export function shownOf(kinds: readonly Newest[]): number[] {
  const full = kinds.filter(({ times, most }) => times.length > most)
  const floor = Math.max(Number.NEGATIVE_INFINITY, ...full.map(({ times, most }) => Math.min(...times.slice(0, most))))
  return kinds.map(({ times, most }) => {
    const shown = times.slice(0, most)
    const below = shown.findIndex((at) => at < floor)
    return below === -1 ? shown.length : below
  })
}
