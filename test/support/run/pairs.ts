// Fewer cases than a whole product: each value of each dimension meets each value of each other dimension at least once. Nothing is drawn,
// so every run has the same cases.

/** Values by the name of their dimension. */
type OneCase = Readonly<Record<string, unknown>>

/** The combinations of two, or of three, dimensions in a case. */
function combinationsIn(one: object, size: 2 | 3): string[] {
  const values = Object.entries(one as OneCase).map(([name, value]) => `${name}=${String(value)}`)
  return values.flatMap((first, at) =>
    values.flatMap((second, next) => {
      if (next <= at) return []
      return size === 2 ? [`${first}, ${second}`] : values.slice(next + 1).map((third) => `${first}, ${second}, ${third}`)
    }),
  )
}

export function unmetPairs(product: readonly object[], cases: readonly object[]): string[] {
  const met = new Set(cases.flatMap((one) => combinationsIn(one, 2)))
  return [...new Set(product.flatMap((one) => combinationsIn(one, 2)))].filter((pair) => !met.has(pair))
}

/**
 * The case with the most new pairs comes next. Where several have as many, the one whose combinations of three have come least often does.
 * Where these are equal too, the first.
 */
export function pairsOf<Case extends object>(product: readonly Case[]): Case[] {
  const all = product.map((one) => ({ one, pairs: combinationsIn(one, 2), triples: combinationsIn(one, 3) }))
  const times = new Map<string, number>()
  const timesOf = (combination: string) => times.get(combination) ?? 0
  return product.flatMap(() => {
    let best: { of: (typeof all)[number]; pairs: number; often: number } | undefined
    for (const of of all) {
      const pairs = of.pairs.filter((pair) => timesOf(pair) === 0).length
      const often = of.triples.reduce((sum, triple) => sum + timesOf(triple), 0)
      const isBetter = best === undefined || pairs > best.pairs || (pairs === best.pairs && often < best.often)
      if (pairs > 0 && isBetter) best = { of, pairs, often }
    }
    if (!best) return [] // every pair is met
    for (const each of [...best.of.pairs, ...best.of.triples]) times.set(each, timesOf(each) + 1)
    return [best.of.one]
  })
}
