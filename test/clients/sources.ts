// Finds the sources of published clients on this machine, and copies the commit to run. Its files must have the recorded hashes.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Client, Source } from './client.ts'

/** True where the folder has every repository that the client needs. */
export const isAtHand = (folder: string, client: Client) =>
  client.harness !== undefined && [client, ...(client.beside ?? [])].every((source) => placeOf(folder, source) !== undefined)

function placeOf(folder: string, { repository }: Source): string | undefined {
  const [owner, name] = repository.split('/')
  return [`${owner}+${name}/repo`, `${owner}+${name}`, name!].map((path) => resolve(folder, path)).find((path) => existsSync(path))
}

/** The client's files at its commit, in their own folder. */
export function take(folder: string, source: Source, into: string): string {
  const { repository, commit, files, only = [] } = source
  const [owner, name] = repository.split('/')
  const place = placeOf(folder, source)
  if (!place) throw new Error(`${repository} is not in ${folder}`)
  const target = join(into, `${owner}+${name}@${commit.slice(0, 12)}`)
  if (existsSync(target)) return target
  mkdirSync(target)
  const tar = execFileSync('git', ['-C', place, 'archive', commit, ...only], {
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  execFileSync('tar', ['-x', '-C', target], { input: tar })
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(target, 'node_modules')) // npm's `paytmchecksum`, for clients on Node
  for (const [path, expected] of Object.entries(files)) {
    const found = createHash('sha256')
      .update(readFileSync(join(target, path)))
      .digest('hex')
    if (found !== expected) throw new Error(`${repository} ${path}: its hash is ${found}`)
  }
  return target
}

/** The gateway hosts that a client's own files name. */
export function hostsIn(source: string): string[] {
  const files = readdirSync(source, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /\.(php|py|rb|pl|pm|md|js|cshtml|java)$/.test(entry.name),
  )
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
  return texts.flatMap((text) => [...text.matchAll(/[/'"]([a-z0-9.-]*paytm[a-z0-9-]*\.(?:com|in))\b/g)].map(([, host]) => host!))
}
