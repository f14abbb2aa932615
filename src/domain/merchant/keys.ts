// Merchants and their keys, as the operator makes them: `mohur merchant add` and `rotate-key` (docs/operating/commands.md).

import { type Change, operation, refuse } from '../../engine/decision.ts'
import { MERCHANT_KEYS_MAX, merchantKeysOf } from '../../tables/keys.ts'
import type { KeyName } from '../../tables/merchant.ts'
import { type Key, lock, type Row } from '../../tables/tables.ts'

export const ROTATION_OVERLAP_MS = 24 * 60 * 60_000 // ours: a merchant has a day to deploy the new key
/** A key that ended at once is good by no clock, however far that one is set back. */
export const ENDED_AT_ONCE = 0
export const DEFAULT_CLIENT_ID = 'C11'
/** Merchant category code of a shop that said nothing about itself: miscellaneous retail. */
export const DEFAULT_MCC = '5999'

const code = (operation: string, name: string, message: string) => ({ operation, name, code: '', status: 'S', message, rank: 0 }) as const
const codes = {
  added: code('addMerchant', 'added', 'the merchant was added'),
  known: code('addMerchant', 'known', 'a merchant with this mid exists already'),
}
const rotationCodes = {
  rotated: code('rotateKey', 'rotated', 'every running process takes the new key within five seconds, and the old one for another day'),
  ended: code('rotateKey', 'ended', 'every running process takes the new key within five seconds, and no older one from then on'),
  unknown: code('rotateKey', 'unknown', 'no merchant has this mid and clientId'),
  tooMany: code('rotateKey', 'tooMany', 'too many keys of this merchant are still valid; try again tomorrow'),
}

const lockMerchant = (mid: string) => lock('merchants', mid)
export const keyOf = (mid: string, clientId: string, generation: string) => lock('merchantKeys', mid, clientId, generation)

export interface AddMerchant {
  merchant: Row<'merchants'>
  clientId: string
  fresh: { key: string }
}

export const addMerchant = operation({
  name: 'addMerchant',
  codes,
  reads: ({ merchant: { mid }, clientId }: AddMerchant) => ({ known: lockMerchant(mid), key: keyOf(mid, clientId, '0') }),
  decide({ merchant, clientId, fresh }, { known }) {
    if (known) return refuse(codes.known)
    const { mid } = merchant
    const key: Row<'merchantKeys'> = { mid, clientId, generation: '0', position: 0, key: fresh.key, retiresAt: null }
    return {
      reply: { result: codes.added },
      changes: [
        { kind: 'insert', key: lockMerchant(mid), row: merchant },
        { kind: 'insert', key: keyOf(mid, clientId, '0'), row: key },
      ],
      events: [],
      tasks: [],
    }
  },
})

export interface RotateKey {
  mid: string
  clientId: string
  now: number
  /** The older keys end now and not in a day: somebody else has one of them. */
  atOnce?: boolean
  fresh: { key: string }
}

export const rotateKey = operation({
  name: 'rotateKey',
  codes: rotationCodes,
  reads: ({ mid }: RotateKey) => ({ merchant: lockMerchant(mid), keys: merchantKeysOf(mid) }),
  /** Each key of every clientId, because they share one limit, and the place of each next one. */
  readsNext({ mid }, { keys }): Places {
    return Object.fromEntries([...keys, ...nextOf(keys)].map((key) => [placeOf(key), keyOf(mid, key.clientId, key.generation)]))
  },
  /** A next key that is there already came from a rotation of the same batch. What follows it was not read, so this rotation waits for the next batch. */
  readsLast({ mid }, { keys, ...locked }): Places {
    const taken = nextOf(keys).filter((next) => locked[placeOf(next)])
    return Object.fromEntries(nextOf(taken).map((key) => [placeOf(key), keyOf(mid, key.clientId, key.generation)]))
  },
  decide({ clientId, now, atOnce, fresh }, { merchant, keys, ...locked }) {
    const own = ofClient(keys, clientId).flatMap((key) => locked[placeOf(key)] ?? [])
    const old = own.at(-1)
    if (!merchant || !old) return refuse(rotationCodes.unknown)
    // Each of them, and not the newest alone: an operator may have set another by hand (I58 of verify).
    const until = atOnce ? ENDED_AT_ONCE : now + ROTATION_OVERLAP_MS
    const left = own.map((key) => (key.retiresAt === null || until < key.retiresAt ? { ...key, retiresAt: until } : key))
    // One goes for each that comes.
    const dead = left.find(({ retiresAt }) => (retiresAt ?? until) <= now)
    if (!dead && keys.length >= MERCHANT_KEYS_MAX) return refuse(rotationCodes.tooMany)
    const row: Row<'merchantKeys'> = { ...old, generation: nextTo(old.generation), key: fresh.key, retiresAt: null }
    const changes = left.filter((key) => key !== dead && !own.includes(key)).map((key) => change('update', key))
    return {
      reply: { result: atOnce ? rotationCodes.ended : rotationCodes.rotated },
      changes: [...(dead ? [change('delete', dead)] : []), ...changes, change('insert', row)],
      events: [],
      tasks: [],
    }
  },
})

const change = (kind: Change['kind'], row: Row<'merchantKeys'>): Change<'merchantKeys'> => ({
  kind,
  key: keyOf(row.mid, row.clientId, row.generation),
  row,
})
const nextTo = (generation: string) => String(Number(generation) + 1)
type Places = Readonly<Record<string, Key<'merchantKeys'>>>
const placeOf = ({ clientId, generation }: KeyName) => `${clientId} ${generation}`
/** The place after the newest of each clientId. */
const nextOf = (keys: readonly KeyName[]): KeyName[] =>
  [...new Set(keys.map(({ clientId }) => clientId))].map((clientId) => ({
    clientId,
    generation: nextTo(ofClient(keys, clientId).at(-1)!.generation),
  }))
/** Those of one clientId, the oldest first. */
const ofClient = <T extends KeyName>(keys: readonly T[], clientId: string): T[] =>
  keys.filter((key) => key.clientId === clientId).sort((a, b) => Number(a.generation) - Number(b.generation))
