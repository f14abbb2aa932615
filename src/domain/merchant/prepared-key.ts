// A planned rotation: `mohur merchant rotate-key --prepare`, `--activate` and `--drop` (docs/operating/rotate-a-key.md). A prepared key is
// accepted from the start. So the merchant has the key in place before Mohur signs with it.

import { operation, refuse } from '../../engine/decision.ts'
import { MERCHANT_KEYS_MAX } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import {
  ENDED_AT_ONCE,
  ending,
  isOver,
  keyChange,
  keyCode,
  keyRefusal,
  keyRefusals,
  keysChanged,
  NEW_KEY,
  nextTo,
  type OfKeys,
  ownKeys,
  readingKeys,
} from './keys.ts'

const codes = {
  ...keyRefusals,
  prepared: keyCode(
    'prepareKey',
    'prepared',
    'every running process accepts it within five seconds, and signs with it once it is activated',
  ),
  alreadyPrepared: keyRefusal('prepareKey', 'alreadyPrepared', 'a key is prepared already: --activate or --drop it first'),
  activated: keyCode(
    'activateKey',
    'activated',
    'every running process signs with it within five seconds, and takes the old key for another day',
  ),
  ended: keyCode('activateKey', 'ended', 'every running process signs with it within five seconds, and takes no older one from then on'),
  dropped: keyCode('dropKey', 'dropped', 'no running process accepts it after five seconds'),
  notPrepared: keyRefusal('activateKey', 'notPrepared', 'no key is prepared: --prepare makes one'),
}
const isPrepared = (key: Row<'merchantKeys'>) => key.isPrepared

export interface PrepareKey extends OfKeys {
  fresh: { key: string }
}

export const prepareKey = operation({
  name: 'prepareKey',
  codes,
  ...readingKeys,
  decide(command: PrepareKey, { merchant, keys, ...locked }) {
    const own = ownKeys(keys, command.clientId, locked)
    const old = own.at(-1)
    if (!merchant || !old) return refuse(codes.unknown)
    if (own.some(isPrepared)) return refuse(codes.alreadyPrepared)
    const dead = own.find((key) => isOver(key, command.realNow))
    if (!dead && keys.length >= MERCHANT_KEYS_MAX) return refuse(codes.tooMany)
    const row = { ...old, ...NEW_KEY, generation: nextTo(old.generation), key: command.fresh.key, isPrepared: true }
    const changes = [...(dead ? [keyChange('delete', dead)] : []), keyChange('insert', row)]
    return { reply: { result: codes.prepared }, ...keysChanged(command, 'key-prepared', merchant, row, changes) }
  },
})

export interface ActivateKey extends OfKeys {
  /** True when another party has one of the older keys. They then end now, and not in a day. */
  atOnce?: boolean
}

export const activateKey = operation({
  name: 'activateKey',
  codes,
  ...readingKeys,
  decide(command: ActivateKey, { merchant, keys, ...locked }) {
    const own = ownKeys(keys, command.clientId, locked)
    if (!merchant || own.length === 0) return refuse(codes.unknown)
    const prepared = own.find(isPrepared)
    if (!prepared) return refuse(codes.notPrepared)
    const older = own.filter((key) => key !== prepared)
    const left = ending(older, command.atOnce, command.realNow).filter((key) => !older.includes(key))
    return {
      reply: { result: command.atOnce ? codes.ended : codes.activated },
      ...keysChanged(command, 'key-activated', merchant, prepared, [
        ...left.map((key) => keyChange('update', key)),
        keyChange('update', { ...prepared, isPrepared: false }),
      ]),
    }
  },
})

export const dropKey = operation({
  name: 'dropKey',
  codes,
  ...readingKeys,
  decide(command: OfKeys, { merchant, keys, ...locked }) {
    const own = ownKeys(keys, command.clientId, locked)
    if (!merchant || own.length === 0) return refuse(codes.unknown)
    const prepared = own.find(isPrepared)
    if (!prepared) return refuse(codes.notPrepared)
    // The ended key keeps its number, so that no later key is mistaken for it.
    const ended = { ...prepared, isPrepared: false, retiresAt: ENDED_AT_ONCE }
    return { reply: { result: codes.dropped }, ...keysChanged(command, 'key-dropped', merchant, prepared, [keyChange('update', ended)]) }
  },
})
