// Every field of a schema, and every fault that it can have.

type Schema = { type?: string; properties?: Record<string, Schema>; items?: Schema; maxLength?: number; pattern?: string; enum?: unknown[] }
export type Path = readonly (string | number)[]

/** The paths of all fields, members of array elements included. An element is reached through index 0. */
export function pathsOf(schema: unknown, base: Path = []): Path[] {
  const { properties, items } = schema as Schema
  if (items) return pathsOf(items, [...base, 0])
  return Object.entries(properties ?? {}).flatMap(([name, field]) => [[...base, name], ...pathsOf(field, [...base, name])])
}

/** The value at a path; undefined where the way there is missing. */
export function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<string | number, unknown>)[key] : undefined),
    value,
  )
}

const ABSENT = Symbol('absent')

/** A copy with the value at `path` replaced. Missing parents are made. */
export function put(root: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  const copy: Record<string | number, unknown> | unknown[] = Array.isArray(root)
    ? [...root]
    : typeof key === 'number'
      ? []
      : { ...(root as object | undefined) }
  const inner = put((root as Record<string | number, unknown> | undefined)?.[key], rest, value)
  if (inner === ABSENT) delete (copy as Record<string | number, unknown>)[key]
  else Object.defineProperty(copy, key, { value: inner, enumerable: true, writable: true, configurable: true })
  return copy
}

export interface Mutation {
  name: string
  value(valid: unknown): unknown
}

const text = (valid: unknown) => (typeof valid === 'string' ? valid : 'text')
/** Longer than every field may be; `by` adds to that. */
const longer = (valid: unknown, by: number) => text(valid).padEnd(2_048, 'x') + 'x'.repeat(by)

export const mutations: readonly Mutation[] = [
  { name: 'absent', value: () => ABSENT },
  { name: 'null', value: () => null },
  { name: 'empty', value: () => '' },
  { name: 'blank', value: () => '   ' },
  { name: 'a number', value: () => 7 },
  { name: 'a huge number', value: () => 1e308 },
  { name: 'true', value: () => true },
  { name: 'a list', value: () => [] },
  { name: 'a list of itself', value: (valid) => [valid] },
  { name: 'a list of lists', value: () => [[[]]] },
  { name: 'an object', value: () => ({}) },
  { name: 'an object with length', value: () => ({ length: 1, toString: 'x' }) },
  { name: 'an object that holds it', value: (valid) => ({ value: valid ?? 1 }) },
  { name: 'too long by one', value: (valid) => longer(valid, 1) },
  { name: 'too long by a thousand', value: (valid) => longer(valid, 1_000) },
  { name: 'a list that is too long', value: (valid) => Array(51).fill(Array.isArray(valid) ? valid[0] : valid) },
  { name: 'a trailing line end', value: (valid) => `${text(valid)}\n` },
  { name: 'a control character', value: (valid) => `${text(valid)}\u0007` },
  { name: 'an escaped U+0000', value: (valid) => `${text(valid)}\u0000` },
  { name: 'half a surrogate pair', value: (valid) => `${text(valid)}\ud800` },
  { name: 'a right-to-left override', value: (valid) => `\u202e${text(valid)}` },
  {
    name: 'Devanagari digits',
    value: (valid) => text(valid).replace(/[0-9]/g, (digit) => String.fromCodePoint(0x966 + Number(digit))) || '१',
  },
  { name: 'a leading space', value: (valid) => ` ${text(valid)}` },
  {
    name: 'other case',
    value: (valid) => text(valid).replace(/[A-Za-z]/g, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())),
  },
  { name: '__proto__', value: () => '__proto__' },
  { name: 'constructor', value: () => 'constructor' },
  { name: 'a key __proto__', value: () => JSON.parse('{"__proto__":{"polluted":true}}') },
  { name: 'a pipe', value: (valid) => `${text(valid)}|` },
  { name: 'SQL', value: () => "'; drop table orders; --" },
  { name: 'HTML', value: () => '<script>alert(1)</script>' },
  { name: 'a scheme', value: () => 'javascript:alert(1)' },
  { name: 'a negative amount', value: () => '-1' },
  { name: 'an exponent', value: () => '1e3' },
  { name: 'commas', value: () => '1,000.00' },
  { name: 'three decimals', value: () => '1.005' },
  { name: 'a date that is none', value: () => '2027-02-30' },
]
