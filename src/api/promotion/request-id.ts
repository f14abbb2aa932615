// The request's own id. Replies about offers repeat it: docs/interface.md sections 4.4 and 4.33.

import type { Asked } from '../../http/handler.ts'

const REQUEST_ID_LENGTH = 255 // docs/interface.md section 8 (Mohur): any other string

/** Counts characters, as the schema does. Some characters are two code units long. */
export const requestIdOf = ({ head: { requestId } }: Asked) =>
  typeof requestId === 'string' && [...requestId].length <= REQUEST_ID_LENGTH ? requestId : undefined
