// `mohur checksum doctor --key -` at a terminal asks, and does not show the typed text. Python opens the terminal.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sign } from '../../../../src/interface/checksum.ts'
import { program } from '../../../support/run/checkout.ts'
import { interpreterOf } from '../../../support/run/interpreters.ts'

const python = interpreterOf('python')
const folder = mkdtempSync(join(tmpdir(), 'mohur-terminal-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const TERMINAL = `
import os, pty, sys
typed, command = sys.argv[1].encode(), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(command[0], command)
shown = b''
isTyped = False
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        part = b''
    if not part:
        break
    shown += part
    if not isTyped and b'Key: ' in shown:
        os.write(terminal, typed)
        isTyped = True
sys.stdout.buffer.write(shown)
sys.stdout.flush()
print('ended with', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`
const KEY = 'hushhush&hush#10'
const BODY = '{"mid":"M1"}'

if (python !== undefined)
  test('the key is asked for and not shown, may be corrected, and leaving ends with 2', () => {
    const file = join(folder, 'request')
    writeFileSync(file, `{"head":{"signature":"${sign(BODY, KEY, 'salt')}"},"body":${BODY}}`)
    const command = [process.execPath, program, 'checksum', 'doctor', '--key', '-', file]
    const shownFor = (typed: string) => execFileSync(python, ['-c', TERMINAL, typed, ...command], { encoding: 'utf8', timeout: 30_000 })
    for (const [typed, code] of [
      [`${KEY}\r`, 0],
      [`${KEY}xy\x7f\x7f\r`, 0],
      ['another\r', 1],
      ['\r', 2],
      ['half\x03', 2],
    ] as const) {
      const shown = shownFor(typed)
      assert.match(shown, new RegExp(`^Key: \\r\\n[\\s\\S]*ended with ${code}\\n$`), JSON.stringify(typed))
      assert.doesNotMatch(shown, /hush|another\b(?! key)|half/)
    }
  })
