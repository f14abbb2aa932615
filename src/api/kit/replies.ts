// Schemas of whole replies, by the rows of the code tables: docs/interface.md section 7.

import Type, { type TObject, type TSchema } from 'typebox'
import type { ResultCode } from '../../interface/result-codes.ts'
import type { Descriptor } from './descriptor.ts'

/** The rows of one HTTP status, and the form of their reply. */
export interface ReplyKind {
  kind: 'answer' | 'refusal'
  http: number
  rows: readonly ResultCode[]
  schema: TSchema
}

/** The replies of an operation on one of its paths. Rows whose reply is empty have no kind. */
export function replyKinds(operation: Descriptor, path: string = operation.paths[0]): readonly ReplyKind[] {
  const { codes, form, reply, answers = ['success'], empty = [], besides = {} } = { ...operation, ...variantOf(operation, path) }
  const rows = Object.values(codes).filter((row) => !empty.includes(row.name))
  const isAnswer = (row: ResultCode) => answers.includes(row.name)
  const made = (kind: ReplyKind['kind'], of: readonly ResultCode[], { properties }: TObject): ReplyKind[] =>
    [...Map.groupBy(of, ({ http }) => http ?? 200)].map(([http, same]) => ({
      kind,
      http,
      rows: same,
      schema: form(same, properties, kind === 'answer'),
    }))
  return [
    ...made('answer', rows.filter(isAnswer), reply),
    ...Object.entries(besides).flatMap(([row, members]) =>
      made(
        'answer',
        rows.filter(({ name }) => name === row),
        members,
      ),
    ),
    ...made(
      'refusal',
      rows.filter((row) => !isAnswer(row) && !(row.name in besides)),
      NOTHING,
    ),
  ]
}
const NOTHING = Type.Object({})

function variantOf({ paths, flatPaths, flat, host }: Descriptor, path: string) {
  if (flatPaths?.includes(path)) return { form: flat!.form, besides: {} }
  return host?.reply && path !== paths[0] ? { reply: host.reply } : {}
}
