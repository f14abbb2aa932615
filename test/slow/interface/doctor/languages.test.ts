// The checksum doctor on signatures of PHP and Python: each cause as its own language makes it (docs/checksum.md).

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { signedLists } from '../../../../src/api/operations.ts'
import { causes } from '../../../../src/interface/doctor/causes.ts'
import { diagnose } from '../../../../src/interface/doctor/diagnose.ts'
import { readMaterial } from '../../../../src/interface/doctor/material.ts'
import { interpreterOf, type Language } from '../../../support/run/interpreters.ts'

interface Made {
  causes: string[]
  file: string
  /** The key that the doctor gets. */
  key: string
}

const SCRIPTS: Readonly<Record<Language, string>> = { php: 'sign.php', python: 'sign.py' }
const OTHER_KEY = 'ABCDEFGHIJKLMNOP'

for (const [language, script] of Object.entries(SCRIPTS) as [Language, string][]) {
  const command = interpreterOf(language)
  if (command === undefined) continue
  test(`every cause that ${language} has made is named, and no other`, (t) => {
    const lines = execFileSync(command, [join(import.meta.dirname, script)], { encoding: 'utf8' })
      .trim()
      .split('\n')
    const made = lines.map((line) => JSON.parse(line) as Made)
    for (const [at, { causes: expected, file, key }] of made.entries()) {
      const found = diagnose(readMaterial(Buffer.from(file)), {
        keys: [key],
        otherKeys: [OTHER_KEY],
        signed: signedLists.values(),
        textsMax: 2_000,
        isTimeUp: () => false,
      })
      const names = found.outcome === 'named' ? found.causes.map(({ name }) => name) : []
      assert.deepEqual(names, expected, `${at}: ${expected.join(' and ') || 'a right one'}: ${JSON.stringify(found)} of ${file}`)
      assert.equal(found.outcome, expected.length === 0 ? 'verified' : 'named')
    }
    const alone = new Set(made.filter(({ causes }) => causes.length === 1).flatMap((each) => each.causes))
    assert.deepEqual(
      Object.keys(causes).filter((name) => !alone.has(name)),
      [],
    )
    const together = made.filter(({ causes }) => causes.length > 1).length
    t.diagnostic(`${language}: ${made.length} signatures, ${alone.size} causes alone, ${together} times several at once`)
  })
}
