// List Subscriptions: docs/interface.md section 4.2. This question only reads, so the service answers it outside the batches.

import Type, { type Static } from 'typebox'
import { type Query, question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import type { FaultCodes } from '../../interface/request.ts'
import { listSubscriptions as codes } from '../../interface/result-codes.ts'
import type { Signed, Wire } from '../../interface/wire.ts'
import { customerLinkKey, subscriptionsOf } from '../../tables/keys.ts'
import { validNow } from '../signin/sso-token.ts'
import { SUBSCRIPTION_STATUSES, type Subscription } from './subscription.ts'
import { detailedReply, inDetail, inShort, shortReply } from './subscription-view.ts'

const CLIENT_ID_LENGTH = 3 // docs/interface.md section 4.2
const SUBSCRIPTION_ID_LENGTH = 64 // docs/interface.md section 8
const FILTER_MAX = 20 // docs/interface.md section 8 (Mohur)
const PAGE_SIZE = 50 // docs/interface.md section 8 (Mohur)
const PAGE_SIZE_MAX = 200 // docs/interface.md section 8 (Mohur)

/** The interface has the filter `DAY`, though no subscription can have that unit. The interface has no filter `ONDEMAND`. */
const FREQUENCY_FILTERS = ['DAY', 'MONTH', 'YEAR', 'WEEK', 'QUARTER', 'BI_MONTHLY', 'SEMI_ANNUALLY'] as const

const optional = Type.Optional
const head = Type.Object({
  clientId: optional(fields.string(CLIENT_ID_LENGTH)),
  version: optional(fields.version),
  requestTimeStamp: optional(fields.requestTimestamp),
  signature: Type.Unknown(),
  tokenType: Type.Enum(['AES', 'SSO']),
  token: Type.Unknown(),
})
const body = Type.Object({
  mid: fields.mid,
  custId: fields.hostCustId,
  subsStatusFilter: optional(fields.array(Type.Enum([...SUBSCRIPTION_STATUSES]), FILTER_MAX)),
  frequencyUnit: optional(Type.Enum([...FREQUENCY_FILTERS])),
  subscriptionId: optional(fields.string(SUBSCRIPTION_ID_LENGTH)),
  detailRequired: optional(Type.Boolean()),
  pageSize: optional(Type.Integer({ minimum: 1, maximum: PAGE_SIZE_MAX })),
  pageToken: optional(Type.String({ pattern: `^[0-9a-z]{1,9}\\.[0-9]{1,${SUBSCRIPTION_ID_LENGTH}}$` })),
})

const faults: FaultCodes<(typeof codes)['success']> = {
  missing: () => ({ result: codes.badRequest }),
  wrong: () => ({ result: codes.badRequest }),
}

export const wire: Wire<typeof head, typeof body, (typeof codes)['success']> = {
  query: [],
  head,
  body,
  faults,
  unreadable: codes.badRequest,
  missingParam: () => ({ result: codes.badRequest }),
  systemError: codes.systemError,
}

/** A row is short, or detailed if the request asks for details. */
const row = Type.Object({ ...Type.Partial(detailedReply).properties, ...shortReply.properties })
export const reply = Type.Object({
  subscriptionDetails: Type.Object({
    count: replied.count,
    subscriptions: Type.Array(row),
    nextPageToken: optional(replied.text),
  }),
})

export interface ListSubscriptions {
  request: Static<typeof body>
  caller: Signed
  /** The hash of `head.token`, with `tokenType` SSO. */
  ssoTokenHash: string | undefined
  now: number
}

export const listSubscriptions = question({
  name: 'listSubscriptions',
  codes,
  async answer({ request: r, caller, ssoTokenHash, now }: ListSubscriptions, query) {
    // Only a known merchant has a key, so this line refuses an unknown merchant too.
    if (caller.signature !== 'valid') return { result: codes.badRequest, cause: 'signature' }
    if (ssoTokenHash !== undefined && !(await isLinked(r, ssoTokenHash, now, query)))
      return { result: codes.badRequest, parameter: 'head.token', cause: 'unknownPayer' }

    const pageSize = r.pageSize ?? PAGE_SIZE
    const { mid, custId, subscriptionId, frequencyUnit, subsStatusFilter } = r
    // No subscription has the unit DAY: docs/interface.md section 4.2.
    const found =
      frequencyUnit === 'DAY'
        ? []
        : await query.rows(
            subscriptionsOf(
              { mid, custId, ...(subscriptionId !== undefined && { subscriptionId }), ...(frequencyUnit && { frequencyUnit }) },
              subsStatusFilter && [...new Set(subsStatusFilter)].sort(),
              r.pageToken === undefined ? undefined : placeOf(r.pageToken),
              pageSize + 1, // one more row shows whether another page follows
            ),
          )
    const page = found.slice(0, pageSize)
    const last = page.at(-1)
    const subscriptions = r.detailRequired ? await inDetail(page, mid, query, now) : page.map(inShort)
    return {
      result: last ? codes.success : codes.noContent,
      body: {
        subscriptionDetails: {
          count: subscriptions.length,
          subscriptions,
          ...(last && found.length > pageSize && { nextPageToken: pageToken(last) }),
        },
      },
    }
  },
})

async function isLinked({ mid, custId }: ListSubscriptions['request'], ssoTokenHash: string, now: number, query: Query) {
  const user = await validNow(ssoTokenHash, now, query)
  return user !== undefined && !fields.isGuest(custId) && (await query.row(customerLinkKey(mid, custId)))?.userId === user.userId
}

/** A row's place in the order of the list. The token grants no access: the list is bound to its customer in any case. */
const pageToken = ({ createdAt, subscriptionId }: Subscription) => `${createdAt.toString(36)}.${subscriptionId}`
function placeOf(token: string): [number, string] {
  const [createdAt = '', subscriptionId = ''] = token.split('.')
  return [Number.parseInt(createdAt, 36), subscriptionId]
}
