// Every command that writes: one row of the audit log for each decision, done or refused, in the name of the shell. When that row cannot be
// written, nothing changes.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { commands } from '../../src/cli/commands.ts'
import { carriedOut } from '../../src/cli/place.ts'
import type { Ports } from '../../src/flows/ports.ts'
import { readSettings } from '../../src/settings.ts'
import { streamKey } from '../../src/tables/keys.ts'
import { find, lock } from '../../src/tables/tables.ts'
import { personOf } from '../support/console/desk.ts'
import { APPROVALS_ON, askedBy } from '../support/console/refunds.ts'
import { consented } from '../support/mandates/timeline.ts'
import { notifiedWorld, notifyOf, receiver } from '../support/notifications/receiver.ts'
import { createOrder, pay, script } from '../support/paying/paying.ts'
import { MID, type Service, startService, whereSqlDiffers } from '../support/run/service.ts'
import { all, run } from '../support/store/at-rest.ts'

type Given = Parameters<(typeof commands)[string]['run']>[0]
interface Line {
  given: Given
  rest?: readonly string[]
  /** The audit rows that it writes: action, subject and outcome of each. */
  writes: readonly string[]
}

/** What the sweeps of the service write by themselves. */
const OF_SWEEPS = /^(search_|merchant_orders|late_terms|settings)/

whereSqlDiffers('commands that write', 'the database itself refuses a row', (store) => {
  let service: Service
  let url: string
  const lines: Record<string, readonly Line[]> = {}
  before(async () => {
    const merchant = await receiver(({ body }) => (body.includes('DEAD') ? 500 : 200), { endsWithTest: false })
    after(() => merchant.close())
    url = `${merchant.url}/merchant`
    service = await startService(store, { world: notifiedWorld(url, 'json'), env: APPROVALS_ON })
    await notifyOf(service, 'SENT', 1)
    await notifyOf(service, 'DEAD', 1)
    await service.tasks.runDue()
    const { subscriptionId } = await consented(service, 'MANDATE', {})
    const order = await createOrder(service, 'WAITS')
    await script(service, order, 'pending')
    const { txnId } = (await pay(service, order, { paymentMode: 'UPI', payerAccount: 'pending@upi' })).body
    await dies()
    const asker = await personOf(service, ['finance'])
    const large = [await askedBy(service, asker), await askedBy(service, asker)]
    const ofLarge = (nth: number, act: string, outcome: string) => [`approval.${act} transaction:${large[nth]!.payment.txnId} ${outcome}`]
    const key = { mid: MID, 'client-id': 'C11' }
    const ofKey = (name: string, outcome: string) => [`merchant.${name} merchant:${MID} ${outcome}`]
    Object.assign(lines, {
      'merchant add': [
        { given: { mid: 'NEW' }, writes: ['merchant.add merchant:NEW added'] },
        { given: { mid: 'NEW' }, writes: ['merchant.add merchant:NEW known'] },
      ],
      'merchant rotate-key': [
        { given: { ...key, prepare: true }, writes: ofKey('prepare-key', 'prepared') },
        { given: { ...key, prepare: true }, writes: ofKey('prepare-key', 'alreadyPrepared') },
        { given: { ...key, activate: true }, writes: ofKey('activate-key', 'activated') },
        { given: { ...key, drop: true }, writes: ofKey('drop-key', 'notPrepared') },
        { given: { ...key, now: true }, writes: ofKey('rotate-key', 'ended') },
        { given: { mid: 'NOBODY' }, writes: ['merchant.rotate-key merchant:NOBODY unknown'] },
      ],
      'merchant set': [
        { given: { mid: MID }, rest: ['name=Another'], writes: [`merchant.set merchant:${MID} changed`] },
        { given: { mid: MID }, rest: ['name=Another'], writes: [`merchant.set merchant:${MID} same`] },
        { given: { mid: 'NOBODY' }, rest: ['name=Another'], writes: [] },
      ],
      'merchant disable': [{ given: { mid: MID }, writes: [`merchant.disable merchant:${MID} changed`] }],
      'merchant enable': [
        { given: { mid: MID }, writes: [`merchant.enable merchant:${MID} changed`] },
        { given: { mid: MID }, writes: [`merchant.enable merchant:${MID} same`] },
      ],
      'notification resend': [
        { given: { mid: MID, id: `${MID}:SENT:merchant:1` }, writes: ['notification.resend order:SENT again'] },
        { given: { mid: MID, dead: true }, writes: ['notification.resend order:DEAD revived'] },
        { given: { mid: MID, dead: true }, writes: [] },
      ],
      'notification start': [{ given: { mid: MID }, writes: [`notification.start merchant:${MID} started`] }],
      'order ask': [
        { given: { number: 'WAITS' }, writes: [`payment.ask transaction:${txnId} asking`] },
        { given: { number: 'SENT' }, writes: [] },
      ],
      'mandate close': [
        { given: { mid: MID, subscription: subscriptionId }, writes: [`mandate.close subscription:${subscriptionId} moved`] },
        { given: { mid: MID, subscription: subscriptionId }, writes: [`mandate.close subscription:${subscriptionId} cannot`] },
        { given: { mid: MID, subscription: 'NONE' }, writes: ['mandate.close subscription:NONE absent'] },
      ],
      'operator setup': [{ given: { email: 'new@staff.test' }, writes: ['operator.invite operator:* done'] }],
      'operator reset': [
        { given: { email: 'new@staff.test' }, writes: ['operator.reset operator:* done'] },
        { given: { email: 'none@staff.test' }, writes: ['operator.reset operator: unknown'] },
        { given: { email: 'new@staff.test', authenticator: true }, writes: ['operator.reset-authenticator operator: noApp'] },
      ],
      approve: [
        { given: { id: large[0]!.id }, writes: ofLarge(0, 'give', 'given') },
        { given: { id: large[0]!.id }, writes: ofLarge(0, 'give', 'decided') },
        { given: { id: large[1]!.id, refuse: true }, writes: ofLarge(1, 'refuse', 'refused') },
        { given: { id: 'NONE' }, writes: [] },
        { given: {}, writes: [] },
      ],
      // These submit no decision.
      migrate: [{ given: {}, writes: [] }],
      'sandbox reset': [{ given: {}, writes: [] }],
    } satisfies Record<string, readonly Line[]>)
  })
  after(() => service.close())

  const at = () => ({ MOHUR_DATA: service.place.dataFolder, DATABASE_URL: service.place.databaseUrl ?? '' })
  /** One endpoint of the merchant has answered 410, and the stream of DEAD is given up. */
  const dies = async () => {
    const key = streamKey(MID, 'DEAD', 'merchant')
    const stream = (await service.ports.query.row(key))!
    await service.store.transaction(async (transaction) => {
      await transaction.read([key])
      const stopped = lock('stoppedEndpoints', MID, `${url}/other`)
      const row = { mid: MID, url: `${url}/other`, stoppedAt: 1 }
      await transaction.write({
        changes: [
          { kind: 'update', key, row: { ...stream, status: 'DEAD' } },
          { kind: 'insert', key: stopped, row },
        ],
        events: [],
        tasks: [],
      })
    })
  }

  /** Runs a command inside the service, as the control socket does. Counts its decisions. */
  async function carry(name: string, { given, rest = [] }: Line) {
    let decisions = 0
    const engine: Ports['engine'] = {
      submit(of, command, lease) {
        if (!lease) decisions++
        return service.ports.engine.submit(of, command, lease)
      },
    }
    const settings = readSettings({ ...at(), MOHUR_LOG: 'silent' })
    const by = { settings, ports: { ...service.ports, engine }, url: service.url, said: [] }
    const failure = await carriedOut(by, () => commands[name]!.run(given, undefined, rest)).then(
      () => undefined,
      (error: Error) => error,
    )
    return { decisions, failure }
  }
  const rows = () => service.ports.query.rows(find('auditLog', { equals: { operatorId: 'shell' }, orderBy: ['auditId'], limit: 1_000 }))

  test('change nothing when the row of the audit log cannot be written', async (t) => {
    await run(at(), 'alter table audit_log rename to audit_away')
    const state = async () => Object.entries(await all(at())).filter(([table]) => !OF_SWEEPS.test(table))
    let failed = 0
    for (const [name, [line]] of Object.entries(lines)) {
      if (line!.writes.length === 0) continue
      const before = await state()
      const { failure } = await carry(name, line!)
      assert.match(String(failure?.message), /audit_log/, name)
      assert.deepEqual(await state(), before, name)
      failed++
    }
    await run(at(), 'alter table audit_away rename to audit_log')
    t.diagnostic(`${store}: ${failed} commands whose audit row failed: changed 0`)
  })

  test('are all known here, and write one row for each decision', async (t) => {
    assert.deepEqual(
      Object.keys(lines).sort(),
      Object.keys(commands)
        .filter((name) => commands[name]!.writes)
        .sort(),
    )
    let [run, decided] = [0, 0]
    for (const [name, ofCommand] of Object.entries(lines))
      for (const line of ofCommand) {
        const before = await rows()
        const { decisions } = await carry(name, line)
        const written = (await rows()).filter(({ auditId }) => !before.some((row) => row.auditId === auditId))
        const words = written.map(({ action, subject, outcome }) => `${action} ${subject} ${outcome}`)
        const says = `${name} ${JSON.stringify(line.given)}`
        assert.deepEqual(
          words.map((each) => each.replace(/operator:[0-9a-f]+/, 'operator:*')),
          line.writes,
          says,
        )
        assert.equal(decisions, written.length, says)
        run++
        decided += decisions
      }
    t.diagnostic(`${store}: ${run} runs of ${Object.keys(lines).length} commands, ${decided} decisions, decisions − audit rows = 0`)
  })
})
