import { instant, json, optionalSealed, optionalText, table, text } from './columns.ts'

/** What a person, or the shell, did or was refused: kept for ever. */
export const auditLog = table({
  columns: {
    /** 13 digits of time and 8 of chance, so that it is in order. */
    auditId: text,
    at: instant,
    /** `shell` of a command; empty where nobody was signed in. */
    operatorId: text,
    network: text,
    action: text,
    mid: optionalText,
    /** What it was done to: `order:…`, `transaction:…`, `operator:…`. */
    subject: text,
    outcome: text,
    reason: optionalSealed<string>(),
    reasonHash: optionalText,
    /** Numbers and words of our own only. */
    data: json<Readonly<Record<string, string | number | boolean | null>>>(),
    /** Its place in the chain of hashes, 12 digits; null until it is chained. */
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
