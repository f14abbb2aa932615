// Several test files in one process, one after the other: to load the service takes a process longer than most files take to run.
// A file is a `describe` of its own, so that what it opens for all its tests is closed before the next file begins.

import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import './service.ts' // its `await` belongs to no file

/** The names are those of the `describe`s; `tally.ts` reads the time of a file off them. */
export async function runTogether(files: readonly { name: string; path: string }[]) {
  // The next file is loaded when this one has said its tests: else both would say them at once.
  for (const { name, path } of files)
    await new Promise<void>((loaded) => {
      describe(name, () => import(pathToFileURL(path).href).finally(loaded))
    })
}
