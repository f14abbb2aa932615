// One path of the document: what is asked and answered there. An alias repeats what its operation's first path has, by reference.

import { described, type NamedOperation } from '../../api/described/operations.ts'
import { credentialPlaces, credentials } from '../../interface/credentials.ts'
import { type OperationLine, operations, pagePaths } from '../../interface/operations.ts'
import { answersOn, codesOf } from './answers.ts'
import type { Example } from './examples.ts'
import { statusesOf } from './http-statuses.ts'
import { callbacksOf } from './notifications.ts'
import { payByForm } from './pages.ts'
import { askedOn, isHostPath } from './requests.ts'
import type { Schema } from './schemas.ts'
import type { InterfacePage, OperationTexts } from './texts.ts'

export interface PathItem {
  item: Record<string, object>
  /** The schemas that it refers to. */
  schemas: Record<string, Schema>
}

export function pathItem(
  name: NamedOperation,
  at: number,
  texts: OperationTexts,
  page: InterfacePage,
  example: Example | undefined,
): PathItem {
  const line: OperationLine = operations[name]
  const path = line.paths[at]!
  const isFlat = line.flatPaths?.includes(path) === true
  const isHost = isHostPath(name, path)
  const isByForm = path === pagePaths.payByForm
  const shown = at === 0 ? example : undefined
  const answers = answersOn(name, path, isFlat ? 'Flat' : isHost && described[name].host?.reply ? 'Host' : '', texts, page, shown)
  const asked = askedOn(name, path, texts, page)
  const { content, schemas } = referring(asked.content, `${withFirst(name)}${isFlat ? 'Flat' : isHost ? 'Host' : ''}Request`, shown)
  const callbacks = isFlat ? {} : callbacksOf((described[name].wire?.body as Schema | undefined)?.properties ?? {})
  const operation = {
    operationId: at === 0 ? name : `${name}${at + 1}`,
    summary: texts.summary,
    description: `docs/interface.md section ${line.section}${isFlat ? ', the flat form' : ''}. Credentials: ${isFlat ? '`CHECKSUMHASH`' : wantedBy(name)}.`,
    tags: [tagOf(name)],
    security: securityOf(name),
    ...(asked.parameters.length > 0 && { parameters: asked.parameters }),
    ...(content && { requestBody: { required: true, content: { ...content, ...(isByForm && payByForm.content) } } }),
    responses: { ...statusesOf(name, line), ...answers.responses, ...(isByForm && payByForm.responses) },
    ...(Object.keys(callbacks).length > 0 && { callbacks }),
    ...(at > 0 ? { 'x-alias-of': line.paths[0] } : { 'x-credentials': placesOf(name), 'x-codes': codesOf(name, texts) }),
  }
  const item = { [line.method.toLowerCase()]: operation }
  return {
    item: isFlat && !line.writes ? { ...item, get: inQuery(operation, asked.content) } : item,
    schemas: { ...answers.schemas, ...schemas },
  }
}

const withFirst = (word: string) => word[0]!.toUpperCase() + word.slice(1)
/** The room of its resource. */
export const tagOf = (name: NamedOperation) => operations[name].file.split('/')[1]!
const placesOf = (name: NamedOperation) =>
  credentials[name].map((all) => all.map((credential) => ({ credential, in: credentialPlaces[credential] })))
/** For a reader of `security: []` whose tool does not show `x-credentials`. */
const wantedBy = (name: NamedOperation) =>
  credentials[name]
    .map(
      (all) =>
        all.map((credential) => `${credential} in \`${credentialPlaces[credential]}\``).join(' and ') ||
        'none where the merchant does not sign',
    )
    .join('; or ')
/** No security scheme reaches into a body; what stands there is in `x-credentials`. */
const securityOf = (name: NamedOperation) => (credentials[name].every((all) => all.includes('client')) ? [{ client: [] }] : [])

/** The members of a flat question as parameters of a GET. */
function inQuery({ requestBody: _, ...operation }: Record<string, unknown> & { operationId: string }, content: object | undefined): object {
  const { schema } = Object.values(content ?? {})[0] as { schema: Schema }
  const parameters = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    return { name, in: 'query', required: schema.required?.includes(name) ?? false, schema: member }
  })
  return { ...operation, operationId: `${operation.operationId}ByGet`, parameters }
}

/** The schema of a body under a name of its own, and the examples of it. */
function referring(content: Readonly<Record<string, object>> | undefined, name: string, example: Example | undefined) {
  if (!content) return { content: undefined, schemas: {} }
  const { schema } = Object.values(content)[0] as { schema: Schema }
  // What is refused is often no request by its schema: docs/examples has it.
  const value = example?.answer.request.body
  const examples = value !== undefined && { answer: { value } }
  const referred = Object.entries(content).map(([type, media]) => {
    return [type, { ...media, schema: { $ref: `#/components/schemas/${name}` }, ...(examples && { examples }) }]
  })
  return { content: Object.fromEntries(referred) as Readonly<Record<string, object>>, schemas: { [name]: schema } }
}
