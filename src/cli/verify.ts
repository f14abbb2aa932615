// `mohur verify`: checks the invariants of a store, in use or not.

import { readSettings } from '../settings.ts'
import { lineOf, verify } from '../verify/verify.ts'
import { exits } from './exits.ts'

export async function verifyCommand() {
  const verdicts = await verify(readSettings(process.env))
  for (const verdict of verdicts) console.log(lineOf(verdict))
  const broken = verdicts.filter(({ breaches }) => breaches > 0)
  if (broken.length === 0) return console.log(`all ${verdicts.length} invariants hold`)
  console.error(`broken: ${broken.map(({ id }) => id).join(', ')}`)
  process.exitCode = exits.no.code
}
