// Nothing deletes a row of the audit log, not even `mohur sandbox reset` (docs/console.md, "The audit log"): no statement and no decision
// of `src` does.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

const src = resolve(import.meta.dirname, '../../src')
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort()
  .map((file) => [file, readFileSync(join(src, file), 'utf8')] as const)

const STATEMENT = /\b(?:delete from|truncate|drop table)\s|\bdeleteFrom\(/gi
/** Where statements delete, and why none of them deletes a row of the audit log. */
const DELETING: Readonly<Record<string, string>> = {
  'adapters/acquirer/sandbox/sandbox-bank.ts': 'the books of the sandbox bank are another database',
  'adapters/store/empty-store.ts': 'it leaves out STAFF, which names the audit log',
  'adapters/store/sql-store.ts': 'it carries out the changes of decisions',
}
/** The kind of a change that deletes, in any spelling, with what follows it. A comparison makes no change. */
const DELETION = /(?<![!=]== )'delete'(?: as const)?(?:,\s*(?:key: )?([\w.]+\b\(?))?/g
/** A deletion without the function of its key, and why its key is never the audit log's. */
const BY_VARIABLE: Readonly<Record<string, string>> = {
  'adapters/store/sql-store.ts ': 'a list of kinds',
  'domain/merchant/keys.ts dead': 'keyChange takes a merchant key',
  'domain/merchant/prepared-key.ts dead': 'keyChange takes a merchant key',
  'domain/payment-page/remove-card.ts key': 'a saved card',
  'domain/signin/retention.ts lock(': 'its tables are those of sign-ins',
  'engine/decision.ts ': 'a type',
  'engine/monotonic-times.ts ': 'a type',
}

function deletionsIn([file, text]: readonly [string, string]): string[] {
  const statements = [...text.matchAll(STATEMENT)].flatMap(() => (file in DELETING ? [] : [`${file}: a statement`]))
  const changes = [...text.matchAll(DELETION)].flatMap(([, key = '']) => {
    const isOther = /^\w+Key\($/.test(key) && key !== 'auditKey('
    return isOther || `${file} ${key}` in BY_VARIABLE ? [] : [`${file}: ${key}`]
  })
  return [...statements, ...changes]
}

test('no statement and no decision deletes a row of the audit log', (t) => {
  for (const planted of [
    "sql.raw('delete from audit_log where at < 1')",
    "sql.raw('DELETE FROM audit_log')",
    "engine.writer.deleteFrom('audit_log').execute()",
    "sql.raw('truncate audit_log')",
    "[{ kind: 'delete', key: auditKey(auditId) }]",
    "[{ kind: 'delete', key: lock('auditLog', auditId) }]",
    "[{\n kind: 'delete',\n key: row.key }]",
    "[{ kind: 'delete', key }]",
    "[{ key, kind: 'delete' }]",
    "[{ kind: 'delete' as const, key: lastKey }]",
    "[{ key: auditKey(auditId), kind: 'delete' }]",
    "[keyChange('delete', row)]",
  ])
    assert.equal(deletionsIn(['flows/planted.ts', planted]).length, 1, planted)
  assert.deepEqual(sources.flatMap(deletionsIn), [])
  const text = sources.find(([file]) => file === 'adapters/store/empty-store.ts')![1]
  assert.match(text, /const STAFF[^\]]*'auditLog'/)
  const named = sources.filter(([, text]) => text.includes('auditKey(')).map(([file]) => file)
  assert.deepEqual(named, ['domain/audit/audit.ts'], 'its key is made in one place')
  t.diagnostic(`${sources.length} files of src, statements and decisions that delete audit rows: 0`)
})

test('the files that are excused still delete', () => {
  const found = new Set(sources.filter(([, text]) => text.search(STATEMENT) >= 0).map(([file]) => file))
  assert.deepEqual(
    Object.keys(DELETING).filter((file) => !found.has(file)),
    [],
  )
  const keys = sources.flatMap(([file, text]) => [...text.matchAll(DELETION)].map(([, key = '']) => `${file} ${key}`))
  assert.deepEqual(
    Object.keys(BY_VARIABLE).filter((each) => !keys.includes(each)),
    [],
  )
})
