// Paid orders with a million paid orders stored, with every row that a payment leaves, against a thousand; SQLite. One payment is made. SQL
// in the files of the store and of the sandbox's bank copies its rows under other names.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Figure, Options } from './bench.ts'
import { median } from './numbers.ts'
import { newFolder, payLoad, type Served, serveMohur } from './processes.ts'
import { orderIdOf } from './requests.ts'

const FEW = 1_000
const MANY = 1_000_000
const ORDERS = 5_000
const ROUNDS = 4
const CONNECTIONS = 64
const PER_TRANSACTION = 50_000
const TEMPLATE = 'TEMPLATE'
const INSTANT_MIN = 1e12 // larger than every amount of the template

export async function stored({ checkout, orders = ORDERS, rounds = ROUNDS }: Options): Promise<Figure[]> {
  const served: Served[] = []
  for (const count of [FEW, MANY]) served.push(await serveMohur({ folder: await paidStore(checkout, count), checkout }))
  const [few, many] = served as [Served, Served]
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const run = async ({ port, pid }: Served) =>
      (await payLoad({ port, pid, connections: CONNECTIONS, orders, run: `R${round}`, order: 'both' })).perSecond
    const perSecond = { few: await run(few), many: await run(many) }
    ratios.push(perSecond.many / perSecond.few)
  }
  await Promise.all(served.map((each) => each.stop()))
  return [
    {
      what: 'paid and told at 1,000,000 paid and stored ÷ at 1,000, SQLite',
      figure: median(ratios),
      unit: 'ratio',
      bar: { atLeast: 0.85 },
    },
  ]
}

/** A folder with one paid order of a checkout's service, and `count` copies of it. */
export async function paidStore(checkout: string, count: number): Promise<string> {
  const folder = newFolder()
  const template = await serveMohur({ folder, checkout })
  await payLoad({ ...template, connections: 1, orders: 1, run: TEMPLATE, order: 'both', warmUp: 0 })
  await template.stop()
  const names = namesOf(folder)
  for (const file of ['mohur.sqlite', 'bank.sqlite']) copyRows(join(folder, file), names, count)
  return folder
}

type Names = readonly { of: string; copy: string }[]

/** The names of the payment, and the SQL that names copy number `n`, as long as the original. */
function namesOf(folder: string): Names {
  const database = new DatabaseSync(join(folder, 'mohur.sqlite'))
  const orderId = orderIdOf(TEMPLATE, 0)
  const order = database.prepare('select txn_id as txnId, txn_token_hash as hash from orders where order_id = ?').get(orderId)
  database.close()
  const { txnId, hash } = order as { txnId: string; hash: string }
  return [
    { of: orderId, copy: "printf('STORED_P-%08d', n)" },
    { of: txnId, copy: `printf('${txnId.slice(0, 4)}%0${txnId.length - 4}d', n)` },
    { of: hash, copy: `printf('stored%0${hash.length - 6}d', n)` },
  ]
}

function copyRows(file: string, names: Names, count: number) {
  const database = new DatabaseSync(file)
  database.exec('pragma synchronous = off')
  const tables = database.prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'").all()
  const inserts = tables.flatMap(({ name }) => {
    const rows = database.prepare(`select * from ${name}`).all()
    return rows.filter((row) => isNamed(row, names)).map((row) => insertOf(String(name), row, names))
  })
  for (let from = 1; from <= count; from += PER_TRANSACTION) {
    const to = Math.min(from + PER_TRANSACTION - 1, count)
    const numbers = `with recursive numbers (n) as (select ${from} union all select n + 1 from numbers where n < ${to})`
    database.exec(`begin; ${inserts.map((insert) => `${insert.into} ${numbers} ${insert.select};`).join('')} commit`)
  }
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
}

const isNamed = (row: object, names: Names) => names.some(({ of }) => Object.values(row).some((value) => String(value).includes(of)))

function insertOf(table: string, row: Record<string, unknown>, names: Names) {
  const columns = Object.keys(row).filter((column) => !(table === 'bank_journal' && column === 'number')) // the database counts these
  const values = columns.map((column) => copied(row[column], names))
  return { into: `insert into ${table} (${columns.join(', ')})`, select: `select ${values.join(', ')} from numbers` }
}

/** A value of the original as SQL, with the copy's names in it. Each copy is a millisecond older: no service has many orders of one instant. */
function copied(value: unknown, names: Names): string {
  if (typeof value !== 'string') return `${value}${Number(value) > INSTANT_MIN ? ' - n' : ''}`
  let sql = `'${value.replaceAll("'", "''")}'`
  for (const { of, copy } of names) sql = sql.replaceAll(of, `' || ${copy} || '`)
  return sql
}
