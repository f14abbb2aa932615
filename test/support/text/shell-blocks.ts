// Runs the shell lines of Mohur's documents as a reader does.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { program } from '../run/checkout.ts'

const root = resolve(import.meta.dirname, '../../..')

export const blocksOf = (file: string, language = 'sh') =>
  [...readFileSync(join(root, file), 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, block]) => block!,
  )

/** `npx` takes a second for each command; this function does the same without npm. */
const NPX = `npx() {
  [ "$1" = mohur ] || { echo "the test does not know: npx $*" >&2; return 1; }
  [ "$2" = sign ] || { shift; "${process.execPath}" "${program}" "$@"; return; }
  "${process.execPath}" --input-type=module -e "import { signCommand } from '${root}/src/cli/sign.ts'; await signCommand(...process.argv.slice(2))" -- "\${@:3}"
}`

export function needsProgram(program: string) {
  const found = spawnSync(program, ['--version'])
  assert.equal(found.error, undefined, `this test runs the shell lines of documents and needs ${program}, which this machine does not have`)
}

/** Runs lines in the checkout's folder. Home and store are in the given folder. */
export async function bash(script: string, folder: string, env: Record<string, string> = {}) {
  const child = spawn('bash', ['-e', '-c', `${NPX}\n${script}`], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: folder, MOHUR_DATA: folder, NODE_COMPILE_CACHE: join(folder, 'compiled'), ...env },
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (part) => (out += part))
  child.stderr.on('data', (part) => (err += part))
  const [code] = (await once(child, 'close')) as [number]
  return { code, out, err }
}
