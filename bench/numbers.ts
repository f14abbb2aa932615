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

export const median = (values: Iterable<number>) => quantile(values, 0.5)
export const latency = (ms: Iterable<number>): Latency => ({ p50Ms: quantile(ms, 0.5), p99Ms: quantile(ms, 0.99) })
