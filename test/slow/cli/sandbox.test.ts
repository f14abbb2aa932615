// `mohur sandbox reset`, and the button that does the same: docs/sandbox.md.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bankJournal, CARD, createOrder, pay } from '../../support/paying/paying.ts'
import { mohurCommand, type ServedProcess, serveProcess } from '../../support/run/process.ts'
import { MID, onBothStores, type StoreName } from '../../support/run/service.ts'
import { spokenTo } from '../../support/run/spoken-to.ts'
import { all, place, production, productionStore, run } from '../../support/store/at-rest.ts'

const DAY_MS = 24 * 60 * 60_000
const running = new Set<ServedProcess>()
after(() => Promise.all([...running].map((process) => process.kill('SIGTERM'))))
async function served(at: Record<string, string>) {
  const process = await serveProcess(at)
  running.add(process)
  const stop = async () => {
    running.delete(process)
    await process.kill('SIGTERM')
  }
  return { ...process, ...spokenTo(process.url), stop }
}
type Served = Awaited<ReturnType<typeof served>>

const clockOf = async ({ url }: Served) => Date.parse(((await (await fetch(`${url}/sandbox/clock`)).json()) as { now: string }).now)
const isReal = async (service: Served) => Math.abs((await clockOf(service)) - Date.now()) < 60_000
/** A process's clock follows the reset clock within a second. */
async function untilReal(service: Served) {
  const until = Date.now() + 10_000
  while (!(await isReal(service))) assert.ok(Date.now() < until, 'its clock was not put back')
}

/** A paid order, one that waits, a refund that waits for a second person, another world, and a clock a year ahead. */
async function used(service: Served, at: Record<string, string>) {
  await pay(service, await createOrder(service, 'PAID'), CARD)
  await pay(service, await createOrder(service, 'WAITS'), { paymentMode: 'UPI', payerAccount: 'pending@upi' })
  const columns = 'approval_id, version, action, mid, subject, status, asked_by, asked_at, until'
  await run(
    at,
    `insert into approvals (${columns}) values ('1', 1, 'payment.refund', '${MID}', 'transaction:1', 'ASKED', 'x', 1, 2)`,
    `insert into approval_commands (approval_id, command, reason) values ('1', 'x', 'x')`,
  )
  for (const table of ['approvals', 'approval_commands']) assert.equal((await run(at, `select * from ${table}`)).length, 1)
  const world = {
    merchants: [
      { mid: MID, name: 'Changed' },
      { mid: 'ANOTHER', keys: [{ clientId: 'C11', key: 'ABCDEFGHIJKLMNOP' }] },
    ],
  }
  await fetch(`${service.url}/sandbox/world`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(world),
  })
  await service.post('/sandbox/clock', JSON.stringify({ advance: 'P1Y' }))
  assert.ok((await clockOf(service)) > Date.now() + 360 * DAY_MS)
}

/** The state after a first start, except for the settings that identify the store. */
async function asAtFirst(at: Record<string, string>, store: StoreName) {
  const { settings, ...tables } = (await all(at)) as Record<string, Record<string, unknown>[]>
  const counts = Object.entries(tables).flatMap(([name, rows]) =>
    rows.length > 0 && !/^(files|kysely_.*)$/.test(name) ? [`${name} ${rows.length}`] : [],
  )
  assert.deepEqual(
    counts.sort(),
    ['customers 1', 'ledger_entries 2', 'merchant_keys 1', 'merchants 1', 'promotions 1', 'sign_in_clients 1'],
    store,
  )
  assert.deepEqual(settings!.map(({ name }) => name).sort(), ['masterKeyCheck', 'mode', 'sandboxResets', 'schemaFingerprint'])
  assert.equal(tables['merchants']![0]!['name'], 'Demo Stores')
  assert.equal((await mohurCommand(['verify'], at)).code, 0)
}

onBothStores('a sandbox that begins anew', (store) => {
  test('by its command has what a first start has, the real time, and takes the same orders again; every process goes by it', async () => {
    const at = await place(store)
    const service = await served(at)
    const other = store === 'postgres' ? await served(at) : undefined
    await used(service, at)
    const { code, out, err } = await mohurCommand(['sandbox', 'reset'], at)
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /^the sandbox is as it was at its first start;/)
    const again = service
    for (const each of [again, ...(other ? [other] : [])]) await untilReal(each)
    await asAtFirst(at, store)
    assert.deepEqual(await bankJournal(again), [])
    const paid = await pay(again, await createOrder(again, 'PAID'), CARD)
    assert.equal(paid.body.resultInfo.resultCode, '0000', paid.text)
    if (other) assert.equal((await mohurCommand(['order', 'show', 'PAID'], at)).code, 0)
    for (const each of [again, ...(other ? [other] : [])]) await each.stop()
  })

  test('by its button has the same while it runs, and no page of another site presses it', async () => {
    const at = await place(store)
    const service = await served(at)
    await used(service, at)
    const press = (headers: Record<string, string>) =>
      fetch(`${service.url}/sandbox/reset`, { method: 'POST', redirect: 'manual', headers, ...(headers['content-type'] && { body: '' }) })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const site of ['cross-site', 'same-site']) assert.equal((await press({ ...form, 'sec-fetch-site': site })).status, 400)
    assert.ok(!(await isReal(service)))
    const shop = await (await fetch(`${service.url}/sandbox/shop`)).text()
    assert.match(shop, /<a href="\/sandbox\/reset">/)
    const page = await (await fetch(`${service.url}/sandbox/reset`)).text()
    assert.match(page, /<form method="post" action="\/sandbox\/reset"/)
    const pressed = await press({ ...form, 'sec-fetch-site': 'same-origin' })
    assert.deepEqual([pressed.status, pressed.headers.get('location')], [303, '/sandbox/reset?done=yes'])
    assert.ok(await isReal(service))
    assert.deepEqual(await bankJournal(service), [])
    const order = await createOrder(service, 'PAID')
    assert.equal((await pay(service, order, CARD)).body.resultInfo.resultCode, '0000')
    // A program gets the answer of a program.
    const answer = await press({})
    assert.equal(answer.status, 200)
    assert.ok(Math.abs(Date.parse(((await answer.json()) as { now: string }).now) - Date.now()) < 60_000)
    await service.stop()
    await asAtFirst(at, store)
  })

  test('in the middle of payments leaves nothing half: what was under way is whole or gone', async () => {
    const at = await place(store)
    const services = [await served(at), ...(store === 'postgres' ? [await served(at)] : [])]
    let [count, paid, isOver] = [0, 0, false]
    const paying = services.flatMap((service) =>
      Array.from({ length: 8 }, async () => {
        while (!isOver) {
          // A reset removes orders, so a payment of one is refused like that of an unknown order.
          const order = await createOrder(service, `BUSY_${++count}`).catch(() => undefined)
          if (order && (await pay(service, order, CARD)).body.resultInfo.resultCode === '0000') paid++
        }
      }),
    )
    for (let reset = 0; reset < 4; reset++) {
      const before = paid
      while (paid < before + 25) await new Promise((resolve) => setImmediate(resolve))
      assert.equal((await fetch(`${services[reset % services.length]!.url}/sandbox/reset`, { method: 'POST' })).status, 200)
    }
    isOver = true
    await Promise.all(paying)
    assert.ok(paid >= 100, String(paid))
    const { code, out } = await mohurCommand(['verify'], at)
    assert.equal(code, 0, out)
    for (const service of services) await service.stop()
  })

  test('is never one of production, which is refused and left as it is', async () => {
    const at = await productionStore(store)
    const before = await all(at)
    for (const environment of [production(at), { ...production(at), MOHUR_MODE: 'sandbox' }]) {
      const { code, out, err } = await mohurCommand(['sandbox', 'reset'], environment)
      assert.deepEqual([code, out, err], [2, '', 'only a sandbox store can be reset; this one has the mode production\n'])
    }
    assert.deepEqual(await all(at), before)
    const service = await serveProcess(production(at))
    running.add(service)
    assert.equal((await fetch(`${service.url}/sandbox/reset`, { method: 'POST' })).status, 404)
    assert.equal((await fetch(`${service.url}/sandbox/reset`)).status, 404)
  })
})
