// PHP and Python, in which shops are written: tests that run them say loudly when one is not here.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

/** What each needs beside itself, as a program that fails without it. */
const INTERPRETERS = {
  php: { name: 'php', probe: ['-r', 'exit(extension_loaded("openssl") && extension_loaded("json") ? 0 : 1);'], packages: 'php-cli' },
  python: {
    name: 'python3',
    probe: ['-c', 'from cryptography.hazmat.primitives.ciphers import Cipher'],
    packages: 'python3 python3-cryptography',
  },
} as const
export type Language = keyof typeof INTERPRETERS

/** CI says that a missing one is a failure. */
const areRequired = process.env['MOHUR_LANGUAGES'] === 'required'

/** The command of a language, or undefined; then a test has said so. Debian's own Python has Debian's packages, wherever another stands first. */
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
