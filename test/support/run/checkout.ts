// The checkout that tests drive over HTTP and by its commands: this one, or the one in MOHUR_TEST_CHECKOUT. So the test of a fix can be
// seen to fail on the commit before it. With MOHUR_TEST_PACKAGE=1 tests spawn the package in dist/ instead.

import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export const checkout = resolve(process.env['MOHUR_TEST_CHECKOUT'] ?? resolve(import.meta.dirname, '../../..'))

/** A module of that checkout, with this checkout's types. */
export const fromCheckout = <Module>(path: string): Promise<Module> => import(pathToFileURL(join(checkout, path)).href) as Promise<Module>

export const isPackage = process.env['MOHUR_TEST_PACKAGE'] === '1'
if (isPackage) {
  const { staleness } = await fromCheckout<{ staleness(): string | undefined }>('bin/pack.mjs')
  const stale = staleness()
  if (stale !== undefined) throw new Error(`MOHUR_TEST_PACKAGE: ${stale}`)
}
/** The folder with `bin`. */
export const spawned = isPackage ? join(checkout, 'dist') : checkout
/** The command line, for a Node that can run it. */
export const program = join(spawned, isPackage ? 'lib/mohur.cjs' : 'src/cli/mohur.ts')
