// Counts the keys that merchants sign with, and their wrong signatures. Checks count in memory. `merchant-key-use.due` adds the counts to
// the keys' rows, at most once an hour for a key. Any caller can send a wrong signature, so a count raises no alarm.

import { recordKeyUse } from '../domain/merchant/record-key-use.ts'
import type { Clock } from '../engine/clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { Sweep } from '../engine/tasks.ts'
import type { Row } from '../tables/tables.ts'

const USES_MAX = 10_000 // Mohur's choice: keys of known merchants; a further key is not counted until an unused key has made room
const WRITTEN_EVERY_MS = 60 * 60_000 // Mohur's choice: in monotonic time

const STOP_MS = 2_000 // Mohur's choice: how long a stop waits for the last counts

type MerchantKey = Row<'merchantKeys'>

export interface KeyUse extends Pick<MerchantKey, 'mid' | 'clientId' | 'generation' | 'key'> {
  /** Since the process began. */
  signatures: number
  wrongSignatures: number
  /** These two figures are not in the key's row yet. */
  seenAt: number | null
  wrong: number
  /** In monotonic time. */
  writtenAt: number
}

const isUnwritten = ({ seenAt, wrong }: KeyUse) => seenAt !== null || wrong > 0

export class KeyUses {
  readonly #uses = new Map<string, KeyUse>()

  signed(key: MerchantKey, realNow: number) {
    const use = this.#of(key)
    if (!use) return
    use.signatures++
    use.seenAt = realNow
  }

  /** A wrong signature counts for the key that signs at the time. */
  wrong(key: MerchantKey) {
    const use = this.#of(key)
    if (!use) return
    use.wrongSignatures++
    use.wrong++
  }

  all(): Iterable<KeyUse> {
    return this.#uses.values()
  }

  #of(key: MerchantKey): KeyUse | undefined {
    const { mid, clientId, generation } = key
    const name = `${mid} ${clientId} ${generation}`
    const known = this.#uses.get(name)
    if (known?.key === key.key) return known
    if (!known && this.#uses.size >= USES_MAX) return undefined
    const counted = { signatures: 0, wrongSignatures: 0, seenAt: null, wrong: 0, writtenAt: Number.NEGATIVE_INFINITY }
    const use: KeyUse = { mid, clientId, generation, key: key.key, ...counted }
    this.#uses.set(name, use)
    return use
  }

  /** Keys with something to write that were last written at `writtenBefore` or earlier. */
  unwritten(writtenBefore: number): KeyUse[] {
    if (this.#uses.size >= USES_MAX) this.#makeRoom(writtenBefore)
    return [...this.#uses.values()].filter((use) => isUnwritten(use) && use.writtenAt <= writtenBefore)
  }

  #makeRoom(writtenBefore: number) {
    for (const [name, use] of this.#uses) if (!isUnwritten(use) && use.writtenAt <= writtenBefore) this.#uses.delete(name)
  }
}

interface Parts {
  engine: Pick<Engine, 'submit'>
  clock: Clock
  merchantKeys: { uses: KeyUses }
}

/** `merchant-key-use.due`: writes a key when it is first seen, then at most once an hour, and when the process ends. */
export function keyUseWriting({ engine, clock, merchantKeys }: Parts): Sweep {
  const write = async (writtenBefore: number): Promise<number> => {
    const due = merchantKeys.uses.unwritten(writtenBefore)
    await Promise.all(
      due.map(async (use) => {
        const { mid, clientId, generation, key, seenAt, wrong } = use
        Object.assign(use, { seenAt: null, wrong: 0, writtenAt: clock.elapsed() })
        try {
          await engine.submit(recordKeyUse, { mid, clientId, generation, key, seenAt, wrong, realNow: clock.realNow() })
        } catch (error) {
          use.seenAt ??= seenAt
          use.wrong += wrong
          throw error
        }
      }),
    )
    return due.length
  }
  return {
    name: 'merchant-key-use.due',
    nextDue: async () => undefined,
    run: () => write(clock.elapsed() - WRITTEN_EVERY_MS),
    // A store that does not answer does not delay the stop.
    stop: () => Promise.race([write(Number.POSITIVE_INFINITY).catch(() => {}), clock.sleep(STOP_MS)]).then(() => {}),
  }
}
