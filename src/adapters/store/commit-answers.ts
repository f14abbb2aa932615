// PostgreSQL's answers to COMMIT, and what follows from each (docs/decisions/0020). docs/operating/postgresql.md prints the table.

import pg from 'pg'

export interface AnswerToCommit {
  /** `COMMIT`, or `ROLLBACK` for a transaction that had failed. */
  tag: string | undefined
  /** Without a SQLSTATE the error is Mohur's own: the connection ended, or stayed silent for too long. */
  error: Error | undefined
  /** SQLSTATEs of the warnings that came with the answer. */
  remarked: readonly string[]
  /** The error of a write that left with COMMIT. */
  before: Error | undefined
  /** False when the transaction sent only reads. */
  wrote: boolean
}

const REPLIES = { outcome: 'committed', caller: 'its reply', process: 'goes on', rows: 'there' } as const
const UNDONE = {
  outcome: 'undone',
  caller: 'the reply of another try, or the system-error code',
  process: 'goes on',
  rows: 'not there',
} as const
const UNCONFIRMED = {
  outcome: 'unconfirmed',
  caller: 'the system-error code',
  process: 'goes on',
  rows: 'there, and can be read; a fail-over may lose them',
} as const
const UNKNOWN = { outcome: 'unknown', caller: 'the system-error code', process: 'ends', rows: 'all there, or none' } as const

interface CommitAnswer {
  answer: string
  fits(answer: AnswerToCommit): boolean
  outcome: 'committed' | 'undone' | 'unconfirmed' | 'unknown'
  /** The answer that the batch's callers get. */
  caller: string
  process: 'goes on' | 'ends'
  /** The state of the batch's rows afterwards. */
  rows: string
}

/** The first row that fits decides. The last fits every answer. */
export const commitAnswers: readonly CommitAnswer[] = [
  { answer: '`ROLLBACK`', fits: ({ tag }) => tag === 'ROLLBACK', ...UNDONE },
  {
    answer: '`COMMIT`, where nothing was written',
    fits: ({ tag, wrote }) => tag === 'COMMIT' && !wrote,
    ...REPLIES,
    rows: 'none',
  },
  { answer: 'any other answer, or none, where nothing was written', fits: ({ wrote }) => !wrote, ...UNDONE, rows: 'none' },
  {
    answer: 'any answer, where the server refused a write before COMMIT',
    // A server that goes away during the write (`57P`) does not carry out the COMMIT behind the write.
    fits: ({ before }) => sqlState(before) !== undefined && !SAYS_NOTHING.test(sqlState(before)!),
    ...UNDONE,
  },
  { answer: 'any answer, where a write before COMMIT had no clear answer', fits: ({ before }) => before !== undefined, ...UNKNOWN },
  {
    answer: '`COMMIT` with the warning `25P01`: the server knew of no transaction',
    fits: ({ tag, remarked }) => tag === 'COMMIT' && remarked.includes('25P01'),
    ...UNKNOWN,
    rows: 'each of them there or not',
  },
  {
    answer: '`COMMIT` with the warning `01000`: somebody ended the wait for a synchronous standby',
    fits: ({ tag, remarked }) => tag === 'COMMIT' && remarked.includes('01000'),
    ...UNCONFIRMED,
  },
  { answer: '`COMMIT`', fits: ({ tag }) => tag === 'COMMIT', ...REPLIES },
  { answer: '`40003`: the server does not know itself', fits: ({ error }) => sqlState(error) === '40003', ...UNKNOWN },
  {
    answer: 'class `08` or `57P`: a proxy or the server went away over it',
    fits: ({ error }) => /^(08|57P)/.test(sqlState(error) ?? ''),
    ...UNKNOWN,
  },
  {
    // The next start of the server finds the record of the COMMIT, or does not.
    answer: 'class `53`, `58` or `XX`: the disk or the server itself failed',
    fits: ({ error }) => /^(53|58|XX)/.test(sqlState(error) ?? ''),
    ...UNKNOWN,
  },
  {
    answer: 'any other SQLSTATE, `40001` and `40P01` among them: the server refuses it',
    fits: ({ error }) => sqlState(error) !== undefined,
    ...UNDONE,
  },
  { answer: 'none: the connection ends, or is silent for 25 seconds', fits: () => true, ...UNKNOWN },
]

export const commitAnswerTo = (answer: AnswerToCommit): CommitAnswer => commitAnswers.find(({ fits }) => fits(answer))!

export const sqlState = (error: unknown): string | undefined => (error instanceof pg.DatabaseError ? error.code : undefined)

/** SQLSTATEs that leave a write's outcome open: from a proxy, or from a server that does not know whether it carried the write out. */
const SAYS_NOTHING = /^(08|40003)/
