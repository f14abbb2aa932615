// A member that only published clients send may be a text of digits. An integer in its place counts as its written digits:
// docs/interface.md section 4, "Aliases of members". The interface's own texts stay texts.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { TObject } from 'typebox'
import { operations } from '../../../src/api/operations.ts'
import { sign } from '../../../src/interface/checksum.ts'
import { orderKey, subscriptionKey } from '../../../src/tables/keys.ts'
import { fix, subscription } from '../../support/mandates/subscription.ts'
import { KEY, MID, onBothStores, type Reply, sharedService } from '../../support/run/service.ts'

/** The interface's own operations, whose tables mark members that only published clients have. */
const OWN = ['createOrder', 'initiateSubscription', 'modifyOrder', 'listSubscriptions', 'applyPromo', 'validateOtp'] as const
const WRITTEN = ['1', '2', '12', '999']
const REFUSED = ['1.0', '1e0', '1E2', '-0', '0', '-1', '0.5', '1000', '9007199254740992', '1e400', 'true', '{}', '[1]']

const page = readFileSync(new URL('../../../docs/interface.md', import.meta.url), 'utf8')
const codeOf = ({ body }: Reply) => `${body.resultInfo.resultCode} ${body.resultInfo.resultMsg}`

onBothStores('a number for a text', (store) => {
  const service = sharedService(store)
  let next = 0
  const send = async (path: string, member: string, written: string, { signedAs = written, more = {} } = {}) => {
    const { post, ports } = await service()
    const orderId = `DIGITS-${next++}`
    const textOf = (value: string) => JSON.stringify(subscription(orderId, { ...more, [member]: '@' })).replace('"@"', value)
    const head = JSON.stringify({ signature: sign(textOf(signedAs), KEY, 'salt') })
    const reply = await post(`${path}?mid=${MID}&orderId=${orderId}`, `{"head":${head},"body":${textOf(written)}}`)
    assert.equal((await ports.query.row(orderKey(MID, orderId))) !== undefined, codeOf(reply).startsWith('0000 '), reply.text)
    return reply
  }

  test('is taken in subscriptionFrequency, over the bytes that were signed, on each path', async () => {
    const { ports } = await service()
    for (const path of operations.initiateSubscription.paths) {
      for (const written of WRITTEN) {
        const reply = await send(path, 'subscriptionFrequency', written)
        assert.match(codeOf(reply), /^0000 /, `${path} ${written}: ${reply.text}`)
        assert.equal((await ports.query.row(subscriptionKey(MID, reply.body.subscriptionId)))!.frequency, Number(written))
        assert.match(codeOf(await send(path, 'subscriptionFrequency', written, { signedAs: `"${written}"` })), /^2005 /)
      }
      for (const written of REFUSED)
        assert.equal(codeOf(await send(path, 'subscriptionFrequency', written)), '1007 Invalid subscriptionFrequency', `${path} ${written}`)
      for (const written of ['01', '+1', '0x1', '1_0', 'NaN'])
        assert.equal(codeOf(await send(path, 'subscriptionFrequency', written)), '1007 Missing mandatory element', written)
    }
  })

  test('is wrong in the texts of digits that the interface itself has', async () => {
    for (const path of operations.initiateSubscription.paths)
      for (const member of ['subscriptionGraceDays', 'subscriptionRetryCount', 'subscriptionEnableRetry'])
        assert.equal(codeOf(await send(path, member, '1')), `1007 Invalid ${member}`, path)
    for (const path of operations.initiateSubscription.paths) {
      assert.match(codeOf(await send(path, 'subscriptionMaxAmount', '100')), /^4001 /)
      assert.equal(codeOf(await send(path, 'renewalAmount', '100', { more: fix('1.00') })), '1007 Invalid renewalAmount')
    }
  })

  test('no other text of digits of the interface’s own operations is one that only published clients have', async () => {
    const isDigits = ({ pattern }: { pattern?: string }) =>
      pattern !== undefined && new RegExp(pattern).test('1') && !['1.0', 'a', '_', '-'].some((text) => new RegExp(pattern).test(text))
    const found: string[] = []
    for (const name of OWN) {
      const { wire: of, section } = operations[name]
      const from = page.indexOf(`### ${section} `)
      const rows = page.slice(from, page.indexOf('\n### ', from + 1))
      for (const [member, schema] of Object.entries(
        ((of?.body as TObject | undefined)?.properties ?? {}) as Readonly<Record<string, { pattern?: string }>>,
      ))
        if (rows.includes(`| ${member} (Mohur) |`) && isDigits(schema)) found.push(`${name}.${member}`)
    }
    assert.deepEqual(found, ['initiateSubscription.subscriptionFrequency'])
  })
})
