// The interface as a document for programs: OpenAPI 3.1.1. Its sources are the schemas that read requests, the schemas that tests hold
// replies against, and the sentences of docs/interface.md.

import type { Schema } from '../../api/kit/as-sent.ts'
import { operations } from '../../api/operations.ts'
import type { Examples } from './examples.ts'
import { httpResponses, idempotencyKey, unread } from './http-statuses.ts'
import { notificationSchemas, webhooks } from './notifications.ts'
import { pageItems } from './pages.ts'
import { pathItem } from './path-item.ts'
import { readPage } from './texts.ts'

export const OPENAPI = '3.1.1'

export interface DocumentSources {
  /** The text of docs/interface.md. */
  page: string
  examples: Examples
  version: string
}

export function documentOf({ page: text, examples, version }: DocumentSources): object {
  const page = readPage(text)
  const schemas: Record<string, Schema> = {}
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of Object.values(operations)) {
    const texts = page.operation(operation.section)
    for (const [at, path] of operation.paths.entries()) {
      const { item, schemas: own } = pathItem(operation, at, texts, page, examples[operation.name])
      Object.assign(schemas, own)
      paths[path] = item
    }
  }
  return {
    openapi: OPENAPI,
    info: {
      title: 'Mohur',
      version,
      summary: 'A self-hosted payment and subscription gateway',
      description:
        'Every operation, member and code of the interface. docs/interface.md says the same for people, and more: states, events and limits.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags: tagsOf(),
    paths: { ...paths, ...pageItems() },
    webhooks: webhooks(),
    components: {
      schemas: { ...schemas, ...notificationSchemas(page), Unread: unread },
      responses: httpResponses,
      parameters: { IdempotencyKey: idempotencyKey },
      securitySchemes,
    },
    'x-checksum': page.checksum,
  }
}

const tagsOf = () => [...new Set(Object.values(operations).map(({ resource }) => resource)), 'pages'].map((name) => ({ name }))

const securitySchemes = {
  client: { type: 'http', scheme: 'basic', description: 'A sign-in client: client_id and client_secret.' },
}
