// Shapes that members of replies share: docs/interface.md sections 2 and 4. This service's own code makes the replies, so a running service
// does not validate them. The document of the interface is made of these shapes, and tests check every reply against them.

import Type from 'typebox'

export const text = Type.String()
export const yes = Type.Boolean()
export const count = Type.Integer({ minimum: 0 })
/** `true` or `false` as text, because clients read these members as text. */
export const yesAsText = Type.Enum(['true', 'false'])
/** Rupees with two decimals. */
export const rupees = Type.String({ pattern: '^(0|[1-9][0-9]*)\\.[0-9]{2}$' })
export const money = Type.Object({ value: rupees, currency: Type.Enum(['INR']) })
/** YYYY-MM-DD in India. */
export const date = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })
/** yyyy-MM-dd HH:mm:ss in India. */
export const dateTime = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$' })
/** yyyy-MM-dd HH:mm:ss.S in India. */
export const txnDate = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]$' })
/** ISO 8601 in whole seconds, with India's offset. */
export const isoTime = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\+05:30$' })
/** Epoch milliseconds. */
export const epoch = Type.String({ pattern: '^[0-9]{1,15}$' })
/** An id that this service generates. It begins with the time. */
export const id = Type.String({ pattern: '^[A-Za-z0-9]{1,64}$' })
export const checksum = Type.String({ pattern: '^[A-Za-z0-9+/]{107}=$' })
