// Validate VPA: docs/interface.md section 4.32. It knows forms and handles: whether anybody has that UPI id, only a payment
// shows.

import Type, { type Static } from 'typebox'
import { question } from '../engine/decision.ts'
import * as fields from '../interface/fields.ts'
import type { FaultCodes } from '../interface/request.ts'
import { validateVpa as codes } from '../interface/result-codes.ts'
import type { Wire } from '../interface/wire.ts'
import { type Credential, head, opened, queryFor } from './reading.ts'
import { type Reference, VPA_FORM } from './reference.ts'

const body = Type.Object({ mid: Type.Optional(fields.mid), orderId: Type.Optional(fields.orderId), vpa: fields.string() })

const faults: FaultCodes<(typeof codes)['success']> = {
  missing: () => ({ result: codes.missingElement }),
  wrong: ({ path, name }) => (path === 'mid' ? { result: codes.invalidMid } : { result: codes.invalidField, message: `Invalid ${name}` }),
}

export const wire: Wire<typeof head, typeof body, (typeof codes)['success']> = {
  query: ['mid'],
  queryFor,
  head,
  body,
  faults,
  unreadable: codes.invalidBody,
  missingParam: () => ({ result: codes.missingParam }),
  wrongHead: ({ name }) => ({ result: codes.invalidField, message: `Invalid ${name}` }),
  midMismatch: codes.midMismatch,
  orderIdMismatch: codes.orderIdMismatch,
  systemError: codes.systemError,
}

export interface ValidateVpa {
  mid: string
  request: Static<typeof body>
  credential: Credential
  reference: Reference
  now: number
}

export const validateVpa = question({
  name: 'validateVpa',
  codes,
  async answer({ mid, request: { vpa }, credential, reference, now }: ValidateVpa, query) {
    const found = await opened(mid, credential, now, query)
    if (found === 'invalidMid') return { result: codes.invalidMid }
    if (found === 'sessionExpired') return { result: codes.sessionExpired }
    const handle = VPA_FORM.exec(vpa)?.[1]
    return { result: codes.success, body: { vpa, valid: handle !== undefined && reference.knowsHandle(handle) } }
  },
})
