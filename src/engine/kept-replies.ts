// Idempotency-Key: docs/interface.md section 4. Makes any operation answer one key once. The answer is a row that is written with the
// decision itself. So no crash can come between the two.

import type { ResultCode } from '../interface/result-codes.ts'
import type { KeptReply } from '../tables/engine.ts'
import { idempotencyKey } from '../tables/keys.ts'
import type { KeyName } from '../tables/merchant.ts'
import type { Row } from '../tables/tables.ts'
import { type Decision, NOTHING, type Operation, operation, type Reply } from './decision.ts'

export const KEY_VALIDITY_MS = 24 * 60 * 60_000 // docs/interface.md section 8 (Mohur)

/** One request that came with a key. */
export interface Once {
  /** The merchant, one order of the merchant's, or the client of a sign-in. No owner meets another's keys. */
  owner: string
  keyHash: string
  /** Hash of everything that makes two requests the same: path, query and bytes. */
  requestHash: string
  signedBy?: KeyName | undefined
  /** When the request came. For a request that is answered again, this is not the time of the answer. */
  at: number
}

/** A reply, and the time of the request that first received it. */
export interface OnceReply extends Reply {
  answeredAt: number
  /** `isAgain`: the reply was given before. `isKept`: false for a refusal that is not kept. */
  isAgain: boolean
  isKept: boolean
  signedBy?: KeyName | undefined
}

const code = (name: string, message: string) => ({ operation: 'once', name, code: '', status: 'F', message, rank: 0 }) as const

/** The key came with another request before. No table has this code, because it is an HTTP status. */
export const reusedKey = code('reusedKey', 'the key was used with another request')

const codes = { forgotten: code('forgotten', 'forgotten'), kept: code('kept', 'kept') }

const KEPT = 'idempotency key of the engine'
type State = Readonly<Record<string, unknown>>

/** A row counts for a day. After that the key is free again, even before the row is deleted. */
export const isStillKept = (row: Row<'idempotencyKeys'>, now: number) => now < row.at + KEY_VALIDITY_MS

export function once<Command>(of: Operation<Command>, key: Once): Operation<Command> {
  const { owner, keyHash, requestHash, signedBy, at } = key
  return {
    ...of,
    reads: (command) => ({ ...of.reads(command), [KEPT]: idempotencyKey(owner, of.name, keyHash) }),
    decide(command, state: State): Decision {
      const row = state[KEPT] as Row<'idempotencyKeys'> | undefined
      if (row && isStillKept(row, at)) return { ...NOTHING, reply: row.requestHash === requestHash ? kept(of, row) : reused(at) }
      const decision: Decision = of.decide(command, state as never)
      const isKept = !isRefusal(decision)
      const reply: OnceReply = { ...decision.reply, answeredAt: at, isAgain: false, isKept, signedBy }
      if (!isKept) return { ...decision, reply }
      const remembered: Row<'idempotencyKeys'> = {
        owner,
        operation: of.name,
        keyHash,
        requestHash,
        reply: { ...keptReply(decision.reply), ...(signedBy && { signedBy }) },
        at,
      }
      const change = {
        kind: row ? ('update' as const) : ('insert' as const),
        key: idempotencyKey(owner, of.name, keyHash),
        row: remembered,
      }
      return { ...decision, reply, changes: [...decision.changes, change] }
    },
  }
}

/**
 * A refusal that changed nothing is decided again when the request is repeated, because its reason may be gone. A refusal that counted
 * something is an answer.
 */
const isRefusal = ({ reply: { result }, changes, counted }: Decision) => isFailure(result) && changes.length === 0 && !counted
const isFailure = ({ status }: ResultCode) => status === 'F' || status === 'FAILURE' || status === 'TXN_FAILURE'

const keptReply = ({ result, message, parameter, body }: Reply): KeptReply => ({
  name: result.name,
  ...(message !== undefined && { message }),
  ...(parameter !== undefined && { parameter }),
  ...(body && { body }),
})

const reused = (at: number): OnceReply => ({ result: reusedKey, answeredAt: at, isAgain: false, isKept: false })

function kept({ codes }: Operation<never>, { reply: { keptReply: _, signedBy, ...reply }, at }: Row<'idempotencyKeys'>): OnceReply {
  return { ...replyOf(reply, codes), answeredAt: at, isAgain: true, isKept: true, signedBy }
}

/** The kept reply, with the row of the operation's table that it names. */
export function replyOf({ name, ...rest }: KeptReply, codes: Readonly<Record<string, ResultCode>>): Reply {
  const result = codes[name]
  if (!result) throw new Error(`an answer that is kept has a code that is not there any more: ${name}`)
  return { ...rest, result }
}

// --------------------------------------------------------------------------------------------------- a later answer

export interface KeepAnswer {
  operation: string
  key: Once
  reply: Reply
}

/** Keeps the caller's final answer when it says more than the decision's reply. A repeated request then receives that answer too. */
export const keepAnswer = operation({
  name: 'keepAnswer',
  codes,
  reads: ({ operation, key: { owner, keyHash } }: KeepAnswer) => ({ row: idempotencyKey(owner, operation, keyHash) }),
  decide({ operation, key: { owner, keyHash, requestHash, at }, reply }, { row }) {
    const isOurs = row && isStillKept(row, at) && row.requestHash === requestHash
    if (!isOurs || row.reply.keptReply) return { ...NOTHING, reply: { result: codes.kept } }
    const now: Row<'idempotencyKeys'> = { ...row, reply: { ...row.reply, keptReply: keptReply(reply) } }
    return {
      ...NOTHING,
      reply: { result: codes.kept },
      changes: [{ kind: 'update', key: idempotencyKey(owner, operation, keyHash), row: now }],
    }
  },
})

// ------------------------------------------------------------------------------------------------------- forgetting

export interface ForgetKey {
  owner: string
  operation: string
  keyHash: string
  now: number
}

export const forgetKey = operation({
  name: 'forgetKey',
  codes,
  reads: ({ owner, operation, keyHash }: ForgetKey) => ({ row: idempotencyKey(owner, operation, keyHash) }),
  decide({ owner, operation, keyHash, now }, { row }) {
    const isOld = row !== undefined && !isStillKept(row, now) // the key may have been used again since the sweep found it
    return {
      ...NOTHING,
      reply: { result: isOld ? codes.forgotten : codes.kept },
      changes: isOld ? [{ kind: 'delete', key: idempotencyKey(owner, operation, keyHash) }] : [],
    }
  },
})
