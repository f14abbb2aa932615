// Statuses of HTTP that come without an operation's own code (docs/interface.md section 4, "HTTP statuses").

import type { Schema } from '../../api/kit/as-sent.ts'
import type { Descriptor } from '../../api/kit/descriptor.ts'

export const unread: Schema = {
  title: 'Not a request of an operation, or one too many',
  type: 'object',
  required: ['errorDetails'],
  properties: {
    errorDetails: {
      type: 'object',
      required: ['code', 'errorCode', 'errorMessage'],
      properties: {
        code: { type: 'integer' },
        errorCode: { type: 'string', enum: ['SVE-003', 'SVE-004'] },
        errorMessage: { type: 'string' },
      },
    },
  },
}
const unreadAs = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Unread' } } },
})

export const httpResponses = {
  '400': unreadAs('The bytes are not a readable HTTP/1 request, or the Idempotency-Key is not valid.'),
  '408': unreadAs('The request took longer than 10 seconds to arrive.'),
  '409': unreadAs('The Idempotency-Key was used with another request.'),
  '413': unreadAs('The body is over 64 KiB.'),
  '415': unreadAs('The content type is not application/json.'),
  '429': {
    ...unreadAs('A ceiling on calls was reached.'),
    headers: { 'Retry-After': { description: 'How many seconds to wait.', schema: { type: 'integer' } } },
  },
  '431': unreadAs('The request line and the headers are over 16 KiB together.'),
}

/** The statuses that may answer an operation besides its own. */
export function statusesOf({ writes, method, hasCeiling }: Descriptor): object {
  const statuses = ['400', '408', '431', '415', ...(writes ? ['409'] : []), ...(method === 'GET' || method === 'DELETE' ? [] : ['413'])]
  return Object.fromEntries(
    [...statuses, ...(hasCeiling ? ['429'] : [])].map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  )
}

export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key with the same bytes is answered as the first time, for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}
