// `mohur checksum doctor`: says why a checksum does not verify (docs/checksum.md). It opens no store and calls no service.

import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { signedLists } from '../../api/operations.ts'
import { SystemClock, timeUpAfter } from '../../engine/clock.ts'
import { type Diagnosis, diagnose } from '../../interface/doctor/diagnose.ts'
import { readMaterial } from '../../interface/doctor/material.ts'
import { BODY_BYTES_MAX } from '../../interface/envelope.ts'
import { demoWorld } from '../../sandbox/world.ts'
import { SettingError } from '../../settings.ts'

/** docs/operating/commands.md */
const EXITS = { done: 0, no: 1, unexplained: 3 }
const ASKED = '-' // stands for a key or a file that is read from standard input
const SEARCH_MS = 1_000 // Mohur's choice: a person waits for it
const TEXTS_MAX = 20_000 // Mohur's choice: half a second for a body of the usual length
const ENDED = 'The search stopped at its limits, before it had tried everything.'
const INPUT_BYTES_MAX = BODY_BYTES_MAX + 1_024 // Mohur's choice: one more line for the key; a longer input is refused unread

export async function checksumDoctor({ key, signature }: { key: string; signature?: string }, file = ASKED) {
  const fromTerminal = key === ASKED && process.stdin.isTTY ? await typedKey() : undefined
  const isKeyPiped = key === ASKED && fromTerminal === undefined
  let input = isKeyPiped || file === ASKED ? await readAll(process.stdin) : Buffer.alloc(0)
  let given = fromTerminal ?? key
  if (isKeyPiped) {
    const end = input.indexOf('\n')
    if (end < 0 && file === ASKED)
      throw new SettingError('--key - reads the key from the first line of standard input, and the text from the lines after it')
    given = input.subarray(0, end < 0 ? input.length : end).toString()
    given = given.replace(/\r$/, '')
    input = end < 0 ? Buffer.alloc(0) : input.subarray(end + 1)
  }
  if (given === '') throw new SettingError('--key must not be empty')
  const bytes = file === ASKED ? input : await fileAt(file)
  const otherKeys = demoWorld.merchants!.flatMap(({ keys }) => keys!.map((each) => each.key))
  const isTimeUp = timeUpAfter(new SystemClock(), SEARCH_MS)
  const { lines, exit } = reportOf(
    diagnose(readMaterial(bytes), { keys: [given], signature, otherKeys, textsMax: TEXTS_MAX, signed: signedLists.values(), isTimeUp }),
  )
  for (const line of lines) console.log(line)
  process.exitCode = EXITS[exit]
}

/** The terminal's lines and the exit code. Unreadable material is refused like any unreadable file. */
function reportOf(diagnosis: Diagnosis): { lines: readonly string[]; exit: keyof typeof EXITS } {
  switch (diagnosis.outcome) {
    case 'verified':
      return { lines: [`Verified over ${diagnosis.over}.`], exit: 'done' }
    case 'named':
      return {
        lines: [
          ...diagnosis.causes.map(({ name, detail, say }) => `${name}: ${detail}.\n    ${say}`),
          ...(diagnosis.text === 'unknown' ? ['Beside this, no text that was tried is the signed one.'] : []),
          ...(diagnosis.endedEarly ? [ENDED] : []),
          'docs/checksum.md has more on each cause.',
        ],
        exit: 'no',
      }
    case 'unknown':
      return {
        lines: [
          `The key is right, but none of the ${diagnosis.tried} texts that were tried is the signed one.`,
          'The doctor cannot find a changed value: compare the signed text with the sent one, byte by byte.',
          ...(diagnosis.endedEarly ? [ENDED] : []),
        ],
        exit: 'unexplained',
      }
    case 'unreadable':
      throw new SettingError(diagnosis.sentence)
    default:
      return diagnosis satisfies never
  }
}

/** One byte past the bound is enough to refuse the input. */
async function readAll(source: Readable): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of source as AsyncIterable<Buffer>) {
    parts.push(part)
    size += part.length
    if (size > INPUT_BYTES_MAX) break
  }
  return Buffer.concat(parts)
}

async function fileAt(path: string): Promise<Buffer> {
  try {
    return await readAll(createReadStream(path))
  } catch (error) {
    throw new SettingError(`${path} cannot be read (${(error as { code?: string }).code})`)
  }
}

function typedKey(): Promise<string> {
  const { stdin, stderr } = process
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let line = ''
  const end = (finish: () => void) => {
    stdin.off('data', take).setRawMode(false).pause()
    stderr.write('\n')
    finish()
  }
  const take = (part: Buffer) => {
    for (const char of part.toString()) {
      if (char === '\r' || char === '\n') return end(() => resolve(line))
      if (char === '\x03' || char === '\x04') return end(() => reject(new SettingError('no key was given')))
      line = char === '\x7f' || char === '\b' ? line.slice(0, -1) : line + char
    }
  }
  stdin.setRawMode(true).on('data', take).resume()
  stderr.write('Key: ') // only in raw mode: before it, the terminal would show a key that is typed at once
  return promise
}
