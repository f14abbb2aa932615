// A history in portions, the newest first. Each of its kinds has its own index. One portion shows all kinds back to the same time.

/** One kind of item in a history, newest first: at most one item more than a portion may show. */
export interface Newest {
  times: readonly number[]
  most: number
}

/** How many items of each kind the portion shows. No kind reaches further back than a kind that has more than it may show. */
export function shownOf(kinds: readonly Newest[]): number[] {
  const full = kinds.filter(({ times, most }) => times.length > most)
  const floor = Math.max(Number.NEGATIVE_INFINITY, ...full.map(({ times, most }) => Math.min(...times.slice(0, most))))
  return kinds.map(({ times, most }) => {
    const shown = times.slice(0, most)
    const below = shown.findIndex((at) => at < floor)
    return below === -1 ? shown.length : below
  })
}
