// An operation's answers, as one response for each HTTP status. The code in the body says whether the response is an answer or a refusal.

import type { Schema } from '../../api/kit/as-sent.ts'
import type { Descriptor } from '../../api/kit/descriptor.ts'
import { type ReplyKind, replyKinds } from '../../api/kit/replies.ts'
import type { ResultCode } from '../../interface/result-codes.ts'
import type { Example } from './examples.ts'
import { sayOf } from './requests.ts'
import { inDocument } from './schemas.ts'
import type { InterfacePage, OperationTexts } from './texts.ts'

export const withFirst = (word: string) => word[0]!.toUpperCase() + word.slice(1)
const schemaName = (name: string, kind: ReplyKind['kind'], form: string) => `${withFirst(name)}${form}${withFirst(kind)}`

export interface Answers {
  /** By HTTP status. */
  responses: Readonly<Record<string, object>>
  schemas: Readonly<Record<string, Schema>>
}

/** `form` names another form of the same reply, on another path. */
export function answersOn(
  operation: Descriptor,
  path: string,
  form: string,
  texts: OperationTexts,
  page: InterfacePage,
  example?: Example,
): Answers {
  const schemas: Record<string, Schema> = {}
  const byStatus = new Map<number, { description: string; references: object[] }>()
  const tell = (http: number, references: readonly object[]) => {
    const known = byStatus.get(http)?.references ?? []
    byStatus.set(http, {
      description: http === 200 ? 'The answer or a refusal, as its code says.' : 'A refusal.',
      references: [...known, ...references],
    })
  }
  const { title } = texts
  const { name } = operation
  for (const [at, { kind, http, schema }] of replyKinds(operation, path).entries()) {
    const isFurther = kind in schemas || schemaName(name, kind, form) in schemas
    const named = isFurther ? `${schemaName(name, kind, form)}${at}` : schemaName(name, kind, form)
    schemas[named] = { title: `${title}: ${kind}`, ...inDocument(schema, inReply(texts, page)) }
    tell(http, [{ $ref: `#/components/schemas/${named}` }])
  }
  const isSigned = Object.values(schemas).some(({ properties }) => properties?.['head']?.properties?.['signature'])
  for (const { http = 200 } of Object.values(operation.codes)) if (!byStatus.has(http)) tell(http, [])
  const responses = [...byStatus].map(([http, { description, references }]) => {
    const examples = examplesOf(example, http)
    const schema = references.length === 1 ? references[0]! : { oneOf: references }
    const content =
      references.length === 0 ? {} : { content: { 'application/json': { schema, ...(isSigned && SIGNED), ...(examples && { examples }) } } }
    return [http, { description: references.length === 0 ? 'The status is the whole reply.' : description, ...content }]
  })
  return { responses: Object.fromEntries(responses), schemas }
}

/** Section 5.1: the bytes that a reply's signature covers. */
const SIGNED = { 'x-signature': { over: '/body', bytes: 'as sent', rule: 'text', in: '/head/signature' } }

/** docs/interface.md describes the members of an envelope's body, and no member of its head. */
const inReply = (texts: OperationTexts, page: InterfacePage) => {
  const say = sayOf(texts.replies, page)
  return (path: readonly string[]) => (path[0] === 'head' ? undefined : say(path[0] === 'body' && path.length > 1 ? path.slice(1) : path))
}

function examplesOf(example: Example | undefined, http: number): object | undefined {
  const shown = Object.entries(example ?? {}).filter(([, { reply }]) => reply.status === http && reply.body !== undefined)
  return shown.length === 0 ? undefined : Object.fromEntries(shown.map(([kind, { reply }]) => [kind, { value: reply.body }]))
}

export const codesOf = ({ codes }: Descriptor, { when }: OperationTexts) =>
  Object.values(codes).map(({ code, status, message, http }: ResultCode, at) => ({
    code,
    status,
    message,
    when: when[at],
    ...(http !== undefined && { http }),
  }))
