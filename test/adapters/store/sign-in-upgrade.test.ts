// Sign-ins of the version before tokens could be refreshed: their families end whole, and nothing counts too early or too late.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../../src/adapters/store/migrate.ts'
import { statements as initial } from '../../../src/adapters/store/migrations/0001-initial.ts'
import { forPostgres } from '../../../src/adapters/store/schema.ts'
import { SqlStore } from '../../../src/adapters/store/sql-store.ts'
import { Vault } from '../../../src/adapters/store/vault.ts'
import { revokeToken } from '../../../src/domain/signin/revoke-token.ts'
import { HOUR_MS } from '../../../src/domain/signin/signin.ts'
import { SystemClock } from '../../../src/engine/clock.ts'
import { find } from '../../../src/tables/tables.ts'
import { onBothStores } from '../../support/run/service.ts'
import { emptyPlace, newEngine, openDatabase } from '../../support/store/stores.ts'

onBothStores('a database with sign-ins of the first version', (name) => {
  test('has each SSO token in its family, so that it ends with it, and its counts as they were', async () => {
    const database = openDatabase(name, await emptyPlace(name))
    const run = async (statements: readonly string[]) => {
      for (const statement of statements) await sql.raw(name === 'postgres' ? forPostgres(statement) : statement).execute(database.writer)
    }
    await run(initial)
    await run([
      "insert into sign_in_clients (client_id, secret_hash, scopes) values ('app', 'x', '[]')",
      ...['1', '2'].flatMap((at) => [
        `insert into token_families (family_id, version, status, state_token_hash, client_id, device_hash, mobile, user_id, scopes, created_at) values ('f${at}', 1, 'ACTIVE', 's${at}', 'app', 'd', '9876570001', 'u', '[]', 1)`,
        `insert into sso_tokens (token_hash, user_id, mobile, client_id, family_id, scopes, issued_at, expires_at) values ('t${at}', 'u', '9876570001', 'app', 'f${at}', '[]', 1, 100${at})`,
      ]),
      "insert into otp_challenges (state_token_hash, client_id, device_hash, mobile, scopes, otp_hash, tries, tries_max, created_at, expires_at) values ('s1', 'app', 'd', '9876570001', '[]', 'h', 0, 3, 500, 900)",
      ...[
        ['9876570001', 0],
        ['9876570002', 1],
      ].map(
        ([mobile, pending]) =>
          `insert into customers (mobile, user_id, wallet_balance_paise, pending_verification) values ('${mobile}', 'user of ${mobile}', 0, ${pending})`,
      ),
      "insert into otp_sends (mobile, sent_at) values ('9876570001', '[500]')",
      "insert into otp_failures (mobile, device_hash, failed_at) values ('9876570001', 'd', '[800]')",
    ])
    await run([
      'create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)',
      "insert into kysely_migration (name, timestamp) values ('0001-initial', '2026-11-20T00:00:00.000Z')",
    ])
    assert.equal((await migrate(database))[0], '0002-paying')
    const store = new SqlStore(database, new Vault(Buffer.alloc(32, 7)))
    try {
      const families = await store.query.rows(find('tokenFamilies', { orderBy: ['familyId'], limit: 9 }))
      assert.deepEqual(
        families.map(({ ssoTokens }) => ssoTokens),
        [[{ tokenHash: 't1', expiresAt: 1_001 }], [{ tokenHash: 't2', expiresAt: 1_002 }]],
      )
      const caller = { clientId: 'app', deviceHash: 'd' }
      const { result } = await newEngine(store).submit(revokeToken, { ssoTokenHash: 't1', caller, now: 950 })
      assert.equal(result.name, 'success')
      const tokens = await store.query.rows(find('ssoTokens', { orderBy: ['tokenHash'], limit: 9 }))
      assert.deepEqual(
        tokens.map(({ revokedAt }) => revokedAt),
        [950, null],
      )
      const [sends] = await store.query.rows(find('otpSends', { limit: 1 }))
      const [failures] = await store.query.rows(find('otpFailures', { limit: 1 }))
      assert.deepEqual([sends!.lastAt, failures!.lastAt], [500, 900])
      const [signedIn, pending] = await store.query.rows(find('customers', { orderBy: ['mobile'], limit: 9 }))
      assert.deepEqual([signedIn!.signedInAt, signedIn!.pendingVerificationSince], [1, null])
      // Nobody wrote down since when: the 48 hours begin with the new version.
      assert.equal(pending!.signedInAt, null)
      assert.ok(Math.abs(pending!.pendingVerificationSince! - new SystemClock().realNow()) < HOUR_MS)
    } finally {
      await store.close()
    }
  })
})
