// Merchants and their keys, as the operator makes them: `mohur merchant add` and `rotate-key` (docs/operating/commands.md).

import { type Change, operation, refuse } from '../../engine/decision.ts'
import { MERCHANT_KEYS_MAX, merchantKeysOf } from '../../tables/keys.ts'
import type { KeyName } from '../../tables/merchant.ts'
import { type Key, lock, type Row } from '../../tables/tables.ts'
import type { Merchant } from './merchant.ts'
import { changedMerchant, type MerchantChange } from './merchant-event.ts'

export const ROTATION_OVERLAP_MS = 24 * 60 * 60_000 // Mohur's choice: a merchant has a day to deploy the new key
/** The end of a key that was ended at once. Every clock is past it, even a clock that is set far back. */
export const ENDED_AT_ONCE = 0
export const DEFAULT_CLIENT_ID = 'C11'
/** Merchant category code of a shop that gave none: miscellaneous retail. */
export const DEFAULT_MCC = '5999'
export const NEW_KEY = { retiresAt: null, isPrepared: false, lastSeenAt: null, wrongSignatures: 0 } as const

const code = (status: 'S' | 'F') => (operation: string, name: string, message: string) =>
  ({ operation, name, code: '', status, message, rank: 0 }) as const
export const keyCode = code('S')
export const keyRefusal = code('F')
const codes = {
  added: keyCode('addMerchant', 'added', 'the merchant was added'),
  known: keyRefusal('addMerchant', 'known', 'a merchant with this mid exists already'),
}
export const keyRefusals = {
  unknown: keyRefusal('rotateKey', 'unknown', 'no merchant has this mid and clientId'),
  tooMany: keyRefusal('rotateKey', 'tooMany', 'too many keys of this merchant are still valid; try again tomorrow'),
}
const rotationCodes = {
  ...keyRefusals,
  rotated: keyCode('rotateKey', 'rotated', 'every running process takes the new key within five seconds, and the old one for another day'),
  ended: keyCode('rotateKey', 'ended', 'every running process takes the new key within five seconds, and no older one from then on'),
  onePrepared: keyRefusal('rotateKey', 'onePrepared', 'a key is prepared: --activate or --drop it first, or end every key with --now'),
}

export const lockMerchant = (mid: string) => lock('merchants', mid)
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
    const key: Row<'merchantKeys'> = { mid, clientId, generation: '0', position: 0, key: fresh.key, ...NEW_KEY }
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

/** A change of the keys of one clientId. */
export interface OfKeys {
  mid: string
  clientId: string
  /** Business time, for the event. */
  now: number
  /** Keys live by real time. */
  realNow: number
}

type Places = Readonly<Record<string, Key<'merchantKeys'>>>
type Found = { merchant: Merchant | undefined; keys: readonly Row<'merchantKeys'>[] }

export const readingKeys = {
  reads: ({ mid }: OfKeys) => ({ merchant: lockMerchant(mid), keys: merchantKeysOf(mid) }),
  /** Reads each key of every clientId, because all clientIds share one limit. Also reads the place of each clientId's next key. */
  readsNext({ mid }: OfKeys, { keys }: Pick<Found, 'keys'>): Places {
    return Object.fromEntries([...keys, ...nextOf(keys)].map((key) => [placeOf(key), keyOf(mid, key.clientId, key.generation)]))
  },
  /**
   * If a next key exists already, another change of this batch made it. The place after that key was not read. Naming that place makes this
   * change wait for the next batch.
   */
  readsLast({ mid }: OfKeys, { keys, ...locked }: Pick<Found, 'keys'> & Readonly<Record<string, unknown>>): Places {
    const taken = nextOf(keys).filter((next) => locked[placeOf(next)])
    return Object.fromEntries(nextOf(taken).map((key) => [placeOf(key), keyOf(mid, key.clientId, key.generation)]))
  },
}

export interface RotateKey extends OfKeys {
  /** True when another party has one of the older keys. They then end now, and not in a day. */
  atOnce?: boolean
  fresh: { key: string }
}

export const rotateKey = operation({
  name: 'rotateKey',
  codes: rotationCodes,
  ...readingKeys,
  decide(command: RotateKey, { merchant, keys, ...locked }) {
    const { clientId, realNow, atOnce, fresh } = command
    const own = ownKeys(keys, clientId, locked)
    const old = own.at(-1)
    if (!merchant || !old) return refuse(rotationCodes.unknown)
    if (!atOnce && own.some(({ isPrepared }) => isPrepared)) return refuse(rotationCodes.onePrepared)
    const left = ending(own, atOnce, realNow)
    // Each new key deletes one ended key, if there is one.
    const dead = left.find((key) => isOver(key, realNow))
    if (!dead && keys.length >= MERCHANT_KEYS_MAX) return refuse(rotationCodes.tooMany)
    const row: Row<'merchantKeys'> = { ...old, ...NEW_KEY, generation: nextTo(old.generation), key: fresh.key }
    return {
      reply: { result: atOnce ? rotationCodes.ended : rotationCodes.rotated },
      ...keysChanged(command, atOnce ? 'keys-ended' : 'key-rotated', merchant, row, [
        ...(dead ? [keyChange('delete', dead)] : []),
        ...left.filter((key) => key !== dead && !own.includes(key)).map((key) => keyChange('update', key)),
        keyChange('insert', row),
      ]),
    }
  },
})

/** The keys of one clientId, the oldest first, as the earlier decisions of this batch left them. */
export const ownKeys = (keys: readonly Row<'merchantKeys'>[], clientId: string, locked: Readonly<Record<string, unknown>>) =>
  ofClient(keys, clientId).flatMap((key) => (locked[placeOf(key)] as Row<'merchantKeys'> | undefined) ?? [])

/** Ends every key and not only the newest, because an operator may have added another by hand (I58 of verify). */
export function ending(own: readonly Row<'merchantKeys'>[], atOnce: boolean | undefined, realNow: number): Row<'merchantKeys'>[] {
  const until = atOnce ? ENDED_AT_ONCE : realNow + ROTATION_OVERLAP_MS
  return own.map((key) => (key.retiresAt === null || until < key.retiresAt ? { ...key, isPrepared: false, retiresAt: until } : key))
}

export const isOver = ({ retiresAt }: Row<'merchantKeys'>, realNow: number): boolean => retiresAt !== null && retiresAt <= realNow

/** Adds the event that `mohur merchant show` prints. */
export function keysChanged(
  { mid, now }: OfKeys,
  type: MerchantChange['type'],
  merchant: Merchant,
  key: KeyName,
  changes: readonly Change[],
) {
  const settings = [keyName(key)]
  const { row, event } = changedMerchant({ type, before: merchant, after: merchant, by: 'command', settings, now })
  return { changes: [...changes, { kind: 'update' as const, key: lockMerchant(mid), row }], events: [event], tasks: [] }
}

export const keyChange = (kind: Change['kind'], row: Row<'merchantKeys'>): Change<'merchantKeys'> => ({
  kind,
  key: keyOf(row.mid, row.clientId, row.generation),
  row,
})
export const nextTo = (generation: string) => String(Number(generation) + 1)
/** The number that people use for a generation: the first is 1. */
export const keyNumber = (generation: string) => Number(generation) + 1
export const keyName = ({ clientId, generation }: KeyName) => `${clientId}/${keyNumber(generation)}`
const placeOf = ({ clientId, generation }: KeyName) => `${clientId} ${generation}`
const nextOf = (keys: readonly KeyName[]): KeyName[] =>
  [...new Set(keys.map(({ clientId }) => clientId))].map((clientId) => ({
    clientId,
    generation: nextTo(ofClient(keys, clientId).at(-1)!.generation),
  }))
const ofClient = <T extends KeyName>(keys: readonly T[], clientId: string): T[] =>
  keys.filter((key) => key.clientId === clientId).sort((a, b) => Number(a.generation) - Number(b.generation))
