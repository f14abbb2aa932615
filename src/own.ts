// Finds the files that code reads beside itself: styles, scripts, lists, documents. A package has its code in one folder below its root, as
// this file is (bin/pack.mjs), so both have the same root.

import { fileURLToPath } from 'node:url'

/** The path of a file that belongs to Mohur, by its path from the root of the checkout: `docs/openapi.json`. */
export const own = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))
