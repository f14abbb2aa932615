// Keeps Node's compiled code between starts. The cache is in MOHUR_DATA and nowhere else: a user who can write it runs code as this process
// (docs/decisions/0016). This file loads before any file of src/, so that all compiled code of src/ is kept. Only a Node that can run src/
// loads this file.

import { lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { constants, enableCompileCache } from 'node:module'
import { dirname, join } from 'node:path'

const FOLDER = 'compile-cache'
const FOLDER_MODE = 0o700
const PERMISSIONS = 0o777
const OTHERS_WRITE = 0o022
const STICKY = 0o1000 // of a folder like /tmp, where all may make files and none may replace another user's
const FILES_MAX = 5_000 // a start leaves some 2,000; other checkouts and other Nodes leave theirs
const DEBUG = 20 // as pino writes it

const { ENABLED, ALREADY_ENABLED } = constants.compileCacheStatus

/** For `serve`, which has not read its settings yet. Without a cache a start only takes longer. */
export function keepCompiled({ MOHUR_DATA, MOHUR_LOG }) {
  try {
    const { status, message } = enableCompileCache(folderIn(MOHUR_DATA || './data')) // the default is that of src/settings.ts
    if (status !== ENABLED && status !== ALREADY_ENABLED) throw new Error(message ?? 'the environment says so')
  } catch (error) {
    const msg = `nothing compiled is kept for the next start: ${error.message}`
    if (MOHUR_LOG === 'debug') console.log(JSON.stringify({ level: DEBUG, time: Date.now(), msg }))
  }
}

/** A folder that only this user could have written, and that no other user can replace. Throws when there is none. */
function folderIn(data) {
  if (process.getuid === undefined) throw new Error('this system does not say whose a folder is')
  const us = process.getuid()
  mkdirSync(data, { recursive: true, mode: FOLDER_MODE }) // as the store does
  const above = realpathSync(data)
  for (let path = above, below = ''; path !== below; below = path, path = dirname(path)) {
    const { uid, mode } = statSync(path)
    if (uid !== us && uid !== 0) throw new Error(`${path} is another user's`)
    if (mode & OTHERS_WRITE && !(mode & STICKY)) throw new Error(`others may write into ${path}`)
  }
  const folder = join(above, FOLDER)
  try {
    mkdirSync(folder, { mode: FOLDER_MODE })
  } catch (error) {
    if (error.code !== 'EEXIST') throw error // an existing entry of any kind is checked below
  }
  const found = lstatSync(folder)
  if (!found.isDirectory()) throw new Error(`${folder} is no folder`)
  if (found.uid !== us) throw new Error(`${folder} is another user's`)
  if ((found.mode & PERMISSIONS) !== FOLDER_MODE) throw new Error(`${folder} is not for its owner alone (mode 700)`)
  if (readdirSync(folder, { recursive: true }).length > FILES_MAX)
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
  return folder
}
