// How clients send a body, where our schema reads it otherwise: schemas are of requests that aliases and other spellings have been
// taken out of (docs/interface.md sections 4 and 4.9).

import { otherSpelling } from '../../interface/request.ts'

/** A schema as JSON: of ours or of the document. */
export interface Schema {
  [keyword: string]: unknown
  type?: string | string[]
  properties?: Readonly<Record<string, Schema>>
  items?: Schema
  required?: readonly string[]
}
/** `isHost` on the payment host's paths. */
export type AsSent = (body: Schema, isHost: boolean) => Schema

export const text: Schema = { type: 'string' }

/** The id of a client's own table, which it may send as a number. */
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
/** As clients spell these members. */
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
/** Texts that are too long are cut, or count as not given. */
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
/** The payment host's clients: section 4.9. */
export const HOST: Readonly<Record<string, (member: Schema) => Schema>> = {
  txnAmount: asNumber,
  orderId: numbered,
  userInfo: (info: Schema) => ofAnyLength(edited(info, { custId: numbered, mobile: () => text, email: () => text })),
  ...{ goods: ofAnyLength, goodsInfo: ofAnyLength, shippingInfo: ofAnyLength },
}
