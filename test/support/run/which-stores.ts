// The stores on which tests run. `run.ts` decides by its kind of run. A file that Node runs by itself runs on both.

export const storesVariable = 'MOHUR_TEST_STORES'
const both = ['sqlite', 'postgres'] as const
export type StoreName = (typeof both)[number]

interface Stores {
  everywhere: readonly StoreName[]
  whereSqlDiffers: readonly StoreName[]
}
/** By command: `npm run test:quick`, `npm test`, `npm run prove`. */
export const runs = {
  quick: { everywhere: ['sqlite'], whereSqlDiffers: ['sqlite'] },
  test: { everywhere: ['sqlite'], whereSqlDiffers: both },
  prove: { everywhere: both, whereSqlDiffers: both },
} as const satisfies Record<string, Stores>
export type Run = keyof typeof runs

const { everywhere, whereSqlDiffers }: Stores = runs[(process.env[storesVariable] as Run | undefined) ?? 'prove']
/** The stores of most tests. */
export const storeNames = everywhere
/** The stores of tests whose SQL differs between the two. */
export const storesWhereSqlDiffers = whereSqlDiffers
