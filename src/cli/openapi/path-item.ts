// One path of the document, with its requests and answers. An alias refers to its operation's first path.

import type { Schema } from '../../api/kit/as-sent.ts'
import { type Descriptor, isHostPath } from '../../api/kit/descriptor.ts'
import { credentialPlaces } from '../../interface/credentials.ts'
import { pagePaths } from '../../interface/page-paths.ts'
import { answersOn, codesOf, withFirst } from './answers.ts'
import type { Example } from './examples.ts'
import { statusesOf } from './http-statuses.ts'
import { callbacksOf } from './notifications.ts'
import { payByForm } from './pages.ts'
import { askedOn } from './requests.ts'
import type { InterfacePage, OperationTexts } from './texts.ts'

export interface PathItem {
  item: Record<string, object>
  schemas: Record<string, Schema>
}

export function pathItem(
  operation: Descriptor,
  at: number,
  texts: OperationTexts,
  page: InterfacePage,
  example: Example | undefined,
): PathItem {
  const { name, paths, flatPaths, host, wire } = operation
  const path = paths[at]!
  const isFlat = flatPaths?.includes(path) === true
  const isHost = isHostPath(operation, path)
  const isByForm = path === pagePaths.payByForm
  const shown = at === 0 ? example : undefined
  const answers = answersOn(operation, path, isFlat ? 'Flat' : isHost && host?.reply ? 'Host' : '', texts, page, shown)
  const asked = askedOn(operation, path, texts, page)
  const { content, schemas } = referring(asked.content, `${withFirst(name)}${isFlat ? 'Flat' : isHost ? 'Host' : ''}Request`, shown)
  const callbacks = isFlat ? {} : callbacksOf((wire?.body as Schema | undefined)?.properties ?? {})
  const said = {
    operationId: at === 0 ? name : `${name}${at + 1}`,
    summary: texts.summary,
    description: `docs/interface.md section ${operation.section}${isFlat ? ', the flat form' : ''}. Credentials: ${isFlat ? '`CHECKSUMHASH`' : wantedBy(operation)}.`,
    tags: [operation.resource],
    security: securityOf(operation),
    ...(asked.parameters.length > 0 && { parameters: asked.parameters }),
    ...(content && { requestBody: { required: true, content: { ...content, ...(isByForm && payByForm.content) } } }),
    responses: { ...statusesOf(operation), ...answers.responses, ...(isByForm && payByForm.responses) },
    ...(Object.keys(callbacks).length > 0 && { callbacks }),
    ...(at > 0 ? { 'x-alias-of': paths[0] } : { 'x-credentials': placesOf(operation), 'x-codes': codesOf(operation, texts) }),
  }
  const item = { [operation.method.toLowerCase()]: said }
  return {
    item: isFlat && !operation.writes ? { ...item, get: inQuery(said, asked.content) } : item,
    schemas: { ...answers.schemas, ...schemas },
  }
}

const placesOf = ({ credentials }: Descriptor) =>
  credentials.map((all) => all.map((credential) => ({ credential, in: credentialPlaces[credential] })))
/** The credentials as a sentence, for a reader whose tool shows `security: []` but not `x-credentials`. */
const wantedBy = ({ credentials }: Descriptor) =>
  credentials
    .map(
      (all) =>
        all.map((credential) => `${credential} in \`${credentialPlaces[credential]}\``).join(' and ') ||
        'none where the merchant does not sign',
    )
    .join('; or ')
/** No security scheme describes a credential in a body. `x-credentials` has the credentials of bodies. */
const securityOf = ({ credentials }: Descriptor) => (credentials.every((all) => all.includes('client')) ? [{ client: [] }] : [])

/** A flat question's members as parameters of a GET. */
function inQuery({ requestBody: _, ...operation }: Record<string, unknown> & { operationId: string }, content: object | undefined): object {
  const { schema } = Object.values(content ?? {})[0] as { schema: Schema }
  const parameters = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    return { name, in: 'query', required: schema.required?.includes(name) ?? false, schema: member }
  })
  return { ...operation, operationId: `${operation.operationId}ByGet`, parameters }
}

/** Gives the body's schema and examples a name of their own. */
function referring(content: Readonly<Record<string, object>> | undefined, name: string, example: Example | undefined) {
  if (!content) return { content: undefined, schemas: {} }
  const { schema } = Object.values(content)[0] as { schema: Schema }
  // A refused request often does not fit its schema, so only docs/examples has refused requests.
  const value = example?.answer.request.body
  const examples = value !== undefined && { answer: { value } }
  const referred = Object.entries(content).map(([type, media]) => {
    return [type, { ...media, schema: { $ref: `#/components/schemas/${name}` }, ...(examples && { examples }) }]
  })
  return { content: Object.fromEntries(referred) as Readonly<Record<string, object>>, schemas: { [name]: schema } }
}
