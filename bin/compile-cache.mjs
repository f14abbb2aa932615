// Keeps compiled code between starts. The cache is in MOHUR_DATA and nowhere else: a user who can write it runs code as this process
// (docs/decisions/0016). This file loads before any file of src/, so that all compiled code of src/ is kept. Only a Node that can run src/
// loads this file.

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { constants, createRequire, enableCompileCache, flushCompileCache } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'
import { Script, constants as vmConstants } from 'node:vm'
import { crc32 } from 'node:zlib'

const IDLE_LOOK_MS = 1_000 // Mohur's choice: callers who waited for the start are answered first
const IDLE_BUSY_MAX = 0.2 // Mohur's choice: the busy share of that time
const HEAD_BYTES = 20 // five numbers, as in the files that Node keeps
const FOLDER = 'compile-cache'
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const PERMISSIONS = 0o777
const OTHERS_WRITE = 0o022
const STICKY = 0o1000 // of a folder like /tmp, where all may make files and none may replace another user's
const FILES_MAX = 5_000 // a start leaves some 2,000; other checkouts and other Nodes leave theirs
const DEBUG = 20 // as pino writes it

const { ENABLED, ALREADY_ENABLED } = constants.compileCacheStatus
const importModuleDynamically = vmConstants.USE_MAIN_CONTEXT_DEFAULT_LOADER

/** Runs the file for `serve`, which has not read its settings yet. Without a cache a start only takes longer. */
export async function runKept(file, { MOHUR_DATA, MOHUR_LOG, NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE }) {
  const isScript = file.endsWith('.cjs') && !NODE_COMPILE_CACHE && !NODE_DISABLE_COMPILE_CACHE
  const withoutCache = ({ message }) => {
    const msg = `nothing compiled is kept for the next start: ${message}`
    if (MOHUR_LOG === 'debug') console.log(JSON.stringify({ level: DEBUG, time: Date.now(), msg }))
  }
  let folder
  try {
    folder = folderIn(MOHUR_DATA || './data') // the default is that of src/settings.ts
    if (!isScript) {
      const { status, message } = enableCompileCache(folder)
      if (status !== ENABLED && status !== ALREADY_ENABLED) throw new Error(message ?? 'the environment says so')
      onceIdle(flushCompileCache)
    }
  } catch (error) {
    withoutCache(error)
  }
  if (isScript && folder !== undefined) return runScript(file, join(folder, 'package'), withoutCache)
  if (file.endsWith('.ts')) await import('./resolve.mjs') // a package has one file
  await import(pathToFileURL(file).href)
}

/**
 * Runs a package's one file. Node's own cache has no function that is compiled after its module, so it would leave most of a start's work.
 * The file `kept` is laid out as Node's: V8's version, the lengths of source and code, the checksums of both, the code.
 */
function runScript(file, kept, failed) {
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`
  const headOf = (code) => Buffer.from(Uint32Array.of(cachedDataVersionTag(), source.length, code.length, crc32(source), crc32(code)).buffer)
  const script = new Script(source, { filename: file, cachedData: codeIn(kept, headOf), importModuleDynamically })
  let isKept = script.cachedDataRejected === false // undefined where there was no code
  const keep = () => {
    if (isKept || !existsSync(dirname(kept))) return
    isKept = true
    const made = `${kept}.${process.pid}`
    try {
      const code = script.createCachedData()
      writeFileSync(made, Buffer.concat([headOf(code), code]), { mode: FILE_MODE })
      renameSync(made, kept)
    } catch (error) {
      rmSync(made, { force: true })
      failed(error)
    }
  }
  if (!isKept) {
    onceIdle(keep)
    process.once('exit', (code) => code === 0 && keep()) // a start that failed has compiled only a part
  }
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
}

/** Undefined where there is none of this source, this V8 and this user alone, or where it is torn. */
function codeIn(kept, headOf) {
  try {
    const { mode, uid } = lstatSync(kept)
    if (uid !== process.getuid() || (mode & PERMISSIONS) !== FILE_MODE) return undefined
    const bytes = readFileSync(kept)
    const code = bytes.subarray(HEAD_BYTES)
    return headOf(code).equals(bytes.subarray(0, HEAD_BYTES)) ? code : undefined
  } catch {
    return undefined
  }
}

/** In the first idle second of a service that listens. To write may take 0.1 s to a second, in which no caller is answered. */
function onceIdle(keep) {
  let before = performance.eventLoopUtilization()
  const look = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    if (utilization > IDLE_BUSY_MAX || !process.getActiveResourcesInfo().includes('TCPServerWrap')) return
    clearInterval(look)
    keep()
  }, IDLE_LOOK_MS)
  look.unref()
}

/**
 * A folder into which only this user can write now, and that no other user can replace. It may hold another user's files from a time with a
 * wider mode (docs/decisions/0016). Throws when there is none.
 */
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
