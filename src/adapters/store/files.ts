// What lies in MOHUR_DATA is its owner's alone: keys, and what is not sealed, such as mobile numbers (docs/operating/postgresql.md).

import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
const OTHERS = 0o077 // what group and everybody may do
/** SQLite makes these beside a file, with that file's mode. */
const BESIDE = ['', '-wal', '-shm', '-journal']

/**
 * Makes the file, for its owner only from its first moment; one that is there, and what SQLite has left beside it, is tightened.
 * A sentence where that cannot be done. It is never opened when it is there: closing it would let go of this process's locks on it.
 */
export function ownFile(file: string): string[] {
  try {
    closeSync(openSync(file, 'wx', FILE_MODE))
    return []
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
  return BESIDE.flatMap((suffix) => restrictToOwner(file + suffix))
}

/** Makes the folder. One that is there may have been made for more than this, so that it is left as it is, with a sentence. */
export function ownFolder(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
  const mode = modeOf(folder)
  return mode & OTHERS ? [`others may look into ${folder} (mode ${mode.toString(8)}): chmod 700 keeps them out`] : []
}

/** A file that is there. */
export function restrictToOwner(file: string): string[] {
  const mode = modeOf(file)
  if (!(mode & OTHERS)) return []
  try {
    chmodSync(file, FILE_MODE)
    return []
  } catch {
    return [`others may read ${file} (mode ${mode.toString(8)}), and this process may not change that`]
  }
}

/** Its permissions; 0 where there is nothing, or where the system knows none. */
function modeOf(path: string): number {
  if (process.platform === 'win32') return 0
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777
}
