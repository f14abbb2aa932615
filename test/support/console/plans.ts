// How a database plans the finds of a history, on connections like the console's.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { codecs } from '../../../src/adapters/store/codec.ts'
import { findStatement, findValues } from '../../../src/adapters/store/find-statement.ts'
import type { Vault } from '../../../src/adapters/store/vault.ts'
import type { Query } from '../../../src/engine/decision.ts'
import type { Find } from '../../../src/tables/tables.ts'
import type { Service } from '../run/service.ts'

/** Passes finds on, and notes each. */
export function noted(query: Query): { query: Query; finds: Find[] } {
  const finds: Find[] = []
  const noting: Query = {
    ...query,
    atOneMoment: (work) =>
      query.atOneMoment((looks) =>
        work({
          ...looks,
          rows(find) {
            finds.push(find as unknown as Find)
            return looks.rows(find)
          },
        }),
      ),
  }
  return { query: noting, finds }
}

/** The plan of each find. A database reads a small table whole; `isSmall` forbids that. */
export async function plansOf(
  { ports, place: { dataFolder, databaseUrl } }: Service,
  finds: readonly Find[],
  isSmall: boolean,
): Promise<string[]> {
  const codec = codecs(ports.vault as Vault)
  const asked = finds.map((find) => ({ text: findStatement(codec[find.find], find), values: findValues(codec[find.find], find) }))
  if (!databaseUrl) {
    const database = new DatabaseSync(join(dataFolder, 'mohur.sqlite'), { readOnly: true })
    try {
      return asked.map(({ text, values }) => {
        const steps = database.prepare(`explain query plan ${text}`).all(...values)
        return `${text}\n${steps.map(({ detail }) => detail).join('\n')}`
      })
    } finally {
      database.close()
    }
  }
  const options = `-c enable_bitmapscan=off -c jit=off${isSmall ? ' -c enable_seqscan=off' : ''}`
  const client = new pg.Client({ connectionString: databaseUrl, options })
  await client.connect()
  try {
    const plans: string[] = []
    // As after quick growth, before the server has looked at the tables.
    await client.query('begin')
    await client.query("delete from pg_statistic where starelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)")
    for (const { text, values } of asked) {
      let place = 0
      const numbered = text.replaceAll('?', () => `$${++place}`)
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${numbered}`, values)
      plans.push(`${text}\n${rows.map((row) => row['QUERY PLAN']).join('\n')}`)
    }
    await client.query('rollback')
    return plans
  } finally {
    await client.end()
  }
}
