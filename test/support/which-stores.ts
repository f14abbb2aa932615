// Which stores the tests run on: both, or the one that `--store=` of run.ts names.

export const storesVariable = 'MOHUR_TEST_STORE'
const both = ['sqlite', 'postgres'] as const
export type StoreName = (typeof both)[number]

const asked = process.env[storesVariable]
export const storeNames: readonly StoreName[] = asked ? both.filter((name) => name === asked) : both
if (storeNames.length === 0) throw new Error(`--store=${asked}: a store is ${both.join(' or ')}`)
