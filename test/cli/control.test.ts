// The control socket's answer to an unexpected error, and a stop while a command runs. test/slow/cli/control.test.ts runs every command over the socket.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { command } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { openControl, sendToService } from '../../src/cli/control.ts'
import { exits } from '../../src/cli/exits.ts'
import { say } from '../../src/cli/place.ts'
import { readSettings, SettingError } from '../../src/settings.ts'
import { merchantKey } from '../../src/tables/keys.ts'
import { find } from '../../src/tables/tables.ts'
import { createOrder, pay, script } from '../support/paying/paying.ts'
import { MID, startService } from '../support/run/service.ts'

test('a service without a bank says so, and writes no row that the bank is asked', { skip: process.platform === 'win32' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-'))
  const settings = readSettings({ MOHUR_DATA: folder })
  const service = await startService('sqlite')
  const order = await createOrder(service, 'NO_BANK')
  await script(service, order, 'pending')
  await pay(service, order, { paymentMode: 'UPI', payerAccount: '9876512345@upi' })
  const acquirer = () => assert.fail('no acquirer is connected')
  const running = { ...service, ports: { ...service.ports, acquirer } }
  const close = await openControl({ running, settings, commands, warn: assert.fail })
  try {
    const asked = await sendToService(settings, { command: 'order ask', given: { number: order.orderId }, argument: undefined, rest: [] })
    assert.equal(asked?.exit, exits.unusable.code)
    assert.match(asked!.sentence!, /^no bank is connected: set MOHUR_ACQUIRER_URL/)
    assert.deepEqual(await service.ports.query.rows(find('auditLog', { equals: { action: 'payment.ask' }, limit: 1 })), [])
  } finally {
    await close()
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

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

const codeOf = (error: Error) => (error.cause as { code?: string } | undefined)?.code

test('a stop takes no more requests while a command runs, and the command finds the store open', {
  skip: process.platform === 'win32',
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-'))
  const settings = readSettings({ MOHUR_DATA: folder })
  const service = await startService('sqlite')
  const [begun, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const run = async () => {
    begun.resolve()
    await goesOn.promise
    say(`known: ${(await service.store.query.row(merchantKey(MID)))?.mid}`)
  }
  const closeControl = await openControl({
    ...{ running: service, settings, warn: console.error },
    commands: { waits: command({ about: '', options: {}, writes: true, run }) },
  })
  try {
    const answer = sendToService(settings, { command: 'waits', given: {}, argument: undefined, rest: [] })
    await begun.promise
    const closed = service.close(0, closeControl())
    assert.ok(service.ports.isStopping())
    const probe = () => fetch(`${service.url}/readyz`).then(({ status }) => String(status), codeOf)
    const answers: (string | undefined)[] = []
    while (answers.at(-1) !== 'ECONNREFUSED') answers.push(await probe())
    assert.ok(!answers.includes('200'), String(answers))
    goesOn.resolve()
    await closed
    assert.deepEqual((await answer)?.lines, [`known: ${MID}`])
  } finally {
    goesOn.resolve()
    rmSync(folder, { recursive: true, force: true })
  }
})
