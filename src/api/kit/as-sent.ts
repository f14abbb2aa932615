// Schemas of bodies as clients send them, where the operation's own schema differs. The own schema describes a request after its aliases
// and other spellings were replaced (docs/interface.md sections 4 and 4.9).

import { otherSpelling } from '../../interface/request.ts'

/** A schema as JSON, from the code or from the document. */
export interface Schema {
  [keyword: string]: unknown
  type?: string | string[]
  properties?: Readonly<Record<string, Schema>>
  items?: Schema
  required?: readonly string[]
}
/** `isHost` is true on the payment host's paths. */
export type AsSent = (body: Schema, isHost: boolean) => Schema

export const text: Schema = { type: 'string' }

/** An id of a client's own table. The client may send it as a number. */
export const numbered = (schema: Schema): Schema => ({
  anyOf: [schema, { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }],
})
export const edited = (body: Schema, edits: Readonly<Record<string, (member: Schema) => Schema>>): Schema =>
  body.properties === undefined
    ? body
    : {
        ...body,
        properties: Object.fromEntries(Object.entries(body.properties).map(([name, member]) => [name, edits[name]?.(member) ?? member])),
      }
export const withValues =
  (...values: readonly string[]) =>
  (member: Schema): Schema => ({ ...member, enum: [...(member['enum'] as string[]), ...values] })
export const respelled = (body: Schema, ...names: readonly string[]): Schema => ({
  ...body,
  properties: Object.fromEntries(
    Object.entries(body.properties ?? {}).map(([name, member]) => [names.includes(name) ? otherSpelling(name) : name, member]),
  ),
})
export const without = (body: Schema, name: string): Schema => {
  const { [name]: _, ...properties } = body.properties ?? {}
  return { ...body, properties }
}

const asNumber = (money: Schema): Schema =>
  edited(money, { value: (value) => ({ anyOf: [value, { type: 'number', exclusiveMinimum: 0 }] }) })
/** Lifts the limits of section 4.9: a text that is too long is cut or counts as absent, and a wrong URL counts as absent. */
function ofAnyLength(schema: Schema): Schema {
  const { maxLength: _, ...kept } = schema
  const { properties, items, anyOf, format } = schema
  if (format === 'httpUrl') return text
  return {
    ...(format === 'text' ? kept : schema),
    ...(items && { items: ofAnyLength(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(ofAnyLength) }),
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, ofAnyLength(member)])) }),
  }
}
/** How the payment host's clients may send these members: section 4.9. */
export const HOST: Readonly<Record<string, (member: Schema) => Schema>> = {
  txnAmount: asNumber,
  orderId: numbered,
  userInfo: (info: Schema) => ofAnyLength(edited(info, { custId: numbered, mobile: () => text, email: () => text })),
  ...{ goods: ofAnyLength, goodsInfo: ofAnyLength, shippingInfo: ofAnyLength },
}
