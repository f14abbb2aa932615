// The checkout that tests drive over HTTP and by its commands: this one, or the one in MOHUR_TEST_CHECKOUT. So the test of a fix can be
// seen to fail on the commit before it.

import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export const checkout = resolve(process.env['MOHUR_TEST_CHECKOUT'] ?? resolve(import.meta.dirname, '../../..'))

/** A module of that checkout, with this checkout's types. */
export const fromCheckout = <Module>(path: string): Promise<Module> => import(pathToFileURL(join(checkout, path)).href) as Promise<Module>
