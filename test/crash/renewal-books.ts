// Compares the books of renewals of Mohur and of the sandbox's bank.

import { join } from 'node:path'
import { sql } from 'kysely'
import { openPostgres, openSqliteBeside } from '../../src/adapters/store/database.ts'
import { type Place, type Rows, within } from './place.ts'

/** Figures of Mohur's books and the bank's. */
export interface BookFigures {
  cycles: number
  collected: number
  debits: number
  refunds: number
  /** Cycles with more than one debit that the bank has kept. */
  debitedTwice: number
  /** Debits and refunds in the bank's books and not in Mohur's, and the other way round. */
  onlyAtTheBank: number
  onlyOurs: number
  /** Cycles, and attempts at them. */
  withoutEnd: number
  /** Mandates that the bank would still debit, of subscriptions that have ended. */
  liveAtTheBank: number
  /**
   * Wallets' cycles whose ledger lines sum to another amount than their state, and wallets whose balance differs from what their cycles
   * leave.
   */
  wrongWallets: number
  walletDebits: number
  trialBalance: number
}

/** A count from the bank's books, while the service runs. */
export async function countBeside({ store, folder, databaseUrl }: Place, statement: string): Promise<number> {
  const database = store === 'postgres' ? openPostgres(databaseUrl, { readOnly: true }) : openSqliteBeside(join(folder, 'bank.sqlite'))
  try {
    return Number((await sql.raw<{ count: number }>(statement).execute(database.reader)).rows[0]!.count)
  } finally {
    await database.close()
  }
}

interface BankRow {
  key: string
  kind: string
  state: string
  failure: string | null
  amount: number
  of: string | null
}

/** Compares both sides' records of every debit, after everything has settled. */
export async function inspect(place: Place): Promise<BookFigures> {
  const bank = await within(
    place,
    (rows) => rows<BankRow>('select key, kind, state, failure, amount_paise as amount, authorize_key as of from bank_requests'),
    'bank.sqlite',
  )
  const done = (kind: string) => bank.filter((row) => row.kind === kind && row.state === 'success')
  const [collects, refunds] = [done('collect'), done('refund')]
  const returned = new Set(refunds.map(({ of }) => of))
  const kept = collects.filter(({ key }) => !returned.has(key)).map(({ key }) => key.slice(0, key.lastIndexOf(':')))
  const theirs = [...collects.map(({ key, amount }) => `${key} ${amount}`), ...refunds.map(({ of, amount }) => `${of} back ${amount}`)]
  const isRevoked = new Set(bank.filter(({ failure }) => failure === 'mandateRevoked').map(({ key }) => key))
  return within(place, async (rows) => {
    const attempts = await rows<{
      mid: string
      id: string
      cycle: string
      attempt: number
      captured: number
      returned: number
    }>(
      `select mid, txn_id as id, collection_id as cycle, collection_attempt as attempt, captured_paise as captured, returned_paise as returned
       from transactions where collection_id is not null and wallet_paise = 0`,
    )
    const unended = await rows<{ id: string }>(
      "select txn_id as id from transactions where collection_id is not null and status not in ('SUCCESS', 'FAILURE')",
    )
    const cycles = await rows<{ status: string }>('select status from collections')
    const ended = await rows<{ key: string }>(
      "select mid || ':' || subscription_id || ':mandate' as key from subscriptions where status in ('REJECT', 'CLOSED') and consented_at is not null and payment_mode <> 'BALANCE'",
    )
    const [balance] = await rows<{ difference: number }>(
      'select coalesce(sum(debit_paise - credit_paise), 0) as difference from ledger_entries',
    )
    const ours = attempts.flatMap(({ mid, cycle, attempt, captured, returned }) => {
      const key = `${mid}:${cycle.replace('.', ':')}:${attempt}`
      return [...(captured > 0 ? [`${key} ${captured}`] : []), ...(returned > 0 ? [`${key} back ${returned}`] : [])]
    })
    const [atTheBank, inOurs] = [new Set(theirs), new Set(ours)]
    return {
      cycles: cycles.length,
      collected: cycles.filter(({ status }) => status === 'COLLECTED').length,
      debits: collects.length,
      refunds: refunds.length,
      debitedTwice: kept.length - new Set(kept).size,
      onlyAtTheBank: theirs.filter((line) => !inOurs.has(line)).length,
      onlyOurs: ours.filter((line) => !atTheBank.has(line)).length,
      withoutEnd: cycles.filter(({ status }) => !['COLLECTED', 'SKIPPED', 'MISSED', 'FAILED'].includes(status)).length + unended.length,
      liveAtTheBank: ended.filter(({ key }) => !isRevoked.has(key)).length,
      ...(await walletsOf(rows)),
      trialBalance: Number(balance?.difference ?? 0),
    }
  })
}

/** By the ledger's own lines. No row with an attempt's result is read. */
async function walletsOf(rows: Rows): Promise<Pick<BookFigures, 'wrongWallets' | 'walletDebits'>> {
  const taken = await rows<{ status: string; amount: number; paise: number }>(
    `select c.status, c.amount_paise as amount, coalesce(sum(l.debit_paise - l.credit_paise), 0) as paise from collections c
     left join transactions t on t.mid = c.mid and t.collection_id = c.collection_id
     left join ledger_entries l on l.owner = t.mid and l.subject = t.txn_id and l.account = 'customer_wallet'
     where c.rail = 'WALLET' group by c.mid, c.collection_id, c.status, c.amount_paise`,
  )
  const wrong = taken.filter(({ status, amount, paise }) => Number(paise) !== (status === 'COLLECTED' ? Number(amount) : 0))
  const [held] = await rows<{ paise: number }>(
    `select coalesce((select sum(credit_paise - debit_paise) from ledger_entries where movement like 'opening:%' and account = 'customer_wallet'), 0)
       - coalesce((select sum(wallet_paise) from transactions where collection_id is null), 0)
       - coalesce((select sum(amount_paise) from collections where rail = 'WALLET' and status = 'COLLECTED'), 0)
       - coalesce((select sum(wallet_balance_paise) from customers), 0) as paise`,
  )
  const walletDebits = taken.filter(({ paise }) => Number(paise) !== 0).length
  return { wrongWallets: wrong.length + (Number(held?.paise ?? 0) === 0 ? 0 : 1), walletDebits }
}
