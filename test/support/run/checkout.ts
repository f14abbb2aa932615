// Which checkout the tests drive over HTTP and by its commands: this one, or another that MOHUR_TEST_CHECKOUT names. So the
// test of a mend can be shown to fail on the commit before it.

import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export const checkout = resolve(process.env['MOHUR_TEST_CHECKOUT'] ?? resolve(import.meta.dirname, '../../..'))

/** A module of that checkout; its types are those of this one. */
export const fromCheckout = <Module>(path: string): Promise<Module> => import(pathToFileURL(join(checkout, path)).href) as Promise<Module>
