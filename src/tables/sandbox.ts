import { integer, sealed, table, text } from './columns.ts'

/** The sandbox's SMS inbox. */
export const messages = table({
  columns: { mobile: text, id: text, at: integer, kind: text, content: sealed<{ text: string; otp?: string }>() },
  key: ['mobile', 'id'],
  indexes: { messagesByTime: { columns: ['mobile', 'at', 'id'] } },
})
