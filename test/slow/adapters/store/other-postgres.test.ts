// Debian's own PostgreSQL, older than that of the other tests. The service runs on it, and the backup of
// docs/operating/back-up-and-restore.md restores it.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { versionWarning } from '../../../../src/adapters/store/database.ts'
import { orderCode } from '../../../support/paying/paying.ts'
import { paidOrder, refund } from '../../../support/paying/refunds.ts'
import { type Service, startService } from '../../../support/run/service.ts'
import { startPostgres } from '../../../support/store/postgres.ts'
import { assertHolds } from '../../../support/store/verify.ts'

const DEBIAN = '/usr/lib/postgresql'
const installed = () => {
  try {
    return readdirSync(DEBIAN).filter((version) => readdirSync(join(DEBIAN, version, 'bin')).includes('postgres'))
  } catch {
    return []
  }
}

test('a server that is older than the oldest is warned of, and no other', () => {
  assert.deepEqual(versionWarning(14), ['PostgreSQL 14 is older than 15, the oldest that Mohur is tested on'])
  assert.deepEqual(versionWarning(15), [])
  assert.deepEqual(versionWarning(18), [])
})

const versions = installed()
if (versions.length === 0)
  test('PostgreSQL of Debian is there where it is required', () => {
    console.log('\n==== NO POSTGRESQL OF DEBIAN HERE: its tests are LEFT OUT (apt-get install postgresql) ====\n')
    assert.notEqual(process.env['MOHUR_POSTGRES'], 'required', 'MOHUR_POSTGRES=required, and there is no postgresql')
  })

for (const version of versions)
  test(`PostgreSQL ${version}: payments, pg_dump, pg_restore, verify, and another payment`, { timeout: 300_000 }, async (t) => {
    const from = join(DEBIAN, version)
    const server = await startPostgres({ from })
    after(() => server.stop())
    const databaseUrl = await server.createDatabase()
    const before = await startService('postgres', { env: { ...KEPT, DATABASE_URL: databaseUrl } })
    await lived(before).finally(() => before.close())
    const written = await countsOf(databaseUrl)

    const folder = mkdtempSync(join(tmpdir(), 'mohur-dump-'))
    after(() => rmSync(folder, { recursive: true, force: true }))
    const [dump, restoredUrl] = [join(folder, 'mohur.dump'), await server.createDatabase()]
    const run = (program: string, ...args: string[]) =>
      execFileSync(join(from, 'bin', program), args, { stdio: ['ignore', 'pipe', 'pipe'] })
    run('pg_dump', '-Fc', '--file', dump, databaseUrl)
    run('pg_restore', '--no-owner', '--exit-on-error', '--dbname', restoredUrl, dump)

    const counts = await countsOf(restoredUrl)
    assert.deepEqual(counts, written)
    const restored = await startService('postgres', { env: { ...KEPT, DATABASE_URL: restoredUrl } })
    after(() => restored.close())
    restored.clock.advance(DAYS * DAY_MS)
    await assertHolds(restored)
    assert.equal(await orderCode(restored, await paidOrder(restored, 'AFTER_RESTORE')), '01')
    await assertHolds(restored)
    t.diagnostic(
      `PostgreSQL ${version}: ${Object.values(counts).reduce((sum, rows) => sum + rows, 0)} rows of ${Object.keys(counts).length} tables restored, differences 0`,
    )
  })

const KEPT = { MOHUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
const ORDERS = 5
const DAYS = 3
const DAY_MS = 86_400_000

async function countsOf(databaseUrl: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ table: string; rows: string }>(
    `select relname as table, (xpath('/row/c/text()', query_to_xml(format('select count(*) as c from %I', relname), false, true, '')))[1]::text as rows
     from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`,
  )
  await client.end()
  return Object.fromEntries(rows.map((row) => [row.table, Number(row.rows)]))
}

/** Orders that are paid and partly refunded, and three days of due work. */
async function lived(service: Service) {
  for (let at = 0; at < ORDERS; at++) await refund(service, await paidOrder(service, `PAID_${at}`), `REFUND_${at}`, '1.00')
  await service.tasks.advance(service.clock.now() + DAYS * DAY_MS, async (at) =>
    service.clock.advance(Math.max(0, at - service.clock.now())),
  )
}
