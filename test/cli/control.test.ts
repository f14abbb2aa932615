// The control socket's answer to an unexpected error. test/slow/cli/control.test.ts runs every command over the socket.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { command } from '../../src/cli/command.ts'
import { openControl, sendToService } from '../../src/cli/control.ts'
import { exits } from '../../src/cli/exits.ts'
import { readSettings, SettingError } from '../../src/settings.ts'
import { startService } from '../support/run/service.ts'

test('the stack of an unexpected error stands where the command says', { skip: process.platform === 'win32' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-'))
  const settings = readSettings({ MOHUR_DATA: folder })
  const service = await startService('sqlite')
  const throwing = (error: Error) => command({ about: '', options: {}, writes: true, run: () => Promise.reject(error) })
  const commands = { fails: throwing(new RangeError('out of range')), refuses: throwing(new SettingError('not so')) }
  const warned: string[] = []
  const close = await openControl({ running: service, settings, commands, warn: (why) => warned.push(why) })
  try {
    const sent = { given: {}, argument: undefined, rest: [] }
    const failed = await sendToService(settings, { command: 'fails', ...sent })
    assert.deepEqual(
      [failed?.exit, failed?.sentence],
      [exits.unforeseen.code, 'an unexpected error: the standard error of the service has its stack'],
    )
    assert.match(warned.join('\n'), /^fails: RangeError: out of range\n {4}at /)
    const refused = await sendToService(settings, { command: 'refuses', ...sent })
    assert.deepEqual([refused?.exit, refused?.sentence, warned.length], [exits.unusable.code, 'not so', 1])
  } finally {
    await close()
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
