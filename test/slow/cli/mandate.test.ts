// `mohur mandate simulate|show|close`, as an operator runs them: docs/operating/commands.md.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { subscriptionKey, taskKey } from '../../../src/tables/keys.ts'
import { consented, journal, moveTo } from '../../support/mandates/timeline.ts'
import { program } from '../../support/run/checkout.ts'
import { mohurHere } from '../../support/run/process.ts'
import { MID, onBothStores, type Service, sharedService, startService } from '../../support/run/service.ts'
import { assertHolds } from '../../support/store/verify.ts'

const root = join(import.meta.dirname, '../../..')
function mohur(args: readonly string[], place: Partial<Service['place']> = {}) {
  const env = { ...process.env, MOHUR_DATA: place.dataFolder ?? '/nowhere', DATABASE_URL: place.databaseUrl ?? '' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', env, cwd: root })
  return { status, lines: stdout.trimEnd().split('\n'), stderr }
}
/** Time, cycle and event from a table whose columns are two spaces apart. */
const brief = (lines: readonly string[]) =>
  lines.slice(2).map((line) =>
    line
      .split(/\s{2,}/)
      .slice(0, 3)
      .join(' '),
  )

test('mohur mandate simulate plays the example of docs/operating/commands.md to its end, without a store', async () => {
  const [, example] = /```json\n(\{\n {2}"subscription"[\s\S]*?)```/.exec(readFileSync(join(root, 'docs/operating/commands.md'), 'utf8'))!
  const folder = mkdtempSync(join(tmpdir(), 'mohur-simulate-'))
  try {
    const run = async (text: string) => {
      writeFileSync(join(folder, 'plan.json'), text)
      const { code, out, err } = await mohurHere(['mandate', 'simulate', '--file', join(folder, 'plan.json')])
      return { status: code, lines: out.trimEnd().split('\n'), stderr: err }
    }
    const { status, lines, stderr } = await run(example!)
    assert.deepEqual([status, stderr], [0, ''])
    assert.deepEqual(
      lines.filter((line) => / (attempted|attempt-failed|collected|noticed) /.test(line)).map((line) => line.replace(/\s{2,}/g, ' | ')),
      [
        '2026-12-03 18:00:00 | 2026-12-05 | noticed | 499.00 | NOTIFIED',
        '2026-12-05 06:00:00 | 2026-12-05 | attempted | A1.20261205.1 | 499.00 | IN_FLIGHT',
        '2026-12-05 06:00:00 | 2026-12-05 | attempt-failed | 499.00 | NOTIFIED | insufficientFunds',
        '2026-12-06 06:00:00 | 2026-12-05 | attempted | A1.20261205.2 | 499.00 | IN_FLIGHT',
        '2026-12-06 06:00:00 | 2026-12-05 | collected | 499.00 | COLLECTED',
        '2027-01-03 18:00:00 | 2027-01-05 | noticed | 499.00 | NOTIFIED',
        '2027-01-05 06:00:00 | 2027-01-05 | attempted | A1.20270105.1 | 499.00 | IN_FLIGHT',
        '2027-01-05 06:00:00 | 2027-01-05 | collected | 499.00 | COLLECTED',
        '2027-02-03 18:00:00 | 2027-02-05 | noticed | 499.00 | NOTIFIED',
        '2027-02-05 06:00:00 | 2027-02-05 | attempted | A1.20270205.1 | 499.00 | IN_FLIGHT',
        '2027-02-05 06:00:00 | 2027-02-05 | collected | 499.00 | COLLECTED',
      ],
    )
    // A pause over midnight takes the day on which it began, and the payer's revocation the rest.
    const payer = [
      { at: '2026-12-04 23:30:00', action: 'pause' },
      { at: '2026-12-05 04:30:00', action: 'resume' },
      { at: '2027-01-04 12:00:00', action: 'revoke' },
    ]
    const paused = await run(JSON.stringify({ ...JSON.parse(example!), payer }))
    assert.deepEqual(brief(paused.lines).slice(3), [
      '2026-12-03 18:00:00 2026-12-05 noticed',
      '2026-12-03 18:00:00 2027-01-05 scheduled',
      '2026-12-04 23:30:00 paused 499.00',
      '2026-12-05 04:30:00 resumed 499.00',
      '2026-12-05 04:30:00 2026-12-05 missed',
      '2027-01-03 18:00:00 2027-01-05 noticed',
      '2027-01-03 18:00:00 2027-02-05 scheduled',
      '2027-01-04 12:00:00 revoked 499.00',
      '2027-01-04 12:00:00 2027-01-05 missed',
      '2027-01-04 12:00:00 2027-02-05 missed',
    ])
    const given = JSON.parse(example!)
    const asked = (subscription: object, more: object = {}) =>
      JSON.stringify({ ...given, subscription: { ...given.subscription, ...subscription }, ...more })
    // By the only open mode, and its hours: by UPI it would wait until 13:00.
    const today = { subscriptionStartDate: '2026-11-21', enablePaymentMode: [{ mode: 'CREDIT_CARD' }] }
    const byCard = await run(asked(today, { from: '2026-11-21 11:05:00', until: '2026-11-23 00:00:00', outcomes: [] }))
    assert.deepEqual(brief(byCard.lines).slice(-1), ['2026-11-22 11:05:00 2026-11-21 collected'])
    // Above the limit each debit waits for its payer's approval.
    const words = [
      { at: '2026-12-05 12:00:00', action: 'approve' },
      { at: '2027-01-04 12:00:00', action: 'decline' },
    ]
    const dear = { ...given, subscription: { ...given.subscription, renewalAmount: '20000.00' }, outcomes: [], payer: words }
    const approved = await run(JSON.stringify({ ...dear, until: '2027-01-05 12:00:00' }))
    assert.deepEqual(
      brief(approved.lines)
        .slice(2)
        .filter((line) => !line.endsWith('scheduled')),
      [
        '2026-12-03 18:00:00 2026-12-05 noticed',
        '2026-12-05 06:00:00 2026-12-05 attempted',
        '2026-12-05 06:00:00 2026-12-05 attempt-failed',
        '2026-12-05 12:00:00 2026-12-05 approved',
        '2026-12-06 06:00:00 2026-12-05 attempted',
        '2026-12-06 06:00:00 2026-12-05 collected',
        '2027-01-03 18:00:00 2027-01-05 noticed',
        '2027-01-04 12:00:00 2027-01-05 declined',
        '2027-01-05 06:00:00 2027-01-05 attempted',
        '2027-01-05 06:00:00 2027-01-05 attempt-failed',
      ],
    )
    for (const [wrong, why] of [
      ['nothing', /cannot be read as JSON/],
      ['{}', /is not an object with a subscription in it/],
      [JSON.stringify({ ...JSON.parse(example!), outcomes: ['maybe'] }), /has outcomes other than success, declined/],
      [JSON.stringify({ ...JSON.parse(example!), payer: [{ at: 'now', action: 'pause' }] }), /has a time that is not/],
      [
        JSON.stringify({ ...JSON.parse(example!), payer: [{ at: '2027-01-01', action: 'sleep' }] }),
        /has an action other than approve, decline, revoke, pause, resume, skip/,
      ],
      [JSON.stringify({ ...JSON.parse(example!), subscription: {} }), /has a subscription whose/],
      [asked({ subscriptionAmountType: 'VARIABLE' }), /is refused: Invalid Max Amount \(subscriptionMaxAmount\)\n$/],
      [asked({ subscriptionExpiryDate: '2026-11-05' }), /is refused: Invalid subscriptionExpiryDate \(subscriptionExpiryDate\)\n$/],
      [asked({ subscriptionFrequencyUnit: 'WEEK', subscriptionGraceDays: '90' }), /is refused: .* \(subscriptionGraceDays\)\n$/],
      [asked({}, { from: '2030-01-01 10:00:00' }), /is refused: Invalid Subscription start date \(subscriptionStartDate\)\n$/],
      [
        asked({ enablePaymentMode: [{ mode: 'UPI' }, { mode: 'CREDIT_CARD' }], txnAmount: { value: '600.00', currency: 'INR' } }),
        /UPI is not offered for this subscription, only CREDIT_CARD\n$/,
      ],
    ] as const) {
      const refused = await run(wrong)
      assert.equal(refused.status, 2, refused.stderr)
      assert.match(refused.stderr, why)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

onBothStores('mohur mandate', (store) => {
  const service = sharedService(store)

  test('show prints a stored mandate beside the service; close ends it, once, and its bank is notified', async () => {
    const running = await service()
    await moveTo(running, '2026-11-21 11:00:00')
    const { subscriptionId } = await consented(running, 'SHOWN', {
      renewalAmount: '499.00',
      subscriptionStartDate: '2026-12-05',
      subscriptionExpiryDate: '2027-12-05',
    })
    await moveTo(running, '2026-12-06 11:00:00')
    const named = ['--mid', MID, '--subscription', subscriptionId]
    const shown = mohur(['mandate', 'show', ...named], running.place)
    assert.deepEqual([shown.status, shown.stderr], [0, ''])
    assert.match(
      shown.lines[0]!,
      new RegExp(`^${subscriptionId}  ACTIVE/ACTIVE  every 1 MONTH from 2026-12-05 to 2027-12-05, Rs 499.00 at most$`),
    )
    assert.deepEqual(brief(shown.lines).slice(1), [
      '2026-11-21 11:00:00 activated 499.00',
      '2026-11-21 11:00:00 2026-12-05 scheduled',
      '2026-12-03 18:00:00 2026-12-05 noticed',
      '2026-12-03 18:00:00 2027-01-05 scheduled',
      '2026-12-05 06:00:00 2026-12-05 attempted',
      '2026-12-05 06:00:00 2026-12-05 collected',
    ])
    const strange = mohur(['mandate', 'show', '--mid', MID, '--subscription', 'NONE'], running.place)
    assert.deepEqual([strange.status, strange.stderr], [2, `${MID} has no subscription NONE\n`])

    assert.deepEqual(mohur(['mandate', 'show', MID, subscriptionId], running.place).lines, shown.lines)
    const twice = mohur(['mandate', 'show', MID, '--mid', MID, subscriptionId], running.place)
    assert.match(twice.stderr, /--mid is given 2 times/)

    if (store === 'sqlite') {
      const held = mohur(['mandate', 'close', ...named], running.place)
      assert.equal(held.status, 75, held.stderr) // one process has the embedded store
      return
    }
    const closed = mohur(['mandate', 'close', ...named], running.place)
    assert.deepEqual([closed.status, closed.stderr], [0, ''])
    const row = await running.ports.query.row(subscriptionKey(MID, subscriptionId))
    assert.deepEqual([row!.status, row!.subStatus, row!.wakesAt], ['CLOSED', 'OPERATOR_CLOSED', null])
    assert.match(mohur(['mandate', 'close', ...named], running.place).stderr, /has ended already/)
    const task = await running.ports.query.row(taskKey('mandate-revoke.due', `${MID}:${subscriptionId}`))
    assert.equal(task?.task, 'mandate-revoke.due')
  })
})

test('mohur mandate close ends a mandate of an embedded store without a service; its bank is notified when the store is served again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-close-'))
  const serve = () => startService('sqlite', { env: { MOHUR_DATA: folder } })
  try {
    const first = await serve()
    await moveTo(first, '2026-11-21 11:00:00')
    const { subscriptionId } = await consented(first, 'CLOSED', { renewalAmount: '499.00', subscriptionStartDate: '2026-12-05' })
    await first.close()
    const closed = mohur(['mandate', 'close', MID, subscriptionId], { dataFolder: folder })
    assert.deepEqual([closed.status, closed.stderr], [0, ''])
    assert.deepEqual(closed.lines, [`${subscriptionId} is closed. A debit under way still ends, and the bank is notified.`])
    assert.match(mohur(['mandate', 'close', MID, subscriptionId], { dataFolder: folder }).stderr, /has ended already/)
    const second = await serve()
    try {
      await moveTo(second, '2027-01-01 11:00:00')
      const row = await second.ports.query.row(subscriptionKey(MID, subscriptionId))
      assert.deepEqual([row!.status, row!.subStatus, row!.wakesAt], ['CLOSED', 'OPERATOR_CLOSED', null])
      assert.deepEqual(
        (await journal(second, subscriptionId)).map((line) => line.split(' ').slice(2).join(' ')),
        ['revoke success 499.00'],
      )
      await assertHolds({ place: { dataFolder: folder, databaseUrl: undefined } })
    } finally {
      await second.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
