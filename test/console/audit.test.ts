// Notes and the audit log: what a person writes is kept, is shown to colleagues as text, and each act stands in the log once.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { REASON_MAX } from '../../src/domain/audit/reason.ts'
import { find } from '../../src/tables/tables.ts'
import { ask, type Person, personOf } from '../support/console/desk.ts'
import { consented } from '../support/mandates/timeline.ts'
import { CARD, createOrder, pay } from '../support/paying/paying.ts'
import { mohurHere } from '../support/run/process.ts'
import { MID, type Service, startService, whereSqlDiffers } from '../support/run/service.ts'
import { run } from '../support/store/at-rest.ts'

const HOSTILE = '<script>alert(1)</script> \u202egnp.live\u0007 =1+1 4111 1111 1111 1111'
const KEPT = '<script>alert(1)</script> \ufffdgnp.live\ufffd =1+1 ••••1111'
const SHOWN = KEPT.replaceAll('<', '&#60;').replaceAll('>', '&#62;')

whereSqlDiffers('notes and the audit log', 'lists read by ranges of a key, and narrow by a filter', (store) => {
  let service: Service
  let admin: Person
  let support: Person
  let pages: readonly { path: string; subject: string }[]
  before(async () => {
    service = await startService(store)
    admin = await personOf(service, ['admin'])
    support = await personOf(service, ['support'])
    await pay(service, await createOrder(service, 'NOTED'), CARD)
    const [payment] = await service.ports.query.rows(find('transactions', { equals: { mid: MID, orderId: 'NOTED' }, limit: 1 }))
    const { subscriptionId } = await consented(service, 'NOTED_MANDATE', {})
    pages = [
      { path: `/orders/${MID}/NOTED`, subject: 'order:NOTED' },
      { path: `/payments/${MID}/${payment!.txnId}`, subject: `transaction:${payment!.txnId}` },
      { path: `/subscriptions/${MID}/${subscriptionId}`, subject: `subscription:${subscriptionId}` },
    ]
  })
  after(() => service.close())

  const see = (path: string, { cookie }: Person = admin) => ask(service, `/console${path}`, { cookie })
  const onceOf = (text: string) => /name="once" value="([^"]+)"/.exec(text)![1]!
  const note = async (path: string, reason: string, { by = support, once }: { by?: Person; once?: string } = {}) =>
    ask(service, `/console${path}/note`, {
      cookie: by.cookie,
      form: { token: by.token, once: once ?? onceOf((await see(path, by)).text), reason },
    })
  const notes = () =>
    service.ports.query.rows(find('auditLog', { equals: { operatorId: support.operatorId }, orderBy: ['auditId'], limit: 1_000 }))
  const rowsIn = (text: string) => [...text.matchAll(/<tr><td data-name="Time[\s\S]*?<\/tr>/g)].map(([row]) => row)

  test('a note is one row, and its text stands in the history of its subject, as text', async () => {
    for (const { path, subject } of pages) {
      const before = (await notes()).length
      const { status, location } = await note(path, `${HOSTILE} ${subject}`)
      assert.deepEqual([status, location], [303, `/console${path}`])
      const [row, ...more] = (await notes()).slice(before)
      const { action, mid, reason, outcome } = row!
      assert.deepEqual([action, row!.subject, mid, reason, outcome, more], ['note', subject, MID, `${KEPT} ${subject}`, 'done', []])
      const { text } = await see(path)
      assert.match(text, /note by Person/)
      assert.ok(text.includes(`${SHOWN} ${subject}`), path)
      assert.doesNotMatch(text, /<script>alert|\u202e|4111 1111/)
    }
    const order = await mohurHere(['order', 'show', 'NOTED', '--mid', MID], at())
    assert.ok(order.out.includes(`${KEPT} order:NOTED`) && order.out.includes(`${KEPT} transaction:`), order.out)
    const [, , { subject }] = pages as [unknown, unknown, (typeof pages)[0]]
    const mandate = await mohurHere(['mandate', 'show', MID, subject.split(':')[1]!], at())
    assert.ok(mandate.out.includes(`${KEPT} ${subject}`), mandate.out)
  })
  const at = () => ({ MOHUR_DATA: service.place.dataFolder, DATABASE_URL: service.place.databaseUrl ?? '' })

  test('a form that comes twice, also at once, is one note', async () => {
    const [{ path }] = pages as [(typeof pages)[0]]
    const once = onceOf((await see(path, support)).text)
    const before = (await notes()).length
    const sent = await Promise.all(Array.from({ length: 5 }, () => note(path, 'once', { once })))
    assert.deepEqual(
      sent.map(({ status }) => status),
      Array(5).fill(303),
    )
    assert.equal((await note(path, 'once', { once })).status, 303)
    const other = await note(path, 'once more', { once })
    assert.equal(other.status, 409)
    assert.match(other.text, /This form has added another note already\./)
    assert.equal((await note(pages[1]!.path, 'once', { once })).status, 409, 'on another page')
    assert.equal((await notes()).length - before, 1)
  })

  test('a text that is empty or too long is refused, and its longest form is kept', async () => {
    const [{ path }] = pages as [(typeof pages)[0]]
    const before = (await notes()).length
    for (const wrong of ['', ' \n ', 'x'.repeat(REASON_MAX + 1)]) {
      const { status, text } = await note(path, wrong)
      assert.equal(status, 422)
      assert.match(text, /missing or too long/)
    }
    assert.equal((await note(path, 'no once', { once: '' })).status, 400)
    assert.equal((await notes()).length, before)
    assert.equal((await note(path, 'ग'.repeat(REASON_MAX))).status, 303)
    assert.ok((await see(path)).text.includes('ग'.repeat(REASON_MAX)))
    for (const { role, status } of [
      { role: 'auditor', status: 403 },
      { role: 'developer', status: 403 },
    ] as const)
      assert.equal((await note(path, 'x', { by: await personOf(service, [role]), once: 'x'.repeat(22) })).status, status)
    assert.equal((await note(path, 'x', { by: await personOf(service, ['support'], ['OTHER']), once: 'x'.repeat(22) })).status, 404)
  })

  test('a note whose row cannot be written changes nothing, and the person may send it again', async () => {
    const [{ path }] = pages as [(typeof pages)[0]]
    const once = onceOf((await see(path, support)).text)
    const kept = () => service.ports.query.rows(find('idempotencyKeys', { limit: 1_000 }))
    const before = [await kept(), await notes()]
    await run(at(), 'alter table audit_log rename to audit_away')
    assert.equal((await note(path, 'fails', { once })).status, 500)
    await run(at(), 'alter table audit_away rename to audit_log')
    assert.deepEqual([await kept(), await notes()], before)
    assert.equal((await note(path, 'fails', { once })).status, 303)
    assert.equal((await notes()).length, before[1]!.length + 1)
  })

  test('the log lists every act with its reason, by person, subject and period, and the file has no reason', async () => {
    const all = await see('/audit')
    assert.equal(all.status, 200)
    assert.ok(rowsIn(all.text).some((row) => row.includes('note') && row.includes(SHOWN)))
    assert.ok(rowsIn(all.text).some((row) => row.includes('>shell<') && row.includes('invite person')))
    const [{ path, subject }] = pages as [(typeof pages)[0]]
    const ofOrder = rowsIn((await see(`/audit?subject=${subject}`)).text)
    assert.ok(ofOrder.length >= 4 && ofOrder.every((row) => row.includes(`href="/console${path}"`)))
    for (const person of [support.email, support.operatorId]) {
      const own = rowsIn((await see(`/audit?person=${person}`)).text)
      assert.equal(own.length, Math.min(50, (await notes()).length), person)
      assert.equal(rowsIn((await see(`/audit?person=${person}&subject=${subject}`)).text).length, ofOrder.length)
    }
    for (const query of ['person=nobody@staff.test', 'subject=order:NONE', 'from=2020-01-01T00:00&to=2020-01-02T00:00', 'merchant=NONE'])
      assert.match((await see(`/audit?${query}`)).text, /No entries match\. Try a longer period\./, query)
    for (const query of ['subject=NOTED', 'subject=order:A%00', 'from=x']) assert.equal((await see(`/audit?${query}`)).status, 422, query)
    const { text, status } = await see('/audit.csv')
    assert.equal(status, 200)
    assert.match(text, /^Time \(IST\),Person,Action,Merchant,Subject,Outcome\r\n/)
    assert.ok(text.includes(`,note,${MID},order:NOTED,done\r\n`))
    assert.doesNotMatch(text, /<script|gnp/)
    assert.equal((await see('/audit/new?since=0000000000000')).status, 200)
  })

  test('who sees some merchants sees their rows alone, and none without a merchant', async () => {
    for (const [mids, isShown] of [
      [[MID], true],
      [['OTHER'], false],
    ] as const) {
      const auditor = await personOf(service, ['auditor'], mids)
      for (const path of ['/audit', `/audit?merchant=${MID}`, '/audit.csv']) {
        const { text } = await see(path, auditor)
        assert.equal(text.includes('order:NOTED'), isShown, `${mids} ${path}`)
        assert.doesNotMatch(text, /operator:[0-9a-f]/)
      }
    }
    assert.equal((await see('/audit', support)).status, 403)
  })

  test('portions lead through all of the log once', async () => {
    const [{ path }] = pages as [(typeof pages)[0]]
    const auditor = await personOf(service, ['auditor'])
    const submit = (reason: string) => note(path, reason, { once: reason.padEnd(22, '_') })
    for (let nth = 0; nth < 120; nth += 20) await Promise.all(Array.from({ length: 20 }, (_, each) => submit(`MANY_${nth + each}`)))
    const seen: string[] = []
    for (let next: string | undefined = `/audit?person=${support.email}`; next !== undefined; ) {
      const { text } = await see(next, auditor)
      seen.push(...rowsIn(text).flatMap((row) => /MANY_\d+/.exec(row)?.[0] ?? []))
      next = /href="\/console(\/audit\?[^"]*after=[^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&#38;', '&')
    }
    assert.deepEqual([seen.length, new Set(seen).size], [120, 120])
    const shown = [...(await see(path)).text.matchAll(/MANY_\d+/g)]
    assert.ok(shown.length > 0 && shown.length <= 30, 'a history has the newest rows of the log')
  })

  test('a text that cannot be opened hides no other, and no page', async () => {
    for (const { path, subject } of pages) {
      assert.equal((await note(path, `BROKEN ${subject}`)).status, 303)
      await run(at(), `update audit_log set reason = 'x' where subject = '${subject}'`)
      assert.equal((await note(path, `WHOLE ${subject}`)).status, 303)
      for (const page of [path, '/audit']) {
        const { status, text } = await see(page)
        assert.equal(status, 200, page)
        assert.ok(text.includes('(cannot be opened)') && text.includes(`WHOLE ${subject}`), page)
        assert.doesNotMatch(text, new RegExp(`BROKEN ${subject}`))
      }
    }
    const order = await mohurHere(['order', 'show', 'NOTED', '--mid', MID], at())
    assert.ok(order.out.includes('(cannot be opened)') && order.out.includes('WHOLE order:NOTED'), order.out)
  })

  test('a name that cannot be opened shows as an id, and no list opens a password', async () => {
    const [{ path }] = pages as [(typeof pages)[0]]
    const [lost, whole] = [await personOf(service, ['support']), await personOf(service, ['support'])]
    const once = { [lost.operatorId]: 'lost'.padEnd(22, '_'), [whole.operatorId]: 'whole'.padEnd(22, '_') }
    for (const by of [lost, whole]) await note(path, 'by somebody', { by, once: once[by.operatorId]! })
    const [named] = await service.ports.query.rows(find('operators', { equals: { operatorId: whole.operatorId }, limit: 1 }))
    await run(at(), `update operators set name = 'x' where operator_id = '${lost.operatorId}'`)
    await run(at(), `update operators set password_hash = 'x', former_hashes = 'x' where operator_id = '${whole.operatorId}'`)
    for (const page of [path, '/audit']) {
      const { status, text } = await see(page)
      assert.equal(status, 200, page)
      assert.ok(text.includes(lost.operatorId) && text.includes(named!.name), page)
    }
  })
})
