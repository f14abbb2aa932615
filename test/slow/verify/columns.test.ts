// Alters each column by itself, in some of its rows. `verify` names one of the rows, the database refuses the value, or the list below says
// why no check can find it. A new column needs an entry in that list or an invariant.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Column } from '../../../src/tables/columns.ts'
import { tables } from '../../../src/tables/tables.ts'
import { consented } from '../../support/mandates/timeline.ts'
import { named, withHistory } from '../../support/store/tampering.ts'

const DAY_MS = 24 * 60 * 60_000
const ROWS = 8 // of a table, from its beginning to its end
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The table of docs/operating/watch.md, "Alterations that nothing can find": one entry for each of its rows. */
const notFound: Readonly<Record<string, readonly string[]>> = {
  'what is configured, and may be changed at any time': [
    ...of('merchants', 'name', 'mcc', 'checksumEnabled', 'signedModify', 'debitCardEmi', 'websites', 'paymentModes', 'feeHundredths'),
    ...of('merchants', 'callbackFields', 'registersNotificationUrl', 'flatRefund', 'upiCollect', 'supportContact'),
    ...of('merchantKeys', 'clientId', 'generation', 'position'),
    ...of('signInClients', 'clientId', 'secretHash', 'scopes'),
    ...of('promotions', 'kind', 'title', 'flatPaise', 'minAmountPaise', 'payMethods', 'banks', 'bins', 'skus', 'validFrom', 'validUpto'),
    ...of('promotions', 'budgetPaise', 'fundedBy', 'maxPerCustomer', 'visible'),
  ],
  'keyed hashes: an altered one only stops to fit': [
    ...['orders.txnTokenHash', 'orders.searchTerms', 'refunds.contentHash', 'usedSignatures.signatureHash', 'otpChallenges.otpHash'],
    ...['refreshTokens.tokenHash', 'ssoTokens.tokenHash', 'mandateLinks.linkHash'],
  ],
  'only the request said so, and it is not kept; or nothing goes by it': [
    ...of('merchantKeys', 'lastSeenAt', 'wrongSignatures'),
    ...['orders.paymentModes', 'subscriptions.paymentModes', 'subscriptions.appInvokeDevice', 'customerLinks.custId'],
    ...['orders.callbackUrl', 'orders.websiteName', 'notifications.form', 'ledgerEntries.line', 'tokenFamilies.ssoTokens'],
  ],
  'when somebody looks again: at any time, for many reasons': [
    ...of('tasks', 'dueAt', 'attempts', 'fence', 'leaseUntil'),
    ...['collections.nextAt', 'refunds.checks', 'notificationStreams.attempts'],
  ],
  'times within their order': [
    ...['orders', 'subscriptions', 'collections', 'transactions', 'refunds', 'redemptions', 'notificationStreams', 'tokenFamilies'].map(
      (table) => `${table}.updatedAt`,
    ),
    ...['collections.sentAt', 'notices.requestedAt', 'notices.answeredAt', 'events.at', 'tasks.addedAt', 'notifications.createdAt'],
    ...['notifications.deliveredAt', 'tokenFamilies.createdAt', 'refreshTokens.issuedAt', 'refreshTokens.usedAt'],
    ...['refreshTokens.successorUntil', 'ssoTokens.issuedAt', 'ssoTokens.expiresAt', 'ssoTokens.revokedAt'],
    ...['customerLinks.linkedAt', 'customers.signedInAt', 'mandateLinks.createdAt', 'usedSignatures.usedAt'],
  ],
  'only the receiver knows what it answered': of('deliveryAttempts', 'attempt', 'at', 'durationMs', 'httpStatus', 'outcome'),
  'counts of sign-in, which are forgotten by themselves': [
    ...['otpChallenges.tries', 'otpChallenges.triesMax', 'otpSends.mobile', 'otpSends.sentAt', 'otpSends.lastAt'],
  ],
  "the sandbox's own messages": of('messages', 'mobile', 'id', 'at', 'kind'),
}

/** Tables and columns that the history leaves empty, so this test proves nothing about them. */
const leftEmpty = {
  tables: [
    ...['accessTokens', 'approvals', 'auditLog', 'checkoutOtpSends', 'checkoutOtps', 'idempotencyKeys', 'mandateCodeSends', 'mandatePages'],
    'approvalCommands',
    ...['operatorSessions', 'operatorTokens', 'operators', 'otpFailures', 'pages', 'savedCards', 'signInFailures'],
    ...['lateTerms', 'merchantOrders', 'searchOrders', 'searchTerms', 'stoppedEndpoints'],
  ],
  columns: [
    ...[
      'customers.pendingVerificationSince',
      'merchantKeys.retiresAt',
      'notices.orderId',
      'subscriptions.edit',
      'subscriptions.mandateType',
    ],
    ...of('merchants', 'pageOrigins', 'pageLanguage', 'utilityCode'),
    ...of('promotions', 'percentHundredths', 'upToPaise'),
  ],
}

function of(table: string, ...columns: string[]): string[] {
  return columns.map((column) => `${table}.${column}`)
}

/** Another value that the column may hold. */
function other(column: string, { kind, oneOf, isInstant }: Column): string {
  if (oneOf) return `case ${column} ${oneOf.map((value, at) => `when '${value}' then '${oneOf[(at + 1) % oneOf.length]}'`).join(' ')} end`
  if (kind === 'boolean') return `1 - ${column}`
  if (kind !== 'integer') return `${column} || '1'`
  return `${column} + ${isInstant || /(_at|_until|_since|until)$/.test(column) ? DAY_MS : 1}`
}

test('a column that is altered is found, refused by the database, or named as what nothing can find or the history leaves empty', async (t) => {
  const service = await withHistory('sqlite')
  t.after(() => service.close())
  const terms = { txnAmount: { value: '1.00', currency: 'INR' }, renewalAmount: '1.00', userInfo: { custId: 'C1', mobile: '9810000001' } }
  await consented(service, 'LINKED', { ...terms, communicationManager: true, subscriptionStartDate: '2026-07-05' })
  await service.tasks.runDue()
  const database = new DatabaseSync(join(service.place.dataFolder, 'mohur.sqlite'), { readOnly: true })
  t.after(() => database.close())
  const [passed, empty]: [string[], string[]] = [[], []]
  let [altered, sealed] = [0, 0]
  for (const [name, { columns }] of Object.entries(tables))
    for (const [columnName, definition] of Object.entries(columns as Record<string, Column>)) {
      const [table, column] = [snake(name), snake(columnName)]
      if (leftEmpty.tables.includes(name) && database.prepare(`select count(*) as rows from ${table}`).get()!['rows'] === 0) {
        empty.push(`${name}.${columnName}`) // some have no row ids
        continue
      }
      const ids = database.prepare(`select rowid as id from ${table} where ${column} is not null order by rowid`).all() as { id: number }[]
      if (definition.kind === 'sealed') sealed++
      else if (ids.length === 0) empty.push(`${name}.${columnName}`)
      else {
        altered++
        const step = Math.max(1, Math.floor(ids.length / ROWS))
        let isFound = false
        for (const { id } of ids.filter((_, at) => at % step === 0)) {
          const does = [`update ${table} set ${column} = ${other(column, definition)} where rowid = ${id}`]
          const names = await named(service, { does }).catch(() => ['refused'])
          isFound ||= names.length > 0
          if (isFound) break
        }
        if (!isFound) passed.push(`${name}.${columnName}`)
      }
    }
  t.diagnostic(
    `columns altered ${altered}, found or refused ${altered - passed.length}, sealed ${sealed}, without a value here ${empty.length}`,
  )
  assert.deepEqual(passed.sort(), Object.values(notFound).flat().sort())
  const isWhole = (column: string) => leftEmpty.tables.includes(column.split('.')[0]!)
  assert.deepEqual(empty.filter((column) => !isWhole(column)).sort(), leftEmpty.columns.sort())
  assert.deepEqual([...new Set(empty.filter(isWhole).map((column) => column.split('.')[0]))].sort(), leftEmpty.tables.sort())
})
