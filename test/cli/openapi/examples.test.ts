// docs/examples has the sandbox's replies, and an operation needs exactly its documented credentials.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import type { Schema } from '../../../src/api/kit/as-sent.ts'
import { replyKinds } from '../../../src/api/kit/replies.ts'
import { type OperationName, operations } from '../../../src/api/operations.ts'
import type { CredentialName } from '../../../src/interface/credentials.ts'
import { type Look, recordExamples, type Sent } from '../../support/described/exchanges.ts'
import { assertFits, codeIn, unfitnessOf } from '../../support/run/fits.ts'
import { onBothStores, type Reply } from '../../support/run/service.ts'

const names = Object.keys(operations) as OperationName[]
const kept = (name: OperationName) => JSON.parse(readFileSync(resolve(import.meta.dirname, `../../../docs/examples/${name}.json`), 'utf8'))

function kindOf(name: OperationName, { text, status, body }: Pick<Reply, 'text' | 'status' | 'body'>): 'answer' | 'refusal' | undefined {
  if (text === '') return status === 200 ? 'answer' : 'refusal'
  const code = codeIn({ body }) ?? String(status)
  return replyKinds(operations[name]).find(({ rows }) => rows.some((row) => row.code === code))?.kind
}

onBothStores('examples', (store) => {
  test('docs/examples holds an answer and a refusal of every operation, as the sandbox gives them (write-document.ts writes them)', async () => {
    const made = await recordExamples(store)
    assert.deepEqual(Object.keys(made).sort(), [...names].sort())
    for (const name of names) {
      assert.deepEqual(kept(name), made[name], name)
      for (const kind of ['answer', 'refusal'] as const) {
        const { status, body } = made[name][kind].reply
        const reply = body as Reply['body']
        assert.equal(kindOf(name, { status, body: reply?.body ?? reply, text: reply === undefined ? '' : 'some' }), kind, `${name} ${kind}`)
      }
    }
  })

  test('a request without one of its credentials, or with a wrong one, is refused by every operation', async () => {
    const seen = new Map<OperationName, Set<CredentialName>>()
    const look: Look = async (sent, service) => {
      const used = credentialsIn(sent)
      seen.set(sent.name, new Set(used.keys()))
      for (const [credential, broken] of used) {
        const reply = await service.call(sent.method, sent.path, broken.headers, broken.text)
        assert.equal(kindOf(sent.name, reply), 'refusal', `${sent.name} without ${credential}: ${reply.text}`)
      }
    }
    await recordExamples(store, look)
    for (const name of names) {
      const alternatives = operations[name].credentials.map((all) => new Set(all))
      assert.ok(
        alternatives.some((all) => all.symmetricDifference(seen.get(name)!).size === 0),
        `${name} came with ${[...seen.get(name)!]}`,
      )
    }
  })
})

type Broken = Pick<Sent, 'headers' | 'text'>
const HEADERS: Readonly<Record<string, CredentialName>> = {
  authorization: 'client',
  'x-device-identifier': 'device',
  session_token: 'sessionToken',
  'x-checksum': 'requestChecksum',
}
const TOKENS: Readonly<Record<string, CredentialName>> = {
  TXN_TOKEN: 'txnToken',
  CHECKSUM: 'checksum',
  ACCESS: 'accessToken',
  SSO: 'ssoToken',
}

/** The credentials of a request, each with the same request in which it is wrong. A wrong header is left out. */
function credentialsIn({ headers, text }: Sent): Map<CredentialName, Broken> {
  const found = new Map<CredentialName, Broken>()
  for (const [header, credential] of Object.entries(HEADERS)) {
    const { [header]: value, ...others } = headers
    if (value !== undefined) found.set(credential, { headers: others, text })
  }
  const breaking = (credential: CredentialName, value: string) => found.set(credential, { headers, text: text!.replace(value, 'wrong') })
  const { head = {}, refreshToken } = text === undefined ? {} : JSON.parse(text)
  if (refreshToken) breaking('refreshToken', refreshToken)
  if (head.signature) breaking('signature', head.signature)
  if (head.txnToken) breaking('txnToken', head.txnToken)
  const kind = TOKENS[head.tokenType]
  if (kind) breaking(kind, head.token)
  return found
}

function namedByHead({ properties = {} }: Schema): Set<CredentialName> {
  const kinds = (properties['tokenType']?.['enum'] ?? []) as readonly string[]
  const byKind = kinds.flatMap((kind) => TOKENS[kind] ?? [])
  const own = ['signature', 'txnToken'].filter((name) => name in properties) as CredentialName[]
  return new Set([...byKind, ...own])
}

test('the credentials of every operation with an envelope are those that the schema of its head lets in', () => {
  let compared = 0
  for (const name of names) {
    const head = operations[name].wire?.head
    if (!head) continue
    assert.deepEqual(namedByHead(head as Schema), new Set(operations[name].credentials.flat()), name)
    compared++
  }
  assert.equal(compared, 32)
})

test('a member that is planted into the reply of any operation is found', () => {
  let found = 0
  for (const name of names) {
    const { body, status } = kept(name).answer.reply
    if (body === undefined) continue
    const at = { name, url: operations[name].paths[0] }
    assert.deepEqual(unfitnessOf(at, body, status), [], name)
    const whole = body.body === undefined ? { ...body, planted: 'x' } : { ...body, body: { ...body.body, planted: 'x' } }
    assert.throws(() => assertFits(at.url, JSON.stringify(whole), whole, status), /additional properties/, `${name} with a member too many`)
    found++
  }
  assert.equal(found, names.length - 1) // the reply of Revoke Token is its HTTP status
})

test('a member inside a reply that is planted, missing or of another type is found', () => {
  const { body, status } = kept('fetchPaymentOptions').answer.reply
  const at = { name: 'fetchPaymentOptions' as const, url: operations.fetchPaymentOptions.paths[0] }
  for (const spoil of [
    (mode: Record<string, unknown>) => (mode['planted'] = 'x'),
    (mode: Record<string, unknown>) => delete mode['displayName'],
    (mode: Record<string, unknown>) => (mode['onboarding'] = 'false'),
  ]) {
    const spoilt = structuredClone(body)
    spoil(spoilt.body.merchantPayOption.paymentModes[0])
    assert.notDeepEqual(unfitnessOf(at, spoilt, status), [])
  }
})
