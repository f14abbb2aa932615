// Register Notification URL: docs/interface.md section 4.18. A shop's plugin registers the address for notifications. That address never
// replaces the operator's setting. Earlier notifications keep their own address.

import Type, { type Static } from 'typebox'
import { NOTHING, operation, refuse } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import { registerNotificationUrl as codes } from '../../interface/result-codes.ts'
import { lock, type Row } from '../../tables/tables.ts'
import { changedColumns, changedMerchant } from './merchant-event.ts'

/** Plugins send an address of this host when their box is not ticked. */
const UNSET_HOST = /^(www\.)?dummyurl\.com$/i

export const body = Type.Object({
  mid: fields.mid,
  queryParam: Type.Enum(['notificationUrls']),
  paymentNotificationUrl: fields.url,
})

/** The requested address. Undefined when the plugin removes its address. */
export const wantedUrl = ({ paymentNotificationUrl: url }: Static<typeof body>): string | undefined =>
  UNSET_HOST.test(new URL(url).hostname) ? undefined : url

export function barredFor({ registersNotificationUrl, notification }: Row<'merchants'>) {
  if (!registersNotificationUrl) return codes.notRegistered
  return notification?.url !== undefined && !notification.isRegistered ? codes.alreadySet : undefined
}

export const reply = Type.Object({ success: replied.yes })

export interface RegisterNotificationUrl {
  mid: string
  /** The rules of notifications have accepted it already (adapters/delivery/egress.ts). Undefined removes the address. */
  url: string | undefined
  now: number
  fresh: { secret: string }
}

export const registerNotificationUrl = operation({
  name: 'registerNotificationUrl',
  codes,
  reads: ({ mid }: RegisterNotificationUrl) => ({ merchant: lock('merchants', mid) }),
  decide({ mid, url, now, fresh }, { merchant }) {
    if (!merchant) return refuse(codes.invalidChecksum)
    const barred = barredFor(merchant)
    if (barred) return refuse(barred)
    // Plugins read the classic form. If the operator set a form or a secret before, without an address, that form or secret stays.
    const { form = 'classic', secret = fresh.secret } = merchant.notification ?? {}
    const notification = { ...(url !== undefined && { url }), form, secret, isRegistered: true as const }
    const settings = changedColumns(merchant, { notification })
    if (settings.length === 0) return { ...NOTHING, reply: { result: codes.success } }
    const after = { ...merchant, notification }
    const { row, event } = changedMerchant({ type: 'changed', before: merchant, after, by: 'plugin', settings, now })
    return {
      reply: { result: codes.success },
      changes: [{ kind: 'update', key: lock('merchants', mid), row }],
      events: [event],
      tasks: [],
    }
  },
})
