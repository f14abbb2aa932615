// Shared by the operations on an existing subscription: docs/interface.md section 4.34.

import Type, { type Static, type TObject, type TProperties } from 'typebox'
import { dateInIndia } from '../../engine/clock.ts'
import * as fields from '../../interface/fields.ts'
import { toPaise } from '../../interface/money.ts'
import type { Refusal } from '../../interface/request.ts'
import type { ResultCode } from '../../interface/result-codes.ts'
import type { Wire } from '../../interface/wire.ts'
import { isActive, isOver, mayMove, type Subscription } from './subscription.ts'

const SUBSCRIPTION_ID_LENGTH = 64 // docs/interface.md section 8

export const head = Type.Object({
  clientId: Type.Optional(fields.name),
  tokenType: Type.Optional(Type.Enum(['AES'])),
  signature: Type.Unknown(),
})

export const id = fields.string(SUBSCRIPTION_ID_LENGTH)
/** Both names of the id. A client sends either (api/subscription/manage-request.ts). */
export const ids = {
  subsId: Type.Optional(id),
  subscriptionId: Type.Optional(id),
}

export const givenAmount = Type.Unsafe<string | fields.Money>({ anyOf: [fields.amount, fields.money] })
export const paiseOf = (amount: string | fields.Money) => toPaise(typeof amount === 'string' ? amount : amount.value)

/** Every missing or wrong member has the same result. `misplaced` names a member that, beside the others, belongs to another operation. */
export const managingWire = <Members extends TProperties, Code extends ResultCode>(
  body: TObject<Members>,
  codes: { badRequest: Code; systemError: Code },
  misplaced: (body: Partial<Static<TObject<Members>>>) => string | undefined = () => undefined,
): Wire<typeof head, TObject<Members>, Code> => {
  const bad = () => ({ result: codes.badRequest })
  return {
    query: [],
    head,
    body,
    faults: { missing: bad, wrong: bad },
    unreadable: codes.badRequest,
    missingParam: bad,
    systemError: codes.systemError,
    check(wellFormed) {
      const parameter = misplaced(wellFormed)
      return parameter === undefined ? [] : [{ result: codes.badRequest, parameter, cause: 'otherMember' }]
    },
  }
}

/** True when the last day is over by the clock, even if the sweep has not yet written the expiry. */
export const isPastExpiry = (subscription: Subscription, now: number) =>
  mayMove(subscription, 'expire') && dateInIndia(now) > subscription.expiryDate

export const refusalOf = <Code extends ResultCode>(
  subscription: Subscription,
  codes: { expired: Code; notActive: Code },
  now: number,
): Refusal<Code> => {
  const { status, subStatus } = subscription
  if (status === 'EXPIRED' || isPastExpiry(subscription, now)) return { result: codes.expired }
  return { result: codes.notActive, message: `${codes.notActive.message}: ${status}, ${subStatus}` }
}

/** True when the subscription is active, and not past its expiry by the clock. Only then may collections be made. */
export const isCollected = (subscription: Subscription, now: number) => isActive(subscription) && !isPastExpiry(subscription, now)
export const isLive = (subscription: Subscription, now: number) => !isOver(subscription) && !isPastExpiry(subscription, now)
