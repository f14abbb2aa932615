// Every action of the console leaves one row of the audit log for each decision, refusals included. When that row cannot be written, the
// action changes nothing. The actions are those of the router, drawn with right and wrong forms. The seed is fixed.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Ports } from '../../../src/flows/ports.ts'
import { stoppedEndpointKey, streamKey } from '../../../src/tables/keys.ts'
import { find, look } from '../../../src/tables/tables.ts'
import { ask, type Person, personOf } from '../../support/console/desk.ts'
import { APPROVALS_ON, markOf } from '../../support/console/refunds.ts'
import { routesOf } from '../../support/console/routes.ts'
import { consented } from '../../support/mandates/timeline.ts'
import { deadRows } from '../../support/notifications/dead.ts'
import { createOrder, pay, script } from '../../support/paying/paying.ts'
import { paidOrder, refund } from '../../support/paying/refunds.ts'
import { MID, onBothStores, type Service, startService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { all, run } from '../../support/store/at-rest.ts'
import { Random } from '../../support/text/random.ts'

const DRAWN = sized(150, 1_500)
const [SEED, EACH] = [20_261_128, 8] // of each kind of object
const ACTING = new Set(['note', 'refundSmall', 'refund', 'orders', 'notify', 'mandates', 'approve'])
const STOPPED = 'http://127.0.0.1:9/stopped'
/** What sweeps and sessions write by themselves. */
const OF_OTHERS = /^(search_|merchant_orders|late_terms|settings|operator_sessions)/
/** A session's last use, and the decision that is a row itself. */
const OWN_ROWS = new Set(['seeSession', 'writeAudit'])
const LARGE = { order: { txnAmount: { value: '50000.00', currency: 'INR' } } }
const REASONS = [...Array<string>(6).fill('the payer called'), '<script>x</script>\u202e', '', 'x'.repeat(501)]

interface Drawn {
  path: string
  form: Record<string, string>
}

onBothStores('actions of the console', (store) => {
  let service: Service
  let requests = 0
  const ids = {
    orders: [] as string[],
    payments: [] as string[],
    waiting: [] as string[],
    refunds: [] as string[],
    mandates: [] as string[],
  }
  before(async () => {
    service = await startService(store, { env: APPROVALS_ON })
    for (let nth = 0; nth < EACH; nth++) {
      ids.orders.push(`OPEN_${nth}`)
      await createOrder(service, `OPEN_${nth}`)
      const paid = await paidOrder(service, `PAID_${nth}`, LARGE)
      ids.payments.push(paid.txnId)
      await script(service, paid, 'slow')
      await refund(service, paid, `REF_${nth}`, '1.00')
      ids.refunds.push(`REF_${nth}`)
      const order = await createOrder(service, `WAITS_${nth}`)
      ids.waiting.push((await pay(service, order, { paymentMode: 'UPI', payerAccount: 'pending@upi' })).body.txnId)
      ids.mandates.push((await consented(service, `MANDATE_${nth}`, { renewalAmount: '10.00' })).subscriptionId)
      await dies(`DEAD_${nth}`)
    }
    await service.tasks.runDue()
    await stops()
  })
  after(() => service.close())

  const at = () => ({ MOHUR_DATA: service.place.dataFolder, DATABASE_URL: service.place.databaseUrl ?? '' })
  const write = (changes: ReturnType<typeof deadRows>) =>
    service.store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
  const dies = (orderId: string) => write(deadRows({ mid: MID, orderId, url: 'http://127.0.0.1:9/', now: service.clock.now() }))
  const stops = () => write([{ kind: 'insert', key: stoppedEndpointKey(MID, STOPPED), row: { mid: MID, url: STOPPED, stoppedAt: 1 } }])
  const versionOf = async (table: 'orders' | 'transactions' | 'subscriptions', id: string) =>
    String((await service.ports.query.row(look(table, MID, id)))?.version ?? 1)

  /** A form for each action, right or wrong. */
  const FORMS: Readonly<Record<string, (random: Random, isRight: boolean) => Promise<Drawn>>> = {
    ...Object.fromEntries(
      (['orders', 'payments', 'subscriptions'] as const).map((kind) => [
        `/console/${kind}/:mid/:id/note`,
        async (random: Random, isRight: boolean) => {
          const id = drawn(random, kind === 'subscriptions' ? ids.mandates : ids[kind], isRight)
          const once = isRight ? service.ports.fresh.text(16) : random.pick(['x'.repeat(22), 'short'])
          return { path: `/${kind}/${MID}/${id}/note`, form: { once } }
        },
      ]),
    ),
    '/console/orders/:mid/:id/close': async (random, isRight) => {
      const id = drawn(random, ids.orders, isRight)
      return { path: `/orders/${MID}/${id}/close`, form: { version: await seen(random, 'orders', id, isRight), merchant: 'ACTIVE' } }
    },
    '/console/payments/:mid/:id/ask': async (random, isRight) => ({
      path: `/payments/${MID}/${isRight ? random.pick(ids.waiting) : random.pick([...ids.waiting, ...ids.payments, 'NONE'])}/ask`,
      form: {},
    }),
    '/console/refunds/:mid/:id/ask': async (random, isRight) => ({
      path: `/refunds/${MID}/${drawn(random, ids.refunds, isRight)}/ask`,
      form: {},
    }),
    ...Object.fromEntries(
      ['pause', 'resume', 'close'].map((word) => [
        `/console/subscriptions/:mid/:id/${word}`,
        async (random: Random, isRight: boolean) => {
          const id = isRight ? await inState(word === 'resume' ? 'SUSPENDED' : 'ACTIVE') : drawn(random, ids.mandates, false)
          return {
            path: `/subscriptions/${MID}/${id}/${word}`,
            form: { version: await seen(random, 'subscriptions', id, isRight), merchant: 'ACTIVE' },
          }
        },
      ]),
    ),
    '/console/notifications/:mid/:id/:endpoint/resend': async (random, isRight) => {
      const id = drawn(
        random,
        Array.from({ length: EACH }, (_, nth) => `DEAD_${nth}`),
        isRight,
      )
      const stream = await service.ports.query.row(streamKey(MID, id, 'merchant'))
      return { path: `/notifications/${MID}/${id}/merchant/resend`, form: { given: String(stream?.updatedAt ?? 1) } }
    },
    '/console/notifications/resend': async (random, isRight) => ({
      path: '/notifications/resend',
      form: { shown: isRight || random.below(2) === 0 ? String(service.clock.now()) : 'x', state: 'dead' },
    }),
    '/console/notifications/:mid/start': async (random, isRight) => ({
      path: `/notifications/${MID}/start`,
      form: { given: service.ports.vault.hash('console endpoint', isRight ? STOPPED : random.pick([STOPPED, 'http://127.0.0.1:9/other'])) },
    }),
    '/console/payments/:mid/:id/refund': async (random, isRight) => {
      const id = drawn(random, ids.payments, isRight)
      const formId = String(random.below(1_000_000_000)).padStart(26, '1')
      const amount = isRight ? '1.00' : random.pick(['1999', '2001', '9999', '10001', '50000.01', 'x'])
      return {
        path: `/payments/${MID}/${id}/refund`,
        form: { id: formId, version: await seen(random, 'transactions', id, isRight), amount },
      }
    },
    ...Object.fromEntries(
      ['give', 'refuse'].map((word) => [
        `/console/approvals/:id/${word}`,
        async (random: Random, isRight: boolean) => ({ path: `/approvals/${await asked(random, isRight)}/${word}`, form: {} }),
      ]),
    ),
  }
  const drawn = (random: Random, of: readonly string[], isRight: boolean) => (isRight || random.below(4) > 0 ? random.pick(of) : 'NONE')
  const seen = async (random: Random, table: Parameters<typeof versionOf>[0], id: string, isRight: boolean) =>
    isRight || random.below(3) > 0 ? versionOf(table, id) : random.pick(['1', '99', 'x'])
  const inState = async (status: 'ACTIVE' | 'SUSPENDED') => {
    const rows = await service.ports.query.rows(find('subscriptions', { equals: { mid: MID, status }, limit: 1 }))
    return rows[0]?.subscriptionId ?? ids.mandates[0]!
  }
  /** A request for a refund that waits for another person. */
  const asked = async (random: Random, isRight: boolean): Promise<string> => {
    const rows = await service.ports.query.rows(find('approvals', { equals: { status: 'ASKED' }, orderBy: ['askedAt'], limit: 100 }))
    if (!isRight && random.below(3) === 0) return 'NONE'
    return rows[0]?.approvalId ?? (await newRequest())
  }
  /** Each request has its own payment, so that enough is left to give back. */
  const newRequest = async (): Promise<string> => {
    const asker = await personOf(service, ['finance'])
    const { txnId: id } = await paidOrder(service, `ASKED_${++requests}`, LARGE)
    const formId = service.ports.fresh.hex(4).replace(/[a-f]/g, '0').padStart(26, '2')
    const mark = markOf(service, asker, id, formId)
    const form = { token: asker.token, id: formId, mark, version: await versionOf('transactions', id), amount: '10001', reason: 'back' }
    const { status, text } = await ask(service, `/console/payments/${MID}/${id}/refund`, { cookie: asker.cookie, form })
    assert.equal(status, 303, text)
    return formId
  }
  const staff = () => personOf(service, ['admin', 'finance', 'operations', 'support'])
  const send = (person: Person, { path, form }: Drawn) => {
    const [, txnId] = /\/([^/]+)\/refund$/.exec(path) ?? []
    const mark = txnId !== undefined && { mark: markOf(service, person, txnId, form['id']!) }
    return ask(service, `/console${path}`, { cookie: person.cookie, form: { reason: REASONS[0]!, ...form, ...mark, token: person.token } })
  }
  /** Rows of actions. A note is its own row. */
  const rowsOf = async () => (await allRows()).filter(({ action }) => action !== 'note')
  const allRows = () => service.ports.query.rows(find('auditLog', { orderBy: ['auditId'], limit: 100_000 }))

  test('each of the router is known here', async () => {
    const acting = (await routesOf(service)).filter(({ method, admits }) => method === 'POST' && ACTING.has(admits)).map(({ url }) => url)
    assert.deepEqual(Object.keys(FORMS).toSorted(), acting.toSorted())
  })

  test('change nothing when the row of the audit log cannot be written', async (t) => {
    const random = new Random(SEED)
    const state = async () => Object.entries(await all(at())).filter(([table]) => !OF_OTHERS.test(table))
    for (const [url, formOf] of Object.entries(FORMS)) {
      await service.tasks.runDue() // deliveries of the action before would change rows beside this one
      const [person, right] = [await staff(), await formOf(random, true)]
      await service.tasks.runDue()
      await run(at(), 'alter table audit_log rename to audit_away')
      const before = await state()
      const failed = await send(person, right)
      const now = await state()
      await run(at(), 'alter table audit_away rename to audit_log')
      assert.equal(failed.status, 500, `${url} ${failed.text}`)
      assert.deepEqual(now, before, url)
      const rows = (await allRows()).length
      const done = await send(person, right)
      assert.ok(done.status < 400, `${url} ${done.status} ${done.text}`)
      assert.ok((await allRows()).length > rows, url)
    }
    t.diagnostic(`${store}: ${Object.keys(FORMS).length} actions whose audit row failed: changed 0`)
  })

  test(`of ${DRAWN} draws leave one row for each decision`, async (t) => {
    const random = new Random(SEED + (store === 'sqlite' ? 0 : 1))
    const decided: string[] = []
    // The console's engine is this object, so a decision that goes around the audit is counted too.
    const engine = service.ports.engine as { submit: Ports['engine']['submit'] }
    const real = engine.submit.bind(engine)
    const people = [await staff(), await personOf(service, ['support']), await personOf(service, ['finance', 'developer'])]
    let refused = 0
    const urls = Object.keys(FORMS)
    for (let nth = 0; nth < DRAWN; nth++) {
      const url = random.pick(urls)
      if (random.below(6) === 0) await revived(random)
      const drawnForm = await FORMS[url]!(random, random.below(2) === 0)
      const form = { ...drawnForm, form: { reason: random.pick(REASONS), ...drawnForm.form } }
      const [rows, from] = [(await rowsOf()).length, decided.length]
      engine.submit = async (of, command, lease) => {
        const reply = await real(of, command, lease)
        if (!lease && !OWN_ROWS.has(of.name)) decided.push(of.name)
        // Giving is two acts in one decision: the approval, and the action that was asked for.
        if (of.name === 'giveApproval' && reply.result.name === 'given') decided.push('approved')
        return reply
      }
      const sent = await Promise.all([send(random.pick(people), form), ...(random.below(5) === 0 ? [send(random.pick(people), form)] : [])])
      engine.submit = real
      for (const { status, text } of sent) {
        assert.ok(status < 500, `${url} ${JSON.stringify(form)} ${text}`)
        if (status >= 400) refused++
      }
      const written = (await rowsOf()).length - rows
      assert.equal(written, decided.length - from, `${url} ${JSON.stringify(form)} of seed ${SEED}: ${decided.slice(from)}`)
    }
    const counts = Object.entries(Object.groupBy(decided, (name) => name)).map(([name, all]) => `${name} ${all!.length}`)
    t.diagnostic(`${store}: ${DRAWN} draws, ${refused} refused; ${decided.length} decisions − their audit rows = 0 (${counts.join(', ')})`)
  })
  /** Gives up another stream, or stops the endpoint again, so that there is something to send. */
  const revived = async (random: Random) => {
    const key = streamKey(MID, `DEAD_${random.below(EACH)}`, 'merchant')
    const stream = (await service.ports.query.row(key))!
    await service.store.transaction(async (transaction) => {
      await transaction.read([key])
      const row = { ...stream, status: stream.status === 'IDLE' ? ('IDLE' as const) : ('DEAD' as const) }
      await transaction.write({ changes: [{ kind: 'update', key, row }], events: [], tasks: [] })
    })
    if (!(await service.ports.query.row(stoppedEndpointKey(MID, STOPPED)))) await stops()
  }
})
