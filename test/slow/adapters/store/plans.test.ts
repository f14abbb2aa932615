// How PostgreSQL runs the service's statements: by an index, in its order, whatever the server knows of its tables. The statements are read
// off the wire while every operation, list and sweep runs. Three servers plan each: one without statistics, one with them, and one that
// believes in a million rows in each table.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { ask, personOf } from '../../../support/console/desk.ts'
import { goodBodies, newSubject, sendTo, signedOperations, world } from '../../../support/paying/signed-bodies.ts'
import { MID, type Service, startService } from '../../../support/run/service.ts'
import { migratedDatabase } from '../../../support/store/migrated.ts'
import { proxyStatements } from '../../../support/store/statement-proxy.ts'
import { allTermsKept } from '../../../support/store/terms-kept.ts'

const SUBJECTS = 3
const DAYS = 40
const DAY_MS = 86_400_000
const MANY = 1_000_000
const SCREENS = ['', '/orders', '/payments', '/refunds', '/subscriptions', '/notifications', '/people', '/approvals', '/audit']
/** Rows of the search sweep: of one customer, also from a place on; of a text that no order has; of one merchant. */
const FOUND = [
  '/find?q=CROSS00001',
  '/find?q=CROSS00001&after=9999999999999~Z~Z',
  '/find?q=nothing',
  `/orders?merchant=${MID}&from=2026-06-01T00:00`,
]
const SEARCHED = ['search_terms', 'search_orders', 'late_terms', 'merchant_orders']
const QUESTION = /^\s*(with|select|insert|update|delete)\b/i
/** A start compares the schema, once. */
const OF_START = /kysely_migration|pg_catalog|pg_attribute|pg_class/
/** Connections that only read for `verify` compare whole tables, and keep all plans. */
const PLANNED = /enable_bitmapscan=off/

/** A list that is read whole, a look at every task once a minute (docs/decisions/0013), or the few rows of one key. */
const BOUNDED = [
  'from merchants limit',
  'from operators limit',
  'from operators where operator_id in (', // the people of one portion
  'from stopped_endpoints order by',
  'from tasks where (added_at > ',
  'from merchant_keys where mid = $1 order by position',
  'from events where owner = $1 and aggregate = $2 and id in (',
  ' in (values ', // rows of named keys, sorted so that they are locked in one order
]
/** A filtered list sorts the rows that it shows. */
const FINAL_SORT = /^Sort .*\n {2}Sort Key: whole\..*/

/** What the server may know about its tables. */
const KNOWLEDGE = {
  'nothing of its tables': [
    "delete from pg_statistic where starelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)",
    "update pg_class set reltuples = -1, relpages = 0 where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')",
  ],
  'its small tables': ['analyze'],
  'tables of a million rows': [
    'analyze',
    `update pg_class set reltuples = ${MANY}, relpages = greatest(relpages, 1) where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
  ],
} as const

test('postgres: whatever the server knows, no statement scans, sorts or joins a whole table', { timeout: 600_000 }, async (t) => {
  const { asked, databaseUrl } = await recorded()
  const wrong: string[] = []
  let count = 0
  for (const [options, statements] of asked) {
    const client = new pg.Client({ connectionString: databaseUrl, options })
    await client.connect()
    for (const [known, before] of Object.entries(KNOWLEDGE)) {
      await client.query('begin read write')
      for (const statement of before) await client.query(statement)
      for (const statement of statements) {
        count++
        const plan = await planOf(client, statement)
        if (isAmiss(plan, statement, options, known)) wrong.push(`knowing ${known}: ${statement}\n${plan}`)
      }
      await client.query('rollback')
    }
    await client.end()
  }
  t.diagnostic(
    `${count} plans of ${[...asked.values()].reduce((sum, { size }) => sum + size, 0)} statements on ${asked.size} kinds of connection`,
  )
  assert.deepEqual(wrong, [])
})

/** True when a plan joins, scans or sorts whole tables. A sort of one key's rows does not count. */
function isAmiss(plan: string, statement: string, options: string, known: string): boolean {
  // A table of one page is best read whole, where each query gets its own plan. Without statistics that holds for rows of named keys.
  const [isAside, ofKeys] = [options.includes('force_custom_plan'), statement.includes(' in (values ')]
  if (isAside && (known === 'its small tables' || (ofKeys && known === 'nothing of its tables'))) return false
  if (/(Hash|Merge) (Semi )?Join|Bitmap/.test(plan)) return true
  if (BOUNDED.some((part) => statement.includes(part))) return false
  return /Seq Scan|(?<!Incremental )Sort {2}/.test(plan.replace(FINAL_SORT, ''))
}

async function recorded(): Promise<{ asked: Map<string, Set<string>>; databaseUrl: string }> {
  const databaseUrl = await migratedDatabase()
  const proxy = await proxyStatements(databaseUrl)
  after(() => proxy.close())
  const asked = new Map<string, Set<string>>()
  proxy.judge = ({ text, options }) => {
    if (QUESTION.test(text) && !OF_START.test(text) && PLANNED.test(options))
      asked.set(options, (asked.get(options) ?? new Set()).add(text))
    return 'passes'
  }
  const service = await startService('postgres', { world, env: { DATABASE_URL: proxy.url } })
  await everything(service)
  await searched(service, databaseUrl)
  await service.close()
  const statements = [...asked.values()].flatMap((texts) => [...texts])
  for (const table of SEARCHED)
    assert.ok(
      statements.some((text) => text.includes(` from ${table} where`)),
      table,
    )
  return { asked, databaseUrl }
}

/** Runs each operation, each list of the console, and each sweep. */
async function everything(service: Service) {
  for (let at = 0; at < SUBJECTS; at++) {
    const subject = await newSubject(service)
    const bodies = goodBodies(subject, subject.notifiable)
    for (const name of signedOperations)
      for (const body of bodies[name] ?? []) await sendTo(service, name, body, { mid: MID, orderId: subject.free }, subject)
  }
  const person = await personOf(service, ['admin', 'operations', 'support'])
  for (const screen of SCREENS) await ask(service, `/console${screen}`, { cookie: person.cookie })
  for (let day = 0; day < DAYS; day++) {
    service.clock.advance(DAY_MS)
    await service.tasks.runDue()
  }
}

/** Also by a person who sees one merchant alone, and from a sweep that has lost its place. */
async function searched(service: Service, databaseUrl: string) {
  await allTermsKept(service)
  for (const mids of [null, [MID]]) {
    const { cookie } = await personOf(service, ['operations'], mids)
    for (const screen of FOUND) assert.ok((await ask(service, `/console${screen}`, { cookie })).status < 400, screen)
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query("delete from settings where name = 'searchTerms'")
  // Every plan of an empty file is as good.
  await client.query("insert into late_terms (term, at, mid, order_id) values (1, 1, 'M', 'O')")
  await client.query(
    "insert into approvals (approval_id, version, action, subject, status, asked_by, asked_at, until) values ('1', 1, 'payment.refund', 'S', 'ASKED', 'P', 1, 2)",
  )
  await client.end()
  await allTermsKept(service)
}

async function planOf(client: pg.Client, statement: string): Promise<string> {
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${statement}`)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}
