import { instant, json, optionalSealed, optionalText, table, text } from './columns.ts'

/** Actions of people and of the shell, refused ones included. Kept for ever. */
export const auditLog = table({
  columns: {
    /** 13 digits of time and 8 of chance, so that ids sort by time. */
    auditId: text,
    at: instant,
    /** `shell` for a command. Empty when no person was signed in. */
    operatorId: text,
    network: text,
    action: text,
    mid: optionalText,
    /** The object of the action: `order:…`, `transaction:…`, `operator:…`. */
    subject: text,
    outcome: text,
    reason: optionalSealed<string>(),
    reasonHash: optionalText,
    /** Only numbers, words of Mohur's own, and the host of a merchant's endpoint. */
    data: json<Readonly<Record<string, string | number | boolean | null>>>(),
    /** The entry's place in the chain of hashes, 12 digits. Null until the entry is chained. */
    number: optionalText,
    hash: optionalText,
  },
  key: ['auditId'],
  indexes: {
    auditOfOperator: { columns: ['operatorId', 'auditId'] },
    auditOfSubject: { columns: ['subject', 'auditId'] },
    auditToChain: { columns: ['auditId'], where: 'number is null' },
    auditByNumber: { columns: ['number'], unique: true, where: 'number is not null' },
  },
  checks: ['(number is null) = (hash is null)', '(reason is null) = (reason_hash is null)'],
})
