// The package as a user has it: packed from this checkout, made a tarball, and installed into an empty folder.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './files.ts'

export interface Packed {
  folder: string
  /** The folder of the package, below `node_modules`. Its path has spaces. */
  package: string
  tarball: string
  /** The empty folder, with files of a test's own. */
  project: string
}

let made: Packed | undefined

/** Needs no registry: npm installs the tarball without its optional packages. Ends with the tests' process. */
export function packed(): Packed {
  made ??= make()
  return made
}

function make(): Packed {
  const folder = mkdtempSync(join(tmpdir(), 'mohur packed '))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const run = (file: string, args: readonly string[], cwd: string) => execFileSync(file, args, { cwd, encoding: 'utf8' })
  run(process.execPath, ['bin/pack.mjs', join(folder, 'dist')], root)
  run('npm', ['pack', '--loglevel=error', join(folder, 'dist')], folder)
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz'))!)
  const project = join(folder, 'a shop')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"private":true}')
  run('npm', ['install', '--omit=optional', '--no-audit', '--no-fund', '--loglevel=error', tarball], project)
  return { folder, package: join(project, 'node_modules/mohur'), tarball, project }
}
