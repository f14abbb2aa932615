// The store keeps sealed columns with their text for a moment. An unchanged column is neither opened nor sealed again, and no other value
// is ever taken for it (src/adapters/store/sealed-cache.ts, docs/decisions/0005).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codecs } from '../../../src/adapters/store/codec.ts'
import { Sealed } from '../../../src/adapters/store/sealed-cache.ts'
import { MASTER_KEY_BYTES, Vault } from '../../../src/adapters/store/vault.ts'
import type { Row, TableName } from '../../../src/tables/tables.ts'

class CountingVault extends Vault {
  sealed = 0
  opened = 0
  override seal(plain: string, place: string): string {
    this.sealed++
    return super.seal(plain, place)
  }
  override open(text: string, place: string): string {
    this.opened++
    return super.open(text, place)
  }
}
const newVault = () => new CountingVault(Buffer.alloc(MASTER_KEY_BYTES, 5))
const another = () => new Vault(Buffer.alloc(MASTER_KEY_BYTES, 5))

test('a value that was read and is written unchanged keeps its text; it is opened at most once', () => {
  const vault = newVault()
  const sealed = new Sealed(vault)
  const text = another().seal('{"mobile":"9999900001"}', 'orders.details|m|o')
  const value = sealed.open(text, 'orders.details|m|o')
  assert.deepEqual(value, { mobile: '9999900001' })
  assert.equal(sealed.open(text, 'orders.details|m|o'), value, 'every reader has the same one')
  assert.equal(sealed.seal(value, 'orders.details|m|o'), text)
  assert.deepEqual([vault.opened, vault.sealed], [1, 0])
})

test('a value that was just written is not opened to be read, and reads as what the database holds', () => {
  const vault = newVault()
  const sealed = new Sealed(vault)
  const given = { name: 'A', left: undefined }
  const text = sealed.seal(given, 'p')
  const read = sealed.open(text, 'p')
  assert.deepEqual(read, { name: 'A' })
  assert.ok(!('left' in (read as object)), 'as JSON has it, and not as it was given')
  assert.equal(sealed.seal(read, 'p'), text)
  assert.deepEqual([vault.opened, vault.sealed], [0, 1])
})

test('a changed value, an equal one of another making, and another place are sealed anew', () => {
  const vault = newVault()
  const sealed = new Sealed(vault)
  const text = sealed.seal({ name: 'A' }, 'p')
  const read = sealed.open(text, 'p') as { name: string }
  const [changed, copied, elsewhere] = [sealed.seal({ ...read, name: 'B' }, 'p'), sealed.seal({ ...read }, 'p'), sealed.seal(read, 'q')]
  assert.equal(new Set([text, changed, copied, elsewhere]).size, 4, 'each has an IV of its own')
  assert.equal(another().open(changed, 'p'), '{"name":"B"}')
  assert.equal(another().open(elsewhere, 'q'), '{"name":"A"}')
  assert.throws(() => another().open(elsewhere, 'p'), 'a text is good at its own place only')
})

test('a text that another process wrote since is opened, and one that was moved or damaged is not', () => {
  const sealed = new Sealed(newVault())
  const old = sealed.seal({ name: 'A' }, 'p')
  sealed.open(old, 'p')
  const newer = another().seal('{"name":"B"}', 'p')
  assert.deepEqual(sealed.open(newer, 'p'), { name: 'B' })
  assert.deepEqual(sealed.open(old, 'p'), { name: 'A' }, 'a transaction that began before still reads the row as it was')
  assert.throws(() => sealed.open(old, 'q'), 'moved to another row')
  assert.throws(() => sealed.open(`${newer.slice(0, -4)}AAAA`, 'p'), 'its tag is wrong')
  assert.deepEqual(sealed.open(newer, 'p'), { name: 'B' }, 'the attempts left nothing behind')
})

test('a value that readers share cannot be edited, at any depth', () => {
  const sealed = new Sealed(newVault())
  const value = sealed.open(sealed.seal({ goods: [{ price: { value: '1.00' } }] }, 'p'), 'p') as { goods: { price: { value: string } }[] }
  assert.throws(() => value.goods.push({ price: { value: '2.00' } }), TypeError)
  assert.throws(() => {
    value.goods[0]!.price.value = '0.01'
  }, TypeError)
})

test('no more than 4,096 values and four million characters are kept: the oldest go first', () => {
  for (const { length, count, kept } of [
    { length: 10, count: 4_200, kept: 4_096 },
    { length: 160_000, count: 60, kept: 10 }, // 160,000 and their text of 213,000
  ]) {
    const vault = newVault()
    const sealed = new Sealed(vault)
    const texts = Array.from({ length: count }, (_, at) => sealed.seal('x'.repeat(length), `p${at}`))
    for (let at = count - kept; at < count; at++) sealed.open(texts[at]!, `p${at}`)
    assert.equal(vault.opened, 0, `the last ${kept} are there`)
    sealed.open(texts[count - kept - 1]!, `p${count - kept - 1}`)
    assert.equal(vault.opened, 1, 'the one before them is not')
    sealed.open(texts[count - 1]!, `p${count - 1}`)
    assert.equal(vault.opened, 1, 'and made room for itself by the oldest only')
  }
})

test('cards, keys, messages, tokens and tasks are opened and sealed each time', () => {
  const values: Partial<Record<TableName, object>> = {
    tasks: { task: 't', subject: 's', payload: { otp: '123456' } },
    messages: { mobile: '9999900001', id: '1', content: { text: 'x' } },
    savedCards: { mid: 'm', custId: 'c', savedCardId: 's', card: { token: 't' } },
    merchantKeys: { mid: 'm', clientId: 'c', generation: '1', key: 'k' },
    refreshTokens: { tokenHash: 'h', successor: { refreshToken: 'r' } },
    idempotencyKeys: { owner: 'o', operation: 'p', keyHash: 'k', reply: { name: 'n' } },
  }
  for (const [table, row] of Object.entries(values)) {
    const vault = newVault()
    const { encode, decode, sqlColumns } = codecs(vault)[table as TableName]
    const stored = Object.fromEntries(encode(row as unknown as Row<TableName>).map((value, at) => [sqlColumns[at], value ?? null]))
    const read = decode(stored)
    decode(stored)
    encode(read)
    assert.deepEqual([vault.opened, vault.sealed], [2, 2], table)
  }
})

test('an order that is paid keeps the text of its details, and a modified one does not', () => {
  const vault = newVault()
  const { encode, decode, sqlColumns } = codecs(vault).orders
  const made = { mid: 'm', orderId: 'o', version: 1, details: { userInfo: { custId: 'c' } }, payer: null } as unknown as Row<'orders'>
  const storedOf = (row: Row<TableName>) => Object.fromEntries(encode(row).map((value, at) => [sqlColumns[at]!, value ?? null]))
  const stored = storedOf(made)
  const read = decode(stored) as Row<'orders'>
  const paid = storedOf({ ...read, version: 2 })
  assert.equal(paid['details'], stored['details'])
  const modified = storedOf({ ...read, details: { ...read.details, userInfo: { custId: 'd' } } })
  assert.notEqual(modified['details'], stored['details'])
  assert.deepEqual((decode(modified) as Row<'orders'>).details.userInfo, { custId: 'd' })
  assert.deepEqual([vault.opened, vault.sealed], [0, 2])
})

test('an order that waits for its payer is opened by its first reader and kept from then on', () => {
  const vault = newVault()
  const { encode, decode, sqlColumns } = codecs(vault).orders
  const made = { mid: 'm', orderId: 'o', version: 1, status: 'CREATED', details: { userInfo: { custId: 'c' } }, payer: null }
  const storedOf = (row: object) => Object.fromEntries(encode(row as Row<'orders'>).map((value, at) => [sqlColumns[at]!, value ?? null]))
  const stored = storedOf(made)
  const read = decode(stored) as Row<'orders'>
  assert.deepEqual(read.details, made.details)
  assert.equal((decode(stored) as Row<'orders'>).details, read.details)
  for (const status of ['CREATED', 'IN_PROCESS', 'PAID'] as const)
    assert.equal(storedOf({ ...read, status })['details'], stored['details'], `${status}: what nobody changed keeps its text`)
  assert.deepEqual([vault.opened, vault.sealed], [1, 1])
})
