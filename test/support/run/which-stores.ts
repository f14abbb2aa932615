// On which stores the tests run: `run.ts` says so by its kind of run. A file that Node runs by itself runs on both.

export const storesVariable = 'MOHUR_TEST_STORES'
const both = ['sqlite', 'postgres'] as const
export type StoreName = (typeof both)[number]

interface Stores {
  everywhere: readonly StoreName[]
  whereSqlDiffers: readonly StoreName[]
}
/** By the command: `npm run test:quick`, `npm test`, `npm run prove`. */
export const runs = {
  quick: { everywhere: ['sqlite'], whereSqlDiffers: ['sqlite'] },
  test: { everywhere: ['sqlite'], whereSqlDiffers: both },
  prove: { everywhere: both, whereSqlDiffers: both },
} as const satisfies Record<string, Stores>
export type Run = keyof typeof runs

const { everywhere, whereSqlDiffers }: Stores = runs[(process.env[storesVariable] as Run | undefined) ?? 'prove']
/** Where most tests run. */
export const storeNames = everywhere
/** Where tests run whose SQL is not the same on both. */
export const storesWhereSqlDiffers = whereSqlDiffers
