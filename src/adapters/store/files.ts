// Keeps the files in MOHUR_DATA to their owner: keys, and unsealed data such as mobile numbers (docs/operating/postgresql.md).

import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
const OTHERS = 0o077 // what group and all others may do
/** SQLite makes these beside a file, with that file's mode. */
const BESIDE = ['', '-wal', '-shm', '-journal']

/**
 * Makes the file, from its first moment for its owner only. If the file exists, restricts its permissions and those of SQLite's files
 * beside it. Returns a warning for each file that could not be restricted.
 * An existing file is never opened here: closing it would release this process's locks on it.
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

/**
 * Makes the folder for its owner only. An existing folder may serve other uses too, so its permissions stay. Returns a warning if others
 * may look into it.
 */
export function ownFolder(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
  const mode = modeOf(folder)
  return mode & OTHERS ? [`others may look into ${folder} (mode ${mode.toString(8)}): chmod 700 keeps them out`] : []
}

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

/** The permissions. 0 when the path does not exist, or when the system is Windows, which has none. */
function modeOf(path: string): number {
  if (process.platform === 'win32') return 0
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777
}
