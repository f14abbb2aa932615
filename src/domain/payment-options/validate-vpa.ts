// Validate VPA: docs/interface.md section 4.32. It knows forms and handles: whether anybody has that UPI id, only a payment
// shows.

import Type, { type Static } from 'typebox'
import { question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import { validateVpa as codes } from '../../interface/result-codes.ts'
import { type Reference, VPA_FORM } from '../../reference/reference.ts'
import { type Credential, opened, readingWire } from './options-access.ts'

const body = Type.Object({ mid: Type.Optional(fields.mid), orderId: Type.Optional(fields.orderId), vpa: fields.string() })

export const wire = readingWire(body, codes, codes.missingElement)

export const reply = Type.Object({ vpa: replied.text, valid: replied.yes })

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
    if (found === 'invalidMid') return { result: codes.invalidMid, parameter: 'mid', cause: 'unknownMid' }
    if (found === 'sessionExpired') return { result: codes.sessionExpired }
    const handle = VPA_FORM.exec(vpa)?.[1]
    return { result: codes.success, body: { vpa, valid: handle !== undefined && reference.knowsHandle(handle) } }
  },
})
