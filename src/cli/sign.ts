// `mohur sign`: the checksum of exactly the given bytes, for trials by hand.

import { text } from 'node:stream/consumers'
import { SystemRandom } from '../engine/random.ts'
import { isChecksumKey, sign } from '../interface/checksum.ts'
import { SettingError } from '../settings.ts'

export async function signCommand(key: string, given: string | undefined) {
  if (!isChecksumKey(key)) throw new SettingError('--key must be a merchant key of 16, 24 or 32 bytes')
  const body = given ?? (await piped())
  console.log(sign(body, key, new SystemRandom().salt()))
}

/** `echo` and editors add a line end, which the sent text does not have. */
async function piped(): Promise<string> {
  const read = await text(process.stdin)
  const body = read.replace(/\r?\n$/, '')
  if (body !== read) console.error('The line end after the body is not signed.')
  return body
}
