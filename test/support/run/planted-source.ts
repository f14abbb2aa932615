// A copy of the source with a planted fault, which a test must find.

import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/** Replaces one text in a file of `src`. */
export interface PlantedFault {
  file: string
  from: string
  to: string
}

/** The copy exists while `work` runs. */
export async function withPlantedSource(planted: readonly PlantedFault[], work: (copy: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-fault-'))
  try {
    cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true })
    for (const name of ['package.json', 'node_modules']) symlinkSync(join(root, name), join(folder, name))
    for (const { file, from, to } of planted) {
      const path = join(folder, 'src', file)
      const text = readFileSync(path, 'utf8')
      assert.equal(text.split(from).length, 2, `${file} has not exactly one ${from}`)
      writeFileSync(
        path,
        text.replace(from, () => to),
      )
    }
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
