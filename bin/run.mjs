#!/usr/bin/env node
// Runs a file of Mohur on the Node that npm installed for this platform, even when another Node started this launcher. Some versions of
// npm do not link that Node into node_modules/.bin. This is plain JavaScript, because an old Node has to read it.
//
// No process of Mohur outlives the npm or the launcher that started it. npm passes on only some signals, and a process killed with SIGKILL
// passes on none. So the launcher checks whether npm still runs. The launcher's child learns by a channel whether the launcher still runs.

import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { asked, canRunMohur, cannotRun, installedNode, NODE_MAJOR, NoNode } from './installed-node.mjs'

const LOOK_EVERY_MS = 500

const here = fileURLToPath(import.meta.url)

function end(error) {
  if (!(error instanceof NoNode)) throw error
  console.error(error.message)
  process.exit(error.exit)
}

/** The path of the binary. When there is none, prints why and ends the process. */
function otherNode() {
  try {
    return installedNode()
  } catch (error) {
    return end(error)
  }
}

function processOf(pid) {
  try {
    if (process.platform === 'linux') {
      const [, name, parent] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))
      return { name, parent: Number(parent) }
    }
    const [, parent, name] = /(\d+)\s+(.*)/.exec(execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' }))
    return { name: name.trim(), parent: Number(parent) }
  } catch {
    return undefined
  }
}

function isThere(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * Calls `gone` once npm has ended. npm may have a shell of its own between itself and this process. Mohur outlives any other starter, such
 * as a shell that is left with `nohup`, or a supervisor's script.
 */
function watchNpm(gone) {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return
  const parent = process.ppid
  const { name, parent: behind } = processOf(parent) ?? {}
  const watched = /^(.*\/)?-?(ba|da|z|k|a)?sh$/.test(name ?? '') ? behind : parent
  const timer = setInterval(() => {
    if (process.ppid === parent && isThere(watched)) return
    clearInterval(timer)
    gone()
  }, LOOK_EVERY_MS)
  timer.unref()
}

/** Runs the file in this process. To stop it, the process sends itself the SIGTERM that a supervisor would send. */
async function runHere(file, args) {
  const stop = () => process.kill(process.pid, 'SIGTERM')
  if (process.connected) {
    process.once('disconnect', stop)
    process.channel.unref() // the channel must not keep the process alive
  } else {
    watchNpm(stop)
  }
  process.argv = [process.argv[0], resolve(file), ...args]
  if (args[0] === 'serve' && !args.includes('--help')) return (await import('./compile-cache.mjs')).runKept(resolve(file), process.env)
  return import(pathToFileURL(resolve(file)).href)
}

export function run(file, args) {
  if (canRunMohur) return runHere(file, args)
  const child = spawn(otherNode(), [here, resolve(file), ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  watchNpm(() => child.kill('SIGTERM'))
  child.on('error', (error) => end(cannotRun(`The Node ${NODE_MAJOR} that npm brought cannot be run (${error.code}): ${child.spawnfile}; ${asked}.`)))
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
}

// Called as a command, and not by bin/mohur.mjs.
if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) await run(process.argv[2], process.argv.slice(3))
