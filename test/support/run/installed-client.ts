// Installs a published client when a test asks for it, from its own lock in test/clients/<name>, so that no other client shares its
// packages. It lies with other copies that are made once. So it is installed once, and afterwards needs no network.

import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from '../store/postgres.ts'

const FILES = ['package.json', 'package-lock.json']
const INSTALL_MS = 180_000
/** CI sets this, so that a client without an installation fails. */
export const areClientsRequired = process.env['MOHUR_CLIENTS'] === 'required'

/** The client's `require`, or why it cannot be installed. */
export async function installedClient(name: string): Promise<{ require: NodeJS.Require } | { failure: string }> {
  const from = resolve(import.meta.dirname, '../../clients', name)
  const stamp = createHash('sha256')
    .update(readFileSync(join(from, 'package-lock.json')))
    .digest('hex')
    .slice(0, 16)
  // The user id in the name keeps this account from running files of another.
  const folder = join(cacheFolder() ?? mkdtempSync(join(tmpdir(), 'mohur-client-')), `${name}-${stamp}-uid${process.getuid?.() ?? ''}`)
  const failure = existsSync(folder) ? undefined : await install(from, folder)
  return failure === undefined ? { require: createRequire(join(folder, 'package.json')) } : { failure }
}

/** Moves the whole folder to its place by one rename, because two processes may install at once. */
async function install(from: string, folder: string): Promise<string | undefined> {
  const fresh = `${folder}-${randomBytes(4).toString('hex')}`
  try {
    mkdirSync(fresh, { recursive: true })
    for (const file of FILES) copyFileSync(join(from, file), join(fresh, file))
    const tries = areClientsRequired ? [] : ['--fetch-retries=0']
    await npm(['ci', `--prefix=${fresh}`, '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...tries])
    try {
      renameSync(fresh, folder)
    } catch (error) {
      if (!existsSync(folder)) throw error
    }
    return undefined
  } catch (error) {
    return String((error as { stderr?: string }).stderr || error).trim()
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

function npm(args: readonly string[]) {
  const path = process.env['npm_execpath']
  const [file, ...before] = path?.endsWith('npm-cli.js') ? [process.execPath, path] : ['npm']
  return promisify(execFile)(file!, [...before, ...args], { timeout: INSTALL_MS })
}
