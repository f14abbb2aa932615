// PHP and Python, in which shops are written. A test that needs a missing one says so loudly.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

/** What each language needs besides itself, as a program that fails without it. */
const INTERPRETERS = {
  php: { name: 'php', probe: ['-r', 'exit(extension_loaded("openssl") && extension_loaded("json") ? 0 : 1);'], packages: 'php-cli' },
  python: {
    name: 'python3',
    probe: ['-c', 'from cryptography.hazmat.primitives.ciphers import Cipher'],
    packages: 'python3 python3-cryptography',
  },
} as const
export type Language = keyof typeof INTERPRETERS

/** CI sets this, so that a missing interpreter fails. */
const areRequired = process.env['MOHUR_LANGUAGES'] === 'required'

/**
 * The command of a language. If undefined, a test has reported it. Debian's own Python has Debian's packages, even where another Python
 * comes first.
 */
export function interpreterOf(language: Language): string | undefined {
  const { name, probe, packages } = INTERPRETERS[language]
  const found = [name, `/usr/bin/${name}`].find((command) => runs(command, probe))
  if (found === undefined)
    test(`${language} is there where it is required`, () => {
      console.log(`\n==== NO ${language.toUpperCase()} HERE: its tests are LEFT OUT (apt-get install ${packages}) ====\n`)
      assert.ok(!areRequired, `MOHUR_LANGUAGES=required, and there is no ${packages}`)
    })
  return found
}

function runs(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
