// Merchants and their keys, as the operator makes them: `mohur merchant add` and `rotate-key` (docs/operating.md).

import { operation, refuse } from '../engine/decision.ts'
import { lock, merchantKeysOf, type Row } from '../tables.ts'

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
  rotated: code('rotateKey', 'rotated', 'the new key is valid at once, the old one for another day'),
  unknown: code('rotateKey', 'unknown', 'no merchant has this mid and clientId'),
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
  readsNext({ mid, clientId }, { keys }) {
    const newest = newestOf(keys, clientId)
    return {
      old: newest && keyOf(mid, clientId, newest.generation),
      next: newest && keyOf(mid, clientId, String(Number(newest.generation) + 1)),
    }
  },
  decide({ mid, clientId, now, fresh }, { merchant, old, next }) {
    if (!merchant || !old || next) return refuse(rotationCodes.unknown)
    const generation = String(Number(old.generation) + 1)
    const row: Row<'merchantKeys'> = { ...old, generation, key: fresh.key, retiresAt: null }
    return {
      reply: { result: rotationCodes.rotated },
      changes: [
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
    .reduce<Row<'merchantKeys'> | undefined>(
      (newest, key) => (newest && Number(newest.generation) > Number(key.generation) ? newest : key),
      undefined,
    )
