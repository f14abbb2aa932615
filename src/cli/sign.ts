// `mohur sign`: the checksum of exactly the bytes that are given, for trying things out by hand.

import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { SystemFresh } from '../engine/fresh.ts'
import { isChecksumKey, sign } from '../interface/checksum.ts'
import { SettingError } from '../settings.ts'

export async function signCommand(args: string[]) {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { key: { type: 'string' } } })
  if (!values.key || !isChecksumKey(values.key)) throw new SettingError('--key must be a merchant key of 16, 24 or 32 bytes')
  const body = positionals[0] ?? (await text(process.stdin))
  console.log(sign(body, values.key, new SystemFresh().salt()))
}
