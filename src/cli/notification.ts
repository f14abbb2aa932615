// `mohur notification list|resend|start`: dead letters and the delivery log. To send again on the embedded store the service has
// to stop: it has one process.

import { openInItsMode, reading } from '../adapters/store/open.ts'
import type { Query } from '../engine/decision.ts'
import { Engine } from '../engine/engine.ts'
import { SystemRandom } from '../engine/random.ts'
import { type Listed, notificationsListed, resendDead, resendOne, startEndpoints } from '../flows/dead-letters.ts'
import { clockOf } from '../sandbox/clock.ts'
import { readSettings, SettingError } from '../settings.ts'
import { merchantKey } from '../tables/keys.ts'

type Acting = Parameters<typeof resendDead>[0]

/** The store and its engine, once the merchant is known. */
async function acting<T>(mid: string, work: (acting: Acting) => Promise<T>): Promise<T> {
  const { store, mode } = await openInItsMode(readSettings(process.env))
  try {
    await requireMerchant(store.query, mid)
    const clock = await clockOf(store.query, mode)
    return await work({ engine: new Engine(store, clock, new SystemRandom()), query: store.query, clock })
  } finally {
    await store.close()
  }
}

async function requireMerchant(query: Query, mid: string) {
  if (!(await query.row(merchantKey(mid)))) throw new SettingError(`no merchant has the mid ${mid}`)
}

/** One line each: how it stands, how often it was tried, what came of the last attempt. */
export async function list({ mid, order, dead = false }: { mid: string; order?: string; dead?: boolean }) {
  const asked = { mid, ...(order !== undefined && { orderId: order }), dead }
  await reading(readSettings(process.env), async ({ query }) => {
    await requireMerchant(query, mid)
    for await (const each of notificationsListed(query, asked)) console.log(lineOf(each))
  })
}

function lineOf({ notificationId, status, event, url, createdAt, deliveries }: Listed): string {
  const latest = deliveries.at(-1)
  const came = latest ? `${Number(latest.attempt)} attempts, the last ${latest.outcome} ${latest.httpStatus || ''}`.trim() : 'not tried'
  return [notificationId, status, event, url, new Date(createdAt).toISOString(), came].join('\t')
}

const RESENT: Readonly<Record<string, string>> = {
  again: 'it had been delivered; it is sent once more',
  revived: 'it is sent in its turn, after whatever of its order was not delivered before it',
}

export async function resend({ mid, id, dead = false }: { mid: string; id?: string; dead?: boolean }) {
  if ((id === undefined) === !dead) throw new SettingError('say which: --id ID, or --dead for all that are dead')
  if (id === undefined) {
    const { revived, stopped } = await acting(mid, (by) => resendDead(by, mid))
    const rest = stopped > 0 ? `; ${stopped} stay dead because their endpoint is stopped (notification start)` : ''
    console.log(`${revived} orders' notifications are sent again${rest}`)
    return
  }
  const result = await acting(mid, (by) => resendOne(by, mid, id))
  if (result === 'unknown') throw new SettingError(`${mid} has no notification ${id}`)
  if (result === 'stopped') throw new SettingError('its endpoint is stopped; start it first (notification start)')
  console.log(RESENT[result])
}

export async function start({ mid }: { mid: string }) {
  const { started, revived } = await acting(mid, (by) => startEndpoints(by, mid))
  for (const url of started) console.log(`started ${url}`)
  if (started.length === 0) console.log('no endpoint is stopped')
  console.log(`${revived} orders' notifications are sent again`)
}
