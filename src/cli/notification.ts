// `mohur notification list|resend|start`: dead notifications and the delivery log.

import { reading } from '../adapters/store/open.ts'
import { dateTimeInIndia } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import { type Listed, notificationAct, notificationsListed, resendDead, resendOne, startEndpoints } from '../flows/dead-letters.ts'
import { readSettings, SettingError } from '../settings.ts'
import { merchantKey } from '../tables/keys.ts'
import { look } from '../tables/tables.ts'
import { acting, ServiceLost, say } from './place.ts'

type Acting = Parameters<typeof resendDead>[0]

const actingFor = <T>(mid: string, work: (by: Acting) => Promise<T>): Promise<T> =>
  acting(notificationAct, async (place) => {
    await requireMerchant(place.query, mid)
    return work(place)
  })

async function requireMerchant(query: Query, mid: string) {
  if (!(await query.row(merchantKey(mid)))) throw new SettingError(`no merchant has the mid ${mid}`)
}

const LISTED = 1_000 // Mohur's choice: lines, without --limit
const LISTED_MAX = 100_000 // Mohur's choice: all of them are kept in memory to be sorted
const HEADER = ['notificationId', 'status', 'event', 'url', 'createdAt (IST)', 'attempts'].join('\t')

/** Prints one line for each notification, the newest first: status, number of attempts, result of the last attempt. */
export async function list({ mid, order, dead = false, limit }: { mid: string; order?: string; dead?: boolean; limit?: string }) {
  const most = limit === undefined ? LISTED : Number(limit)
  if (!Number.isInteger(most) || most < 1 || most > LISTED_MAX) throw new SettingError(`--limit is a whole number from 1 to ${LISTED_MAX}`)
  const asked = { mid, ...(order !== undefined && { orderId: order }), dead }
  await reading(readSettings(process.env), async ({ query }) => {
    await requireMerchant(query, mid)
    let newest: Listed[] = []
    let count = 0
    const sorted = () => newest.toSorted((one, other) => other.createdAt - one.createdAt).slice(0, most)
    for await (const each of notificationsListed(query, asked)) {
      count++
      newest.push(each)
      if (newest.length >= 2 * most) newest = sorted()
    }
    if (count === 0 && order !== undefined && !(await query.row(look('orders', mid, order))))
      throw new SettingError(`${mid} has no order ${order}`)
    console.log(HEADER)
    for (const each of sorted()) console.log(lineOf(each))
    if (count > most) console.log(`${count - most} older ones are not shown (--limit)`)
  })
}

function lineOf({ notificationId, status, event, url, createdAt, deliveries }: Listed): string {
  const latest = deliveries.at(-1)
  const came = latest ? `${Number(latest.attempt)} attempts, the last ${latest.outcome} ${latest.httpStatus || ''}`.trim() : 'not sent yet'
  return [notificationId, status, event, url, dateTimeInIndia(createdAt), came].join('\t')
}

const RESENT: Readonly<Record<string, string>> = {
  again: 'it had been delivered; it is sent once more',
  revived: 'it is sent after the earlier undelivered notifications of its order',
}

export async function resend({ mid, id, dead = false }: { mid: string; id?: string; dead?: boolean }) {
  if ((id === undefined) === !dead) throw new SettingError('use --id ID for one notification, or --dead for all dead ones')
  if (id === undefined) {
    const { stopped, ...resent } = await actingFor(mid, (by) => resendDead(by, mid))
    return saySent(resent, stopped > 0 ? `; ${stopped} stay dead because their endpoint is stopped (notification start)` : '')
  }
  const result = await actingFor(mid, (by) => resendOne(by, mid, id))
  if (result === 'unknown') throw new SettingError(`${mid} has no notification ${id}`)
  if (result === 'stopped') throw new SettingError('its endpoint is stopped; start it first (notification start)')
  say(RESENT[result]!)
}

export async function start({ mid }: { mid: string }) {
  const { started, ...resent } = await actingFor(mid, (by) => startEndpoints(by, mid))
  for (const url of started) say(`started ${url}`)
  if (started.length === 0) say('no endpoint is stopped')
  saySent(resent)
}

function saySent({ revived, left }: { revived: number; left: number }, more = '') {
  say(`${revived} orders' notifications are sent again${more}`)
  if (left > 0) throw new ServiceLost(`the service stops, so those of ${left} orders are still dead. Run the command again.`)
}
