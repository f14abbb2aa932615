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

/** The file's text with the fault in it. An error when the text to replace does not stand there exactly once. */
export function plantedIn({ file, from, to }: PlantedFault, folder = join(root, 'src')) {
  const text = readFileSync(join(folder, file), 'utf8')
  assert.equal(text.split(from).length, 2, `${file} has not exactly one ${from}`)
  return text.replace(from, () => to)
}

/** The copy exists while `work` runs. */
export async function withPlantedSource(planted: readonly PlantedFault[], work: (copy: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-fault-'))
  try {
    cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true })
    for (const name of ['package.json', 'node_modules']) symlinkSync(join(root, name), join(folder, name))
    for (const fault of planted) writeFileSync(join(folder, 'src', fault.file), plantedIn(fault, join(folder, 'src')))
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
