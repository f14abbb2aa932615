// Summaries of measurements: medians, quartiles, percentiles.

export interface Latency {
  p50Ms: number
  p99Ms: number
}

/** The value below which this share (0 to 1) of all values lies. */
export function quantile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

/** Between the two in the middle where there is no middle one: the upper of few rounds would flatter rates and wrong times. */
export function median(values: Iterable<number>): number {
  const sorted = Float64Array.from(values).sort()
  const upper = sorted[sorted.length >> 1]!
  return sorted.length % 2 === 1 ? upper : (sorted[(sorted.length >> 1) - 1]! + upper) / 2
}

export const latency = (ms: Iterable<number>): Latency => ({ p50Ms: quantile(ms, 0.5), p99Ms: quantile(ms, 0.99) })
