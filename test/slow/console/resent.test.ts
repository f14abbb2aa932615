// A thousand dead notifications of ten merchants are sent again in one action, and the service is killed in the middle of such an action.
// Each stream is revived with its audit row, or neither. Prints both counts. Stops the service in the middle too. `npm run bench -- resent` measures the orders beside it.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgres, openSqlite } from '../../../src/adapters/store/database.ts'
import { SqlStore } from '../../../src/adapters/store/sql-store.ts'
import { Vault } from '../../../src/adapters/store/vault.ts'
import { exits } from '../../../src/cli/exits.ts'
import { SystemClock } from '../../../src/engine/clock.ts'
import type { Change } from '../../../src/engine/decision.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { SystemRandom } from '../../../src/engine/random.ts'
import type { Store } from '../../../src/engine/store.ts'
import { merchantKey } from '../../../src/tables/keys.ts'
import { find } from '../../../src/tables/tables.ts'
import { ask, type Person, personOf } from '../../support/console/desk.ts'
import { deadRows } from '../../support/notifications/dead.ts'
import { receiver } from '../../support/notifications/receiver.ts'
import { mohurCommand, type ServedProcess, serveProcess } from '../../support/run/process.ts'
import { MID, onBothStores } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { MOHUR_MASTER_KEY, place } from '../../support/store/at-rest.ts'
import { Random } from '../../support/text/random.ts'

const [MERCHANTS, SEEN, PER_MERCHANT] = [10, 8, 125]
const IN_SCOPE = SEEN * PER_MERCHANT
const KILLS = sized(3, 50)
const [EARLY_MS, LATE_MS] = [400, 60] // a kill comes within this time of the request, or of its first notification
const SEED = 20_261_128
const mids = Array.from({ length: MERCHANTS }, (_, at) => `RESENT${at}`)

onBothStores('a thousand notifications sent again', (store) => {
  const environment = async () => ({ ...(await place(store)), MOHUR_MASTER_KEY })
  type At = Awaited<ReturnType<typeof environment>>

  async function inStore<T>(at: At, work: (store: Store, vault: Vault) => Promise<T>): Promise<T> {
    const { DATABASE_URL, MOHUR_DATA } = at as Record<string, string>
    const database = DATABASE_URL ? openPostgres(DATABASE_URL) : openSqlite(join(MOHUR_DATA!, 'mohur.sqlite'))
    const vault = new Vault(Buffer.from(MOHUR_MASTER_KEY, 'base64'))
    const opened = new SqlStore(database, vault)
    return work(opened, vault).finally(() => opened.close())
  }

  /** A store with its dead streams, and a person who sees most of its merchants. */
  async function planted(at: At, url: string, perMerchant = PER_MERCHANT): Promise<Person> {
    const first = await serveProcess(at) // the demo world, whose merchant is the model of the others
    await first.kill('SIGTERM')
    return inStore(at, async (opened, vault) => {
      const like = (await opened.query.row(merchantKey(MID)))!
      const now = Date.now() - 60_000
      const notification = { url, form: 'json', secret: '' } as const
      const changes = mids.flatMap((mid): Change[] => [
        { kind: 'insert', key: merchantKey(mid), row: { ...like, mid, notification } },
        ...Array.from({ length: perMerchant }, (_, nth) => deadRows({ mid, orderId: `DEAD${nth}`, url, now })).flat(),
      ])
      await opened.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
      const [clock, fresh] = [new SystemClock(), new SystemRandom()]
      const ports = { engine: new Engine(opened, clock, fresh), query: opened.query, clock, fresh, vault }
      return personOf({ ports } as never, ['operations'], mids.slice(0, SEEN))
    })
  }

  const resendAll = ({ url }: ServedProcess, { cookie, token }: Person) =>
    ask({ url }, '/console/notifications/resend', {
      cookie,
      form: { token, reason: 'their servers are back', shown: String(Date.now()) },
    })

  /** The streams that are dead no longer, and those that an audit row names, each as mid and order. */
  const countsIn = (at: At, { operatorId }: Person) =>
    inStore(at, async ({ query }) => {
      const streams = await query.rows(find('notificationStreams', { orderBy: ['mid', 'orderId', 'endpoint'], limit: 10_000 }))
      const rows = await query.rows(find('auditLog', { equals: { operatorId }, orderBy: ['auditId'], limit: 100_000 }))
      const named = rows.filter(({ action, outcome }) => action === 'notification.resend' && outcome === 'revived')
      return {
        revived: streams
          .filter(({ status }) => status !== 'DEAD')
          .map(({ mid, orderId }) => `${mid} ${orderId}`)
          .sort(),
        audited: named.map(({ mid, subject }) => `${mid} ${subject.slice('order:'.length)}`).sort(),
      }
    })

  test('revives those of the person’s merchants, with an audit row for each', async (t) => {
    const shop = await receiver()
    const at = await environment()
    const person = await planted(at, shop.url)
    const service = await serveProcess(at)
    const { status, text } = await resendAll(service, person)
    assert.equal(status, 200, text)
    assert.match(text, new RegExp(`sent again: ${IN_SCOPE}\\.`))
    for (const until = Date.now() + 60_000; shop.journal.length < IN_SCOPE && Date.now() < until; ) await sleep(20)
    await service.kill('SIGTERM')
    const { revived, audited } = await countsIn(at, person)
    assert.deepEqual(audited, revived)
    assert.equal(revived.length, IN_SCOPE)
    assert.ok(revived.every((each) => mids.slice(0, SEEN).includes(each.split(' ')[0]!)))
    assert.equal(shop.journal.length, IN_SCOPE, 'each was sent once')
    t.diagnostic(
      `${store}: revived ${revived.length} of ${MERCHANTS * PER_MERCHANT} dead, in scope ${IN_SCOPE}; audit rows ${audited.length}`,
    )
  })

  /** A shop, and the promise of its first notification. */
  async function waitedFor() {
    const { promise: first, resolve } = Promise.withResolvers<void>()
    const shop = await receiver(() => {
      resolve()
      return 200
    })
    return { first, shop }
  }

  test('a stop in the middle ends the action in time, and its page says how many are left', async () => {
    const { first, shop } = await waitedFor()
    const at = await environment()
    const person = await planted(at, shop.url)
    const service = await serveProcess(at)
    const action = resendAll(service, person)
    await first
    assert.equal(await service.kill('SIGTERM'), exits.done.code)
    const { text } = await action
    const { revived, audited } = await countsIn(at, person)
    assert.deepEqual(audited, revived)
    assert.match(text, new RegExp(`sent again: ${revived.length}\\.`))
    assert.match(text, new RegExp(`the service is stopping: ${IN_SCOPE - revived.length}\\.`))
  })

  if (store === 'sqlite')
    test('so does a stop beside `mohur notification resend`', async () => {
      const { first, shop } = await waitedFor()
      const at = await environment()
      const person = await planted(at, shop.url, IN_SCOPE)
      const service = await serveProcess(at)
      const command = mohurCommand(['notification', 'resend', '--mid', mids[0]!, '--dead'], at)
      await first
      assert.equal(await service.kill('SIGTERM'), exits.done.code)
      const { code, out, err } = await command
      const { revived } = await countsIn(at, person)
      const left = IN_SCOPE - revived.length
      assert.deepEqual([code, out], [exits.away.code, `${revived.length} orders' notifications are sent again\n`])
      assert.match(err, new RegExp(`those of ${left} orders are still dead`))
    })

  test(`${KILLS} kills in the middle: each stream is revived with its row, or neither`, async (t) => {
    const random = new Random(SEED)
    const shop = await receiver()
    const at = await environment()
    const person = await planted(at, shop.url)
    let torn = 0
    const counts: number[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const service = await serveProcess(at)
      let isOver = false
      const came = shop.journal.length
      const action = resendAll(service, person)
        .catch(() => undefined)
        .finally(() => {
          isOver = true
        })
      if (kill % 3 > 0) while (shop.journal.length === came && !isOver) await sleep(1)
      await sleep(random.below(kill % 3 > 0 ? LATE_MS : EARLY_MS))
      await service.kill('SIGKILL')
      await action
      const { revived, audited } = await countsIn(at, person)
      if (revived.join() !== audited.join()) torn++
      counts.push(revived.length)
    }
    assert.equal(torn, 0)
    assert.ok(
      counts.some((count) => count > 0 && count < IN_SCOPE),
      `a kill came in the middle: ${counts}`,
    )
    const service = await serveProcess(at)
    const { text } = await resendAll(service, person)
    assert.match(text, new RegExp(`sent again: ${IN_SCOPE - counts.at(-1)!}\\.`))
    await service.kill('SIGTERM')
    const { revived, audited } = await countsIn(at, person)
    assert.deepEqual([revived.length, audited], [IN_SCOPE, revived])
    t.diagnostic(`${store}: ${KILLS} kills, revived after each ${counts.join(', ')}; torn ${torn}`)
  })
})
