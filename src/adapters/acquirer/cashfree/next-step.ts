// Reads the payer's next step from Cashfree's answer to a payment that has begun.

import Type from 'typebox'
import { isObject, type JsonObject } from '../../../interface/envelope.ts'
import { reader } from '../../../interface/request.ts'
import { isHttpsOrLoopback } from '../../../interface/url.ts'
import type { NextStep } from '../../../tables/transaction.ts'
import { DEEP_LINK, FIELD_LENGTH, FIELDS_MAX, URL_LENGTH } from '../remote/remote-answer.ts'

const nullable = Type.Optional(Type.Union([Type.Null(), Type.String({ maxLength: 16_384 })]))
const paid = reader(
  Type.Object({
    data: Type.Object({
      url: nullable,
      method: nullable,
      payload: Type.Optional(Type.Union([Type.Null(), Type.Unsafe<JsonObject>({ type: 'object' })])),
    }),
  }),
)

/** Undefined when there is no step, or its address is not one to which a browser may be sent. */
export function nextIn(json: JsonObject): NextStep | undefined {
  const { value } = paid(json)
  if (!value) return undefined
  const { url, method, payload } = value.data
  const link = payload?.['default']
  if (typeof link === 'string') return DEEP_LINK.test(link) && link.length <= URL_LENGTH ? { kind: 'deepLink', deepLink: link } : page(link)
  if (!url) return undefined
  if (method?.toLowerCase() !== 'post') return page(url)
  const content = isObject(payload) ? payload : {}
  const fields = Object.values(content)
  const isForm = fields.length <= FIELDS_MAX && fields.every((field) => typeof field === 'string' && field.length <= FIELD_LENGTH)
  return isForm && mayBeGoneTo(url) ? { kind: 'bankForm', actionUrl: url, content: content as Record<string, string> } : undefined
}

const page = (url: string): NextStep | undefined =>
  mayBeGoneTo(url) ? { kind: 'bankForm', method: 'get', actionUrl: url, content: {} } : undefined

const mayBeGoneTo = (url: string) => url.length <= URL_LENGTH && isHttpsOrLoopback(url)
