// Merchants and their keys, as the operator makes them: `mohur merchant add` and `rotate-key` (docs/operating.md).

import { type Change, operation, refuse } from '../engine/decision.ts'
import { lock, MERCHANT_KEYS_MAX, merchantKeysOf, type Row } from '../tables.ts'

const ROTATION_OVERLAP_MS = 24 * 60 * 60_000 // ours: a merchant has a day to deploy the new key
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
  unknown: code('rotateKey', 'unknown', 'no merchant has this mid and clientId'),
  tooMany: code('rotateKey', 'tooMany', 'too many keys of this merchant are still valid; try again tomorrow'),
}

const lockMerchant = (mid: string) => lock('merchants', mid)
const keyOf = (mid: string, clientId: string, generation: string) => lock('merchantKeys', mid, clientId, generation)

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
  fresh: { key: string }
}

export const rotateKey = operation({
  name: 'rotateKey',
  codes: rotationCodes,
  reads: ({ mid }: RotateKey) => ({ merchant: lockMerchant(mid), keys: merchantKeysOf(mid) }),
  readsNext({ mid, clientId, now }, { keys }) {
    const newest = newestOf(keys, clientId)
    const dead = oldestDead(keys, clientId, now)
    return {
      old: newest && keyOf(mid, clientId, newest.generation),
      next: newest && keyOf(mid, clientId, String(Number(newest.generation) + 1)),
      dead: dead && keyOf(mid, clientId, dead.generation),
    }
  },
  decide({ mid, clientId, now, fresh }, { merchant, keys, old, next, dead }) {
    if (!merchant || !old || next) return refuse(rotationCodes.unknown)
    if (!dead && keys.length >= MERCHANT_KEYS_MAX) return refuse(rotationCodes.tooMany)
    const generation = String(Number(old.generation) + 1)
    const row: Row<'merchantKeys'> = { ...old, generation, key: fresh.key, retiresAt: null }
    const forgotten: Change[] = dead ? [{ kind: 'delete', key: keyOf(mid, clientId, dead.generation) }] : []
    return {
      reply: { result: rotationCodes.rotated },
      changes: [
        ...forgotten,
        { kind: 'update', key: keyOf(mid, clientId, old.generation), row: { ...old, retiresAt: now + ROTATION_OVERLAP_MS } },
        { kind: 'insert', key: keyOf(mid, clientId, generation), row },
      ],
      events: [],
      tasks: [],
    }
  },
})

const newestOf = (keys: readonly Row<'merchantKeys'>[], clientId: string) =>
  keys
    .filter((key) => key.clientId === clientId)
    .sort(byGeneration)
    .at(-1)

/** One goes for each that comes. The first stays, so that a world file that names it does not bring it back to life. */
const oldestDead = (keys: readonly Row<'merchantKeys'>[], clientId: string, now: number) =>
  keys
    .filter((key) => key.clientId === clientId && key.generation !== '0' && key.retiresAt !== null && key.retiresAt <= now)
    .sort(byGeneration)[0]

const byGeneration = (a: Row<'merchantKeys'>, b: Row<'merchantKeys'>) => Number(a.generation) - Number(b.generation)
