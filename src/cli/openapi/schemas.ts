// Mohur's schemas as schemas of the document: Mohur's own formats become patterns, and each member gets its sentence of docs/interface.md.

import type { Schema } from '../../api/kit/as-sent.ts'

/** Mohur's formats in the document. A test fails for a format without a line here. */
export const formatsInDocument: Readonly<Record<string, Schema>> = {
  text: { pattern: '^[^\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F]*$' },
  email: { format: 'idn-email' },
  httpUrl: { format: 'uri' },
  callbackUrl: { format: 'uri' },
  instant: { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})?$' },
  dayFirst: { pattern: '^[0-9]{2}-[0-9]{2}-[0-9]{4}$' },
  dateTime: { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$' },
  date: { format: 'date' },
}

/** The sentence of a member, by the names that lead to it. */
export type Say = (path: readonly string[]) => string | undefined

const isNever = (schema: Schema) => 'not' in schema && Object.keys(schema.not as object).length === 0

export function inDocument(given: unknown, say: Say = () => undefined, path: readonly string[] = []): Schema {
  const { format, properties, items, anyOf, ...schema } = given as Schema
  const known = format === undefined ? {} : formatsInDocument[format as string]
  if (!known) throw new Error(`the format ${String(format)} has no line in the document`)
  const members = Object.entries(properties ?? {}).filter(([, member]) => !isNever(member))
  const about = path.length === 0 ? undefined : say(path)
  return {
    ...(schema as Schema),
    ...typeOf(schema),
    ...known,
    ...(properties && {
      properties: Object.fromEntries(members.map(([name, member]) => [name, inDocument(member, say, [...path, name])])),
    }),
    ...(items && { items: inDocument(items, say, path) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map((each) => inDocument(each, sayInside(say, path), path)) }),
    ...(about && { description: about }),
  }
}

/** In a member with several forms, each form describes its own members. The member itself is described once. */
const sayInside =
  (say: Say, path: readonly string[]): Say =>
  (inner) =>
    inner.length === path.length ? undefined : say(inner)

/** An enum gets the type of its values, or both types. */
function typeOf({ type, enum: values }: Schema): Schema {
  if (type !== undefined || !Array.isArray(values)) return {}
  const types = [...new Set(values.map((value) => (Number.isInteger(value) ? 'integer' : typeof value)))]
  return { type: types.length === 1 ? types[0]! : types }
}
