// Validate VPA: docs/interface.md section 4.32. It checks forms and handles. Only a payment shows whether a UPI id or number exists.

import Type, { type Static } from 'typebox'
import { question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import { validateVpa as codes } from '../../interface/result-codes.ts'
import { type Reference, VPA_FORM } from '../../reference/reference.ts'
import { type Credential, opened, readingWire } from './options-access.ts'

/** A number in place of a UPI id: 8, 9 or 11 digits, or the 10 of a mobile number. */
const NUMERIC_ID_FORM = /^(?:[0-9]{8,9}|[6-9][0-9]{9}|[0-9]{11})$/

const body = Type.Object(
  {
    mid: Type.Optional(fields.mid),
    orderId: Type.Optional(fields.orderId),
    vpa: Type.Optional(fields.string()),
    numericId: Type.Optional(fields.string()),
  },
  { anyOf: ['vpa', 'numericId'].map((member) => ({ required: [member], properties: { [member]: {} } })) },
)

const reading = readingWire(body, codes, codes.missingElement)
export const wire: typeof reading = {
  ...reading,
  check: ({ vpa, numericId }) =>
    vpa === undefined || numericId === undefined
      ? []
      : [{ result: codes.invalidField, message: 'Invalid numericId', parameter: 'numericId', cause: { keyword: 'not' } }],
}

export const reply = Type.Object({ vpa: Type.Optional(replied.text), numericId: Type.Optional(replied.text), valid: replied.yes })

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
  async answer({ mid, request: { vpa, numericId }, credential, reference, now }: ValidateVpa, query) {
    const found = await opened(mid, credential, now, query)
    if (found === 'invalidMid') return { result: codes.invalidMid, parameter: 'mid', cause: 'unknownMid' }
    if (found === 'sessionExpired') return { result: codes.sessionExpired }
    const valid = vpa === undefined ? NUMERIC_ID_FORM.test(numericId!) : isVpa(vpa, reference)
    return { result: codes.success, body: { ...(vpa === undefined ? { numericId } : { vpa }), valid } }
  },
})

function isVpa(vpa: string, reference: Reference): boolean {
  const handle = VPA_FORM.exec(vpa)?.[1]
  return handle !== undefined && reference.knowsHandle(handle)
}
