// Which checkout the tests drive over HTTP and by its commands: this one, or another that MOHUR_TEST_CHECKOUT names. So the
// test of a mend can be shown to fail on the commit before it.

import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const ours = resolve(import.meta.dirname, '../../..')
export const checkout = resolve(process.env['MOHUR_TEST_CHECKOUT'] ?? ours)

/** Where a file of this checkout lies in that one, which may be older than the four kinds of rooms. */
export function pathIn(path: string): string {
  if (existsSync(join(checkout, path))) return join(checkout, path)
  const moves = readFileSync(join(ours, 'test/house/moves.tsv'), 'utf8').trim().split('\n')
  const before = moves.map((line) => line.split('\t')).find(([, after]) => after === path)?.[0]
  return join(checkout, before ?? path)
}

/** A module of that checkout; its types are those of this one. */
export const fromCheckout = <Module>(path: string): Promise<Module> => import(pathToFileURL(pathIn(path)).href) as Promise<Module>
