// `mohur notification list|resend|start`: dead letters and the delivery log. On the embedded store they need the service
// stopped: it has one process.

import { parseArgs } from 'node:util'
import { listNotifications, resendDead, resendOne, startEndpoints } from '../delivery/dead-letters.ts'
import { SystemClock } from '../engine/clock.ts'
import { Engine } from '../engine/engine.ts'
import { SystemFresh } from '../engine/fresh.ts'
import { readSettings, SettingError } from '../settings.ts'
import { openInItsMode } from '../store/open.ts'
import { merchantKey } from '../tables.ts'

const string = { type: 'string' } as const
const boolean = { type: 'boolean' } as const
const options = { mid: string, order: string, id: string, dead: boolean } as const

type Given = { mid: string; order?: string; id?: string; dead?: boolean }
type Acting = Parameters<typeof resendDead>[0]

export async function notification([what = '', ...args]: string[]) {
  const run = { list, resend, start }[what]
  if (!run) throw new SettingError('say `notification list`, `notification resend` or `notification start`')
  const { mid, ...given } = parseArgs({ args, options }).values
  if (!mid) throw new SettingError('--mid says whose notifications')
  const { store } = await openInItsMode(readSettings(process.env))
  try {
    if (!(await store.query.row(merchantKey(mid)))) throw new SettingError(`no merchant has the mid ${mid}`)
    const clock = new SystemClock()
    await run({ engine: new Engine(store, clock, new SystemFresh()), query: store.query, clock }, { mid, ...given })
  } finally {
    await store.close()
  }
}

/** One line each: how it stands, how often it was tried, what came of the last attempt. */
async function list({ query }: Acting, { mid, order, dead = false }: Given) {
  for (const each of await listNotifications(query, { mid, ...(order !== undefined && { orderId: order }), dead })) {
    const latest = each.deliveries.at(-1)
    const came = latest ? `${Number(latest.attempt)} attempts, the last ${latest.outcome} ${latest.httpStatus || ''}`.trim() : 'not tried'
    console.log([each.notificationId, each.status, each.event, each.url, new Date(each.createdAt).toISOString(), came].join('\t'))
  }
}

const RESENT: Readonly<Record<string, string>> = {
  again: 'it had been delivered; it is sent once more',
  revived: 'it is sent in its turn, after whatever of its order was not delivered before it',
}

async function resend(acting: Acting, { mid, id, dead = false }: Given) {
  if ((id === undefined) === !dead) throw new SettingError('say which: --id ID, or --dead for all that are dead')
  if (id === undefined) {
    const { revived, stopped } = await resendDead(acting, mid)
    const rest = stopped > 0 ? `; ${stopped} stay dead because their endpoint is stopped (notification start)` : ''
    console.log(`${revived} orders' notifications are sent again${rest}`)
    return
  }
  const result = await resendOne(acting, mid, id)
  if (result === 'unknown') throw new SettingError(`${mid} has no notification ${id}`)
  if (result === 'stopped') throw new SettingError('its endpoint is stopped; start it first (notification start)')
  console.log(RESENT[result])
}

async function start(acting: Acting, { mid }: Given) {
  const { started, revived } = await startEndpoints(acting, mid)
  for (const url of started) console.log(`started ${url}`)
  console.log(started.length === 0 ? 'no endpoint is stopped' : `${revived} orders' notifications are sent again`)
}
